"""Light access to the store for injection: finds memories, and records those that a session was shown.

A recorded memory is not injected into that session again, also by parallel processes. Hooks load this module, so it
returns plain rows and needs `sqlite3` and `json` only.
"""

from __future__ import annotations

import os
import sqlite3

from holloway import fast_json
from holloway.config import INJECTION_THRESHOLDS, LESSON_CHARS_MAX, STANDING_RULE_CONFIDENCE, UNUSED_HALF_LIVES_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    Rows = list[dict[str, object]]

OBSERVED_PREFIX = "observer:"
"""Prefix of the origin of observed memories; the remainder identifies the observation, whatever its wording."""
# A subagent is shown memories under the name of its session followed by a slash and its own; it is no session.
IS_SESSION = "NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = substr(s.id, 1, instr(s.id, '/') - 1))"
"""Selects, among the rows `s` of the ledger, those of sessions."""

SCHEMA_VERSION = 20
"""Schema version that these queries expect; hooks ignore a file of another version."""

HISTORY_PREFIX = "history:"
"""Prefix of the origin of explanations from the git history; the commit and a number follow."""
NOTE_PREFIX = "note:"
"""Prefix of the origin of notes that a host keeps: its name, the file and a digest follow."""
_LOADED_NOTES = {"claude-code": f"{NOTE_PREFIX}claude-code:MEMORY.md#"}
"""Notes that a host loads into every session itself, by the beginning of their origin."""

LOADED_BY_HOST = "host"
"""Injection point of a memory that the host itself loaded: neither shown again nor counted as used."""

# A memory may be shown unasked if it is living, not quarantined, not muted, of this branch, confident enough for the
# trust level, not shown in this session yet, and no figure that synthesis counted: those steer prefetching and step
# limits.
LIVING = "m.deleted_at = '' AND m.superseded_by = '' AND m.state <> 'quarantined'"
_HERE = f"{LIVING} AND (m.branch_only = '' OR m.branch_only = :branch)"
# What the person laid down for good is told at every trust level, and it does not fade: only the person ends it.
_STANDING = f"(m.source = 'user_correction' AND m.state <> 'stale' AND m.confidence >= {STANDING_RULE_CONFIDENCE})"
# A lesson is told for one half-life after it was learned or last used, whatever its confidence at birth: decay compared
# with the threshold from the first day would silence a cautious lesson within two days. A rules file is text of the
# repository that instructs, so its rules wait for a person at every trust level; explanations of the git history are
# too often overtaken by the code to be told before a person confirmed them.
_SHOWABLE = f"""
{_HERE} AND (:asked OR m.muted = 0)
    AND (:level > 1 OR m.state = 'confirmed' OR m.source IN ('user_taught', 'error_fix', 'commit_auto') OR {_STANDING})
    AND (m.pinned = 1 OR m.state = 'confirmed' OR {_STANDING} OR (m.confidence > :confidence_min
         AND (m.half_life_days IS NULL
              OR julianday(:now) - julianday(m.last_used_at) <= :half_lives * m.half_life_days)))
    AND ((m.source <> 'rules_file' AND substr(m.origin, 1, {len(HISTORY_PREFIX)}) <> '{HISTORY_PREFIX}')
         OR m.state = 'confirmed' OR m.pinned = 1)
    AND (:loaded = '' OR substr(m.origin, 1, length(:loaded)) <> :loaded)
    AND m.id NOT IN (SELECT memory FROM injections WHERE session = :session AND context = :context)
    AND (:asked OR m.pinned = 1 OR m.source <> 'synthesis'
         OR m.type NOT IN ('context_cost', 'prefetch_pattern', 'task_calibration', 'causal_dependency'))
"""
# The person who shared a memory, and how many others confirmed it; most memories are nobody else's.
_REPLICA = "substr(m.origin, 8)"
_SHARED_BY = f"""
CASE m.source WHEN 'colleague' THEN (SELECT r.author FROM replicas r WHERE r.replica = {_REPLICA}) END AS author,
CASE m.source WHEN 'colleague' THEN (SELECT count(*) FROM shared_memories s, json_each(s.base, '$.confirmed_by') c
    WHERE s.uid = m.uid AND c.value <> {_REPLICA}) END AS confirmations
"""
_COLUMNS = (
    "m.id, m.type, m.summary, m.state, m.source, m.origin, m.sessions, m.created_at, m.updated_at, m.stated_at, "
    f"length(m.content) > {LESSON_CHARS_MAX} AS is_cut, {_SHARED_BY}"
)

