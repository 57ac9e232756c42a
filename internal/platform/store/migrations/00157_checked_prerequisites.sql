-- What a language model said of an inferred prerequisite stands with the member's own words on pairs of notes. texts is a digest of
-- the two notes as the model read them, '' for what the member said.
ALTER TABLE note_correction ADD COLUMN texts TEXT NOT NULL DEFAULT '';
