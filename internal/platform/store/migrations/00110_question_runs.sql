-- A language model proposes questions about a learner's notes: one run of a learner at a time, and what of the notes was read.

CREATE TABLE question_run (
  user_id     TEXT COLLATE "C" PRIMARY KEY,
  run_id      TEXT COLLATE "C" NOT NULL,
  state       TEXT NOT NULL,    -- running, stopped, failed, done
  next_at     BIGINT NOT NULL,  -- µs: no call before
  stepped_at  BIGINT NOT NULL,  -- µs, of the last call
  body        TEXT NOT NULL     -- school.proposalRun: what was agreed to and the figures
);
CREATE INDEX question_run_due ON question_run (stepped_at) WHERE state = 'running';

-- The parts of notes that the run reads, or an earlier one has read.
CREATE TABLE question_part (
  user_id      TEXT COLLATE "C" NOT NULL,
  unit_id      TEXT COLLATE "C" NOT NULL,
  part         BIGINT NOT NULL,
  run_id       TEXT COLLATE "C" NOT NULL,
  place        BIGINT NOT NULL,  -- in the run
  fingerprint  TEXT NOT NULL,    -- of its text; '' when it could not be read
  done         BOOLEAN NOT NULL, -- nothing is left to ask about it
  pending      TEXT NOT NULL,    -- proposals that are not checked yet
  PRIMARY KEY (user_id, unit_id, part)
);
CREATE INDEX question_part_open ON question_part (user_id, run_id, place) WHERE NOT done;
