"""The response of a hook to each event: it calls injection with the state of the session. Tool events stay light."""

from __future__ import annotations

import os

from holloway.config import HOOK_STORE_WAIT_MS, SERVICE_STORE_WAIT_MS, data_home, deadline_factor
from holloway.injection.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from holloway.injection.project_map import ProjectMap
    from holloway.injection.prompt_text import Rendered
    from holloway.store.store import Store


class HookReader(Reader):
    """The agent or subagent of one hook event. A subagent has its own name in the ledger, since it reads for itself.

    `offer` takes a fallback answer for the case that the time is up before there is a better one: the name of its
    stage, its text, and a callback that records it as shown.
    """

    def __init__(
        self,
        *,
        folder: str,
        root: str,
        session: str,
        agent_id: str,
        host: str,
        now: str,
        is_captured: bool = True,
        offer: Callable[[str, str, Callable[[], None] | None], None] = lambda stage, text, record: None,
    ) -> None:
        name = f"{session}/{agent_id}"[:400] if agent_id else session
        wait_ms = int(HOOK_STORE_WAIT_MS * deadline_factor())
        super().__init__(session=name, agent=host, folder=folder, root=root, now=now, wait_ms=wait_ms)
        self.main_session = session
        self.is_captured = is_captured
        """Whether events are written to the journal; the person may have paused that."""
        self.offer = offer
        self._is_patient = False

    def be_patient(self) -> None:
        """Wait longer for the store than a tool event would, and create or migrate it where light reads cannot."""
        self.wait_ms = int(SERVICE_STORE_WAIT_MS * deadline_factor())
        self._is_patient = True

    def connect(self) -> sqlite3.Connection | None:
        """Return a connection to the store."""
        connection = super().connect()
        if connection is None and self._is_patient:
            _open_store(self.root).close()
            connection = super().connect()
        return connection

    @property
    def journal(self) -> str:
        """The folder of the journals."""
        return os.path.join(self.folder, "journal")


def respond_to_tool(reader: HookReader, event: dict[str, object]) -> str:
    """Respond to a tool result."""
    from holloway.capture.event_subject import find_subject
    from holloway.injection import tool_result

    return tool_result.inject(reader, find_subject(event, reader.root))


def respond_to_step(reader: HookReader, event: dict[str, object]) -> str:
    """Respond to the end of a step."""
    from holloway.injection import session_state, step

    activity = step.StepActivity(reader.root)
    calls = event.get("tool_calls")
    for call in calls[: step.CALLS_MAX] if isinstance(calls, list) else ():
        if isinstance(call, dict):
            activity.add_call({"cwd": event.get("cwd")} | call)
    state = session_state.load_state(reader.journal, reader.session)
    try:
        return step.inject(reader, state, activity)
    finally:
        session_state.save_state(reader.journal, reader.session, state)


def note_loaded_rules(reader: HookReader, event: dict[str, object]) -> None:
    """Record that the host loaded a rules file, so that its memories are not shown to this session again."""
    from holloway.safety.paths import contained_path
    from holloway.store import lookup

    named = event.get("file_path")
    path = contained_path(named, reader.root) if isinstance(named, str) and named else ""
    if path and (view := reader.open()):
        with view:
            lookup.mark_loaded_by_host(
                view.connection, path, session=reader.session, agent=reader.agent, now=reader.now()
            )


def note_compaction(reader: HookReader) -> None:
    """Allow everything to be shown again after a compaction, unless a session start has already done so."""
    from holloway.capture import journal

    if not journal.compaction_was_told(reader.journal, reader.main_session):
        reader.forget_shown()


def respond_to_prompt(reader: HookReader, prompt: str) -> str:
    """Respond to a prompt of the user; one without text is the host's own."""
    if not prompt.strip():
        return ""
    from holloway.injection import prompt as prompt_point
    from holloway.injection import session_state

    reader.be_patient()
    state = session_state.load_state(reader.journal, reader.session)
    try:
        rendered = prompt_point.inject(
            reader, _project_map(reader), state, prompt, lambda stage, text: reader.offer(stage, text, None)
        )
    finally:
        session_state.save_state(reader.journal, reader.session, state)
    return _note_located(reader, rendered)


