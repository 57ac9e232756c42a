-- Limits that an operator has set for one member in place of those of the server; -1 is no bound.
CREATE TABLE member_quota (
  user_id TEXT COLLATE "C" NOT NULL,
  kind    TEXT NOT NULL,
  most    BIGINT NOT NULL,
  set_at  BIGINT NOT NULL,              -- µs
  PRIMARY KEY (user_id, kind)
);

-- What people in charge did, with limits among it; store.Acts asks with the same list.
DROP INDEX audit_acts;
CREATE INDEX audit_acts ON audit_event (event_id) WHERE action IN (
  'submission.approved', 'submission.rejected', 'submission.opened', 'submission.claimed', 'submission.released', 'item.featured', 'item.unfeatured',
  'item.takedown_asked', 'item.takedown_dropped', 'item.withdrawn', 'item.restored', 'rating.hidden', 'rating.kept',
  'member.added', 'member.password_set', 'member.disabled', 'member.enabled', 'member.sign_in_link', 'member.role_granted', 'member.role_revoked',
  'member.vouched', 'member.unvouched', 'member.quota_set', 'console.signed_in', 'console.signed_out', 'console.confirmed');
