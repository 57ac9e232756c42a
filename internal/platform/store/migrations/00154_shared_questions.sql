-- First answers are shared of notes and of their questions; ids of both never meet.
ALTER TABLE shared_answer RENAME COLUMN atom_id TO subject_id;

-- What others' first answers said of a question when it was answered for the first time; a variance of 0 is nothing.
ALTER TABLE observation ADD COLUMN question_prior_ease DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN question_prior_variance DOUBLE PRECISION NOT NULL DEFAULT 0;
