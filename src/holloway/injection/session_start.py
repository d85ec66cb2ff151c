"""Injection when a session starts: builds the text that an agent gets at its beginning, the brief.

A brief is a short summary of the project with citations and its unfinished work."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import (
    BRIEF_DECISIONS_MAX,
    BRIEF_MODULES_MAX,
    BRIEF_TOKENS_MAX,
    BRIEF_TRAPS_MAX,
    HOOK_STORE_WAIT_MS,
    RESUME_COMMITS_MAX,
    RESUME_TOKENS_MAX,
    SERVICE_STORE_WAIT_MS,
    WORK_TOLD_DAYS,
)
from holloway.injection.memory_text import label_memory, more_hint
from holloway.injection.template import line
from holloway.safety.neutralize import neutralize_text
from holloway.safety.repository_text import only_paths
from holloway.store import excluded_memories, first_memories, lookup
from holloway.text.tokens import fits_budget, render_citation

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from holloway.codemap.modules.overview import Overview, OverviewModule
    from holloway.injection.project_map import ProjectMap
    from holloway.injection.reader import Reader, StoreView

    Row = dict[str, object]
    Offer = Callable[[str, str, Callable[[], None]], None]
    """Takes the name of a stage, its text, and a callback that records it as shown."""
    from collections.abc import Mapping


SESSION_START_POINT = "session_start"
BRIEF_HOLDS_H = 12
"""After this many hours others may have worked here: a resumed session gets a new brief."""
MODULES_MIN = 4
"""Modules that are kept as long as there are memories to drop."""
UNCOMMITTED_SHOWN = 4


class Brief(NamedTuple):
    """The text for the agent, and the ids of the memories in it."""

    text: str
    memories: tuple[str, ...]
    onboards: bool = False
    """Whether it has the memories that a person who joined should read first; one brief has them."""


class BriefFacts(NamedTuple):
    """The content of a brief, before it is cut to its budget."""

    overview: Overview | None = None
    sessions: int = 0
    rules: Sequence[Row] = ()
    traps: Sequence[Row] = ()
    onboarding: Sequence[Row] = ()
    """Memories of others that are the most important ones for somebody who joined."""
    command: str = "holloway"
    indexing: str = ""
    work: str = ""


def inject(
    reader: Reader,
    project_map: ProjectMap,
    *,
    user_store: str,
    command: str,
    source: str = "startup",
    offer: Offer | None = None,
) -> Brief:
    """Return the brief of a session that starts, and record it; empty if a resumed session has read all of it.

    `user_store` is the file of the user's own memories, `command` calls holloway from a shell.
    """
    view = reader.open(is_asked=True)
    if view is None:
        return Brief("", ())
    with view:
        user_rules = _open_and_find_rules(user_store, view.viewer.branch, view.connection)
        facts = _gather_memories(view.connection, user_rules, view.viewer.branch, command)
        if offer and source != "resume":  # A resumed session has its old brief until the new one has more.
            early = render_brief(facts)
            offer("rules", early.text, lambda: _record_late(reader, user_store, early, source))
        brief = render_brief(_add_map(view, facts, project_map))
        if source == "resume" and _has_read(view, brief):
            return Brief("", ())
        _record(view, user_store, brief, source)
        return brief


def compose_brief(
    connection: sqlite3.Connection,
    project_map: ProjectMap | None,
    *,
    root: str,
    branch: str,
    now: datetime,
    user_store: str,
    command: str,
) -> Brief:
    """Compose the brief of a project without recording it; without a map it is much faster."""
    facts = _gather_memories(connection, _open_and_find_rules(user_store, branch, connection), branch, command)
    if project_map:
        facts = _with_map(connection, facts, project_map, root, branch, now)
    return render_brief(facts)


def _gather_memories(connection: sqlite3.Connection, user_rules: list[Row], branch: str, command: str) -> BriefFacts:
    rules = lookup.find_general(connection, lookup.RULE_TYPES, branch, BRIEF_DECISIONS_MAX) + user_rules
    rules.sort(key=lambda row: str(row["stated_at"] or row["created_at"]), reverse=True)
    rules.sort(key=lambda row: not row["pinned"])
    first_ids = first_memories.read_untold(connection)
    traps = lookup.find_general(connection, lookup.TRAP_TYPES, branch, BRIEF_TRAPS_MAX)
    return BriefFacts(
        sessions=lookup.count_sessions(connection),
        rules=[row for row in sorted(rules[:BRIEF_DECISIONS_MAX], key=_rule_order) if row["id"] not in first_ids],
        traps=[row for row in traps if row["id"] not in first_ids],
        onboarding=lookup.find_named(connection, first_ids, branch) if first_ids else (),
        command=command,
    )


def _rule_order(row: Row) -> tuple[bool, str, str]:
    """Order rules so that a brief changes little from session to session, which keeps prompt caches valid."""
    return (not row["pinned"], str(row["type"]), str(row["created_at"]))


def _open_and_find_rules(user_store: str, branch: str, project: sqlite3.Connection) -> list[Row]:
    """Find the rules in the user's own store that apply in a project, if there is one."""
    connection = lookup.open_store(user_store, SERVICE_STORE_WAIT_MS)
    if connection is None:
        return []
    try:
        excluded = excluded_memories.read_excluded(project)
        limit = BRIEF_DECISIONS_MAX + len(excluded)
        rules = lookup.find_general(connection, lookup.RULE_TYPES, branch, limit)
        return [rule for rule in rules if rule["id"] not in excluded]
    finally:
        connection.close()


