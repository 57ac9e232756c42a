-- A session's answers can be taken back.

-- The version at which something of the learner was taken back: what nodes hold in memory from before it is read again.
ALTER TABLE learner ADD COLUMN rewound BIGINT NOT NULL DEFAULT 0;

-- Which of Anki's four buttons was pressed, 0 for none.
ALTER TABLE observation ADD COLUMN grade BIGINT NOT NULL DEFAULT 0;

-- How the rows were that a session changed, of each learner's newest sessions.
CREATE TABLE session_undo (
  user_id         TEXT COLLATE "C" NOT NULL,
  session_id      TEXT COLLATE "C" NOT NULL,
  before_version  BIGINT NOT NULL,  -- learner.version
  after_version   BIGINT NOT NULL,
  answers         BIGINT NOT NULL,
  executed_at     BIGINT NOT NULL,
  undone_at       BIGINT NOT NULL,  -- 0: not taken back
  journal         BYTEA NOT NULL,   -- store.journal, compressed
  PRIMARY KEY (user_id, session_id)
);
CREATE INDEX session_undo_by_version ON session_undo (user_id, after_version);
