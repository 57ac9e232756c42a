CREATE TABLE account (
  user_id       TEXT COLLATE "C" PRIMARY KEY,
  password_hash TEXT NOT NULL,
  disabled      BOOLEAN NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL
);

CREATE TABLE session (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  user_id    TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ends_at    BIGINT NOT NULL
);
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);

CREATE TABLE sign_in_link (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  user_id    TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE TABLE login_throttle (
  throttle_key TEXT COLLATE "C" PRIMARY KEY,
  window_start BIGINT NOT NULL,
  failures     BIGINT NOT NULL
);
CREATE INDEX login_throttle_by_start ON login_throttle (window_start);

CREATE TABLE preference (
  user_id        TEXT COLLATE "C" PRIMARY KEY,
  execution_mode TEXT NOT NULL,
  observe        BOOLEAN NOT NULL,
  updated_at     BIGINT NOT NULL
);

-- Dense numbers handed out inside the transaction that uses them, so none is lost or taken twice.
CREATE TABLE counter (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO counter (name, value) VALUES ('item', 0);

-- One row for each published template or profile pack: what its latest version says.
CREATE TABLE item (
  seq            INTEGER PRIMARY KEY,
  kind           TEXT NOT NULL,
  item_id        TEXT COLLATE "C" NOT NULL,
  owner          TEXT COLLATE "C" NOT NULL,
  visibility     TEXT NOT NULL,
  version        TEXT NOT NULL,
  category       TEXT NOT NULL,
  maintainer     TEXT NOT NULL,
  source_channel TEXT NOT NULL,
  pack_type      TEXT NOT NULL,
  risk_level     TEXT NOT NULL,
  featured       BOOLEAN NOT NULL,
  featured_note  TEXT NOT NULL,
  featured_at    BIGINT NOT NULL,
  published_at   BIGINT NOT NULL,
  changed_at     BIGINT NOT NULL,
  revision       BIGINT NOT NULL,
  facts          TEXT NOT NULL
);
CREATE UNIQUE INDEX item_by_id ON item (kind, item_id);
CREATE INDEX item_by_change ON item (changed_at);
-- Health adds the revisions up; this index is all it reads.
CREATE INDEX item_by_revision ON item (revision);

-- What the public sees of an item, rendered once per locale; locale '' is what others fall back to.
CREATE TABLE item_text (
  seq     INTEGER NOT NULL,
  locale  TEXT COLLATE "C" NOT NULL,
  listing TEXT NOT NULL,
  detail  TEXT NOT NULL,
  PRIMARY KEY (seq, locale)
);

CREATE TABLE item_version (
  seq            INTEGER NOT NULL,
  version        TEXT COLLATE "C" NOT NULL,
  ordinal        INTEGER NOT NULL,
  submission_id  TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  risk_level     TEXT NOT NULL,
  change_note    TEXT NOT NULL,
  published_at   BIGINT NOT NULL,
  document       TEXT NOT NULL,
  PRIMARY KEY (seq, version)
);

CREATE TABLE artifact (
  artifact_id TEXT COLLATE "C" PRIMARY KEY,
  seq         INTEGER NOT NULL,
  version     TEXT COLLATE "C" NOT NULL,
  source      TEXT NOT NULL,
  sha256      TEXT NOT NULL,
  size_bytes  BIGINT NOT NULL,
  filename    TEXT NOT NULL,
  created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX artifact_by_version ON artifact (seq, version, source);

CREATE TABLE engagement (
  seq                   INTEGER PRIMARY KEY,
  trial_requests        BIGINT NOT NULL,
  installs              BIGINT NOT NULL,
  prompt_generations    BIGINT NOT NULL,
  package_generations   BIGINT NOT NULL,
  community_submissions BIGINT NOT NULL,
  last_activity_at      BIGINT NOT NULL,
  changed_at            BIGINT NOT NULL
);
CREATE INDEX engagement_by_change ON engagement (changed_at);

CREATE TABLE submission (
  submission_id TEXT COLLATE "C" PRIMARY KEY,
  kind          TEXT NOT NULL,
  item_id       TEXT COLLATE "C" NOT NULL,
  version       TEXT NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL,
  status        TEXT NOT NULL,
  risk_level    TEXT NOT NULL,
  document      TEXT NOT NULL,
  reviewer      TEXT NOT NULL,
  review_note   TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL
);
CREATE INDEX submission_by_status ON submission (status, submission_id);
CREATE INDEX submission_by_item ON submission (kind, item_id, submission_id);

-- The latest trial of a member and an item; earlier ones are in the audit log.
CREATE TABLE trial (
  user_id    TEXT COLLATE "C" NOT NULL,
  item_id    TEXT COLLATE "C" NOT NULL,
  trial_id   TEXT NOT NULL,
  session_id TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  told       BOOLEAN NOT NULL,
  PRIMARY KEY (user_id, item_id)
);
CREATE INDEX trial_to_tell ON trial (told, expires_at);

CREATE TABLE installation (
  user_id        TEXT COLLATE "C" NOT NULL,
  item_id        TEXT COLLATE "C" NOT NULL,
  kind           TEXT NOT NULL,
  seq            INTEGER NOT NULL,
  version        TEXT NOT NULL,
  sha256         TEXT NOT NULL,
  size_bytes     BIGINT NOT NULL,
  source         TEXT NOT NULL,
  session_id     TEXT NOT NULL,
  execution_mode TEXT NOT NULL,
  observe        BOOLEAN NOT NULL,
  options        TEXT NOT NULL,
  installed_at   BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  PRIMARY KEY (user_id, item_id)
);
CREATE INDEX installation_newest ON installation (user_id, updated_at, item_id);
CREATE INDEX installation_by_item ON installation (seq);

CREATE TABLE audit_event (
  event_id   TEXT COLLATE "C" PRIMARY KEY,
  at         BIGINT NOT NULL,
  actor      TEXT NOT NULL,
  owner      TEXT COLLATE "C" NOT NULL,
  task       BOOLEAN NOT NULL,
  action     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  item_id    TEXT NOT NULL,
  target_id  TEXT NOT NULL,
  ok         BOOLEAN NOT NULL,
  status     TEXT NOT NULL,
  detail     TEXT NOT NULL,
  request_id TEXT NOT NULL
);
CREATE INDEX audit_tasks ON audit_event (owner, task, event_id);

CREATE TABLE notification (
  notification_id TEXT COLLATE "C" PRIMARY KEY,
  user_id         TEXT COLLATE "C" NOT NULL,
  at              BIGINT NOT NULL,
  kind            TEXT NOT NULL,
  target          TEXT NOT NULL,
  message         TEXT NOT NULL
);
CREATE INDEX notification_newest ON notification (user_id, notification_id);

CREATE TABLE request_trace (
  trace_id      TEXT COLLATE "C" PRIMARY KEY,
  request_id    TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL,
  method        TEXT NOT NULL,
  path          TEXT NOT NULL,
  status        INTEGER NOT NULL,
  error_code    TEXT NOT NULL,
  duration_us   BIGINT NOT NULL,
  started_at    BIGINT NOT NULL,
  finished_at   BIGINT NOT NULL,
  response_type TEXT NOT NULL,
  response_size BIGINT NOT NULL,
  request_size  BIGINT NOT NULL,
  remote        TEXT NOT NULL,
  agent         TEXT NOT NULL
);
CREATE INDEX request_trace_newest ON request_trace (user_id, trace_id);
CREATE INDEX request_trace_by_request ON request_trace (request_id);
