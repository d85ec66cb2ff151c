"""The hook's entry: one short process per event, for every agent. It never blocks, breaks or delays the agent.

Whatever happens, it exits 0, prints nothing or one JSON object, and leaves stderr empty. What went wrong is counted
for `holloway doctor`. It loads as little as it can, because an agent starts it hundreds of times a session.
"""

from __future__ import annotations

import os
import sys
import time

from holloway.config import FAILURE_LOG_BYTES_MAX, HOOK_INPUT_BYTES_MAX, home
from holloway.hooks.deadline import FAILED, NOTED, TERMINATED, UNKNOWN, Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.hooks import answer

_POINTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "SubagentStart": "subagent",
    "PostToolUse": "tool_result",
    "PostToolUseFailure": "tool_result",
    "PostToolBatch": "step",
}
"""The events that may be answered with words for the agent; the others are noted down."""
DEADLINE = Deadline()
"""A process is there for one event."""
_UNCAPTURED = ("PostToolBatch", "InstructionsLoaded")
"""They tell nothing that other events did not tell, or nothing of what the agent did."""


def main() -> None:
    """Read one event from stdin, note it, answer it, exit 0."""
    try:
        _fill_streams()
        _obey_termination()
        _quiet()
        DEADLINE.watch(UNKNOWN)
        answer, chore = respond(_read_input())
        DEADLINE.give(answer)
        if chore:
            chore()
    except BaseException as error:  # the one catch-all: the agent must go on
        _count_failure(error)
        DEADLINE.give_up(FAILED)
    os._exit(0)


def respond(data: bytes) -> tuple[bytes, Callable[[], None] | None]:
    """The answer to one event, as the bytes for stdout, and what is left to do after it; both may be nothing."""
    import json

    event = json.loads(data)
    if not isinstance(event, dict):
        return b"", None
    from holloway.capture import hosts

    told = str(event.get("hook_event_name", ""))
    host = hosts.recognised(event, sys.argv[1] if len(sys.argv) > 1 else "")
    event = hosts.understood(event)
    DEADLINE.begin(_POINTS.get(str(event.get("hook_event_name", "")), NOTED))

    def encode(context: str, line: str) -> bytes:
        said = hosts.answer(host, told, context, line)
        return json.dumps(said).encode() if said else b""

    context, line, chore = _handle(event, host, encode)
    return encode(context, line), chore


def _handle(
    event: dict[str, object], host: str, encode: Callable[[str, str], bytes]
) -> tuple[str, str, Callable[[], None] | None]:
    from holloway.store import registry

    folder = home()
    given = event.get("cwd")
    where = given if isinstance(given, str) and given else os.getcwd()
    key, root = registry.find(where, folder)
    if not key and event.get("hook_event_name") == "SessionStart":
        from holloway.hooks import answer

        key, root = answer.settled(where, root)
    if not key:
        return "", "", None
    DEADLINE.folder = registry.project_folder(folder, key)
    paused = registry.paused(folder, key)
    return _in_project(event, host, DEADLINE.folder, root, paused, encode)


def _in_project(
    event: dict[str, object], host: str, folder: str, root: str, paused: str, encode: Callable[[str, str], bytes]
) -> tuple[str, str, Callable[[], None] | None]:
    from holloway.capture import hosts
    from holloway.hooks import answer

    name = str(event.get("hook_event_name", ""))
    captured = paused not in ("all", "capture")
    reader = answer.Reader(
        folder=folder,
        root=root,
        session=str(event.get("session_id") or "unknown")[:200],
        agent=str(event.get("agent_id") or ""),
        host=host,
        now=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() // 1_000_000 % 1000:03d}Z",
        captured=captured,
        offer=lambda step, text, then: DEADLINE.offer(step, encode(text, ""), then),
    )
    DEADLINE.session = reader.session
    if captured and name not in _UNCAPTURED and not _captured(event, reader):
        return "", "", None
    due = name in hosts.MILESTONES and paused != "all"
    chore = (lambda: answer.afterwards(folder, root, name)) if due else None
    if paused in ("all", "injection"):
        return "", "", chore
    return *_answered(event, name, reader), chore


def _captured(event: dict[str, object], reader: answer.Reader) -> bool:
    """Note an event down; whether it is new."""
    from holloway.capture import journal

    entry = journal.entry_of(event, reader.now, reader.root, reader.host)
    return journal.append(reader.journal, reader.session, entry)


def _answered(event: dict[str, object], name: str, reader: answer.Reader) -> tuple[str, str]:
    """Words for the agent and a line for the person."""
    from holloway.hooks import answer

    if name == "PostToolBatch":
        return answer.between_steps(reader, event), ""
    if name in ("PostToolUse", "PostToolUseFailure"):
        return answer.with_tool_result(reader, event), ""
    if name == "SessionStart":
        return answer.at_start(reader, event.get("source"))
    if name == "UserPromptSubmit" and isinstance(event.get("prompt"), str):
        return answer.at_prompt(reader, str(event["prompt"])), ""
    if name == "Stop":
        return "", answer.at_turn_end(reader)
    if name == "SubagentStart":
        return answer.at_subagent(reader, str(event.get("agent_type") or "")), ""
    if name == "InstructionsLoaded":
        answer.loaded_by_host(reader, event)
    elif name == "PostCompact":
        answer.after_compaction(reader)
    elif name == "SessionEnd":
        answer.over(reader)
    return "", ""


def _read_input() -> bytes:
    """All of stdin up to the limit; the rest is read and dropped, so that the host's pipe does not break."""
    parts, size = [], 0
    while part := os.read(0, 1 << 16):
        size += len(part)
        if size <= HOOK_INPUT_BYTES_MAX:
            parts.append(part)
    if size > HOOK_INPUT_BYTES_MAX:
        raise ValueError("input over the limit")
    return b"".join(parts)


def _fill_streams() -> None:
    """A stream that the host has closed leads nowhere: no file or pipe that is opened later may take its number."""
    spare = os.open(os.devnull, os.O_RDWR)
    while spare <= 2:
        spare = os.dup(spare)
    os.close(spare)


def _quiet() -> None:
    """Nothing may reach the host's stderr, not even a warning from a library."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.close(silence)


def _obey_termination() -> None:
    """A host that ends the hook early must not see it fail, nor wait for it.

    Python runs a signal's handler in the main thread only, which may sit in a read that nothing interrupts. The byte
    that the signal leaves in a pipe is seen by a thread of its own.
    """
    if os.name != "posix":
        return
    import _signal as signal  # type: ignore[import-not-found]  # built in; the signal module makes enums of it all
    import _thread

    told, teller = os.pipe()
    os.set_blocking(teller, False)
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    signal.set_wakeup_fd(teller, warn_on_full_buffer=False)

    def leave() -> None:
        os.read(told, 1)
        DEADLINE.leave(TERMINATED)

    _thread.start_new_thread(leave, ())


def _count_failure(error: BaseException) -> None:
    """One bounded line for `holloway doctor`: when and what kind, never the content."""
    try:
        path = os.path.join(home(), "hook-failures.log")
        if not os.path.isdir(home()):
            return
        if os.path.exists(path) and os.path.getsize(path) > FAILURE_LOG_BYTES_MAX:
            os.replace(path, path + ".1")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with open(path, "a", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as log:
            log.write(f"{moment} {type(error).__name__}\n")
    except BaseException:  # noqa: S110  (a failure to count a failure must not reach the agent either)
        pass