# Gotchas are shown unasked when a file is opened, and so is everything that a person tied to a file, whatever its type.
# The inner query reads the two indexes only; full rows are fetched for the few that are shown.
_FOR_FILES = f"""
SELECT {_COLUMNS}, chosen.path
FROM (
  SELECT m.seq, f.path
  FROM memory_files f JOIN memories m INDEXED BY memories_lookup ON m.seq = f.seq
  WHERE f.path IN (SELECT value FROM json_each(:paths)) AND {_SHOWABLE}
    AND (m.type IN ('gotcha', 'dead_end', 'error_pattern', 'causal_dependency') OR m.pinned = 1
         OR m.source IN ('user_taught', 'commit_auto') OR {_STANDING})
  ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
  LIMIT :limit
) chosen JOIN memories m ON m.seq = chosen.seq
ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
"""

# A memory answers a search of the agent if it has all of the words.
_ANSWERS = f"""
SELECT {_COLUMNS}, '' AS path
FROM (SELECT rowid AS seq, rank FROM memories_fts WHERE memories_fts MATCH :words ORDER BY rank LIMIT :candidates) hit
JOIN memories m ON m.seq = hit.seq
WHERE {_SHOWABLE}
ORDER BY m.pinned DESC, hit.rank, m.seq DESC
LIMIT :limit
"""
_ANSWER_CANDIDATES_MAX = 50

# A prompt brings memories with its words, whatever file they are about. Figures, work and recipes come otherwise.
_MATCHING = f"""
SELECT {_COLUMNS}, m.content, m.details, m.tags, '' AS path
FROM (SELECT rowid AS seq, rank FROM memories_fts WHERE memories_fts MATCH :words ORDER BY rank LIMIT :candidates) hit
JOIN memories m ON m.seq = hit.seq
WHERE {_SHOWABLE} AND m.type IN ('gotcha', 'decision', 'preference', 'pattern', 'requirement', 'error_pattern',
  'module_insight', 'causal_dependency', 'dead_end', 'e2e_observation')
ORDER BY m.type = 'dead_end' DESC, hit.rank, m.seq DESC
LIMIT :limit
"""

# A memory for a command has it as a tag; the index finds those with one of its words.
COMMAND_TAG_PREFIX = "$ "
"""Beginning of the tag of a memory that is told with a command: the command, or how it begins, follows."""
_NAMED_COMMAND = (
    "(SELECT substr(t.value, 3) FROM json_each(m.tags) t"
    f" WHERE substr(t.value, 1, 2) = '{COMMAND_TAG_PREFIX}'"
    " AND instr(:command, ' ' || substr(t.value, 3) || ' ') > 0 LIMIT 1)"
)
_FOR_COMMAND = f"""
SELECT {_COLUMNS}, '' AS path, {_NAMED_COMMAND} AS command
FROM (SELECT rowid AS seq, rank FROM memories_fts WHERE memories_fts MATCH :words ORDER BY rank LIMIT :candidates) hit
JOIN memories m ON m.seq = hit.seq
WHERE {_SHOWABLE} AND {_NAMED_COMMAND} IS NOT NULL
ORDER BY m.pinned DESC, m.confidence DESC, m.seq DESC
LIMIT :limit
"""
_COMMAND_CANDIDATES_MAX = 200
LOOKED_UP_COMMAND_WORDS_MAX = 6
"""Words of a command by which memories are found."""
COMMON_WORD_SHARE = 0.2
COMMON_WORD_MEMORIES_MIN = 10
"""A word in more than this share of the memories, where there are that many, tells none of them apart."""

_FIXES = f"""
SELECT {_COLUMNS}, '' AS path
FROM memories m INDEXED BY memories_errors
WHERE m.type = 'error_pattern' AND {_SHOWABLE}
  AND CASE WHEN json_valid(m.details) THEN json_extract(m.details, '$.fingerprint') END
      IN (SELECT value FROM json_each(:errors))
ORDER BY m.pinned DESC, m.confidence DESC, m.seq DESC
LIMIT :limit
"""

