-- What a database was found to have lost, and that an operator goes on without it.

-- Changes that a node had acknowledged and that were not here when it came back. Times in µs.
CREATE TABLE history_loss (
  id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  found_at    BIGINT NOT NULL,
  node        TEXT NOT NULL,
  identity    TEXT NOT NULL,   -- of the server
  timeline    BIGINT NOT NULL,
  detail      TEXT NOT NULL,   -- the lost range, in words
  missing     BIGINT NOT NULL, -- acknowledged events that are not here
  first_id    TEXT NOT NULL,   -- the first and the last of them
  last_id     TEXT NOT NULL,
  accepted    TEXT COLLATE "C" NOT NULL -- the acceptance, '' while there is none
);

-- The word of an operator that what is here counts from now on.
CREATE TABLE history_acceptance (
  id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  at          BIGINT NOT NULL,
  reason      TEXT NOT NULL
);
