-- Codes that an assistant turns into tokens, each once, by the hash of each.
CREATE TABLE oauth_code (
  code_hash    TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL,
  client_id    TEXT COLLATE "C" NOT NULL,
  client_name  TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  scope        TEXT NOT NULL,
  resource     TEXT NOT NULL,
  challenge    TEXT NOT NULL,     -- of PKCE, S256
  refreshes    BOOLEAN NOT NULL,  -- a refresh token is wanted
  expires_at   BIGINT NOT NULL
);
CREATE INDEX oauth_code_by_expiry ON oauth_code (expires_at);

-- What a member has allowed an assistant. The refresh token names the row by grant_id and proves itself by its hash, which
-- changes with every use.
CREATE TABLE oauth_grant (
  grant_hash   TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL,
  client_id    TEXT COLLATE "C" NOT NULL,
  client_name  TEXT NOT NULL,
  scope        TEXT NOT NULL,
  resource     TEXT NOT NULL,
  refresh_hash TEXT COLLATE "C" NOT NULL,  -- '' when it cannot be refreshed
  created_at   BIGINT NOT NULL,
  seen_at      BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX oauth_grant_by_user ON oauth_grant (user_id);
CREATE INDEX oauth_grant_by_expiry ON oauth_grant (expires_at);