_REQUIRED = """
SELECT r.memory FROM memories m JOIN memory_relations r ON r.seq = m.seq
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND r.type = 'required_with' AND r.memory <> ''
"""

# Details, files and named code of a few memories.
_DETAILS = """
SELECT m.id, m.details, (SELECT json_group_array(f.path) FROM memory_files f WHERE f.seq = m.seq) AS files,
  (SELECT json_group_array(r.path) FROM memory_relations r WHERE r.seq = m.seq AND r.type = 'names') AS anchors
FROM memories m WHERE m.id IN (SELECT value FROM json_each(:ids))
"""

_UNSEEN = f"""
SELECT {_COLUMNS}, '' AS path
FROM memories m
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {_SHOWABLE}
ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
"""


PASSED_COMMAND = "passed_command"
"""Name under which a session's sightings have how it called a test or a check that passed."""
USUAL_CALL_SESSIONS = 8
"""Number of the latest sessions that decide how a program is usually called."""
USUAL_CALL_SESSIONS_MIN = 2
USUAL_CALL_SHARE_MIN = 0.75

_PASSED_CALLS = """
SELECT json_extract(s.facts, '$.call') AS call
FROM sightings s JOIN sessions l ON l.id = s.session
WHERE s.signal = :signal AND s.key = :program
ORDER BY l.started_at DESC
LIMIT :limit
"""

_BY_USE = "m.pinned DESC, m.use_count DESC, m.created_at, m.seq"

RULE_TYPES = ("decision", "requirement", "preference", "pattern")
TRAP_TYPES = ("gotcha", "dead_end", "error_pattern")

# Project-wide memories of a brief: pinned, or confirmed or laid down by the person, and brought neither by a file nor
# by a rules file of the host.
_GENERAL = f"""
SELECT {_COLUMNS}, m.pinned, m.use_count, '' AS path
FROM memories m
WHERE m.type IN (SELECT value FROM json_each(:types)) AND {_HERE} AND m.muted = 0
  AND (m.pinned = 1 OR ((m.state = 'confirmed' OR {_STANDING}) AND m.source <> 'rules_file'
       AND NOT EXISTS (SELECT 1 FROM memory_files f WHERE f.seq = m.seq)))
ORDER BY m.pinned DESC, CASE WHEN m.stated_at = '' THEN m.created_at ELSE m.stated_at END DESC, m.seq DESC
LIMIT :limit
"""

# The person saw them when they accepted their author, so no trust level holds them back.
_NAMED = f"""
SELECT {_COLUMNS}, m.pinned, m.use_count, '' AS path
FROM json_each(:ids) named JOIN memories m ON m.id = named.value
WHERE {_HERE} AND m.muted = 0
ORDER BY named.key
"""

_SHOWABLE_OF_TYPE = f"""
SELECT {_COLUMNS}, m.content, m.details, '' AS path
FROM memories m
WHERE m.type = :type AND {_SHOWABLE}
ORDER BY m.pinned DESC, m.confidence DESC, m.seq DESC
LIMIT :limit
"""

_RECIPES = f"""
SELECT m.id, m.details FROM memories m
WHERE m.type = 'workflow_recipe' AND {_HERE} AND m.muted = 0 ORDER BY {_BY_USE} LIMIT :limit
"""

_WORK_STATE = """
SELECT m.id, m.state, m.details, m.updated_at,
  (SELECT json_group_array(path) FROM (SELECT path FROM memory_files f WHERE f.seq = m.seq ORDER BY place)) AS files
FROM memories m WHERE m.origin = :origin AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq DESC LIMIT 1
"""


def open_store(path: str, timeout_ms: int) -> sqlite3.Connection | None:
    """Open a store for light reads; None if it is missing or has another schema version."""
    if not os.path.exists(path):
        return None
    connection = sqlite3.connect(path, isolation_level=None, timeout=timeout_ms / 1000)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


