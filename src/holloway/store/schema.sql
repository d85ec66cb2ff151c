-- The schema that the migrations make, to be read. `make docs` writes it anew.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE memories (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,             -- short, unique in this project, cited as [hw:id]
  uid             TEXT NOT NULL UNIQUE,             -- unique everywhere
  type            TEXT NOT NULL,
  content         TEXT NOT NULL,
  summary         TEXT NOT NULL,
  details         TEXT,                             -- JSON, by type
  state           TEXT NOT NULL,                    -- quarantined, unconfirmed, confirmed, stale
  confidence      REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  source          TEXT NOT NULL,
  scope           TEXT NOT NULL,
  visibility      TEXT NOT NULL,
  tags            TEXT NOT NULL DEFAULT '[]',       -- JSON list
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  last_used_at    TEXT NOT NULL,
  use_count       INTEGER NOT NULL DEFAULT 0,
  pinned          INTEGER NOT NULL DEFAULT 0,
  half_life_days  REAL,                             -- NULL: does not decay
  review          TEXT,                             -- why it waits for a person
  review_after    TEXT NOT NULL DEFAULT '',
  session         TEXT NOT NULL DEFAULT '',
  sessions        TEXT NOT NULL DEFAULT '[]',       -- JSON list: all sessions that saw it
  agent           TEXT NOT NULL DEFAULT '',
  branch          TEXT NOT NULL DEFAULT '',
  branch_only     TEXT NOT NULL DEFAULT '',         -- the unmerged branch that it is limited to
  commit_sha      TEXT NOT NULL DEFAULT '',
  work_unit       TEXT,                             -- JSON
  methodology     TEXT NOT NULL DEFAULT '',
  origin          TEXT NOT NULL DEFAULT '',         -- file, url or event that it came from
  stale_at        TEXT NOT NULL DEFAULT '',
  superseded_by   TEXT NOT NULL DEFAULT '',
  deleted_at      TEXT NOT NULL DEFAULT '',
  deleted_reason  TEXT NOT NULL DEFAULT '',
  fingerprint     TEXT NOT NULL,
  search_text     TEXT NOT NULL                     -- identifiers whole and split; feeds the text index
, stated_at TEXT NOT NULL DEFAULT '', muted INTEGER NOT NULL DEFAULT 0, chosen INTEGER NOT NULL DEFAULT 0);

CREATE TABLE memory_files (
  path  TEXT NOT NULL,
  seq   INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  PRIMARY KEY (path, seq)
) WITHOUT ROWID;

CREATE TABLE memory_modules (
  module TEXT NOT NULL,
  seq    INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  place  INTEGER NOT NULL,
  PRIMARY KEY (module, seq)
) WITHOUT ROWID;

CREATE TABLE memory_relations (
  seq        INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  type       TEXT NOT NULL,
  memory     TEXT NOT NULL DEFAULT '',              -- id of another memory, or
  path       TEXT NOT NULL DEFAULT '',              -- a file
  confidence REAL NOT NULL,
  automatic  INTEGER NOT NULL,
  PRIMARY KEY (seq, type, memory, path)
) WITHOUT ROWID;

CREATE TABLE memory_history (
  entry  INTEGER PRIMARY KEY,
  seq    INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  at     TEXT NOT NULL,
  kind   TEXT NOT NULL,                             -- created, edited, confirmed, wrong, forgotten, ...
  detail TEXT NOT NULL DEFAULT ''
);

