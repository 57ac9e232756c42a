-- What an id looks like, so that nobody signs up under one that could be taken for another member's.
ALTER TABLE account ADD COLUMN likeness TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE account SET likeness = replace(replace(replace(replace(replace(replace(replace(lower(user_id), 'rn', 'm'), 'vv', 'w'), '0', 'o'), '1', 'l'), 'i', 'l'), '_', '-'), '.', '-');
CREATE INDEX account_by_likeness ON account (likeness);

-- Where and with what a session was begun, for its member to see.
ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';

-- Windows of counted attempts differ in length; each row says when its own is over (µs).
ALTER TABLE login_throttle ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX login_throttle_by_start;
CREATE INDEX login_throttle_by_end ON login_throttle (ends_at);

-- Addresses and browsers that a member has signed in from. Strangers' guesses at a member do not use up the attempts of these.
CREATE TABLE sign_in_source (
  user_id TEXT COLLATE "C" NOT NULL,
  source  TEXT COLLATE "C" NOT NULL,  -- SHA-256 in hex
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, source)
);
CREATE INDEX sign_in_source_by_age ON sign_in_source (seen_at);