class Viewer:
    """The session that memories would be shown to; a plain class, because a dataclass costs a hook milliseconds."""

    __slots__ = ("agent", "branch", "context", "is_asked", "level", "now", "session")

    def __init__(
        self, *, session: str, context: int, branch: str, now: str, level: int, is_asked: bool = False, agent: str = ""
    ) -> None:
        self.agent = agent
        self.session = session
        self.context = context
        self.branch = branch
        self.now = now
        self.level = level
        self.is_asked = is_asked
        """Whether somebody asked: then the cautious level only applies its threshold."""

    def to_values(self) -> dict[str, object]:
        """Return the parameters that the queries share."""
        return {
            "session": self.session,
            "context": self.context,
            "branch": self.branch,
            "now": self.now,
            "level": max(self.level, 2) if self.is_asked else self.level,
            "confidence_min": INJECTION_THRESHOLDS[self.level],
            "half_lives": UNUSED_HALF_LIVES_MAX,
            "loaded": "" if self.is_asked else _LOADED_NOTES.get(self.agent, ""),
            "asked": int(self.is_asked),
        }


def find_for_files(connection: sqlite3.Connection, paths: list[str], viewer: Viewer, limit: int) -> Rows:
    """Find the memories about these paths that this session has not been shown, best first."""
    values = viewer.to_values() | {"paths": fast_json.dumps(paths), "limit": limit}
    return [dict(row) for row in connection.execute(_FOR_FILES, values)]


def find_answers(connection: sqlite3.Connection, words: list[str], viewer: Viewer, limit: int) -> Rows:
    """Find the memories that have all the words of a search; none if there are no words."""
    if not words or any("\0" in word for word in words):
        return []
    quoted = " AND ".join(map(_quote_word, words))
    values = viewer.to_values() | {"words": quoted, "candidates": _ANSWER_CANDIDATES_MAX, "limit": limit}
    return [dict(row) for row in connection.execute(_ANSWERS, values)]


def find_for_command(connection: sqlite3.Connection, command: str, viewer: Viewer, limit: int) -> Rows:
    """Find the memories that are told with a command, each with the part of the command that it is for."""
    words = [word for word in command.split() if any(map(str.isalnum, word))][:LOOKED_UP_COMMAND_WORDS_MAX]
    if not words:
        return []
    values = viewer.to_values() | {"command": f" {' '.join(command.split())} ", "limit": limit}
    quoted = " OR ".join(map(_quote_word, words))
    rows = connection.execute(_FOR_COMMAND, values | {"words": quoted, "candidates": _COMMAND_CANDIDATES_MAX})
    return [dict(row) for row in rows]


def find_matching(connection: sqlite3.Connection, words: list[str], viewer: Viewer, limit: int) -> Rows:
    """Find the memories that have one of the words of a prompt, with content and details; dead ends first."""
    if not words:
        return []
    values = viewer.to_values() | {"words": " OR ".join(map(_quote_word, words)), "limit": limit}
    rows = connection.execute(_MATCHING, values | {"candidates": limit * 4})
    return [dict(row) | {"details": _parse_details(row["details"])} for row in rows]


def list_telling_words(connection: sqlite3.Connection, words: list[str]) -> list[str]:
    """List the words that tell memories of this project apart: those that only a part of them has."""
    total = int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])
    if total < COMMON_WORD_MEMORIES_MIN:
        return words
    count = "SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?"
    counts = {word: int(connection.execute(count, (_quote_word(word),)).fetchone()[0]) for word in words}
    return [word for word in words if counts[word] <= COMMON_WORD_SHARE * total]


def _quote_word(word: str) -> str:
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


def find_fixes(connection: sqlite3.Connection, errors: list[str], viewer: Viewer, limit: int) -> Rows:
    """Find the memories of errors with these fingerprints; a fix does not decay."""
    values = viewer.to_values() | {"errors": fast_json.dumps(errors), "limit": limit, "half_lives": float("inf")}
    return [dict(row) for row in connection.execute(_FIXES, values)]


def find_unseen(connection: sqlite3.Connection, ids: list[str], viewer: Viewer) -> Rows:
    """Find those of these memories that may be shown and have not been, best first."""
    values = viewer.to_values() | {"ids": fast_json.dumps(ids)}
    return [dict(row) for row in connection.execute(_UNSEEN, values)]


