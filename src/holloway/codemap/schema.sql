-- Code map of one checkout. Everything is derived from the code and its git history: the file may be deleted any time.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- One row per indexed file. `facts` are its definitions, imports and bindings (JSON), without references;
-- `interface` is a hash of everything other files can see.
CREATE TABLE files (
  id        INTEGER PRIMARY KEY,
  path      TEXT NOT NULL UNIQUE,
  language  TEXT NOT NULL,
  role      TEXT NOT NULL,
  size      INTEGER NOT NULL,
  mtime_ns  INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  interface BLOB NOT NULL,
  lines     INTEGER NOT NULL,
  facts     BLOB NOT NULL
);

-- References of a file (JSON): half of all data, and needed only while the file itself is resolved.
CREATE TABLE mentions (
  file INTEGER PRIMARY KEY REFERENCES files (id),
  data BLOB NOT NULL
);

-- Skipped files with the reason. Those skipped for their content have a size and time; they are read again on a change.
CREATE TABLE skipped (
  path     TEXT PRIMARY KEY,
  reason   TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;

-- Nodes of the dependency graph: files, directories, definitions and external packages, with their parent.
CREATE TABLE nodes (
  id        INTEGER PRIMARY KEY,
  file      INTEGER REFERENCES files (id),
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  qualified TEXT NOT NULL,
  parent    INTEGER,
  line      INTEGER NOT NULL DEFAULT 0,
  end_line  INTEGER NOT NULL DEFAULT 0,
  signature TEXT NOT NULL DEFAULT '',
  exported  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX nodes_by_file ON nodes (file, qualified);
CREATE INDEX nodes_by_name ON nodes (name);

-- Edges of the dependency graph. `file` is the file they were derived from: when it changes, they are replaced in
-- the same transaction.
CREATE TABLE edges (
  source     INTEGER NOT NULL,
  target     INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  origin     TEXT NOT NULL,
  confidence REAL NOT NULL,
  line       INTEGER NOT NULL,
  file       INTEGER NOT NULL,
  PRIMARY KEY (source, target, kind, origin)
) WITHOUT ROWID;
-- A covering index, so that the dependents of a hub are counted without reading the table.
CREATE INDEX edges_in ON edges (target, kind, source, confidence, line);
CREATE INDEX edges_by_file ON edges (file);

-- Unresolved references: stored separately, never guessed into an edge.
CREATE TABLE unresolved (
  file INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX unresolved_by_file ON unresolved (file);
CREATE INDEX unresolved_by_name ON unresolved (name);

-- Files that were consulted to resolve a file: it must be resolved again when their interface changes.
CREATE TABLE consulted (
  file INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (seen, file)
) WITHOUT ROWID;
CREATE INDEX consulted_by_file ON consulted (file);

-- The words in a file's imports: they may resolve differently when a file of that name is added or removed.
CREATE TABLE import_words (
  word TEXT NOT NULL,
  file INTEGER NOT NULL,
  PRIMARY KEY (word, file)
) WITHOUT ROWID;
CREATE INDEX import_words_by_file ON import_words (file);

-- Text chunks for full-text search. `head` (path, name) and `body` contain identifiers both complete and split.
CREATE TABLE chunks (
  id       INTEGER PRIMARY KEY,
  file     INTEGER NOT NULL REFERENCES files (id),
  kind     TEXT NOT NULL,
  name     TEXT NOT NULL,
  line     INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  head     TEXT NOT NULL,
  body     TEXT NOT NULL
);
CREATE INDEX chunks_by_file ON chunks (file);
CREATE VIRTUAL TABLE chunk_text USING fts5 (
  head, body, content = 'chunks', content_rowid = 'id', tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE chunk_words USING fts5vocab (chunk_text, row);
CREATE VIRTUAL TABLE chunk_mentions USING fts5vocab (chunk_text, instance);

-- Cache: the vector (float32) of the text that stands for a file; `key` is a hash of that text and of the model.
CREATE TABLE file_vectors (
  file   INTEGER PRIMARY KEY REFERENCES files (id),
  key    BLOB NOT NULL,
  vector BLOB NOT NULL
);

-- Git history. Paths have their current names: a rename changes one row here and so everything that refers to it.
CREATE TABLE paths (
  id   INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
);
CREATE TABLE commits (
  id      INTEGER PRIMARY KEY,
  hash    TEXT NOT NULL UNIQUE,
  at      INTEGER NOT NULL,
  subject TEXT NOT NULL,
  body    TEXT NOT NULL,
  files   INTEGER NOT NULL
);
CREATE INDEX commits_by_time ON commits (at);
CREATE TABLE commit_files (
  path     INTEGER NOT NULL,
  "commit" INTEGER NOT NULL,
  churn    INTEGER NOT NULL,
  PRIMARY KEY (path, "commit")
) WITHOUT ROWID;
CREATE INDEX commit_files_by_commit ON commit_files ("commit", path);
CREATE VIRTUAL TABLE commit_text USING fts5 (search_text, content = '', tokenize = 'porter unicode61');

-- Cache: share of a file that was rewritten between a commit and HEAD.
CREATE TABLE changes (
  "commit" TEXT NOT NULL,
  path     TEXT NOT NULL,
  share    REAL NOT NULL,
  PRIMARY KEY ("commit", path)
) WITHOUT ROWID;

-- The modules as last detected. `detail` is the complete module (JSON).
CREATE TABLE modules (
  name     TEXT PRIMARY KEY,
  folder   TEXT NOT NULL,
  purpose  TEXT NOT NULL,
  position INTEGER NOT NULL,
  detail   TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE module_files (
  file   INTEGER PRIMARY KEY REFERENCES files (id),
  module TEXT NOT NULL,
  rank   INTEGER NOT NULL
);
CREATE INDEX module_files_by_module ON module_files (module, rank);
