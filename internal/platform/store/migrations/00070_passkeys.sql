-- Passkeys of members (WebAuthn): a public key each, and what the last use said of it. Times in µs.
CREATE TABLE passkey (
  credential_id TEXT COLLATE "C" PRIMARY KEY,  -- as the authenticator names it, base64url
  user_id       TEXT COLLATE "C" NOT NULL,
  user_handle   TEXT NOT NULL,                 -- what authenticators know the member by, the same for all their passkeys
  party         TEXT NOT NULL,                 -- the host name that it is for
  label         TEXT NOT NULL,                 -- the member's own words for it
  record        TEXT NOT NULL,                 -- the public key, its counter and flags, as JSON
  synced        BOOLEAN NOT NULL,              -- whether copies of it are on other devices
  created_at    BIGINT NOT NULL,
  seen_at       BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX passkey_by_user ON passkey (user_id);

-- Challenges that wait for an authenticator; each is taken out once.
CREATE TABLE passkey_attempt (
  attempt_hash TEXT COLLATE "C" PRIMARY KEY,
  user_id      TEXT COLLATE "C" NOT NULL,      -- whose new passkey it is for; '' for proving who one is
  state        TEXT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX passkey_attempt_by_expiry ON passkey_attempt (expires_at);
