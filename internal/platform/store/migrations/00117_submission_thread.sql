-- What a member and the reviewers say to each other about a submission.
CREATE TABLE submission_message (
  message_id    TEXT COLLATE "C" PRIMARY KEY,
  submission_id TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL, -- whose submission it is
  author        TEXT COLLATE "C" NOT NULL,
  reviewer      BOOLEAN NOT NULL,          -- its author reviews
  at            BIGINT NOT NULL,           -- µs
  body          TEXT NOT NULL
);
CREATE INDEX submission_message_of ON submission_message (submission_id, message_id);
CREATE INDEX submission_message_by ON submission_message (user_id);

-- What a reviewer asked a member to take out of an item: a path of its sections, or a text that stands in it.
CREATE TABLE submission_removal (
  user_id       TEXT COLLATE "C" NOT NULL, -- whose submission it was
  kind          TEXT NOT NULL,
  item_id       TEXT COLLATE "C" NOT NULL,
  what          TEXT COLLATE "C" NOT NULL,
  submission_id TEXT COLLATE "C" NOT NULL,
  asked_at      BIGINT NOT NULL,           -- µs
  PRIMARY KEY (user_id, kind, item_id, what)
);
CREATE INDEX submission_removal_of ON submission_removal (submission_id);

-- A notification leads to what it is about.
ALTER TABLE notification_delivery ADD COLUMN page TEXT NOT NULL DEFAULT '';
ALTER TABLE notification ADD COLUMN item_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE notification ADD COLUMN submission_id TEXT COLLATE "C" NOT NULL DEFAULT '';
