"""A recorded session as the benchmarks of files need it: what was asked, what was opened, how it was found."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.domain.event import TEAMMATE_PREFIX, Prompt, Said
from holloway.observer.activity import SessionActivity
from holloway.observer.observer import Observer
from holloway.observer.words import prompt
from holloway.text import failures

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from benchmarks.sessions import Recorded
    from holloway.domain.event import Event
    from holloway.observer.scratchpad import Scratchpad

WORDS_MIN = 3
"""A prompt with fewer words is no task."""
_FILE_NAME = re.compile(r"[\w.@+-]*\w")


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
    """The branch at its end."""
    pad: Scratchpad
    began_on: str = ""
    """The branch at its beginning, if the data has it: a question at that time may use it."""
    named: frozenset[str] = frozenset()
    """Files that it needed and its prompt names."""
    mentioned: frozenset[str] = frozenset()
    """All files of the checkout that its prompt names; they count neither for nor against an answer."""

    @property
    def is_asked(self) -> bool:
        """Whether there is a prompt, and a file to find."""
        return bool(self.query and self.gold)


def read_recording(session: Recorded) -> Told:
    """Read a recording."""
    return _describe(list(session.events()), session.id, session.start, session.branch, session.began_on)


def describe_session(events: Sequence[Event]) -> Told | None:
    """Describe a session by its events, as a transcript reader yields them; None without a beginning."""
    observer = Observer()
    for event in events:
        observer.observe_event(event)
    start = observer.pad.start
    return _describe(events, start.session, start.at, start.branch, start.branch) if start else None


def _describe(events: Sequence[Event], session: str, start: float, branch: str, began_on: str) -> Told:
    observer = Observer()
    for event in events:
        observer.observe_event(event)
    # The notes of the observer are cut; a prompt is asked as it was typed.
    tasks = filter(None, map(_read_task, events))
    query = next((text for text in tasks if len(text.split()) >= WORDS_MIN), "")
    opened, discovery = _find_discovery(SessionActivity(observer.pad))
    gold = frozenset(opened) - _find_named(query, opened)
    end = observer.pad.last_at
    return Told(session, start, end, query, opened, gold, discovery, branch, observer.pad, began_on)


def _read_task(event: Event) -> str:
    """Return the task of an event: a prompt, or the message with which the lead of a team starts an agent."""
    if isinstance(event, Prompt) or (isinstance(event, Said) and event.actor.startswith(TEAMMATE_PREFIX)):
        return prompt.strip_host_additions(event.text)
    return ""


def restrict_to(session: Told, paths: Collection[str]) -> Told:
    """Return a session that needs only files that were there when it began, of which its prompt names none."""
    opened = frozenset(session.files).intersection(paths)
    named = _find_named(session.query, paths)
    return replace(session, gold=opened - named, named=opened & named, mentioned=named)


def _find_named(query: str, paths: Collection[str]) -> frozenset[str]:
    """Find the files whose path or name stands in a prompt."""
    words = set(_FILE_NAME.findall(query))
    return frozenset(path for path in paths if path.rpartition("/")[2] in words or path in query)


def _find_discovery(account: SessionActivity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that were opened, and the discovery calls."""
    opened: dict[str, None] = {}
    discovery: list[str] = []
    for deed in account.entries:
        if deed.kind in ("search", "list") and not (deed.path and deed.action.command):
            discovery.append("")
        path = deed.path.replace("\\", "/")
        if path and deed.kind in ("read", "edit", "write", "search") and path not in opened:
            if deed.kind == "search" and not _is_file(path):
                continue
            opened[path] = None
            if deed.kind in ("read", "search"):
                discovery.append(path)
    return tuple(opened), tuple(discovery)


def _is_file(path: str) -> bool:
    return "." in path.rpartition("/")[2]


def failing(session: Told) -> list[str]:
    """Return the output of the commands that failed; equal errors once."""
    outputs: dict[tuple[str, ...], str] = {}
    for action in session.pad.actions:
        if action.command and action.ok is not None and failures.is_failure(action.text, not action.ok, action.command):
            prints = tuple(failures.fingerprint_errors(action.text))
            if prints:
                outputs.setdefault(prints, action.text)
    return list(outputs.values())


def measure_prediction(session: Told, predicted: Collection[str]) -> tuple[float, float]:
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
