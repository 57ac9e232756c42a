-- People in charge: what a member may do on the console beside what every member may. Times in µs.
CREATE TABLE account_role (
  user_id    TEXT COLLATE "C" NOT NULL,
  role       TEXT NOT NULL,             -- reviewer or operator
  granted_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, role)
);

-- Sessions of the console are apart from those of members: a token of one is worth nothing at the other.
CREATE TABLE console_session (
  token_hash      TEXT COLLATE "C" PRIMARY KEY,
  user_id         TEXT COLLATE "C" NOT NULL,
  created_at      BIGINT NOT NULL,
  seen_at         BIGINT NOT NULL,
  expires_at      BIGINT NOT NULL,
  ends_at         BIGINT NOT NULL,
  confirmed_until BIGINT NOT NULL,      -- until then the password counts as just given
  address         TEXT NOT NULL,
  agent           TEXT NOT NULL
);
CREATE INDEX console_session_by_user ON console_session (user_id);
CREATE INDEX console_session_by_end ON console_session (expires_at);

-- Who looks at a submission, so that two reviewers do not do the same work.
CREATE TABLE review_claim (
  submission_id TEXT COLLATE "C" PRIMARY KEY,
  reviewer      TEXT COLLATE "C" NOT NULL,
  claimed_at    BIGINT NOT NULL
);

-- What people in charge did, newest first; store.Acts asks with the same list.
CREATE INDEX audit_acts ON audit_event (event_id) WHERE action IN (
  'submission.approved', 'submission.rejected', 'submission.opened', 'submission.claimed', 'submission.released', 'item.featured', 'item.unfeatured',
  'member.added', 'member.password_set', 'member.disabled', 'member.enabled', 'member.sign_in_link', 'member.role_granted', 'member.role_revoked',
  'console.signed_in', 'console.signed_out', 'console.confirmed');
