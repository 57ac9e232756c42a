-- Whether the models took the answer as one to that question, with a difficulty of its own. Answers from before were taken as answers to their concept
-- alone, and states are rebuilt from the log as they were made.
ALTER TABLE observation ADD COLUMN by_question BOOLEAN NOT NULL DEFAULT FALSE;
