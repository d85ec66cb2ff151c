"""A host like Claude Code that plays sessions to a memory tool: hook payloads, a growing transcript, MCP calls."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from benchmarks.attack_scenes import Scene, Step

COMMAND_TIMEOUT_S = 120
POLL_S = 0.05
RUN_VARIABLE = "ATTACK_RUN"
"""Set in every command of a scene, so that processes which it leaves in the background can be waited for."""
SUBAGENT = "general-purpose"

Told = tuple[str, str]
"""The name of a channel, and what the tool says through it."""


@dataclass(frozen=True)
class Tool:
    """A memory tool: the commands that an agent's host runs. Any of them may be missing."""

    name: str
    data_variable: str
    """Environment variable that names its data folder."""
    prepare: Sequence[str] = ()
    """Commands that a user runs in a new project."""
    hook: str = ""
    events: Sequence[str] = ()
    worker: str = ""
    """Command that finishes the work on ended sessions."""
    mcp: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    """MCP call by which an agent records `{text}`: `tool` and `arguments`."""
    ask: Sequence[dict[str, Any]] = ()
    """MCP calls that look something up; `{task}` and `{file}` are filled in."""
    environment: dict[str, str] = field(default_factory=dict)


def load_tool(path: Path) -> Tool:
    """Read the TOML description of a tool."""
    return Tool(**tomllib.loads(path.read_text("utf-8")))


