"""Entry point of the hook program, which an agent starts for each event: parses the JSON event on stdin and answers it.

It never blocks, breaks or delays the agent: it always exits 0, prints nothing or one JSON object, and leaves stderr
empty. Failures are counted for `holloway doctor`. It loads as little as it can, because an agent starts it hundreds of
times a session.
"""

from __future__ import annotations

import os
import sys
import time

from holloway.config import FAILURE_LOG_BYTES_MAX, HOOK_INPUT_BYTES_MAX, READER_VARIABLE, data_home
from holloway.hooks.deadline import FAILED, NOTED, TERMINATED, UNKNOWN_POINT, Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.hooks import responses

_POINTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "SubagentStart": "subagent",
    "PostToolUse": "tool_result",
    "PostToolUseFailure": "tool_result",
    "PostToolBatch": "step",
}
"""The events that may be answered with text for the agent; the others are only captured."""
DEADLINE = Deadline()
"""A process handles one event."""
_UNCAPTURED = ("PostToolBatch", "InstructionsLoaded")
"""Events that repeat other events, or that are not about what the agent did."""


def main() -> None:
    """Read one event from stdin, capture it, answer it, exit 0."""
    try:
        _fill_streams()
        _obey_termination()
        _quiet()
        DEADLINE.watch(UNKNOWN_POINT)
        data = _read_input()
        answer, job = respond(data) if not os.environ.get(READER_VARIABLE) else (b"", None)
        DEADLINE.give(answer)
        if job:
            job()
    except BaseException as error:  # the one catch-all: the agent must go on
        _count_failure(error)
        DEADLINE.give_up(FAILED)
    os._exit(0)


def respond(data: bytes) -> tuple[bytes, Callable[[], None] | None]:
    """Parse one JSON event; return the answer as bytes for stdout, and a job to do after it. Both may be empty."""
    from holloway import fast_json

    event = fast_json.loads(data)
    if not isinstance(event, dict):
        return b"", None
    from holloway.capture import hosts

    host_name = str(event.get("hook_event_name", ""))
    host = hosts.detect_host(event, sys.argv[1] if len(sys.argv) > 1 else "")
    event = hosts.normalise_event(event)
    DEADLINE.begin(_POINTS.get(str(event.get("hook_event_name", "")), NOTED))

    def encode(context: str, line: str) -> bytes:
        output = hosts.format_response(host, host_name, context, line)
        return fast_json.dumps(output).encode() if output else b""

    context, line, job = _handle(event, host, encode)
    return encode(context, line), job


def _handle(
    event: dict[str, object], host: str, encode: Callable[[str, str], bytes]
) -> tuple[str, str, Callable[[], None] | None]:
    from holloway.store import registry

    data = data_home()
    cwd = event.get("cwd")
    folder_of_event = cwd if isinstance(cwd, str) and cwd else os.getcwd()
    key, root = registry.find_project_key(folder_of_event, data)
    question = ""
    if not key and event.get("hook_event_name") == "SessionStart":
        from holloway.hooks import responses

        key, root, question = responses.resolve_project(folder_of_event, root)
    if not key:
        return "", question, None
    DEADLINE.folder = registry.get_project_folder(data, key)
    paused = registry.get_paused_mode(data, key)
    return _in_project(event, host, DEADLINE.folder, root, paused, encode)


