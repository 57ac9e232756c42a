-- Templates that members write on the page and have not submitted. A draft's id is made by the page that begins it, so that a
-- first save whose answer was lost is the same draft when it is sent again.
CREATE TABLE template_draft (
  user_id      TEXT COLLATE "C" NOT NULL,
  draft_id     TEXT COLLATE "C" NOT NULL,
  revision     BIGINT NOT NULL,
  template_id  TEXT NOT NULL,
  title        TEXT NOT NULL,
  texts        TEXT NOT NULL,
  size_bytes   BIGINT NOT NULL,
  saved_at     BIGINT NOT NULL,
  PRIMARY KEY (user_id, draft_id)
);
CREATE INDEX template_draft_newest ON template_draft (user_id, saved_at);
CREATE INDEX template_draft_by_age ON template_draft (saved_at);
