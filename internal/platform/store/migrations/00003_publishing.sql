-- Publishing: drafts, submissions that members follow, transfers, answers to repeated requests.

-- A member's imported setup, not yet submitted. The bytes as they were uploaded hold secrets: they are kept
-- as a blob encrypted to draft_key, so that whoever has the blobs alone can read nothing, and deleting the
-- row makes them unreadable for good.
CREATE TABLE import_draft (
  artifact_id  TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL,
  filename     TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  blob         TEXT COLLATE "C" NOT NULL,
  draft_key    TEXT NOT NULL,
  size_bytes   BIGINT NOT NULL,
  listing      TEXT NOT NULL,
  detail       TEXT NOT NULL,
  created_at   BIGINT NOT NULL
);
CREATE INDEX import_draft_newest ON import_draft (user_id, artifact_id);
CREATE INDEX import_draft_by_blob ON import_draft (blob);

-- What lists and filters read of a submission without parsing its document.
ALTER TABLE submission ADD COLUMN folded_id TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN pack_type TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN labels TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN flags TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN import_id TEXT NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN sha256 TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
ALTER TABLE submission ADD COLUMN report TEXT NOT NULL DEFAULT '{}';
CREATE INDEX submission_by_user ON submission (user_id, kind, submission_id);
CREATE INDEX submission_by_digest ON submission (sha256);
CREATE INDEX submission_by_import ON submission (import_id);
CREATE INDEX artifact_by_digest ON artifact (sha256);

-- One row per upload or download. logical_key is what a retry has in common with the first attempt.
CREATE TABLE transfer_job (
  job_id          TEXT COLLATE "C" PRIMARY KEY,
  user_id         TEXT COLLATE "C" NOT NULL,
  logical_key     TEXT COLLATE "C" NOT NULL,
  direction       TEXT NOT NULL,
  job_type        TEXT NOT NULL,
  item_id         TEXT NOT NULL,
  submission_id   TEXT NOT NULL,
  status          TEXT NOT NULL,
  filename        TEXT NOT NULL,
  size_bytes      BIGINT NOT NULL,
  done_bytes      BIGINT NOT NULL,
  sha256          TEXT NOT NULL,
  attempt_count   INTEGER NOT NULL,
  retry_count     INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  failure_reason  TEXT NOT NULL,
  failure_detail  TEXT NOT NULL,
  metadata        TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL,
  started_at      BIGINT NOT NULL,
  finished_at     BIGINT NOT NULL
);
CREATE UNIQUE INDEX transfer_by_key ON transfer_job (user_id, logical_key);
CREATE INDEX transfer_newest ON transfer_job (user_id, updated_at, job_id);
CREATE INDEX transfer_by_status ON transfer_job (status, updated_at);

-- The answer that a repeated request with the same key gets.
CREATE TABLE idempotency (
  user_id    TEXT COLLATE "C" NOT NULL,
  idem_key   TEXT COLLATE "C" NOT NULL,
  route      TEXT NOT NULL,
  digest     TEXT NOT NULL,
  target_id  TEXT NOT NULL,
  answer     TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, idem_key)
);

-- To whom a member's sealed secrets are encrypted; an age recipient or ''.
ALTER TABLE preference ADD COLUMN recipient TEXT NOT NULL DEFAULT '';

-- Submissions whose package is too large to be scanned before the answer. taken_at says when a process last
-- began; after a while another may.
CREATE TABLE scan_job (
  submission_id TEXT COLLATE "C" PRIMARY KEY,
  taken_at      BIGINT NOT NULL
);
CREATE INDEX scan_job_by_taken ON scan_job (taken_at);
