"""The learning curve: what does holloway know after one session, after five, after a hundred?

python -m benchmarks --only learning_curve --data DIR --repos DIR
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import learning_result, machine, trivial
from benchmarks.learning_result import MARKS, OURS, UNTAUGHT, WINDOW, Curve, Figures, Kept, Looked, Met
from benchmarks.replay import QUICK_SESSIONS, REPOSITORY, replay
from benchmarks.sessions import DEV, load_sessions
from benchmarks.told import failing, measure_prediction, read_recording
from holloway import git
from holloway.domain.ports import format_stamp
from holloway.injection import known_facts
from holloway.injection.reader import Reader, StoreView
from holloway.observer.signals.error_retry import find_pairs
from holloway.retrieval.locate import PAST_SESSIONS, locate_files
from holloway.retrieval.past_sessions import PastSession
from holloway.store import lookup, observations
from holloway.store.filter import Filter
from holloway.text import failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.replay import Replay
    from benchmarks.told import Told

TOP = 10
DEPTHS = (0, 1, 5, 15, 30, 100)
"""Sessions before each later one that are known, where the same later ones are asked again and again."""


def run(data: Path, repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """All sessions in time order, through the real pipeline; before each is looked at what is known."""
    sessions = [read_recording(session) for session in load_sessions(data / DEV)]
    sessions = sessions[:QUICK_SESSIONS] if quick else sessions
    curve = Curve()
    with replay(repos / REPOSITORY, "curve_cli") as replayed:
        marks = list(MARKS)
        for place, session in enumerate(replayed.through(sessions)):
            if marks and len(replayed.learned) >= marks[0]:
                curve.kept.append(_describe_store(replayed))
                marks = [mark for mark in marks if mark > len(replayed.learned)]
            figures = _figures(replayed, session, PAST_SESSIONS) if session.is_asked else {}
            curve.looked.append(Looked(len(replayed.learned), figures, _met(replayed, session)))
            if session.is_asked and place >= len(sessions) // 2:
                for depth in DEPTHS:
                    curve.fixed.setdefault(depth, []).append(_figures(replayed, session, depth))
                curve.fixed.setdefault(len(sessions), []).append(figures)
        curve.kept.append(_describe_store(replayed))
        took = list(replayed.learning_ms)
    return learning_result.result(curve, took)


def _figures(replayed: Replay, session: Told, depth: int) -> Figures:
    """Return the figures of every method that knows this number of latest sessions."""
    memory, now = replayed.memory, replayed.clock.now()
    rows = observations.list_past_sessions(memory.store.database.connection, PAST_SESSIONS)
    past = [PastSession(*row) for row in rows][-depth:] if depth else []
    before = replayed.learned[-depth:] if depth else []
    underway = git.files_underway(str(replayed.tree.root))

    def asked(known_sessions: Sequence[PastSession]) -> list[str]:
        located = locate_files(
            memory.map.database,
            session.query,
            past=known_sessions,
            branch=session.began_on,
            underway=underway,
            limit=TOP,
            now=now,
        )
        return [file.path for file in located.files]

    ours = asked(past)
    lists = {OURS: ours, UNTAUGHT: asked([]) if past else ours}
    lists |= trivial.all_lists(session, before, replayed.paths(), replayed.by_contents(session.query))
    return {name: measure_prediction(session, files[:TOP]) for name, files in lists.items()}


def _met(replayed: Replay, session: Told) -> Met:
    """The errors of a session against what was known before it."""
    memory = replayed.memory
    store = lookup.open_store(str(memory.project.database_path), 1000)
    assert store is not None
    before = {prints for session in replayed.learned for prints in _prints(session)}
    telling = {prints for session in replayed.learned for prints in _list_telling_fingerprints(session)}
    solved = observations.list_solved_errors(memory.store.database, session.id)
    met = Met()
    with closing(store):
        reader = Reader(
            session=session.id,
            agent="",
            folder=str(memory.project.folder),
            root=str(memory.project.root),
            now=format_stamp(replayed.clock.now()),
            wait_ms=1000,
        )
        view = StoreView(reader, store, is_asked=False)
        for output in failing(session):
            prints = set(failures.fingerprint_errors(output))
            rows = known_facts.find_fixes(view, output, 1)
            met = Met(
                met.errors + 1,
                met.before + bool(prints & before),
                met.solved + bool(prints & set(solved)),
                met.telling + bool(prints & telling),
                met.told + bool(rows),
            )
    return met


@cache
def _prints(session: Told) -> frozenset[str]:
    return frozenset(prints for output in failing(session) for prints in failures.fingerprint_errors(output))


@cache
def _list_telling_fingerprints(session: Told) -> frozenset[str]:
    return frozenset(pair.fingerprint for pair in find_pairs(session.pad.actions) if pair.telling)


def _describe_store(replayed: Replay) -> Kept:
    memory = replayed.memory
    memories = memory.store.memories.find_memories(Filter(), limit=-1)
    pages = memory.store.database.fetch_value("PRAGMA page_count") * memory.store.database.fetch_value(
        "PRAGMA page_size"
    )
    latest = replayed.learning_ms[-WINDOW:] or [0.0]
    return Kept(
        len(replayed.learned),
        Counter(str(memory.type) for memory in memories),
        Counter(str(memory.state) for memory in memories),
        pages / 1e6,
        machine.quantile(latest, 0.5),
    )
