-- Answers given here, under the ids that they have in Anki's review log. A review that comes from Anki with such an id is no new one.
CREATE TABLE anki_review (
  owner        TEXT COLLATE "C" NOT NULL,
  review_id    BIGINT NOT NULL,  -- in Anki: ms since 1970, moved where another row has it
  card_id      BIGINT NOT NULL,  -- in Anki
  atom_id      TEXT COLLATE "C" NOT NULL,
  answered_at  BIGINT NOT NULL,  -- observation.observed_at
  nth          BIGINT NOT NULL,  -- of the answers to this atom at this time, from 0
  sent_at      BIGINT NOT NULL,  -- when Anki was seen to have it; 0: not yet
  PRIMARY KEY (owner, review_id)
);
CREATE UNIQUE INDEX anki_review_by_answer ON anki_review (owner, atom_id, answered_at, nth);
