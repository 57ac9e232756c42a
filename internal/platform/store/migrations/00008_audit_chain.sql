-- The audit log is a hash chain. An event is written without a place in it, so that nobody waits for anybody, and is
-- given one soon after: the next number, and SHA-256 over the hash before and its own fields, in hex.
ALTER TABLE audit_event ADD COLUMN chain_seq BIGINT;
ALTER TABLE audit_event ADD COLUMN chain_hash TEXT;
CREATE UNIQUE INDEX audit_chain ON audit_event (chain_seq) WHERE chain_seq IS NOT NULL;
CREATE INDEX audit_unchained ON audit_event (event_id) WHERE chain_seq IS NULL;

-- The end of the chain. Whoever adds to it takes this row first.
CREATE TABLE audit_head (
  chain  TEXT COLLATE "C" PRIMARY KEY,
  seq    BIGINT NOT NULL,
  hash   TEXT NOT NULL
);
