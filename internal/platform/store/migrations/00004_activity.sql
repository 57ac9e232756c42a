-- Uses per UTC day, kept for a hundred days: of each item, and of the whole public market in a few rows
-- per day (negative seq), so that no plot needs a sum over items and no one row is everybody's.
CREATE TABLE activity (
  seq      BIGINT NOT NULL,
  day      BIGINT NOT NULL,
  counter  TEXT COLLATE "C" NOT NULL,
  uses     BIGINT NOT NULL,
  PRIMARY KEY (seq, day, counter)
);
CREATE INDEX activity_by_day ON activity (day);
