"""What a hook says back, by event. Tool events stay light; a session's start may load the whole service."""

from __future__ import annotations

import os

from holloway import git
from holloway.capture import event_subject
from holloway.config import (
    BRIEF_DECISIONS_MAX,
    BRIEF_TRAPS_MAX,
    HOOK_STORE_WAIT_MS,
    PROMPT_FILES_MAX,
    SERVICE_STORE_WAIT_MS,
    TOOL_RESULT_MEMORIES_MAX,
    home,
    patience,
    trust_override,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from holloway.injection.session_start import Brief
    from holloway.service.holloway import Holloway
    from holloway.service.injection_points import Points
    from holloway.store.lookup import Shown

BRIEF_HOLDS_H = 12
"""After so many hours others may have worked here: a session that goes on is briefed anew."""
WORDS_SHOWN = 4
PROMPT_WORDS_MIN = 3
"""Fewer words ("go on", "yes please") name no task."""
_ROLES = {
    "planner": ("plan", "architect", "design"),
    "qa": ("review", "qa", "test", "verif", "check", "audit", "critic"),
    "recovery": ("debug", "fix", "recover", "repair"),
}
"""By what the type of a subagent has in its name; any other is a coder."""


class Reader:
    """Who reads an answer, and where: the agent or one of its subagents, in a project. A plain class, as hooks need."""

    __slots__ = ("captured", "folder", "host", "name", "now", "offer", "root", "session")

    def __init__(
        self,
        *,
        folder: str,
        root: str,
        session: str,
        agent: str,
        host: str,
        now: str,
        captured: bool = True,
        offer: Callable[[str, str, Callable[[], None] | None], None] = lambda step, text, then: None,
    ) -> None:
        self.folder = folder
        self.root = root
        self.session = session
        self.name = f"{session}/{agent}"[:400] if agent else session
        """What it was shown is kept under this name: a subagent has eyes of its own."""
        self.host = host
        self.now = now
        self.captured = captured
        """Whether what happens here is written down; the person may have paused that."""
        self.offer = offer
        """Leaves an answer for the case that the time is up before there is a better one: its step, its words, and
        what notes down that they were shown."""

    @property
    def journal(self) -> str:
        """The folder of the journals."""
        return os.path.join(self.folder, "journal")

    def store(self) -> sqlite3.Connection | None:
        """The project's memory, for a light look; nothing where there is none."""
        from holloway.store import lookup  # sqlite3 is loaded only where there is something to look up

        return lookup.open_store(os.path.join(self.folder, "memory.db"), int(HOOK_STORE_WAIT_MS * patience()))

    def shown(self, store: sqlite3.Connection) -> Shown:
        """To whom memories would be shown."""
        from holloway.store import lookup  # loaded with the store

        return lookup.Shown(
            session=self.name,
            context=lookup.context_of(store, self.name),
            branch=git.branch(self.root),
            now=self.now,
            level=trust_override() or lookup.trust_level(store),
        )

    def claim(self, store: sqlite3.Connection, ids: list[str], point: str, *, compacted: bool = False) -> list[str]:
        """Write down what is shown; returns what no parallel hook showed first."""
        from holloway.store import lookup  # loaded with the store

        name, host = self.name, self.host
        return lookup.claim(store, ids, session=name, agent=host, point=point, now=self.now, compacted=compacted)


def with_tool_result(reader: Reader, event: dict[str, object]) -> str:
    """What is known of files that were just opened, of an error that was just met, or of what was searched for."""
    about = event_subject.of(event, reader.root)
    store = reader.store() if about else None
    if store is None:
        return ""
    try:
        rows = _known(store, about, reader)
        if not rows:
            return ""
        from holloway.injection.tool_result import render  # only where there is something to say

        won = reader.claim(store, render(rows)[1], "tool_result")
        return render([row for row in rows if row["id"] in won])[0]
    finally:
        store.close()


def _known(store: sqlite3.Connection, about: event_subject.Subject, reader: Reader) -> list[dict[str, object]]:
    from holloway.injection import known_facts  # only where the store was opened

    to, root, limit = reader.shown(store), reader.root, TOOL_RESULT_MEMORIES_MAX
    rows = known_facts.on_failure(store, about.failure, to, root, limit) if about.failure else []
    if about.files:
        rows += known_facts.on_files(store, about.files, to, root, limit)
    if about.pattern and not rows:
        rows = known_facts.on_search(store, about.pattern, to, root, 1)
    return list({str(row["id"]): row for row in rows}.values())[:limit]


def between_steps(reader: Reader, event: dict[str, object]) -> str:
    """What an agent should know before its next step; nearly always nothing."""
    from holloway.hooks import steps  # once a step

    progress, batch = steps.Progress(reader.journal, reader.name), steps.Batch(event, reader.root)
    progress.step += 1
    store = reader.store() if steps.has_something(progress, batch) else None
    try:
        if store is None:
            return ""
        text, ids = steps.said(store, progress, batch, reader.shown(store), reader.root)
        # Where another hook showed one of them in this very moment, the agent is left in peace.
        return text if reader.claim(store, ids, "step") == ids else ""
    finally:
        progress.save()
        if store is not None:
            store.close()


def loaded_by_host(reader: Reader, event: dict[str, object]) -> None:
    """A rules file stands in the agent's context: what was read from it is not said to this session again."""
    from holloway.safety.paths import contained
    from holloway.store import lookup

    named = event.get("file_path")
    path = contained(named, reader.root) if isinstance(named, str) and named else ""
    store = reader.store() if path else None
    if store is not None:
        try:
            lookup.loaded_by_host(store, path, session=reader.name, agent=reader.host, now=reader.now)
        finally:
            store.close()


def after_compaction(reader: Reader) -> None:
    """What was said before the host cut its context may be said again, unless a session start has seen to it."""
    from holloway.capture import journal
    from holloway.store import lookup

    if journal.compaction_was_told(reader.journal, reader.session):
        return
    store = reader.store()
    if store is not None:
        try:
            lookup.claim(store, [], session=reader.name, agent=reader.host, point="", now=reader.now, compacted=True)
        finally:
            store.close()


def at_prompt(reader: Reader, prompt: str) -> str:
    """Where the task of a prompt happens and what is known there; often nothing."""
    from holloway.capture import journal
    from holloway.hooks import steps
    from holloway.observer.words.prompt import whole  # a prompt comes seldom; it may load what it needs

    task = whole(prompt)
    if len(task.split()) < PROMPT_WORDS_MIN:
        return ""
    _offer_named_files(reader, task)
    _offer_matching_files(reader, task)
    from holloway.service.injection_points import Points  # after what can be offered without it

    with _opened(reader.root) as memory:
        begun = journal.prompts(reader.journal, reader.session) != 1
        points = Points(memory, reader.name, reader.host, begun=begun)
        said = points.on_prompt(task, lambda step, text: reader.offer(step, text, None))
    _note_located(reader, points)
    if points.recipe:
        steps.Progress(reader.journal, reader.name).follow(points.recipe)
    return said


def _offer_named_files(reader: Reader, task: str) -> None:
    """Offer the files that the prompt names by their paths."""
    from holloway.safety.repository_text import only_paths

    paths = only_paths(event_subject.named_files(task, reader.root))[:PROMPT_FILES_MAX]
    _offer_files(reader, "named-files", [(path, "named in the prompt") for path in paths])


def _offer_matching_files(reader: Reader, task: str) -> None:
    """Offer the files that have the words of the prompt, before all that is heavier is loaded."""
    from holloway.codemap import search
    from holloway.codemap.database import map_name
    from holloway.safety.repository_text import is_path

    matches = search.matching_files(os.path.join(reader.folder, map_name(reader.root)), task, 2 * PROMPT_FILES_MAX)
    files = [
        (match.path, f"speaks of {', '.join(match.words[:WORDS_SHOWN])}") for match in matches if is_path(match.path)
    ]
    _offer_files(reader, "matching-files", files[:PROMPT_FILES_MAX])


def _offer_files(reader: Reader, step: str, files: list[tuple[str, str]]) -> None:
    """Offer files with a reason for each; what makes the full answer takes longer to load than these to be found."""
    from holloway.injection.template import line

    if files:
        lines = [line("prompt", "file", path=path, symbols="", reasons=reason) for path, reason in files]
        reader.offer(step, "\n".join([line("prompt", "quick"), *lines]), None)


def _note_located(reader: Reader, points: Points) -> None:
    """Write down which files the agent was sent to: what that saved is known when it has opened them."""
    from holloway.capture import journal

    if points.located and reader.captured:
        journal.append(reader.journal, reader.session, journal.located(points.located, reader.now))


def at_subagent(reader: Reader, kind: str) -> str:
    """What a subagent needs for its part of the task that the session was last given: by its role, often nothing."""
    from holloway.capture import journal
    from holloway.domain.work import methodology  # a subagent starts seldom; it may load what it needs
    from holloway.observer.words.prompt import whole
    from holloway.service.injection_points import Points
    from holloway.service.role_context import Gathering

    task = whole(journal.last_prompt(reader.journal, reader.session))
    role = next((role for role, words in _ROLES.items() if any(word in kind.lower() for word in words)), "coder")
    if role == "coder" and len(task.split()) < PROMPT_WORDS_MIN:
        return ""
    with _opened(reader.root) as memory:
        points = Points(memory, reader.name, reader.host, begun=True)
        if role == "coder":
            said = points.on_prompt(task)
            _note_located(reader, points)
            return said
        gathering = Gathering(memory, points, task)
        made = gathering.planner() if role == "planner" else gathering.qa() if role == "qa" else None
        return points.said(made or gathering.recovery(None, methodology("plain")), role)


def at_start(reader: Reader, source: object) -> tuple[str, str]:
    """The brief for the agent, and a line for the person."""
    if source != "resume":  # The session has its old brief until it is known that this one says more.
        _offer_rules(reader, compacted=source == "compact")
    from holloway.hooks import lines  # a session starts once; it may load what it needs
    from holloway.store import session_ledger

    with _opened(reader.root) as memory:
        before = session_ledger.count(memory.store.database)
        if source != "resume":
            small = memory.brief(with_map=False)
            ids = [memory_id for memory_id in small.memories if memory.store.memories.has(memory_id)]
            reader.offer("without-map", small.text, lambda: _claim_late(reader, ids, compacted=source == "compact"))
        made = memory.brief()
        if source == "resume" and _still_stands(memory, reader, made):
            return "", ""
        memory.shown(made, session=reader.name, agent=reader.host, now=reader.now, compacted=source == "compact")
        reader.offer("whole", made.text, None)
        return made.text, lines.at_start(memory, before, len(made.memories))


def _offer_rules(reader: Reader, *, compacted: bool) -> None:
    """Have the rules and traps ready that a light look finds, for the case that the time is up before the brief."""
    from holloway.store import lookup

    store = reader.store()
    if store is None:
        return
    try:
        to = reader.shown(store)
        to.context += compacted  # What was shown before the host cut its context is forgotten.
        rules = lookup.general(store, lookup.RULES, to, BRIEF_DECISIONS_MAX)
        traps = lookup.general(store, lookup.TRAPS, to, BRIEF_TRAPS_MAX)
    finally:
        store.close()
    if rules or traps:
        from holloway.injection.session_start import render_rules

        text, ids = render_rules(rules, traps)
        reader.offer("rules", text, lambda: _claim_late(reader, ids, compacted=compacted))


def _claim_late(reader: Reader, ids: list[str], *, compacted: bool) -> None:
    """Write down what a late answer showed, if the store is free at once."""
    from holloway.store import lookup

    store = lookup.open_store(os.path.join(reader.folder, "memory.db"), HOOK_STORE_WAIT_MS)
    if store is not None:
        try:
            reader.claim(store, ids, "session_start", compacted=compacted)
        finally:
            store.close()


def _still_stands(memory: Holloway, reader: Reader, made: Brief) -> bool:
    """Whether a session that goes on has read all of this: hosts hand the old brief to the model again."""
    from datetime import datetime, timedelta

    from holloway.store import lookup, session_ledger

    heard = lookup.last_heard(memory.store.database.connection, reader.name)
    if not heard or datetime.fromisoformat(reader.now) - datetime.fromisoformat(heard) > timedelta(hours=BRIEF_HOLDS_H):
        return False
    return set(made.memories) <= {shown for shown, _, _ in session_ledger.shown_to(memory.store.database, reader.name)}


def at_turn_end(reader: Reader) -> str:
    """A line for the person if something was learned since the last one."""
    from holloway.hooks import lines  # once a turn

    store = reader.store()
    if store is None:
        return ""
    try:
        return lines.at_turn_end(store, reader.session)
    finally:
        store.close()


def over(reader: Reader) -> None:
    """The session is over: what was counted for it goes."""
    from holloway.hooks import steps

    steps.forget(reader.journal, reader.session)


def settled(where: str, root: str) -> tuple[str, str]:
    """Key and root of a project that is known by another address or place, once git has been asked; else nothing."""
    from pathlib import Path  # this happens once in the life of a project

    from holloway.store import project as projects

    folder = Path(home())
    if not root and not projects.known_by_history(Path(where), folder):
        return "", ""
    found = projects.resolve(Path(root or where), folder)
    return found.key, str(found.root)


def afterwards(folder: str, root: str, name: str) -> None:
    """What an event leaves to do once the agent has its answer: a process of its own does it."""
    from holloway.service import background_worker  # only where a session or a turn begins or ends

    background_worker.start(folder, root, seldom=name == "Stop")


def _opened(root: str) -> Holloway:
    from pathlib import Path  # a session starts once; it may load what it needs

    from holloway.service.holloway import Holloway
    from holloway.store import project as projects

    folder = Path(home())
    timeout_ms = int(SERVICE_STORE_WAIT_MS * patience())
    return Holloway(projects.resolve(Path(root), folder), folder, busy_timeout_ms=timeout_ms, settle=False)
