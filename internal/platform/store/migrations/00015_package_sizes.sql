-- How much each member's packages take, without reading the submissions themselves. 0 for those of before.
ALTER TABLE submission ADD COLUMN size_bytes BIGINT NOT NULL DEFAULT 0;
CREATE INDEX submission_sizes ON submission (user_id, status, sha256, size_bytes);
-- Packages of submissions that were decided against or taken back, by when.
CREATE INDEX submission_closed ON submission (updated_at) WHERE sha256 <> '' AND status IN ('withdrawn', 'replaced', 'rejected');