def _add_map(view: StoreView, facts: BriefFacts, project_map: ProjectMap) -> BriefFacts:
    from datetime import datetime

    viewer = view.viewer
    now = datetime.fromisoformat(viewer.now)
    return _with_map(view.connection, facts, project_map, view.reader.root, viewer.branch, now)


def _with_map(
    connection: sqlite3.Connection, facts: BriefFacts, project_map: ProjectMap, root: str, branch: str, now: datetime
) -> BriefFacts:
    """Add the overview of the codebase, the progress of its index, and the open work of the branch."""
    work = find_open_work(connection, root, branch, now)
    return facts._replace(
        overview=project_map.load_overview(connection), indexing=project_map.read_progress(), work=work
    )


def find_open_work(connection: sqlite3.Connection, root: str, branch: str, now: datetime) -> str:
    """Return the open work of a branch in one line; empty without any from the last month."""
    state = load_open_work(connection, branch, now)
    if state is None:
        return ""
    from holloway import git

    files = state["files"]
    commits = git.changes_since(root, str(state["updated_at"]), files) if isinstance(files, list) and files else []
    return render_line(state, commits, now)


def load_open_work(connection: sqlite3.Connection, branch: str, now: datetime) -> Row | None:
    """Load the unfinished work of a branch; None without any from the last month."""
    from datetime import datetime, timedelta

    state = lookup.find_work_state(connection, branch)
    if state is None or now - datetime.fromisoformat(str(state["updated_at"])) > timedelta(days=WORK_TOLD_DAYS):
        return None
    return state


def _has_read(view: StoreView, brief: Brief) -> bool:
    """Tell whether a resumed session has read all of a brief lately: hosts hand the old one to the model again."""
    from datetime import datetime, timedelta

    last_event, now = lookup.read_last_event(view.connection, view.reader.session), view.viewer.now
    if not last_event:
        return False
    if datetime.fromisoformat(now) - datetime.fromisoformat(last_event) > timedelta(hours=BRIEF_HOLDS_H):
        return False
    return set(brief.memories) <= lookup.read_shown_ids(view.connection, view.reader.session)


def _record(view: StoreView, user_store: str, brief: Brief, source: str) -> None:
    """Record a brief in the ledgers of both stores, each with its own memories."""
    _record_in(view, brief, source)
    if brief.onboards:
        first_memories.mark_told(view.connection)
    if connection := lookup.open_store(user_store, view.reader.wait_ms):
        try:
            _record_in(view.in_store(connection), brief, source)
        finally:
            connection.close()


def _record_in(view: StoreView, brief: Brief, source: str) -> None:
    ids = lookup.keep_stored(view.connection, list(brief.memories))
    if source == "compact":
        view.begin_context(ids, SESSION_START_POINT)
    else:
        view.open_session(ids, SESSION_START_POINT)


def _record_late(reader: Reader, user_store: str, brief: Brief, source: str) -> None:
    """Record a brief that was given because the time was up, if the store is free at once."""
    reader.wait_ms = HOOK_STORE_WAIT_MS
    if view := reader.open():
        with view:
            _record(view, user_store, brief, source)


def render_brief(facts: BriefFacts) -> Brief:
    """Render a brief within its budget: modules are dropped first, then memories."""
    rules, traps = list(facts.rules[:BRIEF_DECISIONS_MAX]), list(facts.traps[:BRIEF_TRAPS_MAX])
    modules = list(facts.overview.modules[:BRIEF_MODULES_MAX]) if facts.overview else []
    while True:
        lines = _render_lines(facts, modules, rules, traps)
        if fits_budget(lines, BRIEF_TOKENS_MAX) or not (modules or rules or traps):
            rows = (*facts.onboarding, *rules, *traps)
            return Brief("\n".join(lines), tuple(str(row["id"]) for row in rows), bool(facts.onboarding))
        (modules if len(modules) > MODULES_MIN else rules or traps or modules).pop()


