-- Which scanner judged a version or a submission last: what another one judged is read again in the background.
ALTER TABLE item_version ADD COLUMN scanner TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE submission ADD COLUMN scanner TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX item_version_by_scanner ON item_version (scanner, seq);
CREATE INDEX submission_by_scanner ON submission (status, scanner, submission_id);
