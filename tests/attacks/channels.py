"""Every channel by which an agent reads our words: hooks, commands, MCP tools, sessions in Python."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.cli import main
from holloway.cli.common import get_console
from holloway.mcp.tools import Tools
from tests.conftest import NIGHTLY, Repository
from tests.hooks.asking import Asking, event

if TYPE_CHECKING:
    import holloway

ROLES = ("Plan", "code-reviewer", "debugger", "general-purpose")
FORMATS: tuple[list[str], ...] = ([], ["--json"]) if NIGHTLY else ([],)
"""What a command is asked to print; in a commit run its JSON is read through the HTTP API, which calls the commands."""
Said = tuple[str, str]
"""The name of a channel and its text."""


@dataclass(frozen=True)
class Questions:
    """What is asked through the channels."""

    tasks: Sequence[str]
    files: Sequence[str] = ()
    failures: Sequence[tuple[str, str]] = ()
    """Commands with the text of their failure."""
    names: str = field(default="q")
    """Prefix of the sessions, each of which is new to the project."""


def ask_hooks(memory: holloway.Holloway, ask: Asking, asked: Questions) -> Iterator[Said]:
    """All answers of hooks."""
    repository = Repository(memory.project.root)
    for source in ("startup", "compact", "resume"):
        yield (
            f"start {source}",
            str(ask(event(repository, "SessionStart", f"{asked.names}{source}", source=source)).said),
        )
    for number, task in enumerate(asked.tasks):
        session = f"{asked.names}p{number}"
        yield f"prompt {task}", str(ask(event(repository, "UserPromptSubmit", session, prompt=task)).said)
        for role in ROLES if number < 2 else ():
            started: dict[str, object] = {"agent_id": role, "agent_type": role}
            yield f"{role} {task}", str(ask(event(repository, "SubagentStart", session, **started)).said)
    for path in asked.files:
        read: dict[str, object] = {"tool_name": "Read", "tool_input": {"file_path": str(repository.root / path)}}
        yield f"read {path}", str(ask(event(repository, "PostToolUse", f"{asked.names}r", **read)).said)
    for command, text in asked.failures:
        yield f"run {command}", _fail(repository, ask, f"{asked.names}f", command, text)
    calls = [{"tool_name": "Read", "tool_input": {"file_path": str(repository.root / path)}} for path in asked.files]
    yield "step", str(ask(event(repository, "PostToolBatch", f"{asked.names}s", tool_calls=calls)).said)


def _fail(repository: Repository, ask: Asking, session: str, command: str, text: str) -> str:
    call: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": command}}
    response = {"stdout": text, "stderr": "", "exit_code": 1}
    done = ask(event(repository, "PostToolUse", session, **call, tool_response=response)).said
    failed = ask(event(repository, "PostToolUseFailure", f"{session}2", **call, error=f"Exit code 1\n{text}")).said
    return str(done) + str(failed)


def run_commands(memory: holloway.Holloway, asked: Questions) -> Iterator[Said]:
    """All that the command line prints about a repository and its memories."""
    invocations = [
        *(["brief"], ["status"], ["modules", "--all"], ["list", "--all-branches"], ["sessions"], ["explain", "last"]),
        *(["sessions", "--mirror"], ["explain", "last", "--timeline"], ["told"], ["doctor"]),
        *(["ask", task] for task in asked.tasks),
        ["recall", asked.tasks[0]],
        *(["locate", task] for task in asked.tasks),
        *(["impact", path] for path in asked.files),
        *(["module", module.name] for module in memory.map.modules()),
        *(["show", stored.id] for stored in _stored(memory)),
        *(["why", stored.id] for stored in _stored(memory)),
    ]
    for words in invocations:
        for more in FORMATS:
            yield " ".join([*words, *more]), run_command(memory.project.root, [*words, *more])


def run_command(root: Path, words: Sequence[str]) -> str:
    """What a command prints, errors included."""
    printed = io.StringIO()
    get_console.cache_clear()
    with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
        main([*words, "--project", str(root)])
    get_console.cache_clear()
    return printed.getvalue()


def call_tools(memory: holloway.Holloway, asked: Questions) -> Iterator[Said]:
    """All answers of MCP tools."""
    tools = Tools(memory.project.root)
    for task in asked.tasks:
        yield f"locate {task}", str(tools.locate(task))
        yield f"get_workflow_recipe {task}", str(tools.get_workflow_recipe(task))
        yield f"search_memory {task}", str(tools.search_memory(task))
    for path in asked.files:
        with suppress(Exception):
            yield f"analyze_impact {path}", str(tools.analyze_impact(path))
    for module in memory.map.modules():
        yield f"update_module {module.name}", str(tools.update_module(module.name))
    yield "session_context", str(tools.session_context())
    for stored in _stored(memory):
        yield "get_memory", str(tools.get_memory(stored.id))


def open_sessions(memory: holloway.Holloway, asked: Questions) -> Iterator[Said]:
    """All that an agent written in Python is given."""
    for number, task in enumerate(asked.tasks):
        session = memory.session(f"{asked.names}sdk{number}", agent="coder", task=task)
        yield f"context_for {task}", session.context_for(task)
        if number < 2:
            yield "brief", session.brief()
            yield "before_step", session.before_step()
            yield "planner", session.planner_context()
            yield "spec", session.spec_context()
            yield "qa", session.qa_context()
            yield "recovery", session.recovery_context()
            yield "resume", session.resume()
            yield "prefetch", str(session.prefetch())
        for path in asked.files if not number else ():
            yield f"augment {path}", session.augment("Read", {"file_path": path}, "")
            yield f"search_first {path}", str(session.search_first(Path(path).stem))
        for command, text in asked.failures if not number else ():
            yield f"augment {command}", session.augment("Bash", {"command": command}, text, ok=False)


def _stored(memory: holloway.Holloway) -> list[holloway.Memory]:
    import holloway

    return memory.memories(holloway.Filter(quarantined=False))