def _render_lines(facts: BriefFacts, modules: list[OverviewModule], rules: list[Row], traps: list[Row]) -> list[str]:
    learned = f" ({facts.sessions} session{'s' if facts.sessions != 1 else ''})" if facts.sessions else ""
    lines = [line("session_start", "head", learned=learned)]
    lines += [line("session_start", "indexing", indexing=facts.indexing)] if facts.indexing else []
    lines += _render_overview(facts.overview, modules) if facts.overview else []
    lines += [facts.work] if facts.work else []
    for name, rows in (("onboarding", facts.onboarding), ("decisions", rules), ("traps", traps)):
        lines += [line("session_start", name, memories=" · ".join(map(_render_memory, rows)))] if rows else []
    return [*lines, *(line("session_start", name, command=facts.command) for name in ("more", "invite"))]


def _render_overview(overview: Overview, modules: list[OverviewModule]) -> list[str]:
    steps = [*(f"build: {step}" for step in overview.build), *(f"test: {step}" for step in overview.test)]
    steps += [f"tests are written with {overview.unnamed_test_tool}"] if overview.unnamed_test_tool else []
    values = {
        "languages": ", ".join(f"{language} {count}" for language, count in overview.languages),
        "commands": " · ".join(map(neutralize_text, steps)),
        "modules": " · ".join(map(_render_module, modules)),
    }
    return [line("session_start", name, **{name: value}) for name, value in values.items() if value]


def _render_module(module: OverviewModule) -> str:
    core, tests = ", ".join(module.core[:2]), f"tests: {module.tests}" if module.tests else ""
    places = "; ".join(filter(None, (core, tests)))
    return neutralize_text(f"{module.name} ({places})" if places else module.name)


def _render_memory(row: Row) -> str:
    label = label_memory(row)
    text, cited = neutralize_text(str(row["summary"])) + more_hint(row), render_citation(str(row["id"]))
    return line("session_start", "memory", label=label, text=text, cited=cited)


def render_lines(state: Mapping[str, object], commits: Sequence[str], now: datetime) -> str:
    """Render unfinished work in full, for a session that resumes it; `state` is a row with id, details, updated_at."""
    lines = [_render_head(state, now)]
    if uncommitted := only_paths(_texts(state, "uncommitted")):
        lines.append(line("work", "uncommitted", files=", ".join(uncommitted)))
    if commits:
        lines.append(line("work", "since", number=_count_commits(commits)))
    while not fits_budget(lines, RESUME_TOKENS_MAX) and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def render_line(state: Mapping[str, object], commits: Sequence[str], now: datetime) -> str:
    """Render unfinished work in one line, for the start of a session."""
    parts = [_render_head(state, now)]
    uncommitted = only_paths(_texts(state, "uncommitted"))[:UNCOMMITTED_SHOWN]
    parts += [f"uncommitted: {', '.join(uncommitted)}"] if uncommitted else []
    parts += [f"since then: {_count_commits(commits)}"] if commits else []
    return "; ".join(parts)


def render_age(then: str, now: datetime) -> str:
    """Render an age, such as `3 days ago`."""
    days = (now - datetime.fromisoformat(then)).days
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"


def _render_head(state: Mapping[str, object], now: datetime) -> str:
    done_count, total = len(_texts(state, "done")), len(_texts(state, "done")) + len(_texts(state, "open"))
    details = state["details"]
    task = str(details.get("task") or "") if isinstance(details, dict) else ""
    return line(
        "work",
        "head",
        age=render_age(str(state["updated_at"]), now),
        task=neutralize_text(task),
        counted=line("work", "counted", done=str(done_count), total=str(total)) if total else "",
        cited=render_citation(str(state["id"])),
    )


def _texts(state: Mapping[str, object], name: str) -> list[str]:
    """Return a list of strings from the details."""
    details = state["details"]
    values = details.get(name) if isinstance(details, dict) else None
    return [str(value) for value in values] if isinstance(values, list) else []


def _count_commits(commits: Sequence[str]) -> str:
    listed = ", ".join(commits[:RESUME_COMMITS_MAX])
    return f"{len(commits)} commit{'s' if len(commits) > 1 else ''} ({listed})"
