-- Retention: answers to repeated requests end at a stated time, details of audit events may be dropped while the chain
-- keeps their digests, and what a member does is counted per day.

-- When the row may be removed, in µs. Answers are compressed; the column answer has those of earlier versions and short ones.
ALTER TABLE idempotency ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE idempotency ADD COLUMN packed BYTEA NOT NULL DEFAULT '';
UPDATE idempotency SET expires_at = created_at + CASE WHEN idem_key LIKE 'request:%' THEN 86400000000 ELSE 604800000000 END;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- SHA-256 of detail in hex. Events that have one are chained by it instead of by the detail itself.
ALTER TABLE audit_event ADD COLUMN detail_digest TEXT;

-- How much of a kind a member has used on one UTC day; the row is reused on the next day.
CREATE TABLE quota_use (
  user_id  TEXT COLLATE "C" NOT NULL,
  kind     TEXT COLLATE "C" NOT NULL,
  day      BIGINT NOT NULL,
  used     BIGINT NOT NULL,
  PRIMARY KEY (user_id, kind)
);
