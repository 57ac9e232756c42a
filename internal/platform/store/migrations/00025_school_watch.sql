-- What the school watches of itself.

-- The first request to a route since a process began is slow for reasons of its own.
ALTER TABLE request_trace ADD COLUMN warm_up BOOLEAN NOT NULL DEFAULT FALSE;

-- Questions about notes as they were answered, the newest of each learner. Shares in millionths, times in µs.
CREATE TABLE query_sample (
  user_id     TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,
  fallback    BOOLEAN NOT NULL,  -- words alone answered
  reason      TEXT NOT NULL,     -- why they did
  hits        BIGINT NOT NULL,
  evidence    BIGINT NOT NULL,
  paths       BIGINT NOT NULL,
  valid       BIGINT NOT NULL,
  took_us     BIGINT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX query_sample_by_age ON query_sample (id);
