"""B7, the store: what writing, searching, looking a file up and opening cost as a project's memory grows."""

from __future__ import annotations

import math
import random
import sqlite3
import sys
import tempfile
import time
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks.machine import Samples, environment
from holloway.config import TOOL_RESULT_MEMORIES_MAX
from holloway.domain.details import CausalDependency, DeadEnd, Decision, ErrorFix
from holloway.domain.memory import Draft, MemoryType, Source
from holloway.domain.ports import stamp
from holloway.injection.known import with_parents
from holloway.retrieval.query import understand
from holloway.retrieval.recall import recall
from holloway.store import lookup
from holloway.store.filter import Filter
from holloway.store.intake import admit
from holloway.testing import CountedIds, FakeClock
from holloway.text.query import match_any, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from holloway.domain.details import Details
    from holloway.store.store import Store

SEED = 7
SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = (100, 1_000)
BATCH = 1_000
WRITES = 200
QUERIES_PER_KIND = 60
SCAN_EVERY = 6
LOOKUPS = 300
OPENINGS = 20
LIMIT = 10
SEARCH_TARGETS_MS = {10_000: 15.0, 100_000: 60.0}
LOOKUP_TARGETS_MS = {10_000: 2.0, 100_000: 5.0}
GROWTH_TARGETS = {"search, all": 1.0, "lookup, a file with five traps": 0.1}
"""Search may grow with the store, but no faster; a file's lookup may not grow (a tenth is left to noise)."""
HOW = [
    "The memories are generated from a seed: 20,000 words with Zipf's frequencies, 6,000 identifiers, 4,000 files, the "
    "hottest of which has about 3 % of all memories. Each passes the gate that every memory passes.",
    "Search is `recall` with a limit of 10, over queries of one to six words; each query ran once before it is timed. "
    "Plain FTS5 is a bare table of the same texts with the same OR query, common words included, and no conditions. "
    "LIKE is a scan that counts the words which a text has.",
    "A lookup asks for the traps of one file and its folders, as the hook does when an agent opens a file.",
    "A write is one memory in one transaction, the gate with its secret scanner included.",
    "Everything is interleaved with its baseline in one process. Wall clock suffers from whatever else the machine "
    "does; CPU time suffers less.",
]

WORDS = 20_000
IDENTIFIERS = 6_000
FILES = 4_000
QUIET_FILES = tuple(f"quiet/corner_{number}.py" for number in range(20))
"""Files that have the same five traps at every size: what they cost may not depend on the rest of the store."""
QUIET_TRAPS = 5

HEAD = (
    "request test client server value cache error user config state file path module function call type build data "
    "query index session token event worker queue message schema table column key field model view handler route "
    "response header body cookie database connection pool transaction lock thread process signal timeout retry limit "
    "batch stream buffer parser lexer node tree graph edge symbol import export package version release branch commit "
    "merge deploy container image volume network port socket proxy gateway login password account role permission "
    "policy audit log metric trace alert dashboard page button form input label theme layout component hook effect "
    "render store reducer action selector payload encoder decoder format locale currency amount invoice order cart "
    "payment refund customer address shipment stock price discount tax rate window cursor offset shard replica leader "
    "follower quorum snapshot backup restore migration seed fixture mock stub assertion coverage benchmark profile"
).split()
SYLLABLES = "ba con der fil gra hol in jor kel lum mar nex or pra quil ras sten tor ul ven wick yar zet".split()
ERRORS = "TimeoutError KeyError ConnectionResetError IntegrityError TypeError OperationalError ENOENT E0277".split()
FOLDERS = "api auth billing cache core db editor events export front graph hooks jobs mail map panel queue sync".split()
SENTENCES = {
    MemoryType.GOTCHA: "Never call `{i}` from {f} while the {w} {w} is {w}: the {w} of the {w} then loses its {w}.",
    MemoryType.DECISION: "We chose the {w} {w} over a {w} {w} for `{i}`, because the {w} must not wait for the {w}.",
    MemoryType.PATTERN: "Every {w} of the {w} goes through `{i}` in {f}; the {w} {w} is added by `{i}`.",
    MemoryType.ERROR_PATTERN: "{e} in `{i}` means that the {w} {w} has no {w}; set the {w} and run the {w} again.",
    MemoryType.MODULE_INSIGHT: "The {w} {w} lives in {f}: `{i}` reads the {w}, `{i}` writes the {w} of each {w}.",
    MemoryType.DEAD_END: "We tried to {w} the {w} with `{i}`; the {w} {w} broke under {w}, so the {w} stayed.",
    MemoryType.CAUSAL_DEPENDENCY: "When `{i}` in {f} changes, the {w} of {f} must be built again or the {w} is stale.",
    MemoryType.REQUIREMENT: "The {w} {w} must answer within {n} ms, even while `{i}` holds the {w} of a {w}.",
}
SHARES = (30, 14, 10, 14, 12, 6, 8, 6)
MORE = (
    " It shows only with a {w} {w} of more than {n} {w}.",
    " The {w} {w} in `{i}` has the same {w}.",
    " See the {w} that {f} keeps for each {w}.",
    " Without the {w} the {w} {w} fails with {e}.",
)
SOURCES = (Source.USER_TAUGHT, Source.AGENT_EXPLICIT, Source.OBSERVER_INFERRED, Source.ERROR_FIX, Source.COMMIT_AUTO)
SOURCE_SHARES = (30, 25, 25, 15, 5)


