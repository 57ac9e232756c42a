-- How a learner's answers to a question were, by what the models expected before each: expected is a twentieth of probability from 0,
-- right and wrong count half answers, since a partial one is half of each.
CREATE TABLE question_answers (
  user_id      TEXT COLLATE "C" NOT NULL,
  question_id  TEXT COLLATE "C" NOT NULL,
  expected     BIGINT NOT NULL,
  right_half   BIGINT NOT NULL,
  wrong_half   BIGINT NOT NULL,
  PRIMARY KEY (user_id, question_id, expected)
);

-- Questions that were proposed for retirement and that their learner keeps until they have so many answers.
CREATE TABLE question_kept (
  user_id        TEXT COLLATE "C" NOT NULL,
  question_id    TEXT COLLATE "C" NOT NULL,
  until_answers  BIGINT NOT NULL,
  kept_at        BIGINT NOT NULL,
  PRIMARY KEY (user_id, question_id)
);