def find_required(connection: sqlite3.Connection, ids: list[str], viewer: Viewer) -> Rows:
    """Find the unseen memories that these memories require, in their order."""
    related = connection.execute(_REQUIRED, {"ids": fast_json.dumps(ids)}).fetchall()
    required = list(dict.fromkeys(str(row[0]) for row in related if row[0] not in ids))
    return find_unseen(connection, required, viewer) if required else []


def find_unseen_of_type(connection: sqlite3.Connection, kind: str, viewer: Viewer, limit: int) -> Rows:
    """Find the memories of a type that may be shown and have not been, with content and details, best first."""
    values = viewer.to_values() | {"type": kind, "limit": limit}
    rows = connection.execute(_SHOWABLE_OF_TYPE, values)
    return [dict(row) | {"details": _parse_details(row["details"])} for row in rows]


def find_general(connection: sqlite3.Connection, types: tuple[str, ...], branch: str, limit: int) -> Rows:
    """Find the memories of these types that hold for the full project: pinned first, then the newest."""
    values = {"types": fast_json.dumps(types), "branch": branch, "limit": limit}
    return [dict(row) for row in connection.execute(_GENERAL, values)]


def find_named(connection: sqlite3.Connection, ids: list[str], branch: str) -> Rows:
    """Find the memories with these ids that agents may see on a branch, in their order."""
    return [dict(row) for row in connection.execute(_NAMED, {"ids": fast_json.dumps(ids), "branch": branch})]


def find_usual_call(connection: sqlite3.Connection, program: str) -> str:
    """Find how the latest sessions called a program when it passed; empty if they are too few or disagree."""
    values = {"signal": PASSED_COMMAND, "program": program, "limit": USUAL_CALL_SESSIONS}
    calls = [str(row["call"]) for row in connection.execute(_PASSED_CALLS, values)]
    usual = max(calls, key=calls.count, default="")
    agreeing = calls.count(usual)
    is_usual = agreeing >= USUAL_CALL_SESSIONS_MIN and agreeing >= USUAL_CALL_SHARE_MIN * len(calls)
    return usual if is_usual else ""


def find_recipes(connection: sqlite3.Connection, branch: str, limit: int) -> list[tuple[str, dict[str, object]]]:
    """Find the recipes of a branch, each with its details: pinned first, then the most used."""
    rows = connection.execute(_RECIPES, {"branch": branch, "limit": limit})
    return [(str(row["id"]), _parse_details(row["details"])) for row in rows]


def find_work_state(connection: sqlite3.Connection, branch: str) -> dict[str, object] | None:
    """Find the unfinished work of a branch: `id`, `details`, `updated_at` and `files`; None without any."""
    row = connection.execute(_WORK_STATE, {"origin": work_state_origin(branch)}).fetchone()
    if row is None or row["state"] == "quarantined":
        return None
    return dict(row) | {"details": _parse_details(row["details"]), "files": fast_json.loads(row["files"])}


def work_state_origin(branch: str) -> str:
    """Return the origin under which the unfinished work of a branch is stored; the latest replaces the one before."""
    return f"{OBSERVED_PREFIX}work_state:{branch or '-'}"


def load_details(connection: sqlite3.Connection, ids: list[str]) -> dict[str, tuple[dict[str, object], list[str]]]:
    """Load the details and the files of these memories, by id."""
    rows = connection.execute(_DETAILS, {"ids": fast_json.dumps(ids)})
    return {row["id"]: (_parse_details(row["details"]), fast_json.loads(row["files"])) for row in rows}


def load_anchors(connection: sqlite3.Connection, ids: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Load the code that these memories name, by id: each with its file."""
    rows = connection.execute(_DETAILS, {"ids": fast_json.dumps(ids)})
    return {row["id"]: parse_anchors(fast_json.loads(row["anchors"])) for row in rows if row["anchors"] != "[]"}


def parse_anchors(values: list[str]) -> list[tuple[str, str]]:
    """Return the file and the name of each piece of code that a memory names."""
    return [(path, name) for path, colon, name in (value.partition(":") for value in values) if colon and name]


def load_living_details(connection: sqlite3.Connection, memory: str) -> dict[str, object]:
    """Load the details of a memory that is in force; empty if it was removed, replaced or quarantined."""
    row = connection.execute(f"SELECT m.details FROM memories m WHERE m.id = ? AND {LIVING}", (memory,)).fetchone()
    return _parse_details(row[0]) if row else {}


def _parse_details(text: str | None) -> dict[str, object]:
    try:
        details = fast_json.loads(text or "{}")
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


def is_allowed(connection: sqlite3.Connection, memory: str, viewer: Viewer) -> bool:
    """Tell whether a memory may be shown at this trust level, also if it was shown before."""
    values = viewer.to_values() | {"ids": fast_json.dumps([memory]), "session": ""}
    return connection.execute(_UNSEEN, values).fetchone() is not None


def read_trust_level(connection: sqlite3.Connection) -> int:
    """Read the trust level of the project, as the last command left it."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'trust_level'").fetchone()
    level = int(row[0]) if row else 1
    return level if level in INJECTION_THRESHOLDS else 1