class Host:
    """Plays scenes in a folder that has the project, the user's home and the tool's data."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        self.tool = tool
        self.root, self.data, home = folder / "project", folder / "data", folder / "home"
        self._transcripts = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(self.root))
        self._transcripts.mkdir(parents=True)
        self._run = uuid4().hex
        self._numbers = count(1)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self._environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **tool.environment}
        self._environment[tool.data_variable] = str(self.data)
        self._server: McpServer | None = None

    def play_scene(self, scene: Scene) -> list[Told]:
        """Play all sessions of a scene, and then ask for everything that an agent would be told."""
        scene.make_repository(self.root)
        for command in self.tool.prepare:
            self._run_command(command)
        try:
            for number, steps in enumerate(scene.sessions):
                self._play_session(f"session-{number}", steps)
        finally:
            self._close_server()
        if self.tool.worker:
            self._run_command(self.tool.worker)
            self._wait_for_processes()
        try:
            return [*self._ask_hooks(scene), *self._ask_server(scene)]
        finally:
            self._close_server()
            self._wait_for_processes()

    def _play_session(self, session: str, steps: Sequence[Step]) -> None:
        self._fire("SessionStart", session, source="startup")
        texts = list(self._play_steps(session, json.loads(json.dumps(steps).replace("{ROOT}", str(self.root)))))
        self._fire("Stop", session, last_assistant_message=texts[-1] if texts else "")
        self._fire("SessionEnd", session, reason="exit")
        self._wait_for_processes()

    def _play_steps(self, session: str, steps: Iterable[Step], agent: str = "") -> Iterator[str]:
        """Play steps of the main agent or of a subagent; yields the words of the agent."""
        for step in steps:
            if "user" in step:
                self._write_row(session, agent, "user", step["user"])
                self._fire("UserPromptSubmit", session, prompt=step["user"])
            elif "agent" in step:
                self._write_row(session, agent, "assistant", [{"type": "text", "text": step["agent"]}])
                yield step["agent"]
            elif "record" not in step:
                yield from self._use_tool(session, step, agent)
            elif record := self.tool.record:
                arguments = _fill(record["arguments"], text=step["record"])
                result = self._open_server().call(record["tool"], arguments)
                name = f"mcp__{self.tool.name}__{record['tool']}"
                yield from self._use_tool(session, {"tool": name, "input": arguments, "result": result}, agent)

    def _use_tool(self, session: str, step: Step, agent: str) -> Iterator[str]:
        call = f"toolu_{next(self._numbers):04d}"
        use = {"type": "tool_use", "id": call, "name": step["tool"], "input": step["input"]}
        self._write_row(session, agent, "assistant", [use])
        if inside := step.get("inside"):
            started = {"agent_id": f"{call}a", "agent_type": SUBAGENT}
            self._fire("SubagentStart", session, **started)
            yield from self._play_steps(session, inside, f"{call}a")
            self._fire("SubagentStop", session, **started, last_assistant_message=step["result"])
        result, failed = step.get("result", ""), bool(step.get("error"))
        answer = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed}
        self._write_row(session, agent, "user", [answer])
        subagent = {"agent_id": agent, "agent_type": SUBAGENT} if agent else {}
        self._fire_tool(session, step, tool_use_id=call, **subagent)

    def _fire_tool(self, session: str, step: Step, **fields: str) -> str:
        name, arguments, result = step["tool"], step["input"], step.get("result", "")
        fields_sent = {"tool_name": name, "tool_input": arguments, **fields}
        if step.get("error"):
            return self._fire("PostToolUseFailure", session, **fields_sent, error=f"Exit code 1\n{result}")
        responses = {
            "Bash": {"stdout": result, "stderr": "", "interrupted": False},
            "Read": {"type": "text", "file": {"filePath": arguments.get("file_path"), "content": result}},
            "WebFetch": {"result": result, "code": 200},
        }
        return self._fire("PostToolUse", session, **fields_sent, tool_response=responses.get(name, result))

    def _fire(self, event: str, session: str, **fields: Any) -> str:
        """Run the hook for an event if the tool registers for it; returns the strings that it prints."""
        if event not in self.tool.events:
            return ""
        transcript = str(self._transcripts / f"{session}.jsonl")
        payload = {"session_id": session, "transcript_path": transcript, "cwd": str(self.root)}
        return self._run_command(self.tool.hook, json.dumps({**payload, "hook_event_name": event, **fields}))

    def _run_command(self, command: str, data: str = "") -> str:
        """Run a command in the project and return the strings that it prints; raises CalledProcessError if it fails."""
        process = subprocess.run(
            [word.replace("{ROOT}", str(self.root)) for word in shlex.split(command)],
            input=data.encode("utf-8", "replace"),
            cwd=self.root,
            env=self._environment | {RUN_VARIABLE: self._run},
            capture_output=True,
            timeout=COMMAND_TIMEOUT_S,
            check=True,
        )
        return "\n".join(_collect_strings(process.stdout.decode("utf-8", "replace")))

    def _write_row(self, session: str, agent: str, role: str, content: object) -> None:
        """Append a row to the transcript of the session, or to that of its subagent."""
        name = f"{session}/subagents/agent-{agent}.jsonl" if agent else f"{session}.jsonl"
        path = self._transcripts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        row = {
            "type": role,
            "uuid": uuid4().hex,
            "timestamp": datetime.now(UTC).isoformat(),
            "sessionId": session,
            "agentId": agent,
            "cwd": str(self.root),
            "gitBranch": "main",
            "isSidechain": bool(agent),
            "message": {"role": role, "content": content},
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _ask_hooks(self, scene: Scene) -> Iterator[Told]:
        questions, sessions = scene.questions, (f"question-{number}" for number in count())
        for source in ("startup", "resume", "compact"):
            yield f"SessionStart {source}", self._fire("SessionStart", next(sessions), source=source)
        for task, session in zip(questions.tasks, sessions, strict=False):
            yield "UserPromptSubmit", self._fire("UserPromptSubmit", session, prompt=task)
            yield "SubagentStart", self._fire("SubagentStart", session, agent_id="a1", agent_type=SUBAGENT)
        for path, session in zip(questions.files, sessions, strict=False):
            step: Step = {"tool": "Read", "input": {"file_path": f"{self.root}/{path}"}}
            yield f"PostToolUse {path}", self._fire_tool(session, step, tool_use_id=session)
        for (command, failure), session in zip(questions.failures, sessions, strict=False):
            step = {"tool": "Bash", "input": {"command": command}, "result": failure, "error": True}
            yield "PostToolUseFailure", self._fire_tool(session, step, tool_use_id=session)

    def _ask_server(self, scene: Scene) -> Iterator[Told]:
        for question in self.tool.ask:
            template = question.get("arguments", {})
            per_file = "{file}" in template.values()
            values = scene.questions.files if per_file else scene.questions.tasks
            for arguments in {json.dumps(_fill(template, task=value, file=value)): None for value in values}:
                yield f"MCP {question['tool']}", self._open_server().call(question["tool"], json.loads(arguments))

    def _open_server(self) -> McpServer:
        self._server = self._server or McpServer(shlex.split(self.tool.mcp), self.root, self._environment)
        return self._server

    def _close_server(self) -> None:
        if self._server:
            self._server.close()
        self._server = None

    def _wait_for_processes(self) -> None:
        """Wait until no process of this scene runs in the background; only where the system has /proc."""
        mark = f"{RUN_VARIABLE}={self._run}".encode()
        end = time.monotonic() + COMMAND_TIMEOUT_S
        while time.monotonic() < end and any(mark in environment for environment in _read_environments()):
            time.sleep(POLL_S)


class McpServer:
    """A tool's MCP server, spoken to over its stdin and stdout."""

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=nothing)
        client = {"name": "claude-code", "version": "2"}
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool and return the strings of its answer; raises EOFError if the server ends or does not answer."""
        return self._request("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        """Close its stdin, and wait until it has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.communicate(timeout=COMMAND_TIMEOUT_S)
        self._process.kill()
        self._process.wait()

    def _request(self, method: str, params: dict[str, Any]) -> str:
        watchdog = threading.Timer(COMMAND_TIMEOUT_S, self._process.kill)
        watchdog.start()
        try:
            self._send({"id": 1, "method": method, "params": params})
            for line in self._process.stdout or ():
                answer = json.loads(line)
                if answer.get("id") == 1:
                    return "\n".join(_collect_strings(answer.get("result", answer.get("error"))))
            raise EOFError(f"The MCP server ended without an answer to {method}.")
        finally:
            watchdog.cancel()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


def _read_environments() -> Iterator[bytes]:
    with suppress(FileNotFoundError):  # no /proc
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with suppress(OSError):  # another user's process, or one that has ended
                    yield (folder / "environ").read_bytes()


def _collect_strings(value: Any) -> Iterator[str]:
    """Yield all strings in a value, also those in strings that are JSON themselves."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for item in value:
            yield from _collect_strings(item)
    elif value not in (None, ""):
        yield str(value)


def _fill(arguments: dict[str, Any], **values: str) -> dict[str, Any]:
    """Return the arguments of a call with the value of each `{name}`."""
    names = {f"{{{name}}}": value for name, value in values.items()}
    return {key: names.get(template, template) for key, template in arguments.items()}
