-- Which question was answered; '' where none that is kept was asked. What was answered of a concept's questions follows from it.
ALTER TABLE observation ADD COLUMN question_id TEXT NOT NULL DEFAULT '';
