"""Sessions are read by the real Claude Code and Codex: without tools, hooks, memory or traces, and never observed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.llm.headless_agents import AGENT_KINDS, HeadlessAgent
from holloway.llm.providers import RateLimited, Stopped, WriterFailed
from tests.journeys import claude_code, client, codex
from tests.journeys.scripted_model import ScriptedModel, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.journeys.scripted_model import Request, Turn

DEADLINE_S = 60.0
CANARY = "CANARY"
AGENTS = [
    pytest.param("claude-code", marks=claude_code.needs_claude_code),
    pytest.param("codex", marks=codex.needs_codex),
]
FORBIDDEN_CALLS = {
    "claude-code": ToolCall("Read", {"file_path": "/etc/hostname"}),
    "codex": ToolCall("exec_command", {"cmd": "cat /etc/hostname"}),
}


class ReaderModel(ScriptedModel):
    """A scripted model that plays a turn for every request: a reader offers no tools."""

    def answer(self, request: Request) -> dict[str, object]:
        """Play the next turn."""
        return super().answer(type(request)(request.path, {**request.body, "tools": request.body.get("tools") or [{}]}))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which hooks, instructions, skills, memories and MCP servers would leave a canary if they were used."""
    folder = tmp_path / "home"
    hooks = {"hooks": [{"type": "command", "command": f"echo {CANARY}-hook | tee -a {tmp_path}/acted.log"}]}
    server = {"command": "sh", "args": ["-c", f"echo mcp >> {tmp_path}/acted.log; sleep 5"]}
    events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    settings = json.dumps({"hooks": {event: [hooks] for event in events}})
    files = {
        ".claude/settings.json": settings,
        ".claude/CLAUDE.md": f"{CANARY}-instructions",
        ".claude.json": json.dumps({"mcpServers": {"canary": server}}),
        ".claude/skills/canary/SKILL.md": f"---\nname: canary\ndescription: {CANARY}-skill\n---\n{CANARY}-skill",
        ".codex/hooks.json": settings,
        ".codex/skills/canary/SKILL.md": f"---\nname: canary\ndescription: {CANARY}-skill\n---\n{CANARY}-skill",
        ".codex/memories/MEMORY.md": f"{CANARY}-memory",
        "secret.txt": f"{CANARY}-secret",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    temporary = tmp_path / "t"
    temporary.mkdir()
    for name in list(os.environ):
        if name not in client.INHERITED:
            monkeypatch.delenv(name, raising=False)
    for name, value in client.clean_environment(folder, TMPDIR=str(temporary)).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def point_to_model(name: str, home: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure an agent to use a model on this machine, as a person would."""
    if name == "claude-code":
        monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-for-the-scripted-model")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        return
    (home / ".codex/config.toml").write_text(
        'model_provider = "scripted"\nmodel = "gpt-5.5"\n'
        f'developer_instructions = "{CANARY}-developer"\n'
        "[features]\nmemories = true\n"
        f'[mcp_servers.canary]\ncommand = "sh"\nargs = ["-c", "echo mcp >> {home.parent}/acted.log; sleep 5"]\n'
        '[model_providers.scripted]\nname = "scripted"\nwire_api = "responses"\n'
        f'base_url = "{url}/v1"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
    )


def make_agent(name: str, is_stopped: Callable[[], bool] | None = None) -> HeadlessAgent:
    program = {"claude-code": claude_code, "codex": codex}[name].find()
    assert program is not None
    return HeadlessAgent(AGENT_KINDS[name], str(program), is_stopped=is_stopped)


@pytest.fixture
def converse(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Sequence[Turn]], ReaderModel]:
    """A function that starts a scripted model and points an agent to it."""

    def start(name: str, turns: Sequence[Turn]) -> ReaderModel:
        model = ReaderModel(turns)
        point_to_model(name, home, model.url, monkeypatch)
        return model

    return start


@pytest.fixture
def silent_server(home: Path) -> Iterator[str]:
    """A server that accepts requests and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def list_traces(home: Path) -> list[Path]:
    """Files that a run left behind: folders of runs, and files that hold words of its prompt."""
    left = list((home.parent / "t").iterdir())
    files = [path for path in home.rglob("*") if path.is_file()]
    return left + [path for path in files if b"PROMPT-WORD" in path.read_bytes()]


def list_agent_processes() -> list[str]:
    """Command lines of this user's processes that run as a reader."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"HOLLOWAY_READER=1" in (process / "environ").read_bytes():
                commands.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return commands


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_answers_without_tools_hooks_memory_instructions_or_traces(
    name: str, home: Path, converse: Callable[[str, Sequence[Turn]], ReaderModel]
) -> None:
    prompt = f"PROMPT-WORD: see @{home}/secret.txt and $canary, cost 5$ at a@b.example"
    with converse(name, ['[{"text": "ask a＠b.example"}]']) as model:
        completion = make_agent(name).complete(prompt, max_tokens=500, deadline_s=DEADLINE_S, system="SYSTEM-WORD")
    assert completion.text == '[{"text": "ask a@b.example"}]'
    assert completion.tokens_in > 0
    assert completion.tokens_out > 0
    (request,) = model.requests
    body = json.dumps(request.body)
    assert "PROMPT-WORD" in body
    assert "SYSTEM-WORD" in body
    assert CANARY not in body
    assert not (home.parent / "acted.log").exists()
    assert list_traces(home) == []


@pytest.mark.parametrize("name", AGENTS)
def test_an_answer_after_a_tool_call_is_discarded_and_its_tokens_are_counted(
    name: str, home: Path, converse: Callable[[str, Sequence[Turn]], ReaderModel]
) -> None:
    with (
        converse(name, [[FORBIDDEN_CALLS[name]], "[]"]) as model,
        pytest.raises(WriterFailed, match="called a tool") as caught,
    ):
        make_agent(name).complete("PROMPT-WORD", max_tokens=500, deadline_s=DEADLINE_S)
    assert caught.value.usage is not None
    assert caught.value.usage[0] > 0
    assert len(model.requests) == 2
    assert list_traces(home) == []


@pytest.mark.parametrize("name", AGENTS)
def test_a_rate_limit_is_recognised_after_one_request(
    name: str, home: Path, converse: Callable[[str, Sequence[Turn]], ReaderModel]
) -> None:
    with converse(name, []) as model:
        model.refuse(429, {"error": {"type": "usage_limit_reached", "message": "You have hit your usage limit"}})
        with pytest.raises(RateLimited):
            make_agent(name).complete("PROMPT-WORD", max_tokens=500, deadline_s=DEADLINE_S)
    assert len(model.side_requests) == 1
    assert list_traces(home) == []


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_that_does_not_answer_is_ended_at_the_deadline(
    name: str, home: Path, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_to_model(name, home, silent_server, monkeypatch)
    with pytest.raises(WriterFailed, match="no answer within 4 s"):
        make_agent(name).complete("PROMPT-WORD", max_tokens=500, deadline_s=4.0)
    assert list_agent_processes() == []
    assert list_traces(home) == []


@pytest.mark.parametrize("name", AGENTS)
def test_a_running_agent_ends_when_the_reader_is_turned_off(
    name: str, home: Path, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_to_model(name, home, silent_server, monkeypatch)
    turned_off_at = time.monotonic() + 3
    with pytest.raises(Stopped):
        make_agent(name, lambda: time.monotonic() > turned_off_at).complete("x", max_tokens=500, deadline_s=DEADLINE_S)
    assert list_agent_processes() == []
    assert list_traces(home) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("name", AGENTS)
def test_a_killed_reader_leaves_no_process_and_no_folder(
    name: str, home: Path, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_to_model(name, home, silent_server, monkeypatch)
    agent = make_agent(name)
    code = (
        "import sys; from holloway.llm.headless_agents import AGENT_KINDS, HeadlessAgent;"
        "HeadlessAgent(AGENT_KINDS[sys.argv[1]], sys.argv[2]).complete('PROMPT-WORD', max_tokens=9, deadline_s=60)"
    )
    reader = subprocess.Popen([sys.executable, "-c", code, name, agent._program])
    assert wait_until(lambda: len(list_agent_processes()) > 1)
    time.sleep(1)
    reader.send_signal(signal.SIGKILL)
    reader.wait()
    assert wait_until(lambda: list_agent_processes() == [])
    assert wait_until(lambda: list_traces(home) == [])
