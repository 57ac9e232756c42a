-- What a member has chosen for a draft and not yet submitted, as JSON; '' before they choose anything.
ALTER TABLE import_draft ADD COLUMN choices TEXT NOT NULL DEFAULT '';
