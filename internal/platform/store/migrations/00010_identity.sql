-- Who a member is to an OpenID Connect issuer.
CREATE TABLE account_identity (
  issuer     TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX account_identity_by_user ON account_identity (user_id);

-- Sign-ins on their way to an issuer and back; each is taken out once.
CREATE TABLE identity_attempt (
  state_hash   TEXT COLLATE "C" PRIMARY KEY,
  browser_hash TEXT COLLATE "C" NOT NULL,
  nonce        TEXT NOT NULL,
  verifier     TEXT NOT NULL,
  return_to    TEXT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX identity_attempt_by_expiry ON identity_attempt (expires_at);
