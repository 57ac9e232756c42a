-- How far a reviewer was shown each part of a submission: in bytes from the beginning, at the digest of what would be
-- published. Times in µs.
CREATE TABLE review_seen (
  submission_id  TEXT COLLATE "C" NOT NULL,
  sha256         TEXT COLLATE "C" NOT NULL,
  reviewer       TEXT COLLATE "C" NOT NULL,
  part           TEXT COLLATE "C" NOT NULL,
  seen_to        BIGINT NOT NULL,
  seen_at        BIGINT NOT NULL,
  PRIMARY KEY (submission_id, sha256, reviewer, part)
);
