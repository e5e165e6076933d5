-- Serves: the journal in order (`SELECT … FROM events WHERE seq > ?`), the leaderboard and
-- the best trial (`trials_by_score`), one trial with its reports and decisions, and the list of runs.
--
-- `events` is the truth; every other table is folded from it in the same transaction.
-- A score is two columns: its value (NULL unless finite) and its kind.

PRAGMA application_id = 1632925038;  -- "aTun"
PRAGMA user_version = 1;

CREATE TABLE runs (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    name          TEXT    NOT NULL,
    began_at_ms   INTEGER NOT NULL,          -- since 1970, UTC
    dataset       TEXT    NOT NULL,
    seed          TEXT    NOT NULL,          -- a 64-bit number without a sign: too large for INTEGER
    budget_ms     INTEGER,
    plan          TEXT    NOT NULL CHECK (json_valid(plan)),
    version       TEXT    NOT NULL,          -- of the program
    target        TEXT,
    target_kind   TEXT,
    metric        TEXT,
    maximise      INTEGER,
    full_epochs   INTEGER,
    phase         TEXT    NOT NULL,
    outcome       TEXT,
    ended_ms      INTEGER,                   -- run time
    synced_seq    INTEGER NOT NULL DEFAULT 0 -- the journal survives a power cut up to here
) STRICT;

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    at_ms   INTEGER NOT NULL,                -- run time
    kind    TEXT    NOT NULL,
    trial   INTEGER,
    payload TEXT    NOT NULL CHECK (json_valid(payload))
) STRICT;
CREATE INDEX events_by_trial ON events (trial, seq) WHERE trial IS NOT NULL;

CREATE TABLE trials (
    id          INTEGER PRIMARY KEY,
    origin      TEXT    NOT NULL,
    parameters  TEXT    NOT NULL CHECK (json_valid(parameters)),
    created_ms  INTEGER NOT NULL,
    phase       TEXT    NOT NULL CHECK (phase IN ('pending', 'running', 'paused', 'finished')),
    outcome     TEXT    CHECK (outcome IN ('completed', 'stopped', 'failed')),
    cause       TEXT,
    finished_ms INTEGER,
    epoch       INTEGER NOT NULL DEFAULT 0,  -- epochs done
    best_epoch  INTEGER,
    best_score  REAL,
    best_kind   TEXT    CHECK (best_kind IN ('finite', 'nan', 'inf', '-inf')),
    scores      TEXT    CHECK (scores IS NULL OR json_valid(scores)),  -- of the best epoch
    train_ms    INTEGER NOT NULL DEFAULT 0,
    eval_ms     INTEGER NOT NULL DEFAULT 0,
    CHECK ((phase = 'finished') = (outcome IS NOT NULL)),
    CHECK ((best_kind = 'finite') = (best_score IS NOT NULL) OR best_kind IS NULL AND best_score IS NULL)
) STRICT;
CREATE INDEX trials_by_score ON trials (best_score) WHERE best_score IS NOT NULL;

CREATE TABLE legs (
    trial      INTEGER NOT NULL REFERENCES trials (id),
    leg        INTEGER NOT NULL,             -- 0, 1, … in the order they began
    attempt    INTEGER NOT NULL,
    slot       INTEGER NOT NULL,
    from_epoch INTEGER NOT NULL,
    to_epoch   INTEGER NOT NULL,
    began_ms   INTEGER NOT NULL,
    pid        INTEGER,
    ready_ms   INTEGER,                      -- the process said hello
    ended_ms   INTEGER,
    ending     TEXT,                         -- how its process ended, or that it went on
    PRIMARY KEY (trial, leg)
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
    trial       INTEGER NOT NULL REFERENCES trials (id),
    epoch       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    loss        REAL,
    loss_kind   TEXT    NOT NULL CHECK (loss_kind IN ('finite', 'nan', 'inf', '-inf')),
    score       REAL,
    score_kind  TEXT    NOT NULL CHECK (score_kind IN ('finite', 'nan', 'inf', '-inf')),
    scores      TEXT    NOT NULL CHECK (json_valid(scores)),
    train_ms    INTEGER NOT NULL,
    eval_ms     INTEGER NOT NULL,
    PRIMARY KEY (trial, epoch),
    CHECK ((loss_kind = 'finite') = (loss IS NOT NULL)),
    CHECK ((score_kind = 'finite') = (score IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
    seq       INTEGER PRIMARY KEY REFERENCES events (seq),
    trial     INTEGER,
    at_ms     INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    rung      INTEGER,                       -- epochs at which it was judged
    rank      INTEGER,
    n         INTEGER,
    k         INTEGER,
    decision  TEXT    NOT NULL CHECK (json_valid(decision))
) STRICT;
CREATE INDEX decisions_by_trial ON decisions (trial, seq) WHERE trial IS NOT NULL;

-- The models that stood in `model/`, and the evaluations of them.
CREATE TABLE models (
    seq    INTEGER PRIMARY KEY REFERENCES events (seq),
    trial  INTEGER,                          -- NULL: the constant
    epoch  INTEGER NOT NULL,
    at_ms  INTEGER NOT NULL,
    part   TEXT    NOT NULL CHECK (part IN ('train', 'validation', 'test')),
    metric TEXT    NOT NULL,
    score  REAL,
    scores TEXT    NOT NULL CHECK (json_valid(scores)),
    chosen INTEGER NOT NULL CHECK (chosen IN (0, 1))  -- 1: it became the model of the run
) STRICT;

-- A finished trial never changes: neither it, nor what it reported, nor what was decided about it.
CREATE TRIGGER finished_trials_stay BEFORE UPDATE ON trials WHEN OLD.phase = 'finished'
BEGIN SELECT RAISE(ABORT, 'a finished trial is immutable'); END;
CREATE TRIGGER trials_are_kept BEFORE DELETE ON trials
BEGIN SELECT RAISE(ABORT, 'a trial is never deleted'); END;
CREATE TRIGGER finished_reports_stay BEFORE INSERT ON reports
WHEN (SELECT phase FROM trials WHERE id = NEW.trial) = 'finished'
BEGIN SELECT RAISE(ABORT, 'a finished trial is immutable'); END;
CREATE TRIGGER reports_stay BEFORE UPDATE ON reports
WHEN (SELECT phase FROM trials WHERE id = OLD.trial) = 'finished'
BEGIN SELECT RAISE(ABORT, 'a finished trial is immutable'); END;
CREATE TRIGGER reports_are_kept BEFORE DELETE ON reports
BEGIN SELECT RAISE(ABORT, 'a report is never deleted'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
