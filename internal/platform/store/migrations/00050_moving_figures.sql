-- Entries of the tutor's memory now end; the sweep finds those that have by this.
CREATE INDEX memory_entry_by_end ON memory_entry (expires_at) WHERE expires_at > 0;

-- Submissions were counted from an item's first publication on, and a later version twice. Now it is all of them, once.
UPDATE engagement SET community_submissions = (SELECT COUNT(*) FROM submission s JOIN item i ON i.kind = s.kind AND i.item_id = s.item_id WHERE i.seq = engagement.seq)
  WHERE EXISTS (SELECT 1 FROM submission s JOIN item i ON i.kind = s.kind AND i.item_id = s.item_id WHERE i.seq = engagement.seq);