def _in_project(
    event: dict[str, object], host: str, folder: str, root: str, paused: str, encode: Callable[[str, str], bytes]
) -> tuple[str, str, Callable[[], None] | None]:
    from holloway.capture import hosts
    from holloway.hooks import responses

    name = str(event.get("hook_event_name", ""))
    is_captured = paused not in ("all", "capture")

    def offer(stage: str, text: str, record: Callable[[], None] | None) -> None:
        def note() -> None:
            if record:
                record()
            _note_told(reader, name, text)

        DEADLINE.offer(stage, encode(text, ""), note)

    reader = responses.HookReader(
        folder=folder,
        root=root,
        session=_to_text(event.get("session_id"))[:200] or "unknown",
        agent_id=_to_text(event.get("agent_id")),
        host=host,
        now=_format_stamp(time.time_ns() // 1_000_000),
        is_captured=is_captured,
        offer=offer,
    )
    if event.get("permission_mode") == "plan":
        reader.phase = "define"
    DEADLINE.session = reader.main_session
    if is_captured and name not in _UNCAPTURED and not _capture(event, reader):
        return "", "", None
    is_due = name in hosts.MILESTONES and paused != "all"
    job = (lambda: responses.start_worker(folder, root, name)) if is_due else None
    if paused in ("all", "injection") or _is_withheld(name, reader):
        return "", "", job
    context, line = _respond_in_project(event, name, reader)

    def note_and_work() -> None:
        _note_told(reader, name, context)
        if job:
            job()

    return context, line, note_and_work if context else job


def _is_withheld(event_name: str, reader: responses.HookReader) -> bool:
    """Return whether the session is in an experiment group that is told nothing at this event."""
    from holloway.store.registry import HOOK_SETTINGS

    if event_name not in _POINTS and event_name != "Stop":
        return False
    if not os.path.exists(os.path.join(reader.folder, HOOK_SETTINGS)):
        return False  # few projects measure, and a hook loads as little as it can
    from holloway.injection import experiment

    group = experiment.assign_session(reader.folder, reader.main_session)
    return experiment.is_withheld(group, _POINTS.get(event_name, "stop"))


def _note_told(reader: responses.HookReader, event_name: str, text: str) -> None:
    """Append a text that the agent was given to the log of told texts; nothing while capture is paused."""
    if not text or not reader.is_captured:
        return
    from holloway.store import told_log

    session, actor = reader.main_session, reader.session[len(reader.main_session) + 1 :]
    point = _POINTS.get(event_name, event_name.lower())
    try:  # noqa: SIM105  (contextlib is not loaded in a hook)
        told_log.append_told(
            reader.folder, at=reader.now(), session=session, point=point, text=text, actor=actor, event=event_name
        )
    except OSError:  # A full disk must not stop what follows.
        pass


def _format_stamp(time_ms: int) -> str:
    """Return a time since the epoch as the store writes it: UTC with milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time_ms // 1000)) + f".{time_ms % 1000:03d}Z"


def _to_text(value: object) -> str:
    """Return a name as text that can be stored: JSON may escape half of a surrogate pair."""
    return str(value or "").encode("utf-8", "replace").decode()


def _capture(event: dict[str, object], reader: responses.HookReader) -> bool:
    """Append an event to the journal; returns whether it is new."""
    from holloway.capture import journal
    from holloway.store.registry import HOOK_SETTINGS

    entry = journal.entry_of(event, reader.now(), reader.root, reader.agent)
    if os.path.exists(os.path.join(reader.folder, HOOK_SETTINGS)):
        from holloway.capture.exclusions import load_exclusions  # few people have such rules

        exclusions = load_exclusions(reader.folder)
        if exclusions.has_entry(entry):
            return True
        exclusions.clean_entry(entry)
    return journal.append_entry(reader.journal, reader.main_session, entry)


def _respond_in_project(event: dict[str, object], name: str, reader: responses.HookReader) -> tuple[str, str]:
    """Return the text for the agent and a line for the person."""
    from holloway.hooks import responses

    if name == "PostToolBatch":
        return responses.respond_to_step(reader, event), ""
    if name in ("PostToolUse", "PostToolUseFailure"):
        return responses.respond_to_tool(reader, event), ""
    if name == "SessionStart":
        return responses.respond_to_start(reader, event.get("source"))
    if name == "UserPromptSubmit" and isinstance(event.get("prompt"), str):
        return responses.respond_to_prompt(reader, str(event["prompt"])), ""
    if name == "Stop":
        from holloway.hooks import lesson_question

        return lesson_question.ask_for_lessons(reader, event), responses.respond_to_turn_end(reader)
    if name == "SubagentStart":
        return responses.respond_to_subagent(reader, str(event.get("agent_type") or "")), ""
    if name == "InstructionsLoaded":
        responses.note_loaded_rules(reader, event)
    elif name == "PostCompact":
        responses.note_compaction(reader)
    elif name == "SessionEnd":
        responses.end_session(reader)
    return "", ""


def _read_input() -> bytes:
    """Read stdin up to the limit; the remainder is read and dropped, so that the host's pipe does not break."""
    parts, size = [], 0
    while part := os.read(0, 1 << 16):
        size += len(part)
        if size <= HOOK_INPUT_BYTES_MAX:
            parts.append(part)
    if size > HOOK_INPUT_BYTES_MAX:
        raise ValueError("input over the limit")
    return b"".join(parts)


def _fill_streams() -> None:
    """Point streams that the host closed at nothing, so that no file that is opened later takes their numbers."""
    spare = os.open(os.devnull, os.O_RDWR)
    while spare <= 2:
        spare = os.dup(spare)
    os.close(spare)


def _quiet() -> None:
    """Silence stderr: not even a warning from a library may reach the host."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.close(silence)


def _obey_termination() -> None:
    """Leave at once and without a failure when the host terminates the hook.

    Python runs a signal handler in the main thread only, which may be blocked in a read. A separate thread sees the
    byte that the signal leaves in a pipe.
    """
    if os.name != "posix":
        return
    import _signal as signal  # type: ignore[import-not-found]  # built in; the signal module makes enums of it all
    import _thread

    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: None)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)

    def leave() -> None:
        os.read(receiver, 1)
        DEADLINE.leave(TERMINATED)

    _thread.start_new_thread(leave, ())


def _count_failure(error: BaseException) -> None:
    """Log one bounded line for `holloway doctor`: time and type of the error, never the content."""
    try:
        path = os.path.join(data_home(), "hook-failures.log")
        if not os.path.isdir(data_home()):
            return
        if os.path.exists(path) and os.path.getsize(path) > FAILURE_LOG_BYTES_MAX:
            os.replace(path, path + ".1")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with open(path, "a", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as log:
            log.write(f"{moment} {type(error).__name__}\n")
    except BaseException:  # noqa: S110  (a failure to count a failure must not reach the agent either)
        pass
