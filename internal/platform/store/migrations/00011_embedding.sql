-- Vectors that an embedder on another server gave for passages, so that each is asked for once.
CREATE TABLE embedding (
  owner   TEXT COLLATE "C" NOT NULL,
  model   TEXT COLLATE "C" NOT NULL,
  hash    TEXT COLLATE "C" NOT NULL,  -- of the passage
  vector  BYTEA NOT NULL,             -- float32, little endian
  PRIMARY KEY (owner, hash, model)
);
