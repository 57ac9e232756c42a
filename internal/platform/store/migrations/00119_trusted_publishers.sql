-- Pipelines that may publish for a member without a secret: they come with the identity token that their issuer signs for a run.
CREATE TABLE trusted_publisher (
  publisher_id  TEXT COLLATE "C" PRIMARY KEY,
  user_id       TEXT COLLATE "C" NOT NULL,
  item          TEXT COLLATE "C" NOT NULL,            -- an item's id, or NAMESPACE/* for all in it
  issuer        TEXT COLLATE "C" NOT NULL,
  repository    TEXT NOT NULL,
  workflow      TEXT NOT NULL,                        -- '' for any; so are the two below
  environment   TEXT NOT NULL,
  ref           TEXT NOT NULL,
  repository_id TEXT COLLATE "C" NOT NULL DEFAULT '', -- the issuer's number for it, learned at the first use: a name may come into other hands
  created_at    BIGINT NOT NULL,                      -- µs
  used_at       BIGINT NOT NULL DEFAULT 0             -- µs
);
CREATE INDEX trusted_publisher_by_user ON trusted_publisher (user_id);

-- Identity tokens that were exchanged, so that none is twice.
CREATE TABLE exchanged_token (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  expires_at BIGINT NOT NULL -- µs
);
CREATE INDEX exchanged_token_by_expiry ON exchanged_token (expires_at);

-- What a pipeline got is good for one item, and ends with the trust in the pipeline.
ALTER TABLE api_token ADD COLUMN item TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE api_token ADD COLUMN publisher_id TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX api_token_by_publisher ON api_token (publisher_id);
