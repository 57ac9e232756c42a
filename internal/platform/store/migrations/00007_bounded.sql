-- What is looked at often costs the same however much there is: rows that are counted as they come, and indexes that hold what is read.

CREATE TABLE learner_count (
  user_id  TEXT COLLATE "C" NOT NULL,
  kind     TEXT COLLATE "C" NOT NULL,
  n        BIGINT NOT NULL,
  PRIMARY KEY (user_id, kind)
);
INSERT INTO learner_count (user_id, kind, n) SELECT user_id, 'tutor_trace', COUNT(*) FROM tutor_trace GROUP BY user_id;

-- Both are kept for the retention setting.
CREATE INDEX tutor_trace_by_age ON tutor_trace (created_at);
CREATE INDEX strategy_exposure_by_age ON strategy_exposure (executed_at);

-- Streaks of attempts are read without the attempts themselves.
DROP INDEX remediation_event_by_check;
CREATE INDEX remediation_event_by_check ON remediation_event (user_id, check_id, id, status, at);
