-- On PostgreSQL alone: the mark of popular items also where the index of schema 13 sees it. By itself, since it locks readers out.
ALTER TABLE item_search ADD COLUMN popular BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE item_search SET popular = TRUE WHERE seq IN (SELECT seq FROM item_search_state WHERE popular);
