-- What the options of an imported collection's decks ask of study, as JSON; '' is not read yet.
ALTER TABLE anki_collection ADD COLUMN deck_options TEXT NOT NULL DEFAULT '';
-- What a learner answered today.
CREATE INDEX observation_by_time ON observation (user_id, observed_at);