def read_context(connection: sqlite3.Connection, session: str) -> int:
    """Read how often the host has compacted this session's context; the agent no longer sees text from before that."""
    row = connection.execute("SELECT context FROM sessions WHERE id = ?", (session,)).fetchone()
    return int(row[0]) if row else 0


def read_last_event(connection: sqlite3.Connection, session: str) -> str:
    """Read the time of the last event of a session; empty for an unknown one."""
    row = connection.execute("SELECT last_event_at FROM sessions WHERE id = ?", (session,)).fetchone()
    return str(row[0]) if row else ""


def read_shown_ids(connection: sqlite3.Connection, session: str) -> set[str]:
    """Read the ids of all memories that a session was shown, in any of its contexts."""
    return {str(row[0]) for row in connection.execute("SELECT memory FROM injections WHERE session = ?", (session,))}


def keep_stored(connection: sqlite3.Connection, ids: list[str]) -> list[str]:
    """Return those of these ids that this store has, in their order."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?))", (fast_json.dumps(ids),)
    )
    stored = {row[0] for row in rows}
    return [memory for memory in ids if memory in stored]


def build_session_condition(session_sql: str) -> str:
    """Return the SQL condition that selects, among the rows `i` of injections, those of a session and its subagents."""
    of_session = f"i.session = {session_sql} OR (i.session > {session_sql} || '/' AND i.session < {session_sql} || '0')"
    return f"({of_session}) AND i.point <> '{LOADED_BY_HOST}'"


def count_sessions(connection: sqlite3.Connection) -> int:
    """Count the sessions of the ledger, also running ones; a subagent does not count as a session."""
    sql = f"SELECT count(*) FROM sessions s WHERE {IS_SESSION}"
    return int(connection.execute(sql).fetchone()[0])


def touch_session(
    connection: sqlite3.Connection, session: str, agent: str, now: str, *, compacted: bool = False
) -> int:
    """Add a session to the ledger or update its time; a compaction begins a new context. Returns the context."""
    connection.execute(
        "INSERT INTO sessions(id, agent, started_at, last_event_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT(id) DO UPDATE SET last_event_at = excluded.last_event_at, context = context + ?",
        (session, agent, now, now, int(compacted)),
    )
    return read_context(connection, session)


def mark_loaded_by_host(connection: sqlite3.Connection, path: str, *, session: str, agent: str, now: str) -> None:
    """Record that the host loaded a rules file: memories imported from it are neither shown nor counted as used."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        context = touch_session(connection, session, agent, now)
        connection.execute(
            "INSERT OR IGNORE INTO injections(session, context, memory, point, at, counted) "
            "SELECT ?, ?, id, ?, ?, 1 FROM memories WHERE source = 'rules_file' AND substr(origin, 1, length(?)) = ?",
            (session, context, LOADED_BY_HOST, now, f"rules:{path}#", f"rules:{path}#"),
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def claim_injections(
    connection: sqlite3.Connection,
    ids: list[str],
    *,
    session: str,
    agent: str,
    point: str,
    now: str,
    compacted: bool = False,
) -> list[str]:
    """Record memories as injected into a session, so that none is injected twice.

    Returns those that no parallel process recorded first.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        context = touch_session(connection, session, agent, now, compacted=compacted)
        claimed = [
            memory
            for memory in ids
            if connection.execute(
                "INSERT OR IGNORE INTO injections(session, context, memory, point, at) VALUES (?, ?, ?, ?, ?)",
                (session, context, memory, point, now),
            ).rowcount
        ]
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return claimed
