-- The school. Owner '' is everybody: notes that the operator shares.

-- What was last changed among an owner's notes. Nodes follow it to bring what they hold in memory up to date.
CREATE TABLE note_scope (
  owner    TEXT COLLATE "C" PRIMARY KEY,
  version  BIGINT NOT NULL,
  emptied  BIGINT NOT NULL   -- the version at which everything before was erased
);

CREATE TABLE note (
  owner        TEXT COLLATE "C" NOT NULL,
  document_id  TEXT COLLATE "C" NOT NULL,
  changed      BIGINT NOT NULL,  -- note_scope.version
  deleted      BOOLEAN NOT NULL,
  path         TEXT COLLATE "C" NOT NULL,
  title        TEXT NOT NULL,
  language     TEXT NOT NULL,
  hash         TEXT NOT NULL,
  version      BIGINT NOT NULL,
  atoms        BIGINT NOT NULL,
  record       TEXT NOT NULL,    -- graph.Record
  content      TEXT NOT NULL,    -- its atoms and evidence spans
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL,
  PRIMARY KEY (owner, document_id)
);
CREATE INDEX note_by_change ON note (owner, changed);

CREATE TABLE note_correction (
  owner         TEXT COLLATE "C" NOT NULL,
  source        TEXT COLLATE "C" NOT NULL,
  target        TEXT COLLATE "C" NOT NULL,
  verdict       TEXT NOT NULL,   -- '' when it was taken back
  changed       BIGINT NOT NULL,
  corrected_at  BIGINT NOT NULL,
  PRIMARY KEY (owner, source, target)
);
CREATE INDEX note_correction_by_change ON note_correction (owner, changed);

-- Which atom took the place of which.
CREATE TABLE note_history (
  owner       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  source      TEXT COLLATE "C" NOT NULL,
  target      TEXT COLLATE "C" NOT NULL,
  kind        TEXT NOT NULL,
  hash        TEXT NOT NULL,
  valid_from  BIGINT NOT NULL,
  PRIMARY KEY (owner, id)
);

-- A learner. Every change of anything about them takes this row first, so that two at once do not interleave.
CREATE TABLE learner (
  user_id       TEXT COLLATE "C" PRIMARY KEY,
  version       BIGINT NOT NULL,
  observations  BIGINT NOT NULL,
  person        BYTEA NOT NULL,   -- mastery.Person
  core          BYTEA NOT NULL,   -- knowledge.Core
  traits        TEXT NOT NULL,    -- path.Traits
  updated_at    BIGINT NOT NULL
);
CREATE TABLE learner_atom (
  user_id     TEXT COLLATE "C" NOT NULL,
  atom_id     TEXT COLLATE "C" NOT NULL,
  version     BIGINT NOT NULL,    -- learner.version
  state       BYTEA NOT NULL,     -- mastery.Atom
  shared      BYTEA NOT NULL,     -- knowledge.Atom
  tally       TEXT NOT NULL,
  updated_at  BIGINT NOT NULL,
  PRIMARY KEY (user_id, atom_id)
);
CREATE INDEX learner_atom_by_version ON learner_atom (user_id, version);

-- The log that everything about a learner can be rebuilt from.
CREATE TABLE observation (
  user_id      TEXT COLLATE "C" NOT NULL,
  seq          BIGINT NOT NULL,
  atom_id      TEXT COLLATE "C" NOT NULL,
  outcome      TEXT NOT NULL,
  tags         TEXT NOT NULL,
  confidence   DOUBLE PRECISION,
  response_us  BIGINT NOT NULL,
  session_id   TEXT COLLATE "C" NOT NULL,
  readiness    DOUBLE PRECISION NOT NULL,  -- how far what the atom needs was known
  observed_at  BIGINT NOT NULL,
  recorded_at  BIGINT NOT NULL,
  PRIMARY KEY (user_id, seq)
);

CREATE TABLE study_session (
  user_id      TEXT COLLATE "C" NOT NULL,
  executed_at  BIGINT NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  kind         TEXT COLLATE "C" NOT NULL,
  strategy     TEXT COLLATE "C" NOT NULL,
  source       TEXT COLLATE "C" NOT NULL,
  actions      BIGINT NOT NULL,
  updated      BIGINT NOT NULL,
  promoted     BIGINT NOT NULL,
  promotions   BIGINT NOT NULL,
  delta        BIGINT NOT NULL,   -- of mastery, in millionths
  confidence   BIGINT NOT NULL,   -- of the tutor, in millionths
  record       TEXT NOT NULL,
  PRIMARY KEY (user_id, executed_at, id)
);

-- Sums over sessions: for each learner for ever, per day, hour and minute; user_id '' in sixteen parts over all learners.
CREATE TABLE study_sum (
  user_id     TEXT COLLATE "C" NOT NULL,
  width       BIGINT NOT NULL,    -- minutes: 0 for ever, 1440, 60, 1
  bucket      BIGINT NOT NULL,    -- of that width since 1970; the part where user_id is ''
  kind        TEXT COLLATE "C" NOT NULL,
  strategy    TEXT COLLATE "C" NOT NULL,
  source      TEXT COLLATE "C" NOT NULL,
  sessions    BIGINT NOT NULL,
  actions     BIGINT NOT NULL,
  updated     BIGINT NOT NULL,
  promoted    BIGINT NOT NULL,
  promotions  BIGINT NOT NULL,
  delta       BIGINT NOT NULL,    -- millionths
  confidence  BIGINT NOT NULL,    -- millionths
  positive    BIGINT NOT NULL,
  negative    BIGINT NOT NULL,
  PRIMARY KEY (user_id, width, bucket, kind, strategy, source)
);

CREATE TABLE plan_quality (
  user_id       TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  evaluated_at  BIGINT NOT NULL,
  record        TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE TABLE plan_quality_sum (
  user_id    TEXT COLLATE "C" PRIMARY KEY,
  records    BIGINT NOT NULL,
  passed     BIGINT NOT NULL,
  failing    BIGINT NOT NULL,     -- failures since the last pass
  deviation  BIGINT NOT NULL
);

CREATE TABLE tutor_trace (
  user_id      TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  source       TEXT COLLATE "C" NOT NULL,
  provider     TEXT COLLATE "C" NOT NULL,
  created_at   BIGINT NOT NULL,
  trace        TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE memory_entry (
  user_id     TEXT COLLATE "C" NOT NULL,
  layer       TEXT COLLATE "C" NOT NULL,
  entry_key   TEXT COLLATE "C" NOT NULL,
  entry       TEXT NOT NULL,
  confidence  DOUBLE PRECISION NOT NULL,
  updated_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,    -- 0: never
  PRIMARY KEY (user_id, layer, entry_key)
);
CREATE INDEX memory_entry_by_age ON memory_entry (user_id, layer, updated_at);

CREATE TABLE orchestration (
  user_id     TEXT COLLATE "C" PRIMARY KEY,
  config      TEXT NOT NULL,
  updated_at  BIGINT NOT NULL
);

-- What the choice of a strategy rests on: each session's exposure and, later, what it was worth.
CREATE TABLE strategy_exposure (
  user_id      TEXT COLLATE "C" NOT NULL,
  session_id   TEXT COLLATE "C" NOT NULL,
  executed_at  BIGINT NOT NULL,
  strategy     TEXT COLLATE "C" NOT NULL,
  exposure     TEXT NOT NULL,
  PRIMARY KEY (user_id, executed_at, session_id)
);
CREATE TABLE strategy_evidence (
  user_id     TEXT COLLATE "C" PRIMARY KEY,
  evidence    TEXT NOT NULL,
  updated_at  BIGINT NOT NULL
);