CREATE TABLE tombstones (                           -- rejected texts, recognisable but not readable
  fingerprint TEXT PRIMARY KEY,
  reason      TEXT NOT NULL,
  at          TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE branches (
  name      TEXT PRIMARY KEY,
  fork      TEXT NOT NULL,                          -- where it left the default branch
  tip       TEXT NOT NULL,                          -- last seen
  merged_at TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE VIRTUAL TABLE memories_fts USING fts5(
  search_text, content='memories', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TABLE sessions (
  id            TEXT PRIMARY KEY,
  agent         TEXT NOT NULL,
  started_at    TEXT NOT NULL,
  last_event_at TEXT NOT NULL,
  ended_at      TEXT NOT NULL DEFAULT '',
  type          TEXT NOT NULL DEFAULT '',
  phase         TEXT NOT NULL DEFAULT '',
  outcome       TEXT NOT NULL DEFAULT '',
  evidence      TEXT NOT NULL DEFAULT '',
  task          TEXT NOT NULL DEFAULT '',
  branch        TEXT NOT NULL DEFAULT '',
  commit_sha    TEXT NOT NULL DEFAULT '',
  work_unit     TEXT,                               -- JSON
  context       INTEGER NOT NULL DEFAULT 0,         -- grows when the host compacts its context
  record        TEXT NOT NULL DEFAULT '{}'          -- JSON: metrics of the session
) WITHOUT ROWID;

CREATE TABLE injections (                           -- each memory once per session and context
  session TEXT NOT NULL,
  context INTEGER NOT NULL,
  memory  TEXT NOT NULL,
  point   TEXT NOT NULL,                            -- session_start, prompt, tool_result, step
  at      TEXT NOT NULL,
  counted INTEGER NOT NULL DEFAULT 0,               -- whether the memory's last_used_at includes it
  PRIMARY KEY (session, context, memory)
) WITHOUT ROWID;

CREATE TABLE error_sightings (
  fingerprint TEXT NOT NULL,
  session     TEXT NOT NULL,
  tool        TEXT NOT NULL,
  message     TEXT NOT NULL,
  resolved_by TEXT NOT NULL DEFAULT '',
  count       INTEGER NOT NULL DEFAULT 1,
  last_at     TEXT NOT NULL,
  PRIMARY KEY (fingerprint, session)
) WITHOUT ROWID;

CREATE TABLE syntheses (
  module    TEXT NOT NULL,
  threshold INTEGER NOT NULL,
  at        TEXT NOT NULL,
  memories  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (module, threshold)
) WITHOUT ROWID;

CREATE TABLE embedding_cache (
  key        TEXT PRIMARY KEY,                      -- hash of text, model and dims
  model      TEXT NOT NULL,
  dims       INTEGER NOT NULL,
  vector     BLOB NOT NULL,
  expires_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE module_edits (                         -- a person's latest edit of a module wins over the detected one
  seq    INTEGER PRIMARY KEY,
  kind   TEXT NOT NULL CHECK (kind IN ('name', 'files', 'purpose', 'hidden')),
  module TEXT NOT NULL,
  value  TEXT NOT NULL,
  at     TEXT NOT NULL
);

CREATE TABLE relations (                            -- edges of the map that no parser can see
  source TEXT NOT NULL,
  kind   TEXT NOT NULL,
  target TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'llm')),
  agent  TEXT NOT NULL,
  note   TEXT NOT NULL,
  at     TEXT NOT NULL,
  PRIMARY KEY (source, kind, target)
) WITHOUT ROWID;

CREATE TABLE memory_vectors (
  number    INTEGER PRIMARY KEY,                    -- grows, so that a cache can fetch what is new
  seq       INTEGER NOT NULL REFERENCES memories(seq) ON DELETE CASCADE,
  model     TEXT NOT NULL,
  dims      INTEGER NOT NULL,
  text_hash TEXT NOT NULL,                          -- of the text that was embedded
  revision  TEXT NOT NULL,                          -- the state of the memory that the text was made from
  at        TEXT NOT NULL,
  vector    BLOB NOT NULL,                          -- float32, little-endian, of length 1
  UNIQUE (seq, model)
);

CREATE TABLE vector_states (                        -- tells a cache of vectors whether it is stale
  model    TEXT PRIMARY KEY,
  removals TEXT NOT NULL,                           -- random: two histories after one backup never match by chance
  last     INTEGER NOT NULL,                        -- number of the newest vector
  settled  TEXT NOT NULL DEFAULT ''                 -- number of memory changes up to which all are embedded
) WITHOUT ROWID;

CREATE TABLE llm_calls (                            -- usage of language models, for the monthly cap
  call       INTEGER PRIMARY KEY,
  at         TEXT NOT NULL,
  provider   TEXT NOT NULL,
  model      TEXT NOT NULL,
  purpose    TEXT NOT NULL,
  tokens_in  INTEGER NOT NULL,                      -- reserved before the call, settled after it
  tokens_out INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE session_files (                        -- which files a session opened
  session TEXT NOT NULL,
  path    TEXT NOT NULL,
  weight  INTEGER NOT NULL,                         -- read 1, edited 2, written 3
  place   INTEGER NOT NULL,                         -- position among the files that the session opened
  PRIMARY KEY (session, path)
) WITHOUT ROWID;

CREATE TABLE session_modules (
  session TEXT NOT NULL,
  module  TEXT NOT NULL,
  PRIMARY KEY (session, module)
) WITHOUT ROWID;

CREATE TABLE co_access (                            -- files that a session opened together
  file_a  TEXT NOT NULL,
  file_b  TEXT NOT NULL,
  session TEXT NOT NULL,
  edited  INTEGER NOT NULL,                         -- whether it changed both
  PRIMARY KEY (file_a, file_b, session),
  CHECK (file_a < file_b)
) WITHOUT ROWID;

CREATE TABLE sightings (                            -- which session showed which signal
  signal  TEXT NOT NULL,
  key     TEXT NOT NULL,                            -- identifies it across sessions; text only as a digest
  session TEXT NOT NULL,
  facts   TEXT NOT NULL DEFAULT '{}',               -- JSON, without quoted text
  PRIMARY KEY (signal, key, session)
) WITHOUT ROWID;

CREATE TABLE candidates (                           -- memory candidates of a session, and their outcome
  session    TEXT NOT NULL,
  number     INTEGER NOT NULL,
  signal     TEXT NOT NULL,
  key        TEXT NOT NULL,
  step       INTEGER NOT NULL,
  state      TEXT NOT NULL,                         -- promoted, reinforced, held, dropped
  reason     TEXT NOT NULL DEFAULT '',
  memory     TEXT NOT NULL DEFAULT '',              -- id of the memory it became or reinforced
  draft      TEXT NOT NULL DEFAULT '{}',            -- JSON: the memory that would be stored
  at         TEXT NOT NULL,
  held_until TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session, number)
) WITHOUT ROWID;

CREATE TABLE foreign_digests (
    digest BLOB PRIMARY KEY,       -- of five words in a row, or of a name, that a session read in foreign text; keyed
    session TEXT NOT NULL,
    seen_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE readings (                  -- sessions that a reader has read or is to read
    session TEXT PRIMARY KEY,
    path TEXT NOT NULL,                  -- its transcript or journal
    agent TEXT NOT NULL,
    size INTEGER NOT NULL,
    state TEXT NOT NULL,                 -- waiting, done, failed
    attempts INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    queued_at TEXT NOT NULL,
    read_at TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE TABLE reading_answers (
    session TEXT NOT NULL,
    prompt TEXT NOT NULL,                -- hash of the prompt
    answer TEXT,                         -- NULL: its lessons are stored
    PRIMARY KEY (session, prompt)
) WITHOUT ROWID;

CREATE TABLE bulk_changes (                         -- actions on many memories at once, to undo them
  id     TEXT PRIMARY KEY,
  at     TEXT NOT NULL,
  action TEXT NOT NULL,
  undone_at TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE TABLE bulk_change_items (
  change   TEXT NOT NULL REFERENCES bulk_changes(id) ON DELETE CASCADE,
  memory   TEXT NOT NULL,
  before   TEXT NOT NULL,                           -- JSON: the fields that the action changed, as they were
  revision TEXT NOT NULL,                           -- updated_at after the action: a later change is not undone
  PRIMARY KEY (change, memory)
) WITHOUT ROWID;

CREATE TABLE told_texts (                           -- what agents were told, word for word, for thirty days
  id       INTEGER PRIMARY KEY,
  digest   TEXT NOT NULL UNIQUE,                    -- of the line of the log: a line is stored once
  at       TEXT NOT NULL,
  session  TEXT NOT NULL,
  actor    TEXT NOT NULL,                           -- the subagent, else empty
  point    TEXT NOT NULL,
  event    TEXT NOT NULL,                           -- hook event or MCP tool
  memories TEXT NOT NULL,                           -- JSON: ids of the memories in it
  tokens   INTEGER NOT NULL,
  text     TEXT NOT NULL                            -- without secrets; empty if it was erased
);

CREATE TABLE replicas (
  replica       TEXT PRIMARY KEY,                   -- beginning of the digest of its public key
  author        TEXT NOT NULL,                      -- as it named itself when it was first seen
  device        TEXT NOT NULL,
  standing      TEXT NOT NULL,                      -- own, accepted, unknown, refused
  tip           TEXT NOT NULL DEFAULT '',           -- commit of its ref that was last read
  first_seen_at TEXT NOT NULL DEFAULT '',
  segments      TEXT NOT NULL DEFAULT '[]'          -- JSON: the segments that were read
) WITHOUT ROWID;

CREATE TABLE operations (                           -- what replicas changed, as they signed it; see sharing
  id      TEXT PRIMARY KEY,
  memory  TEXT NOT NULL,                            -- the replica that owns it, a slash, its uid
  replica TEXT NOT NULL,                            -- who wrote it
  counter INTEGER NOT NULL,                         -- Lamport clock
  body    TEXT NOT NULL,                            -- JSON
  erases  INTEGER NOT NULL DEFAULT 0,               -- whether it erases the memory: the only kind that stays after that
  sent    INTEGER NOT NULL,                         -- whether a segment has it
  applied INTEGER NOT NULL                          -- whether the row of the memory was compared with it
);

CREATE TABLE shared_memories (
  memory TEXT PRIMARY KEY,                          -- as in operations
  uid    TEXT NOT NULL,                             -- of the row that shows it here
  base   TEXT NOT NULL DEFAULT '{}',                -- JSON: the row and the shared state when they were last compared
  status TEXT NOT NULL DEFAULT '',                  -- conflict, erased, held (and why, in base)
  uses   INTEGER NOT NULL DEFAULT 0                 -- count of uses that was last recorded
);

CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL);

CREATE INDEX memories_fingerprint ON memories(fingerprint);

CREATE INDEX memories_type ON memories(type, created_at) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX memories_created ON memories(created_at) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX memories_review ON memories(review_after, created_at) WHERE review IS NOT NULL;

CREATE INDEX memories_pinned ON memories(created_at) WHERE pinned = 1;

CREATE INDEX memories_session ON memories(session) WHERE session <> '';

CREATE INDEX memories_origin ON memories(origin) WHERE origin <> '';

CREATE INDEX memories_branch ON memories(branch_only) WHERE branch_only <> '';

CREATE INDEX memories_deleted ON memories(deleted_at) WHERE deleted_at <> '';

CREATE INDEX memory_files_seq ON memory_files(seq);

CREATE INDEX memory_modules_seq ON memory_modules(seq);

CREATE INDEX memory_relations_memory ON memory_relations(memory) WHERE memory <> '';

CREATE INDEX memory_history_seq ON memory_history(seq);

CREATE INDEX sessions_started ON sessions(started_at);

CREATE INDEX injections_memory ON injections(memory);

CREATE INDEX injections_uncounted ON injections(memory) WHERE counted = 0;

CREATE INDEX embedding_cache_expires ON embedding_cache(expires_at);

CREATE INDEX relations_target ON relations(target);

CREATE INDEX memory_vectors_present ON memory_vectors(model, seq, revision);

CREATE INDEX memories_changed ON memories(          -- every column that decides whether a memory must be embedded
  seq, updated_at, deleted_at, superseded_by
) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX llm_calls_at ON llm_calls(at);

CREATE INDEX memories_errors ON memories(           -- fingerprint of an error, for a hook that sees it again
  CASE WHEN json_valid(details) THEN json_extract(details, '$.fingerprint') END
) WHERE type = 'error_pattern';

CREATE INDEX session_files_path ON session_files(path, session, weight);

CREATE INDEX session_modules_module ON session_modules(module);

CREATE INDEX co_access_other ON co_access(file_b, file_a);

CREATE INDEX co_access_session ON co_access(session);

CREATE INDEX sightings_session ON sightings(session);

CREATE INDEX candidates_held ON candidates(held_until) WHERE state = 'held';

CREATE INDEX candidates_memory ON candidates(memory) WHERE memory <> '';

CREATE INDEX memories_meant ON memories(            -- the columns that almost every search filters by
  seq, state, branch_only
) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX foreign_digests_seen_at ON foreign_digests (seen_at);

CREATE INDEX readings_waiting ON readings (queued_at) WHERE state = 'waiting';

CREATE INDEX memory_history_at ON memory_history(at);

CREATE INDEX bulk_change_items_memory ON bulk_change_items(memory);

CREATE INDEX told_texts_at ON told_texts(at, id);

CREATE INDEX told_texts_session ON told_texts(session, at);

CREATE INDEX memories_lookup ON memories(           -- every column that decides whether a hook shows a memory
  seq, id, type, state, source, pinned, muted, confidence, half_life_days, last_used_at, branch_only
) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX memories_listed ON memories(           -- every column that a list is filtered, counted or ordered by
  created_at, updated_at, use_count, type, state, source, scope, visibility, agent, branch, branch_only, last_used_at,
  half_life_days, pinned, muted, confidence, review, review_after, id, deleted_at, superseded_by
) WHERE deleted_at = '' AND superseded_by = '';

CREATE INDEX operations_unapplied ON operations(memory) WHERE applied = 0;

CREATE INDEX operations_memory ON operations(memory, replica);

CREATE INDEX operations_replica ON operations(replica);

CREATE INDEX operations_unsent ON operations(counter) WHERE sent = 0;

CREATE INDEX shared_memories_uid ON shared_memories(uid);

CREATE INDEX shared_memories_status ON shared_memories(status) WHERE status <> '';

CREATE TRIGGER memories_text_added AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts(rowid, search_text) VALUES (new.seq, new.search_text);
END;

CREATE TRIGGER memories_text_removed AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts(memories_fts, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
END;

CREATE TRIGGER memories_text_changed AFTER UPDATE OF search_text ON memories BEGIN
  INSERT INTO memories_fts(memories_fts, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
  INSERT INTO memories_fts(rowid, search_text) VALUES (new.seq, new.search_text);
END;

CREATE TRIGGER memory_vectors_added AFTER INSERT ON memory_vectors BEGIN
  INSERT INTO vector_states(model, removals, last) VALUES (new.model, hex(randomblob(8)), new.number)
    ON CONFLICT(model) DO UPDATE SET last = excluded.last;
END;

CREATE TRIGGER memory_vectors_removed AFTER DELETE ON memory_vectors BEGIN
  UPDATE vector_states SET removals = hex(randomblob(8)), settled = '' WHERE model = old.model;
END;

CREATE TRIGGER memories_counted_added AFTER INSERT ON memories BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'memory_changes';
END;

CREATE TRIGGER memories_counted_changed AFTER UPDATE OF content, updated_at, deleted_at, superseded_by ON memories BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'memory_changes';
END;

