-- Until then a session counts as that of somebody who has just proved who they are (µs).
ALTER TABLE session ADD COLUMN confirmed_until BIGINT NOT NULL DEFAULT 0;

-- When the wish of a member to be deleted is carried out, and when it was; 0 for never (µs). The row of a deleted member
-- stays, so that nobody else gets the id.
ALTER TABLE account ADD COLUMN erase_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN erased_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX account_to_erase ON account (erase_at) WHERE erase_at > 0;
