-- Where a member wants to be told of what.
ALTER TABLE notification ADD COLUMN in_page BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE notification ADD COLUMN in_feed BOOLEAN NOT NULL DEFAULT TRUE;

CREATE TABLE notification_choice (
  user_id        TEXT COLLATE "C" PRIMARY KEY,
  ways           TEXT NOT NULL DEFAULT '{}',            -- by kind, what differs from the defaults, as JSON
  locale         TEXT NOT NULL DEFAULT 'en-US',         -- of mails
  mail_to        TEXT NOT NULL DEFAULT '',
  mail_confirmed BOOLEAN NOT NULL DEFAULT FALSE,
  mail_code_hash TEXT NOT NULL DEFAULT '',
  webhook_url    TEXT NOT NULL DEFAULT '',
  webhook_secret TEXT NOT NULL DEFAULT '',
  feed_hash      TEXT COLLATE "C" NOT NULL DEFAULT ''   -- of the token in the feed's address
);
CREATE INDEX notification_choice_by_feed ON notification_choice (feed_hash);

-- What waits to be sent, and what could not be.
CREATE TABLE notification_delivery (
  delivery_id TEXT COLLATE "C" PRIMARY KEY,
  user_id     TEXT COLLATE "C" NOT NULL,
  way         TEXT NOT NULL,               -- mail or webhook
  recipient   TEXT NOT NULL,               -- as it was when this was written: another one is not sent it
  kind        TEXT NOT NULL,               -- of notification, or mail_code
  target      TEXT NOT NULL,
  message     TEXT NOT NULL,
  at          BIGINT NOT NULL,             -- µs
  attempts    INTEGER NOT NULL DEFAULT 0,
  next_at     BIGINT NOT NULL,             -- µs; 0 when it was given up
  problem     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX notification_delivery_due ON notification_delivery (next_at) WHERE next_at > 0;
CREATE INDEX notification_delivery_by_user ON notification_delivery (user_id, at);
