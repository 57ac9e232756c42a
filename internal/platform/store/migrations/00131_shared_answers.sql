-- First answers to notes of everybody, of members who agreed to share how hard things are: 1 is right. Nobody else has rows.
CREATE TABLE shared_answer (
  user_id    TEXT COLLATE "C" NOT NULL,
  atom_id    TEXT COLLATE "C" NOT NULL,
  was_right  BIGINT NOT NULL,
  PRIMARY KEY (user_id, atom_id)
);
CREATE INDEX shared_answer_by_atom ON shared_answer (atom_id, was_right);

-- The secret that the noise of shared figures is made of.
CREATE TABLE sharing_key (
  name    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  secret  BYTEA NOT NULL
);

-- What others' first answers said of an atom when it was answered for the first time; a variance of 0 is nothing.
ALTER TABLE observation ADD COLUMN prior_ease DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN prior_variance DOUBLE PRECISION NOT NULL DEFAULT 0;
