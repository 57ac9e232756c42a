-- Catalogs of others that are kept here, read only. Times in µs.
CREATE TABLE mirror (
  name       TEXT COLLATE "C" PRIMARY KEY, -- the first half of its items' ids
  kind       TEXT NOT NULL,
  url        TEXT NOT NULL,
  republish  BOOLEAN NOT NULL,             -- its items are in the feeds
  private    BOOLEAN NOT NULL,             -- it may be fetched from addresses that are not public
  max_items  BIGINT NOT NULL,
  every      BIGINT NOT NULL,              -- µs between two syncs
  created_at BIGINT NOT NULL,
  run        BIGINT NOT NULL,              -- number of the sync that is going on, or was last
  running    BOOLEAN NOT NULL,
  list_cursor TEXT NOT NULL,               -- where the list goes on
  etag       TEXT NOT NULL,                -- of the list that was read whole last
  next_etag  TEXT NOT NULL,                -- of the list that is being read
  next_at    BIGINT NOT NULL,
  synced_at  BIGINT NOT NULL,              -- 0 before the first whole sync
  problem    TEXT NOT NULL                 -- why the last sync did not end, "" when it did
);

-- What a mirror's source lists, and what became of it here.
CREATE TABLE mirror_entry (
  mirror      TEXT COLLATE "C" NOT NULL,
  upstream_id TEXT COLLATE "C" NOT NULL,
  kind        TEXT NOT NULL,
  item_id     TEXT COLLATE "C" NOT NULL,   -- here; kept also while there is no such item
  stamp       TEXT NOT NULL,               -- what the source said when it was read last
  state       TEXT NOT NULL,               -- published, waiting, refused, gone
  reason      TEXT NOT NULL,
  run         BIGINT NOT NULL,             -- the sync that saw it last
  PRIMARY KEY (mirror, upstream_id)
);
CREATE UNIQUE INDEX mirror_entry_item ON mirror_entry (item_id);
CREATE INDEX mirror_entry_run ON mirror_entry (mirror, run);
