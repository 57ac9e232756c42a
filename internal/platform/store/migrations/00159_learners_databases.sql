-- Databases of learners beside the main one; in each of them its own row and that of the main one, whose number is 0.
CREATE TABLE learners_database (
	number     BIGINT NOT NULL PRIMARY KEY,
	identity   TEXT NOT NULL,
	self       BOOLEAN NOT NULL,
	learners   BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);

-- Where a learner is, in the main database alone. While moving they are on their way from source to target. move numbers the moves of a learner and
-- the takings over of one, begun is the number with which the last move began; a database that has seen a number refuses every smaller one.
CREATE TABLE learner_route (
	user_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	place      BIGINT NOT NULL,
	source     BIGINT NOT NULL,
	target     BIGINT NOT NULL,
	begun      BIGINT NOT NULL,
	move       BIGINT NOT NULL,
	moving     BOOLEAN NOT NULL,
	changed_at BIGINT NOT NULL
);
CREATE INDEX learner_route_moves ON learner_route (changed_at) WHERE moving;

-- What a database says of a learner: here, coming, paused or gone. Without a row they are here in the main database, and gone in any other.
-- cleared says of who is gone that their rows are removed.
CREATE TABLE learner_fence (
	user_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	state      TEXT NOT NULL,
	move       BIGINT NOT NULL,
	cleared    BOOLEAN NOT NULL,
	changed_at BIGINT NOT NULL
);
CREATE INDEX learner_fence_gone ON learner_fence (changed_at) WHERE state = 'gone' AND NOT cleared;
