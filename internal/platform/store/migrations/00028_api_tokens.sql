-- Tokens that programs call the API with, by the hash of each; the token itself is shown once.
CREATE TABLE api_token (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  user_id    TEXT COLLATE "C" NOT NULL,
  label      TEXT NOT NULL,
  scope      TEXT NOT NULL,             -- read or write; write includes read
  audience   TEXT NOT NULL DEFAULT '',  -- the resource that it is good for; '' for the whole API
  grant_id   TEXT COLLATE "C" NOT NULL DEFAULT '',  -- the consent that it was issued under; '' for a member's own
  created_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL DEFAULT 0,
  expires_at BIGINT NOT NULL
);
CREATE INDEX api_token_by_user ON api_token (user_id);
CREATE INDEX api_token_by_expiry ON api_token (expires_at);
CREATE INDEX api_token_by_grant ON api_token (grant_id);
