-- How many bytes an owner's questions take together, so that an edit need not add up all of them.
ALTER TABLE question_scope ADD COLUMN body_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE question_scope SET body_bytes = COALESCE((SELECT SUM(OCTET_LENGTH(q.body)) FROM question q WHERE q.owner = question_scope.owner), 0);
