-- What the feeds say of an item, worked out once: reading it from every package again takes half a minute for 30,000 packs.
CREATE TABLE feed_row (
  seq     BIGINT PRIMARY KEY, -- of the item
  version TEXT NOT NULL,      -- the version that it says this of
  form    TEXT NOT NULL,      -- who worked it out; another program may say the same otherwise
  body    TEXT NOT NULL
);
