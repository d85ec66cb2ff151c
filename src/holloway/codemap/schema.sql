-- The map of one checkout. Everything here is derived from the code and its history: the file may be deleted at any time.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- One row per indexed file. `facts` is what was read from it alone (JSON), without what it only mentions; `interface` is
-- a hash of what others see of it.
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

-- What a file mentions (JSON): half of all that is read, and needed only while the file itself is resolved.
CREATE TABLE mentions (
  file INTEGER PRIMARY KEY REFERENCES files (id),
  data BLOB NOT NULL
);

-- What is left out, and why. What was left out for its content has its size and time here, and is not read again.
CREATE TABLE skipped (
  path     TEXT PRIMARY KEY,
  reason   TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;

-- Files, directories, definitions and external packages. `parent` is what a node is a child of.
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

-- `file` is the file whose content says so: when it changes, its edges go with it in the same transaction.
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
-- With all that is asked of an edge, so that the users of a hub are counted without looking each of them up.
CREATE INDEX edges_in ON edges (target, kind, source, confidence, line);
CREATE INDEX edges_by_file ON edges (file);

-- References that nothing in the project or its packages explains: kept apart, never guessed into an edge.
CREATE TABLE unresolved (
  file INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX unresolved_by_file ON unresolved (file);
CREATE INDEX unresolved_by_name ON unresolved (name);

-- Which file's interface was looked at to resolve which file: who must be resolved again when it changes.
CREATE TABLE consulted (
  file INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (seen, file)
) WITHOUT ROWID;
CREATE INDEX consulted_by_file ON consulted (file);

-- The words in a file's imports: whose imports may mean something else when a file of that name comes or goes.
CREATE TABLE import_words (
  word TEXT NOT NULL,
  file INTEGER NOT NULL,
  PRIMARY KEY (word, file)
) WITHOUT ROWID;
CREATE INDEX import_words_by_file ON import_words (file);

-- Pieces of files for search. `head` (path, name) and `body` have identifiers whole and split.
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

-- History. Paths carry today's names: a rename changes one row here and everything that points to it.
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

-- How much of a file was rewritten between a commit and HEAD, as far as somebody asked.
CREATE TABLE changes (
  "commit" TEXT NOT NULL,
  path     TEXT NOT NULL,
  share    REAL NOT NULL,
  PRIMARY KEY ("commit", path)
) WITHOUT ROWID;

-- The modules as they were last drawn. `detail` is the whole of one (JSON).
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