class Corpus:
    """Memories that read like real ones, the same for the same seed: Zipf's words, identifiers, hot and cold files."""

    def __init__(self, seed: int = SEED) -> None:
        self.random = random.Random(seed)
        self.words = [*HEAD, *self._coined(WORDS - len(HEAD))]
        self._word_weights = _zipf(WORDS, 2.7)
        self.identifiers = list(dict.fromkeys(self._identifier() for _ in range(IDENTIFIERS)))
        self._identifier_weights = _zipf(len(self.identifiers), 10.0)
        self.files = list(dict.fromkeys(self._file() for _ in range(FILES)))
        self._file_weights = _zipf(len(self.files), 5.0)

    def _coined(self, number: int) -> list[str]:
        made: dict[str, None] = {}
        while len(made) < number:
            made["".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4)))] = None
        return list(made)

    def _identifier(self) -> str:
        parts = self.random.sample(HEAD, self.random.randint(2, 3))
        if self.random.random() < 0.4:
            parts[0] = self.random.choice(self.words)
        camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
        return self.random.choice(("_".join(parts), camel, camel[0].upper() + camel[1:]))

    def _file(self) -> str:
        folder, part = self.random.choice(FOLDERS), self.random.choice(HEAD)
        return f"src/{folder}/{part}/{self.random.choice(self.words)}_{self.random.choice(HEAD)}.py"

    def word(self) -> str:
        """A word, as often as its rank says."""
        return self.random.choices(self.words, cum_weights=self._word_weights)[0]

    def identifier(self) -> str:
        """A name from the code."""
        return self.random.choices(self.identifiers, cum_weights=self._identifier_weights)[0]

    def file(self) -> str:
        """A file, the hot ones more often."""
        return self.random.choices(self.files, cum_weights=self._file_weights)[0]

    def filled(self, sentence: str) -> str:
        """A sentence with words in its gaps."""
        makers = {"w": self.word, "i": self.identifier, "f": self.file}
        makers |= {"e": lambda: self.random.choice(ERRORS), "n": lambda: str(self.random.randint(2, 900))}
        pieces = sentence.split("{")
        return pieces[0] + "".join(makers[piece[0]]() + piece[2:] for piece in pieces[1:])

    def draft(self) -> Draft:
        """The next memory."""
        kind = self.random.choices(list(SENTENCES), weights=SHARES)[0]
        content = self.filled(SENTENCES[kind] + "".join(self.random.sample(MORE, self.random.randint(0, 2))))
        files = tuple(self.file() for _ in range(self.random.choices((0, 1, 2, 3), weights=(15, 50, 25, 10))[0]))
        return Draft(
            content=content,
            type=kind,
            details=self._details(kind),
            files=files,
            modules=(files[0].rsplit("/", 1)[0],) if files else (),
            tags=tuple(self.random.sample(HEAD[:60], self.random.randint(0, 2))),
            source=self.random.choices(SOURCES, weights=SOURCE_SHARES)[0],
            session=f"session-{self.random.randint(1, 2_000)}",
        )

    def _details(self, kind: MemoryType) -> Details | None:
        if kind is MemoryType.DECISION:
            return Decision(self.filled("The {w} {w} is read by every {w}"), (self.word(), self.word()))
        if kind is MemoryType.ERROR_PATTERN:
            return ErrorFix(
                self.filled("{e}: the {w} of {i} is not a {w}"), self.filled("set the {w} {w}"), "make test"
            )
        if kind is MemoryType.DEAD_END:
            return DeadEnd(self.filled("{w} the {w} with {i}"), self.filled("the {w} broke under {w}"))
        return CausalDependency(self.file(), self.file()) if kind is MemoryType.CAUSAL_DEPENDENCY else None

    def query(self, kind: str) -> str:
        """A question of one to six words."""
        size = self.random.randint(1, 6)
        if kind == "identifiers":
            return " ".join(self.identifier() for _ in range((size + 1) // 2))
        if kind == "rare words":
            return " ".join(self.random.choices(self.words[len(self.words) // 10 :], k=size))
        if kind == "common words":
            return " ".join(self.random.choices(HEAD[:60], k=size))
        asked = self.filled("why does {w} {i} {w} in {f}, {w} or {w}?")
        return " ".join(asked.split()[:size] if size > 3 else (self.word() for _ in range(size)))


QUERY_KINDS = ("identifiers", "rare words", "common words", "mixed")


def _zipf(size: int, shift: float) -> list[float]:
    return list(accumulate(1 / (rank + shift) for rank in range(1, size + 1)))


class Growing:
    """A project's memory that grows through the same gate as any other."""

    def __init__(self, root: Path, home: Path, start: datetime | None = None) -> None:
        self.clock = FakeClock(start)
        self.corpus = Corpus()
        self.memory = holloway.open(root, home=home, clock=self.clock, ids=CountedIds())
        self.store = self.memory.store
        self.root = str(self.memory.project.root)

    def add(self, draft: Draft) -> None:
        """Pass the gate and be stored."""
        self.store.memories.add(admit(draft, self.root))

    def plant(self, files: Sequence[str], traps: int) -> None:
        """Teach each of these files its traps."""
        with self.store.database.write():
            for path in files:
                for number in range(traps):
                    text = f"Trap {number} of {path}: the planted fixture must be closed before it is opened again."
                    self.add(Draft(text, files=(path,)))

    def grow(self, size: int) -> float:
        """Add memories, a thousand to a transaction, until there are so many; returns how many a second."""
        missing = size - self.store.memories.count(Filter())
        drafts = [self.corpus.draft() for _ in range(missing)]
        start = time.perf_counter()
        for at in range(0, missing, BATCH):
            with self.store.database.write():
                for draft in drafts[at : at + BATCH]:
                    self.clock.advance(seconds=60)
                    self.add(draft)
        return missing / (time.perf_counter() - start)


class Plain:
    """The baseline: the same texts in nothing but an FTS5 table, in a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "plain.db"
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61')")

    def copy(self, store: Store) -> float:
        """Bring it up to the texts of the store; returns how many a second."""
        self._connection.execute("DELETE FROM plain WHERE rowid > (SELECT max(rowid) FROM plain) - ?", (WRITES,))
        last = self._connection.execute("SELECT coalesce(max(rowid), 0) FROM plain").fetchone()[0]
        rows = [tuple(row) for row in store.database.rows(_TEXTS, (last,))]
        start = time.perf_counter()
        for at in range(0, len(rows), BATCH):
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT INTO plain(rowid, text) VALUES (?, ?)", rows[at : at + BATCH])
            self._connection.execute("COMMIT")
        return len(rows) / (time.perf_counter() - start)

    def insert(self, text: str) -> None:
        """One text, one transaction."""
        self._connection.execute("INSERT INTO plain(text) VALUES (?)", (text,))

    def match(self, query: str) -> list[int]:
        """The same OR query, common words included, no conditions."""
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"
        return [row[0] for row in self._connection.execute(sql, (match_any(terms(query)), LIMIT))]

    def like(self, query: str) -> list[int]:
        """A scan that ranks by how many of the words a text has."""
        words = terms(query)
        score = " + ".join("(text LIKE ?)" for _ in words)
        sql = f"SELECT rowid, {score} AS score FROM plain ORDER BY score DESC LIMIT ?"  # noqa: S608
        return [row[0] for row in self._connection.execute(sql, [*(f"%{word}%" for word in words), LIMIT])]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


_TEXTS = "SELECT seq, search_text FROM memories WHERE seq > ? ORDER BY seq"
_BARE_LOOKUP = "SELECT m.id, m.summary FROM memory_files f JOIN memories m ON m.seq = f.seq WHERE f.path = ? LIMIT 4"

_OPEN_AND_LOOK = """
import sys
from holloway.store import lookup
store = lookup.open_store(sys.argv[1], 1000)
to = lookup.Shown(session="s", context=0, branch="", now=sys.argv[3], level=1)
found = lookup.traps(store, [sys.argv[2]], to, 4)
assert found
"""
_OPEN_AND_RECALL = """
import sys
import holloway
with holloway.open(sys.argv[1], home=sys.argv[2]) as memory:
    assert memory.recall("planted fixture")
"""


class Figures:
    """What was measured at one size."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.times: dict[str, Samples] = {}
        self.numbers: dict[str, float] = {}

    def of(self, operation: str) -> Samples:
        """The measurements of one operation."""
        return self.times.setdefault(operation, Samples())


def run(*, quick: bool = False) -> dict[str, Any]:
    """Measure the store at every size."""
    sizes = QUICK_SIZES if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        root, home = Path(name, "shop"), Path(name, "home")
        root.mkdir()
        growing, plain = Growing(root, home), Plain(Path(name))
        growing.plant(QUIET_FILES, QUIET_TRAPS)
        measured = [_at_size(growing, plain, size) for size in sizes]
        growing.memory.close()
        plain.close()
    return _result(measured)


def _at_size(growing: Growing, plain: Plain, size: int) -> Figures:
    figures = Figures(size)
    figures.numbers["built per second"] = growing.grow(size)
    figures.numbers["plain FTS5 built per second"] = plain.copy(growing.store)
    figures.numbers["bytes per memory"] = _bytes(growing.store.project.database) / size
    figures.numbers["plain FTS5 bytes per memory"] = _bytes(plain.path) / size
    _search(figures, growing, plain)
    _lookup(figures, growing)
    _open(figures, growing)
    _write(figures, growing, plain)
    return figures


def _bytes(path: Path) -> int:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def _search(figures: Figures, growing: Growing, plain: Plain) -> None:
    chosen = Filter(quarantined=False, branch="")
    for kind in QUERY_KINDS:
        queries = [growing.corpus.query(kind) for _ in range(QUERIES_PER_KIND)]
        for query in queries:
            recall(growing.store, understand(query), chosen, LIMIT)
            plain.match(query)
        for at, query in enumerate(queries):
            figures.of(f"search, {kind}").time(partial(recall, growing.store, understand(query), chosen, LIMIT))
            figures.of(f"plain FTS5, {kind}").time(partial(plain.match, query))
            if at % SCAN_EVERY == 0:
                figures.of("scan with LIKE, all").time(partial(plain.like, query))
        figures.of("search, all").extend(figures.of(f"search, {kind}"))
        figures.of("plain FTS5, all").extend(figures.of(f"plain FTS5, {kind}"))


def _lookup(figures: Figures, growing: Growing) -> None:
    corpus, now = growing.corpus, stamp(growing.clock.now())
    store = lookup.open_store(str(growing.store.project.database), 1000)
    assert store is not None
    files: dict[str, Callable[[], str]] = {
        "a file with five traps": lambda: corpus.random.choice(QUIET_FILES),
        "files as agents open them": corpus.file,
        "the hottest file": lambda: corpus.files[0],
    }
    for number in range(LOOKUPS):
        for name, choose in files.items():
            figures.of(f"lookup, {name}").time(partial(_traps, store, choose(), f"s{number}", now))
        figures.of("bare SELECT by path").time(partial(_bare, store, corpus.file()))
    figures.numbers["memories on the hottest file"] = store.execute(
        "SELECT count(*) FROM memory_files WHERE path = ?", (corpus.files[0],)
    ).fetchone()[0]
    store.close()


def _traps(store: sqlite3.Connection, path: str, session: str, now: str) -> list[dict[str, object]]:
    context, level = lookup.context_of(store, session), lookup.trust_level(store)
    to = lookup.Shown(session=session, context=context, branch="", now=now, level=level)
    return lookup.traps(store, with_parents(path), to, TOOL_RESULT_MEMORIES_MAX)


def _bare(store: sqlite3.Connection, path: str) -> list[sqlite3.Row]:
    return store.execute(_BARE_LOOKUP, (path,)).fetchall()


def _open(figures: Figures, growing: Growing) -> None:
    project, python = growing.store.project, [sys.executable, "-c"]
    commands = {
        "bare Python": [*python, "pass"],
        "Python with json, sqlite3": [*python, "import json, sqlite3"],
        "open, one file lookup": [*python, _OPEN_AND_LOOK, str(project.database), QUIET_FILES[0], "2026-01-06T00:00Z"],
        "open, one recall": [*python, _OPEN_AND_RECALL, growing.root, str(growing.memory.home)],
    }
    env = environment()
    for _ in range(OPENINGS):
        for name, command in commands.items():
            done = figures.of(name).start(command, env)
            assert done.returncode == 0, done.stderr.decode()


def _write(figures: Figures, growing: Growing, plain: Plain) -> None:
    for _ in range(WRITES):
        growing.clock.advance(seconds=60)
        draft = growing.corpus.draft()
        figures.of("write through the gate").time(partial(growing.add, draft))
        figures.of("plain FTS5 insert").time(partial(plain.insert, draft.content))


def _result(measured: list[Figures]) -> dict[str, Any]:
    return {
        "title": "B7: the store as it grows",
        "question": (
            "What do writing, searching, looking up a file's traps and opening cost with 1,000, 10,000 and 100,000 "
            "memories in one project?"
        ),
        "how": HOW,
        "seed": SEED,
        "targets": _targets(measured),
        "tables": [_times(measured), _opening(measured), _growth(measured), _numbers(measured)],
    }


def _times(measured: list[Figures]) -> dict[str, Any]:
    kinds = ("all", *QUERY_KINDS)
    order = [name for kind in kinds for name in (f"search, {kind}", f"plain FTS5, {kind}", f"scan with LIKE, {kind}")]
    order += [name for name in measured[0].times if name.startswith(("lookup", "bare SELECT"))]
    order += ["write through the gate", "plain FTS5 insert"]
    rows = [
        [name, figures.size, *figures.times[name].figures()]
        for name in order
        for figures in measured
        if name in figures.times
    ]
    columns = ["operation", "memories", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    return {"title": "Times, warm", "columns": columns, "rows": rows}


def _opening(measured: list[Figures]) -> dict[str, Any]:
    columns = ["a fresh process", "memories", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["x bare Python (p50)", "x Python with json, sqlite3 (p50)"]
    rows: list[list[Any]] = []
    for name in ("bare Python", "Python with json, sqlite3", "open, one file lookup", "open, one recall"):
        for figures in measured:
            times = figures.of(name).figures()
            ratios = [times[0] / figures.of(base).figures()[0] for base in ("bare Python", "Python with json, sqlite3")]
            rows.append([name, figures.size, *times, *ratios])
    return {"title": "Opening", "columns": columns, "rows": rows}


def _growth(measured: list[Figures]) -> dict[str, Any]:
    pairs = list(pairwise(measured))
    names = [f"search, {kind}" for kind in ("all", *QUERY_KINDS)] + ["plain FTS5, all", "scan with LIKE, all"]
    names += [name for name in measured[0].times if name.startswith(("lookup", "bare SELECT", "write", "open"))]
    columns = [
        "operation",
        *(f"{small.size:,} to {large.size:,}, {q}" for small, large in pairs for q in ("p50", "p95")),
    ]
    rows = [[name, *(_exponent(small, large, name, q) for small, large in pairs for q in (2, 3))] for name in names]
    return {"title": "Growth of CPU time: 0 is constant, 1 is linear", "columns": columns, "rows": rows}


def _exponent(small: Figures, large: Figures, name: str, quantile: int) -> float:
    ratio = large.of(name).figures()[quantile] / small.of(name).figures()[quantile]
    return math.log(ratio) / math.log(large.size / small.size)


def _numbers(measured: list[Figures]) -> dict[str, Any]:
    columns = ["figure", *(f"{figures.size:,} memories" for figures in measured)]
    rows = [[name, *(round(figures.numbers[name]) for figures in measured)] for name in measured[0].numbers]
    return {"title": "Building and disk", "columns": columns, "rows": rows}


def _targets(measured: list[Figures]) -> list[dict[str, Any]]:
    found = []
    for figures in measured:
        for name, targets in (
            ("search, all", SEARCH_TARGETS_MS),
            ("lookup, files as agents open them", LOOKUP_TARGETS_MS),
        ):
            if limit := targets.get(figures.size):
                what = f"{name}, p95 at {figures.size:,} memories"
                found.append(target(what, figures.of(name).figures()[1], limit, "ms"))
    for small, large in pairwise(measured):
        for name, limit in GROWTH_TARGETS.items():
            what = f"{name}, growth of CPU p50 from {small.size:,} to {large.size:,}"
            found.append(target(what, _exponent(small, large, name, 2), limit, "exponent"))
    return found


def target(what: str, measured: float, at_most: float, unit: str) -> dict[str, Any]:
    """A figure beside what it should be."""
    return {"what": what, "measured": measured, "at_most": at_most, "unit": unit, "met": measured <= at_most}
