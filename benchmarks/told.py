"""A recorded session as the benchmarks of files need it: what was asked, what was opened, how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.event import Prompt
from holloway.observer.activity import SessionActivity
from holloway.observer.observer import Observer
from holloway.observer.words import prompt
from holloway.text import failures

if TYPE_CHECKING:
    from collections.abc import Collection

    from benchmarks.sessions import Recorded
    from holloway.observer.scratchpad import Scratchpad

WORDS_MIN = 3
"""A prompt with fewer words is no task."""


@dataclass(frozen=True, eq=False)
class Told:
    """A session that is over."""

    id: str
    start: float
    end: float
    query: str
    """The first real prompt, whole but for host markup."""
    files: tuple[str, ...]
    """Every file of the project that was opened, in order."""
    gold: frozenset[str]
    """Those that the prompt does not name: they had to be found."""
    discovery: tuple[str, ...]
    """The discovery calls in order: the path of a first read, or nothing for a search or listing."""
    branch: str
    """Where it ended."""
    pad: Scratchpad
    began_on: str = ""
    """The branch at its beginning, where the data tells it: what whoever asks then may know."""

    @property
    def is_asked(self) -> bool:
        """Whether there is a prompt, and a file to find."""
        return bool(self.query and self.gold)


def told(session: Recorded) -> Told:
    """Read a recording."""
    watching = Observer()
    for event in session.events():
        watching.observe_event(event)
    account = SessionActivity(watching.pad)
    # The notes of the observer are cut; a prompt is asked as it was typed.
    asked = (prompt.strip_host_additions(event.text) for event in session.events() if isinstance(event, Prompt))
    query = next((text for text in asked if len(text.split()) >= WORDS_MIN), "")
    opened, discovery = _found(account)
    named = {path for path in opened if path in query or path.rpartition("/")[2] in query}
    end = watching.pad.last_at
    gold = frozenset(opened) - named
    return Told(
        *(session.id, session.start, end, query, opened, gold, discovery, session.branch, watching.pad),
        began_on=session.began_on,
    )


def _found(account: SessionActivity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that were opened, and the discovery calls."""
    opened: dict[str, None] = {}
    discovery: list[str] = []
    for deed in account.entries:
        if deed.kind in ("search", "list") and not (deed.path and deed.action.command):
            discovery.append("")
        if deed.path and deed.kind in ("read", "edit", "write", "search") and deed.path not in opened:
            if deed.kind == "search" and not _is_file(deed.path):
                continue
            opened[deed.path] = None
            if deed.kind in ("read", "search"):
                discovery.append(deed.path)
    return tuple(opened), tuple(discovery)


def _is_file(path: str) -> bool:
    return "." in path.rpartition("/")[2]


def failing(session: Told) -> list[str]:
    """What the commands that failed printed; the same errors once."""
    outputs: dict[tuple[str, ...], str] = {}
    for action in session.pad.actions:
        if action.command and action.ok is not None and failures.is_failure(action.text, not action.ok, action.command):
            prints = tuple(failures.fingerprint_errors(action.text))
            if prints:
                outputs.setdefault(prints, action.text)
    return list(outputs.values())


def measured(session: Told, predicted: Collection[str]) -> tuple[float, float]:
    """Recall of the needed files, and the share of discovery calls that the prediction would have saved at most."""
    recall = len(session.gold & set(predicted)) / len(session.gold)
    saved = searches = 0
    for path in session.discovery:
        if not path:
            searches += 1
            continue
        saved += (1 + searches) if path in predicted else 0
        searches = 0
    return recall, saved / len(session.discovery) if session.discovery else 0.0
