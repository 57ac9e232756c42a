-- Items that somebody in charge wants taken down; another one has to agree.
CREATE TABLE takedown (
  kind     TEXT NOT NULL,
  item_id  TEXT COLLATE "C" NOT NULL,
  asked_by TEXT COLLATE "C" NOT NULL,
  note     TEXT NOT NULL,
  asked_at BIGINT NOT NULL,             -- µs
  PRIMARY KEY (kind, item_id)
);

-- What people in charge did, with takedowns among it; store.Acts asks with the same list.
DROP INDEX audit_acts;
CREATE INDEX audit_acts ON audit_event (event_id) WHERE action IN (
  'submission.approved', 'submission.rejected', 'submission.opened', 'submission.claimed', 'submission.released', 'item.featured', 'item.unfeatured',
  'item.takedown_asked', 'item.takedown_dropped', 'item.withdrawn', 'item.restored',
  'member.added', 'member.password_set', 'member.disabled', 'member.enabled', 'member.sign_in_link', 'member.role_granted', 'member.role_revoked',
  'console.signed_in', 'console.signed_out', 'console.confirmed');
