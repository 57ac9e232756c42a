-- How many rows of a kind a learner has, where counting them would take longer the more there are.

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