def respond_to_subagent(reader: HookReader, agent_type: str) -> str:
    """Respond to the start of a subagent, for the task that the session was last given."""
    from holloway.capture import journal
    from holloway.injection import session_state, subagent

    reader.be_patient()
    task = journal.last_prompt(reader.journal, reader.main_session)
    state = session_state.load_state(reader.journal, reader.session)
    project = _project_map(reader)
    try:
        rendered = subagent.inject(reader, project, state, agent_type, task, lambda: _open_store(reader.root))
    finally:
        session_state.save_state(reader.journal, reader.session, state)
    return _note_located(reader, rendered)


def _note_located(reader: HookReader, rendered: Rendered | None) -> str:
    """Write to the journal which files the agent was pointed to, so that the saving is counted once it opens them."""
    if rendered is None:
        return ""
    if rendered.files and reader.is_captured:
        from holloway.capture import journal

        journal.append_entry(reader.journal, reader.main_session, journal.located_entry(rendered.files, reader.now()))
    return rendered.text


def respond_to_start(reader: HookReader, source: object) -> tuple[str, str]:
    """Respond to the start of a session: the brief for the agent, and a line for the person."""
    from holloway.extras import find_invocation
    from holloway.injection import session_start
    from holloway.store import lookup

    reader.be_patient()
    view = reader.open()
    if view is None:
        return "", ""
    user_store = os.path.join(data_home(), "user", "memory.db")
    with view:
        sessions = lookup.count_sessions(view.connection)
        brief = session_start.inject(
            reader,
            _project_map(reader),
            user_store=user_store,
            command=find_invocation(),
            source=str(source),
            offer=reader.offer,
        )
        if not brief.text:
            return "", ""
        reader.offer("whole", brief.text, None)
        return brief.text, _render_start_line(reader, view.connection, user_store, sessions, len(brief.memories))


def _render_start_line(
    reader: HookReader, connection: sqlite3.Connection, user_store: str, sessions: int, briefed: int
) -> str:
    from holloway.hooks import statusline
    from holloway.store import lookup, status_counts

    waiting = 0
    if user := lookup.open_store(user_store, reader.wait_ms):
        try:
            waiting = status_counts.load_status_counts(user, "", reader.now())[1]
        finally:
            user.close()
    return statusline.render_start(
        connection, sessions, briefed, waiting, reader.now(), statusline.find_review(reader.folder)
    )


def respond_to_turn_end(reader: HookReader) -> str:
    """Respond to the end of a turn: a line for the person if something was learned since the last one."""
    from holloway.hooks import statusline

    view = reader.open()
    if view is None:
        return ""
    with view:
        return statusline.render_turn_end(view.connection, reader.main_session, statusline.find_review(reader.folder))


def end_session(reader: HookReader) -> None:
    """Delete the state of a session that is over."""
    from holloway.injection import session_state

    session_state.delete_state(reader.journal, reader.main_session)


def resolve_project(folder: str, root: str) -> tuple[str, str, str]:
    """Resolve a project that is known by another address or path, with git.

    Returns its key and root, or nothing; then the third string may be a question to the person, asked once.
    """
    from pathlib import Path  # needed once in the life of a project

    from holloway.store import project as projects

    data = Path(data_home())
    if root and projects.is_asked(root, data):
        return "", "", ""
    if projects.find_owner(Path(folder), data):
        project = projects.resolve_project(Path(root or folder), data)
        return project.key, str(project.root), ""
    claim = projects.find_claim(Path(folder), data)
    if claim is None:
        return "", "", ""
    projects.note_asked(root, data)
    return "", "", f"holloway: {claim.reason}; {projects.JOIN_HINT}"


def start_worker(folder: str, root: str, event_name: str) -> None:
    """Start the worker, once the agent has its answer."""
    from holloway.service import background_worker  # only when a session or a turn begins or ends

    background_worker.start(folder, root, seldom=event_name == "Stop")


def _project_map(reader: HookReader) -> ProjectMap:
    from holloway.injection.project_map import ProjectMap

    return ProjectMap(reader.folder, reader.root)


def _open_store(root: str) -> Store:
    """Open the full store of a project."""
    from pathlib import Path

    from holloway.store import project as projects
    from holloway.store.store import Store

    return Store(
        projects.resolve_project(Path(root), Path(data_home())),
        busy_timeout_ms=int(SERVICE_STORE_WAIT_MS * deadline_factor()),
    )
