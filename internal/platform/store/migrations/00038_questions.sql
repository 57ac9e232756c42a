-- Questions that a learner keeps: imported cards, and what was changed of those that follow from the notes.

-- What was last changed among an owner's questions. Nodes follow it to bring what they hold in memory up to date.
CREATE TABLE question_scope (
  owner    TEXT COLLATE "C" PRIMARY KEY,
  version  BIGINT NOT NULL,
  emptied  BIGINT NOT NULL   -- the version at which everything before was erased
);

CREATE TABLE question (
  owner       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  changed     BIGINT NOT NULL,  -- question_scope.version
  atom_id     TEXT COLLATE "C" NOT NULL,
  state       TEXT NOT NULL,    -- active, suspended, retired
  origin      TEXT NOT NULL,
  version     BIGINT NOT NULL,
  flag        BIGINT NOT NULL,  -- a colour, 0 for none
  report      TEXT NOT NULL,    -- what the learner says is wrong with it
  body        TEXT NOT NULL,    -- questions.Question
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  PRIMARY KEY (owner, id)
);
CREATE INDEX question_by_change ON question (owner, changed);

-- Questions as they were before they were edited.
CREATE TABLE question_version (
  owner        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  version      BIGINT NOT NULL,
  body         TEXT NOT NULL,
  replaced_at  BIGINT NOT NULL,
  PRIMARY KEY (owner, id, version)
);

-- How a learner answered each question.
CREATE TABLE question_tally (
  user_id      TEXT COLLATE "C" NOT NULL,
  question_id  TEXT COLLATE "C" NOT NULL,
  answers      BIGINT NOT NULL,
  correct      BIGINT NOT NULL,
  partial      BIGINT NOT NULL,
  last_at      BIGINT NOT NULL,
  PRIMARY KEY (user_id, question_id)
);

-- A learner's Anki collection as it came, for the way back: the blob is a package without media.
CREATE TABLE anki_collection (
  owner       TEXT COLLATE "C" PRIMARY KEY,
  version     BIGINT NOT NULL,
  sha256      TEXT COLLATE "C" NOT NULL,
  size_bytes  BIGINT NOT NULL,
  schema_no   BIGINT NOT NULL,  -- 11 or 18
  whole       BOOLEAN NOT NULL, -- it came as .colpkg
  notes       BIGINT NOT NULL,
  cards       BIGINT NOT NULL,
  reviews     BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL
);

-- Pictures and sounds of notes and cards.
CREATE TABLE note_media (
  owner       TEXT COLLATE "C" NOT NULL,
  name        TEXT COLLATE "C" NOT NULL,  -- "anki:" and the file's name, or the path in the vault
  sha256      TEXT COLLATE "C" NOT NULL,
  size_bytes  BIGINT NOT NULL,
  kind        TEXT NOT NULL,              -- media type
  updated_at  BIGINT NOT NULL,
  PRIMARY KEY (owner, name)
);
CREATE INDEX note_media_by_blob ON note_media (sha256);
