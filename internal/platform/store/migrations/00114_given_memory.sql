-- A memory as another program left it, such as a schedule that stands in a note; 0 for an answer that was given here.
ALTER TABLE observation ADD COLUMN given_stability DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN given_difficulty DOUBLE PRECISION NOT NULL DEFAULT 0;
