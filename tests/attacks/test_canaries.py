"""Secrets come in by every way there is; afterwards no file of the data folder has a byte of them.

The project's own files are no such way: the map is a copy of what lies beside it on the same disk.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import holloway
from holloway.capture import journal
from holloway.domain.event import Call, Plan, PlanItem, Prompt, Result, Said, ToolKind
from holloway.mcp.tools import Tools
from holloway.safety import secrets
from holloway.service import past_sessions
from tests.conftest import Repository
from tests.faults.figures import record
from tests.safety.test_secret_rules import RULES, expanded, is_token
from tests.service import on_disk
from tests.store.test_privacy import places_of

HOOK = [sys.executable, "-c", "from holloway.hooks.entry import main; main()"]
WORKER = [sys.executable, "-P", "-m", "holloway.worker"]
FILE = "src/shop/auth/tokens.py"
BRANCH_TOKEN = "ghp_" + "k9XrT2mQ8vLz5NcB7wYp3JdHs6FgA1eUoRi4"
CHARS_MAX = 60
"""A tag has no room for more."""

pytestmark = pytest.mark.promise("no-secret")


def examples() -> Iterator[tuple[str, str]]:
    """Texts of one line with one secret that needs no words around it, and the secret."""
    for rule in RULES:
        for template in rule["secret_examples"]:
            text = expanded(template)
            found = secrets.scan_secrets(text)
            if is_token(rule) and "\n" not in text and len(text) <= CHARS_MAX and len(found) == 1:
                yield text, text[found[0].start : found[0].end]


@dataclass
class Canaries:
    """Hands out secrets, each another, and remembers which way each was let in."""

    planted: dict[str, str] = field(default_factory=dict)
    _stock: Iterator[tuple[str, str]] = field(default_factory=examples)

    def let_in(self, way: str) -> str:
        """A text with the next secret in it."""
        text, secret = next((text, secret) for text, secret in self._stock if secret not in self.planted)
        self.planted[secret] = way
        return text

    def left_in(self, folder: Path) -> dict[str, list[str]]:
        """The ways by which a secret reached the disk, each with the files that have it.

        Not while this process has a database open: to close a file drops the locks that it holds on it.
        """
        return {way: where for secret, way in self.planted.items() if (where := places_of(folder, secret))}


def through_hooks(root: Path, canaries: Canaries) -> None:
    """A session whose every field that may hold words holds a secret."""

    def told(name: str, **fields: object) -> None:
        about = {"session_id": "watched", "cwd": str(root), "hook_event_name": name, "transcript_path": "/nowhere"}
        done = subprocess.run(HOOK, input=json.dumps({**about, **fields}).encode(), capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")

    def used(
        name: str, given: object, answered: object, event: str = "PostToolUse", key: str = "tool_response"
    ) -> None:
        fields = {"tool_name": name, "tool_use_id": f"call-{len(canaries.planted)}", "tool_input": given, key: answered}
        told(event, **fields)

    let = canaries.let_in
    told("SessionStart", source="startup")
    told("UserPromptSubmit", prompt=f"No, always deploy the shop with {let('prompt')} from now on, please")
    used("Bash", {"command": f"curl -H 'X: {let('command')}' https://shop.example"}, {"stdout": let("output")})
    used("Bash", {"command": "pytest -q"}, f"E   KeyError: {let('failure')}\n1 failed", "PostToolUseFailure", "error")
    used("Bash", {"command": f"SHOP_KEY={let('variable')} pytest -q"}, {"stdout": "3 passed", "stderr": let("stderr")})
    used("Grep", {"pattern": let("pattern")}, {"filenames": [f"{root}/{let('file name')}"]})
    used("Read", {"file_path": f"{root}/{let('path')}"}, {"file": {"content": let("contents")}})
    change = {"file_path": str(root / FILE), "old_string": let("old lines"), "new_string": let("new lines")}
    used("Edit", change, {"filePath": str(root / FILE)})
    used("WebFetch", {"url": f"https://shop.example/?token={let('address')}"}, {"result": let("page")})
    used("mcp__tracker__get", {"query": let("question to a server")}, {"text": let("answer of a server")})
    used("TodoWrite", {"todos": [{"content": f"Rotate {let('plan')}", "status": "pending"}]}, {})
    used("Bash", {"command": f"git commit -m 'Use {let('commit message')} because the old one leaked'"}, {"stdout": ""})
    for runner in ("just deploy", "make release", "npm run publish --", "./deploy.sh"):
        used("Bash", {"command": f"{runner} {let(runner)}"}, {"stdout": "", "stderr": "failed"}, "PostToolUseFailure")
        used("Bash", {"command": runner}, {"stdout": "done"})
    told("PostCompact", compact_summary=f"The key is {let('summary')}", trigger=let("trigger"))
    told("SubagentStop", last_assistant_message=let("a subagent's words"))
    told("Stop", last_assistant_message=f"I assumed it was env, but it actually is {let('last words')}")
    told("SessionEnd", reason=let("reason"))


def through_transcript(root: Path, canaries: Canaries) -> None:
    """A session on this disk whose task, command and error hold secrets."""
    path = on_disk.transcript(root, "from-disk")
    text = path.read_text("utf-8")
    for words, way in (("Fix the login", "task"), ("KeyError", "error"), ("fake://", "value"), ("passed", "result")):
        assert words in text
        text = text.replace(words, f"{words} {json.dumps(canaries.let_in(f'transcript: {way}'))[1:-1]}")
    path.write_text(text, "utf-8")


def through_session(memory: holloway.Holloway, canaries: Canaries) -> None:
    """An agent in Python that says, does and records secrets, with a checkpoint in between."""
    let = canaries.let_in
    with memory.session(task=f"Rotate {let('session: task')}", agent="coder") as session:
        at = session.now()
        session.observe(Prompt(at, f"We always use {let('session: prompt')} here"))
        session.observe(Call(at, "1", ToolKind.SHELL, command=f"deploy {let('session: command')}"))
        session.observe(Result(at, "1", ok=False, text=f"KeyError: {let('session: result')}"))
        session.observe(Said(at, f"I assumed it was empty, but it is actually {let('session: words')}", thinking=True))
        for number, runner in enumerate(("just deploy", "make release", "npm run publish --", "./deploy.sh"), 2):
            command = f"{runner} {let(f'session: {runner}')}"
            for ok in (False, True):
                session.observe(Call(at, f"{number}{ok}", ToolKind.SHELL, command=command))
                session.observe(Result(at, f"{number}{ok}", ok=ok, text="exit 1" if not ok else "done"))
        session.observe(Call(at, "20", ToolKind.READ, path=f"src/{let('session: path')}/a.py"))
        session.observe(Call(at, "21", ToolKind.EDIT, path=f"src/{let('session: edited path')}.py"))
        session.observe(Plan(at, (PlanItem(f"{'Rotate the key of the shop ' * 7}{let('session: plan')} soon"),)))
        session.record(f"Deploys need {let('session: record')}", files=[FILE])
        session.checkpoint()
        saved = [path.read_text("utf-8") for path in memory.project.checkpoints_folder.glob("*.json")]
        assert saved
        assert not [way for secret, way in canaries.planted.items() if any(secret in text for text in saved)]
        session.finish(outcome="success", qa=[f"{FILE} holds {let('session: finding')}"])


def through_people(memory: holloway.Holloway, root: Path, canaries: Canaries) -> None:
    """Teaching, editing, correcting, importing, rules files, modules and relations."""
    let = canaries.let_in
    made = memory.remember(f"CI deploys with {let('teaching')}", files=[FILE], tags=[let("tag")]).memory
    assert made is not None
    memory.edit(made.id, content=f"CI deploys with {let('edit')}")
    memory.wrong(made.id, "outdated", instead=f"It uses {let('correction')}")
    (root / "CLAUDE.md").write_text(f"# Rules\n\n- Always deploy with {let('rules file')}\n", "utf-8")
    memory.import_rules()
    foreign = root.parent / "foreign.json"
    foreign.write_text(json.dumps([{"content": f"Use {let('import')}", "tags": [let("imported tag")]}]), "utf-8")
    command = [sys.executable, "-m", "holloway", "import", str(foreign), "--project", str(root)]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0


def through_mcp(root: Path, canaries: Canaries) -> None:
    """Every argument of the tools that may hold words."""
    let = canaries.let_in
    tools = Tools(root)
    tools.record_memory(f"Deploys need {let('MCP: record')}", files=(FILE,))
    tools.search_memory(let("MCP: question"))
    with holloway.open(root) as memory:
        known = memory.memories(limit=1)[0].id
    tools.memory_feedback(known, "wrong", f"It is {let('MCP: note')}")
    tools.locate(f"Rotate {let('MCP: task')}")


def test_no_planted_secret_is_left_in_any_file_of_the_data_folder(repository: Repository, home: Path) -> None:
    canaries, root = Canaries(), repository.root
    repository.git("checkout", "-q", "-b", f"fix/{BRANCH_TOKEN}")
    canaries.planted[BRANCH_TOKEN] = "name of a branch"
    holloway.open(root).close()
    through_hooks(root, canaries)
    journalled = canaries.left_in(home)
    with holloway.open(root) as memory:
        through_people(memory, root, canaries)
        through_session(memory, canaries)
        through_transcript(root, canaries)
        past_sessions.learn(memory, past_sessions.find(memory))
        through_mcp(root, canaries)
        memory.store.create_backup()
    subprocess.run([*WORKER, str(root)], check=True, timeout=120)
    assert journalled == {}
    assert canaries.left_in(home) == {}
    files = [path for path in home.rglob("*") if path.is_file()]
    record("canaries", planted=len(canaries.planted), files=len(files), found=0)
    assert len(canaries.planted) > 40
    with holloway.open(root) as memory:
        kept = [each.content for each in memory.memories(limit=-1)]
    assert any("[REDACTED" in content for content in kept)


@pytest.mark.parametrize("limit", [400, 800, 1_200, 4_000, 200_000])
@pytest.mark.parametrize("at", range(-44, 8, 4))
def test_no_cut_leaves_a_part_of_a_token(repository: Repository, home: Path, limit: int, at: int) -> None:
    """A token that reaches over the end of what a hook keeps of an output, a prompt or a command."""
    line = "word " * (limit // 5 + 1)
    text = f"{line[: limit + at - 1]} {BRANCH_TOKEN} {'tail ' * 900}"
    for fields in (
        {"hook_event_name": "UserPromptSubmit", "prompt": text},
        {"tool_name": "Bash", "tool_input": {"command": text}, "tool_response": text},
        {
            "tool_name": "Bash",
            "tool_input": {"command": "x"},
            "tool_response": text[::-1].replace(BRANCH_TOKEN[::-1], BRANCH_TOKEN),
        },
    ):
        entry = json.dumps(journal.entry_of({"hook_event_name": "PostToolUse", **fields}, "2026-01-05T09:00:00.000Z"))
        assert not [part for part in (BRANCH_TOKEN[:12], BRANCH_TOKEN[-12:]) if part in entry]
