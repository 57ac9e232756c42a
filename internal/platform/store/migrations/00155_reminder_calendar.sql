-- When and how a learner's calendar reminds of what is due.
CREATE TABLE reminder_calendar (
  user_id    TEXT COLLATE "C" PRIMARY KEY,
  at_minute  INTEGER NOT NULL,                          -- of the day, where the learner is
  time_zone  TEXT NOT NULL,                             -- as in the IANA database
  locale     TEXT NOT NULL,
  alarm      BOOLEAN NOT NULL,
  token_hash TEXT COLLATE "C" NOT NULL DEFAULT ''       -- of the token in the calendar's address; '' is no calendar
);
CREATE INDEX reminder_calendar_by_token ON reminder_calendar (token_hash);
