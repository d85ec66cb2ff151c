"""Plugin files of OpenCode, Kilo and pi: how they start the hook program, and when they are out of date."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from holloway import install
from holloway.install import DIALECTS, launch_command
from holloway.install.plugin_file import find_plugin_command, render_plugin_file
from tests.conftest import Repository
from tests.hooks.asking import TRAP, TRAP_FILE
from tests.install.installing import WITH_PLUGIN, findings, holloway
from tests.journeys.client import NODE

NODE_PROGRAM = shutil.which("node", path=str(NODE)) or shutil.which("node")
needs_node = pytest.mark.skipif(NODE_PROGRAM is None, reason="Node is not installed: `make agents` installs it")


def plugin_path(agent: str) -> Path:
    """The plugin file of the person."""
    return install.hooks_file(DIALECTS[agent], "user", Path.home())


@pytest.mark.parametrize("agent", WITH_PLUGIN)
def test_a_plugin_starts_the_hook_program_under_its_own_name(agent: str) -> None:
    launcher = launch_command.launch_by_path()
    text = render_plugin_file(DIALECTS[agent], launcher)
    assert find_plugin_command(text) == [*launcher.hook, agent]
    assert "$" not in text.partition("const readContext")[0]


@pytest.mark.parametrize("text", ["", "const HOOK = [1", 'const HOOK = ["python"]', "// mine"])
def test_any_other_file_starts_nothing_of_ours(text: str) -> None:
    assert find_plugin_command(text) == []


@pytest.mark.parametrize("agent", WITH_PLUGIN)
def test_the_doctor_finds_a_plugin_that_cannot_work(agent: str, home: Path, tmp_path: Path) -> None:
    assert holloway("setup", agent, "--yes") == 0
    path = plugin_path(agent)
    text = path.read_text()
    path.write_text(text.replace('"stdio"', '"other"') + "\n// more\n")
    assert findings(tmp_path, agent) == ["hooks-outdated"]
    path.write_text(text.replace(json.dumps(find_plugin_command(text)[0]), '"/nowhere/python"'))
    assert findings(tmp_path, agent) == ["hooks-gone"]


@pytest.mark.parametrize("agent", WITH_PLUGIN)
def test_a_file_of_that_name_that_is_the_person_s_stays(
    agent: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = plugin_path(agent)
    path.parent.mkdir(parents=True)
    path.write_text("// mine\n")
    assert holloway("setup", agent, "--yes") == 0
    assert "is your file, so it stays" in capsys.readouterr().out
    assert holloway("setup", agent, "--remove", "--yes") == 0
    assert path.read_text() == "// mine\n"


OPENCODE_SESSION = """
import { Holloway } from "./holloway.mjs"
const [folder, file] = process.argv.slice(2)
const sessionID = "ses_1"
const plugin = await Holloway({ directory: folder })
const parts = [{ type: "text", text: '"Why does login hang?"' }]
const system = []
await plugin["chat.message"]({ sessionID }, { message: { id: "msg_1" }, parts })
await plugin["experimental.chat.system.transform"]({ sessionID }, { system })
await plugin["experimental.chat.system.transform"]({}, { system })
const read = { output: "import os" }
await plugin["tool.execute.after"]({ tool: "read", sessionID, callID: "c1", args: { filePath: file } }, read)
const failed = { output: "ls: no such file", metadata: { exit: 2 } }
await plugin["tool.execute.after"]({ tool: "bash", sessionID, callID: "c2", args: { command: "ls /x" } }, failed)
await plugin.event({ event: { type: "session.idle", properties: { sessionID } } })
await plugin.event({ event: { type: "session.idle", properties: { sessionID: "of another plugin" } } })
await plugin.event({ event: { type: "catalog.updated", properties: {} } })
console.log(JSON.stringify({ system, read: read.output, failed: failed.output }))
"""
PI_SESSION = """
import setUp from "./holloway.mjs"
const [folder, file] = process.argv.slice(2)
const handlers = {}
setUp({ on: (name, handler) => (handlers[name] = handler) })
const context = { cwd: folder, sessionManager: { getSessionFile: () => "/nowhere/2026-11-17T15-00-07Z_ses_1.jsonl" } }
const prompt = "Why does login hang?"
const started = await handlers.before_agent_start({ prompt, systemPrompt: "You are pi." }, context)
const content = [{ type: "text", text: "import os" }]
const read = await handlers.tool_result({ toolName: "read", toolCallId: "c1", input: { path: file }, content }, context)
const failed = { toolName: "bash", toolCallId: "c2", input: { command: "ls /x" }, isError: true }
await handlers.tool_result({ ...failed, content: [{ type: "text", text: "ls: no such file" }] }, context)
await handlers.agent_end({}, context)
console.log(JSON.stringify({ system: [started.systemPrompt], read: read.content.map((part) => part.text).join("\\n") }))
"""
SESSIONS = {"opencode": OPENCODE_SESSION, "kilo": OPENCODE_SESSION, "pi": PI_SESSION}
"""A session as each agent runs it: what it calls of the plugin, in its order."""


@needs_node
@pytest.mark.promise("further-agents")
@pytest.mark.parametrize("agent", WITH_PLUGIN)
def test_a_plugin_hands_the_events_to_holloway_and_its_words_to_the_agent(
    agent: str, repository: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = ("--project", str(repository.root))
    assert holloway("remember", TRAP, "--file", TRAP_FILE, *there) == 0
    assert holloway("setup", agent, "--yes", *there) == 0
    text = plugin_path(agent).read_text()
    (tmp_path / "holloway.mjs").write_text(text.replace(": any", "").replace(": string", "").replace(": object", ""))
    (tmp_path / "session.mjs").write_text(SESSIONS[agent])
    monkeypatch.setenv("HOLLOWAY_PATIENCE", "20")
    assert NODE_PROGRAM is not None
    command = [NODE_PROGRAM, str(tmp_path / "session.mjs"), str(repository.root), str(repository.root / TRAP_FILE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    (brief,) = told["system"]
    assert "holloway: shared memory of this repository" in brief
    assert TRAP in told["read"]
    assert told["read"].startswith("import os\n")
    (log,) = (path for path in home.rglob("journal/*.jsonl") if path.stem == "ses_1")
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    events = [entry["event"] for entry in entries if entry["event"] != "Located"]
    assert events == ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"]
    assert entries[0]["host"] == agent
    assert next(entry["prompt"] for entry in entries if "prompt" in entry) == "Why does login hang?"


@needs_node
@pytest.mark.parametrize("agent", WITH_PLUGIN)
def test_a_plugin_without_holloway_says_nothing(agent: str, tmp_path: Path) -> None:
    launcher = launch_command.Launcher(("/nowhere/python",), (), (), "")
    text = render_plugin_file(DIALECTS[agent], launcher)
    (tmp_path / "holloway.mjs").write_text(text.replace(": any", "").replace(": string", "").replace(": object", ""))
    session = SESSIONS[agent].replace("read.content.map((part) => part.text).join", "[read].join")
    (tmp_path / "session.mjs").write_text(session)
    assert NODE_PROGRAM is not None
    command = [NODE_PROGRAM, str(tmp_path / "session.mjs"), str(tmp_path), "a.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["system"] == ([] if agent != "pi" else ["You are pi."])
