-- The school watches itself. Everything is a learner's own, kept for the retention setting and read by id, the newest first.

CREATE TABLE verification (
  user_id     TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  request_id  TEXT COLLATE "C" NOT NULL,
  check_id    TEXT COLLATE "C" NOT NULL,
  status      TEXT COLLATE "C" NOT NULL,
  errors      BIGINT NOT NULL,   -- share of the requests looked at, in millionths
  p95_us      BIGINT NOT NULL,
  top_risk    BOOLEAN NOT NULL,  -- it was the top risk
  at          BIGINT NOT NULL,
  record      TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX verification_by_request ON verification (user_id, request_id);
CREATE INDEX verification_by_check ON verification (user_id, check_id, id, status, errors, p95_us, at);
CREATE INDEX verification_by_status ON verification (user_id, status, id);
CREATE INDEX verification_by_check_status ON verification (user_id, check_id, status, id);
CREATE INDEX verification_by_age ON verification (id);

CREATE TABLE remediation_event (
  user_id     TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  request_id  TEXT COLLATE "C" NOT NULL,
  check_id    TEXT COLLATE "C" NOT NULL,
  source      TEXT COLLATE "C" NOT NULL,
  status      TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,
  record      TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX remediation_event_by_request ON remediation_event (user_id, request_id);
CREATE INDEX remediation_event_by_check ON remediation_event (user_id, check_id, id);
CREATE INDEX remediation_event_by_age ON remediation_event (id);

-- Sums of both: kind is the table, grp the check (and for events its source), width in minutes as in study_sum.
CREATE TABLE governance_sum (
  user_id    TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  width      BIGINT NOT NULL,
  bucket     BIGINT NOT NULL,
  check_id   TEXT COLLATE "C" NOT NULL,
  source     TEXT COLLATE "C" NOT NULL,
  status     TEXT COLLATE "C" NOT NULL,
  records    BIGINT NOT NULL,
  errors     BIGINT NOT NULL,
  p95_us     BIGINT NOT NULL,
  top_risk   BIGINT NOT NULL,
  PRIMARY KEY (user_id, kind, width, bucket, check_id, source, status)
);

CREATE TABLE quality_record (
  user_id  TEXT COLLATE "C" NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  at       BIGINT NOT NULL,
  record   TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX quality_record_by_age ON quality_record (id);

-- One row for each learner: sums over all records, the chart, and the baseline.
CREATE TABLE quality_state (
  user_id     TEXT COLLATE "C" PRIMARY KEY,
  records     BIGINT NOT NULL,
  retest      BIGINT NOT NULL,    -- sums of shares, in millionths
  evidence    BIGINT NOT NULL,
  recurrence  BIGINT NOT NULL,
  fallback    BIGINT NOT NULL,
  chart       TEXT NOT NULL
);
CREATE TABLE quality_baseline (
  user_id    TEXT COLLATE "C" PRIMARY KEY,
  snapshot   TEXT NOT NULL,
  stored_at  BIGINT NOT NULL
);
