-- What a newer scanner says of a published version where that differs from what is shown: it waits for whoever runs the server.
CREATE TABLE verdict_change (
  seq      INTEGER NOT NULL,
  version  TEXT COLLATE "C" NOT NULL,
  found_at BIGINT NOT NULL, -- µs
  scan     TEXT NOT NULL,   -- scan.Summary
  PRIMARY KEY (seq, version)
);
