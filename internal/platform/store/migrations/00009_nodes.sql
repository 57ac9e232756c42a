-- Several nodes on one database.

-- Who does a piece of background work, until when (µs), and the how manieth holder that is.
CREATE TABLE lease (
  job     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  holder  TEXT COLLATE "C" NOT NULL,
  until   BIGINT NOT NULL,
  token   BIGINT NOT NULL
);

-- Changes of items are numbered in the order in which they are committed, so that a node that follows the numbers misses
-- none, however long a transaction took and whatever clocks say.
ALTER TABLE item ADD COLUMN change_no BIGINT NOT NULL DEFAULT 0;
DROP INDEX item_by_change;
CREATE INDEX item_by_change ON item (change_no);
INSERT INTO counter (name, value) VALUES ('item_change', 0);
