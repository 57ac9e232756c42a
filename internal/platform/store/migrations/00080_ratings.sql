-- Whoever runs the server vouches for these members: it added them, or said so later. What others say is shown and does not
-- count for the order of the catalog. Accounts from before were added by whoever runs the server when the audit log says so.
ALTER TABLE account ADD COLUMN vouched BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE account SET vouched = TRUE WHERE user_id IN (SELECT target_id FROM audit_event WHERE action = 'member.added');

-- What a member says of an item; one for each of the two. One that was removed stays a day, so that its member can take that back.
CREATE TABLE rating (
  rating_id   TEXT COLLATE "C" PRIMARY KEY,
  user_id     TEXT COLLATE "C" NOT NULL,
  seq         INTEGER NOT NULL,
  stars       INTEGER NOT NULL,         -- 1 to 5
  body        TEXT NOT NULL,
  version     TEXT NOT NULL,            -- that the member had installed
  counted     INTEGER NOT NULL,         -- 1 when its member is vouched for and neither it nor its member was shut out
  hidden      INTEGER NOT NULL,         -- 1 when whoever runs the server hid it
  answer      TEXT NOT NULL,            -- of the item's owner
  answered_at BIGINT NOT NULL,          -- µs, 0 for never, like all below
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  removed_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX rating_of_member ON rating (user_id, seq);
CREATE INDEX rating_of_item ON rating (seq, counted, updated_at, rating_id);
CREATE INDEX rating_removed ON rating (removed_at) WHERE removed_at > 0;

-- Who finds that a rating should not be seen, and why.
CREATE TABLE rating_report (
  rating_id   TEXT COLLATE "C" NOT NULL,
  reported_by TEXT COLLATE "C" NOT NULL,
  reason      TEXT NOT NULL,
  reported_at BIGINT NOT NULL,          -- µs
  PRIMARY KEY (rating_id, reported_by)
);
CREATE INDEX rating_report_by ON rating_report (reported_by);

-- What an item's place in the catalog is made of.
CREATE TABLE ranking (
  seq        INTEGER PRIMARY KEY,
  counted    INTEGER NOT NULL,          -- ratings that count
  stars      INTEGER NOT NULL,          -- their stars, added up
  others     INTEGER NOT NULL,          -- ratings that are shown and do not count
  keepers    INTEGER NOT NULL,          -- members who are vouched for and have had it installed for a week
  changed_at BIGINT NOT NULL            -- µs
);
CREATE INDEX ranking_by_change ON ranking (changed_at);
