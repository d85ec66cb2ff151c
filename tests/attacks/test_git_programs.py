"""No program that a repository configures for git runs, whatever is asked of holloway there."""

import asyncio
import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import holloway
from holloway import git
from holloway.cli import CLI_COMMANDS, main
from holloway.cli.http_api import build_operations
from holloway.codemap.index import PARALLEL_FILES_MIN
from holloway.git import queries
from holloway.install.agents import DIALECTS
from holloway.panel.api import API_PATH
from holloway.panel.app import create_app
from holloway.panel.routes import ROUTES
from tests.attacks.booby_trapped import BoobyTrapped, set_up
from tests.attacks.panel_channels import HEADERS, make_panel
from tests.conftest import make_repository
from tests.hooks.asking import hook
from tests.mcp.connection import called, connected

SPRUNG_BY_PLAIN_GIT = {
    ("diff", "HEAD", "--", "README.md"): {"filter-process", "fsmonitor"},
    ("diff", "HEAD", "--", "src"): {"filter-clean", "diff-driver"},
    ("diff", "HEAD", "--", "pyproject.toml"): {"diff-external"},
    ("diff", "--no-ext-diff", "HEAD", "--", "notes.txt"): {"textconv"},
    ("checkout", "-f", "HEAD", "--", "src"): {"filter-smudge"},
    ("log", "-1"): {"gpg"},
    ("log", "-p", "--no-ext-diff"): {"ssh"},
    ("update-ref", "refs/heads/other", "HEAD"): {"hook"},
    ("credential", "fill"): {"credential-helper", "askpass"},
    ("state",): {"alias"},
    ("diff", "HEAD", "--", "info.cfg"): {"info-attributes"},
    ("diff", "HEAD", "--", "included.ini"): {"included-config"},
    ("ls-remote", "git://127.0.0.1:1/shop"): {"git-proxy"},
    ("ls-remote", "external"): {"remote-helper"},
    ("ls-remote", "https://shop.invalid/shop"): {"instead-of"},
    ("ls-remote", "local"): {"upload-pack-local"},
    ("config", "--edit"): {"editor"},
    ("interpret-trailers", "--trailer", "sign"): {"trailer"},
    ("difftool", "-y", "--tool=ours", "HEAD", "--", "pyproject.toml"): {"difftool"},
    ("archive", "--format=ours", "HEAD"): {"archive"},
}
"""What each trap is sprung by, to show that it is armed."""

INVOCATIONS = {
    "init": ["init", "--yes"],
    "setup": ["setup", "claude-code", "--scope", "project", "--yes"],
    "rules": ["rules"],
    "learn": ["learn"],
    "doctor": ["doctor"],
    "remember": ["remember", "refresh() burns the token; call it once", "--file", "src/shop/auth/tokens.py"],
    "note": ["note", "refresh() burns the token", "--file", "src/shop/auth/tokens.py"],
    "reader": ["reader", "status"],
    "recall": ["recall", "token"],
    "ask": ["ask", "what burns the token?"],
    "list": ["list"],
    "show": ["show", "ID"],
    "why": ["why", "ID"],
    "review": ["review", "--json"],
    "sessions": ["sessions"],
    "explain": ["explain", "s1"],
    "status": ["status"],
    "edit": ["edit", "ID", "refresh() burns the token, so call it once"],
    "pin": ["pin", "ID"],
    "mute": ["mute", "ID"],
    "wrong": ["wrong", "ID", "refresh() may be called twice"],
    "prune": ["prune"],
    "locate": ["locate", "a token is refreshed twice"],
    "impact": ["impact", "src/shop/auth/tokens.py"],
    "modules": ["modules"],
    "module": ["module", "shop"],
    "relate": ["relate", "src/shop/auth/tokens.py", "tests/auth/test_tokens.py", "calls"],
    "index": ["index"],
    "brief": ["brief"],
    "told": ["told"],
    "proof": ["proof"],
    "bulk": ["bulk", "pin", "--type", "gotcha"],
    "panel": ["panel", "--link"],
    "embedder": ["embedder", "status"],
    "teach": ["teach", "src/shop/auth/tokens.py"],
    "trust": ["trust"],
    "pause": ["pause"],
    "resume": ["resume"],
    "config": ["config", "list"],
    "share": ["share", "--git", "--yes", "--remote", "HUB", "--as", "Ada"],
    "sync": ["sync"],
    "conflicts": ["conflicts"],
    "publish": ["publish", "--yes"],
    "export": ["export", "--format", "json"],
    "import": ["import", "FILE"],
    "backup": ["backup"],
    "completion": ["completion", "bash"],
    "mcp": ["mcp"],
    "statusline": ["statusline"],
    "forget": ["forget", "ID", "--hard", "--yes"],
    "restore": ["restore", "ID"],
    "uninstall": ["uninstall", "--yes"],
}
FIELDS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "a token is refreshed twice in tokens.py, please fix it"},
    "PostToolUse": {"tool_name": "Read", "tool_input": {"file_path": "src/shop/auth/tokens.py"}},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "error": "Exit code 1\nE: no"},
    "SubagentStart": {"agent_id": "a1", "agent_type": "Plan"},
}


@pytest.fixture
def trapped(tmp_path: Path) -> BoobyTrapped:
    return set_up(tmp_path / "unpacked")


@pytest.mark.parametrize("arguments", SPRUNG_BY_PLAIN_GIT, ids=" ".join)
def test_plain_git_springs_the_traps(trapped: BoobyTrapped, arguments: tuple[str, ...]) -> None:
    trapped.plain_git(*arguments)
    assert set(trapped.ran()) >= SPRUNG_BY_PLAIN_GIT[arguments]


def test_plain_git_at_a_terminal_starts_the_pager(trapped: BoobyTrapped) -> None:
    trapped.plain_git("log", at_terminal=True)
    trapped.plain_git("show", at_terminal=True)
    assert {"pager", "pager-log"} <= set(trapped.ran())


def run(trapped: BoobyTrapped, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=trapped.root, input="", capture_output=True, text=True, timeout=120, check=False
    )


def test_every_command_is_tried() -> None:
    assert set(INVOCATIONS) == {name for section in CLI_COMMANDS.values() for name in section}


@pytest.mark.promise("repository-is-not-trusted", "shared-runs-nothing")
def test_no_command_runs_a_program_of_the_repository(
    trapped: BoobyTrapped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    monkeypatch.chdir(trapped.root)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    def command(*words: str) -> str:
        with suppress(SystemExit):
            main(list(words))
        printed, complaint = capsys.readouterr()
        assert "Usage" not in complaint, (words, complaint)
        assert "Traceback" not in complaint, (words, complaint)
        return printed

    said: dict[str, str] = {}
    for name, words in INVOCATIONS.items():
        if name in ("mcp", "statusline", "teach"):
            continue  # They serve a host or a browser until it is gone; the first two are asked below.
        listed = command("list", "--json") if "ID" in words else "{}"
        memory = (json.loads(listed or "{}").get("results") or [{"id": "none"}])[0]["id"]
        there = {"ID": memory, "FILE": str(tmp_path / "memories.json"), "HUB": str(hub)}
        said[name] = command(*(there.get(word, word) for word in words))
        assert trapped.ran() == [], name
        if name == "export":
            (tmp_path / "memories.json").write_text(said[name])
    assert "src/shop/auth/tokens.py" in said["locate"]
    assert "Synced" in said["share"]


def test_the_commands_that_a_host_starts_run_no_program_of_the_repository(trapped: BoobyTrapped) -> None:
    for name in ("mcp", "statusline"):
        run(trapped, "-m", "holloway", *INVOCATIONS[name])
    assert trapped.ran() == []


@pytest.mark.promise("repository-is-not-trusted")
def test_no_hook_event_and_no_worker_runs_a_program_of_the_repository(trapped: BoobyTrapped) -> None:
    run(trapped, "-m", "holloway", "init", "--yes")
    events = dict.fromkeys(event for dialect in DIALECTS.values() for event in dialect.events)
    contexts = {}
    for event in events:
        payload = {"session_id": "s1", "cwd": str(trapped.root), "hook_event_name": event, **FIELDS.get(event, {})}
        answer = hook(json.dumps(payload).encode(), cwd=trapped.root)
        assert (answer.code, answer.stderr) == (0, b"")
        contexts[event] = answer.context
        assert trapped.ran() == [], event
    assert "src/shop/auth/tokens.py" in contexts["UserPromptSubmit"]
    assert run(trapped, "-P", "-m", "holloway.worker", str(trapped.root)).returncode == 0
    assert trapped.ran() == []


@pytest.mark.promise("repository-is-not-trusted")
def test_no_mcp_tool_runs_a_program_of_the_repository(trapped: BoobyTrapped) -> None:
    run(trapped, "-m", "holloway", "init", "--yes")

    async def ask() -> dict[str, object]:
        async with connected(trapped.root) as client:
            await called(client, "session_context")
            return await called(client, "locate", task="a token is refreshed twice")

    assert "src/shop/auth/tokens.py" in json.dumps(asyncio.run(ask()))
    assert trapped.ran() == []


@pytest.mark.promise("repository-is-not-trusted")
def test_no_page_and_no_operation_of_the_panel_runs_a_program_of_the_repository(trapped: BoobyTrapped) -> None:
    run(trapped, "-m", "holloway", "init", "--yes")
    task, file = "a token is refreshed twice", "src/shop/auth/tokens.py"
    with holloway.open(trapped.root) as memory:
        panel = make_panel(memory)
        operations = build_operations(trapped.root)
    with TestClient(create_app(panel, operations), base_url=f"http://127.0.0.1:{panel.policy.port}") as client:
        client.cookies.set(panel.policy.cookie_name, panel.policy.sessions.sign_in())
        for path in (route.path for route in ROUTES if route.method == "GET" and "{" not in route.path):
            assert client.get(path, params={"q": task, "target": file, "file": file}).status_code < 500, path
        assert file in client.get(f"{API_PATH}/locate", params={"words": task}, headers=HEADERS).text
        assert client.get(f"{API_PATH}/impact", params={"target": file}, headers=HEADERS).status_code == 200
        assert client.post(f"{API_PATH}/index", json={}, headers=HEADERS).status_code == 200
    assert trapped.ran() == []


def test_changed_files_are_found_without_their_filters(trapped: BoobyTrapped) -> None:
    (trapped.root / "README.md").write_text("# shop\n")
    os.utime(trapped.root / "README.md", (0, 0))
    changed = git.changed_files(str(trapped.root), "HEAD")
    assert changed is not None
    assert "src/shop/auth/tokens.py" in changed
    assert "README.md" not in changed
    assert trapped.ran() == []


def test_a_filter_that_no_option_can_switch_off_is_not_run_either(trapped: BoobyTrapped) -> None:
    with (trapped.root / ".git" / "config").open("a") as config:
        config.write(f'[filter "a=b"]\n\tclean = touch {trapped.marks}/odd; cat\n')
    (trapped.root / ".gitattributes").write_text("* filter=a=b\n")
    assert "src/shop/auth/tokens.py" in (git.changed_files(str(trapped.root), "HEAD") or ())
    assert trapped.ran() == []


def test_a_work_tree_elsewhere_is_not_listed(trapped: BoobyTrapped, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "private.txt").write_text("x")
    trapped.repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    trapped.clear()
    listed = git.tracked_files(str(trapped.root)) or ()
    assert "notes.txt" in listed
    assert "private.txt" not in listed
    assert trapped.ran() == []


def test_a_folder_that_poses_as_a_bare_repository_is_not_asked(trapped: BoobyTrapped, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    (trapped.root / ".git").rename(bare)
    (bare / ".git").mkdir()
    assert git.tracked_files(str(bare)) is None
    assert git.changed_files(str(bare), "HEAD") is None
    assert trapped.ran() == []


def test_more_filters_than_a_command_line_holds_are_not_run(trapped: BoobyTrapped) -> None:
    with (trapped.root / ".git" / "config").open("a") as config:
        config.writelines(f'[filter "f{number}"]\n\tclean = cat\n' for number in range(5000))
    assert git.changed_files(str(trapped.root), "HEAD") is not None
    assert trapped.ran() == []


def test_a_program_named_git_in_the_current_folder_is_not_taken(
    trapped: BoobyTrapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = trapped.root / "git"
    program.write_text(f"#!/bin/sh\ntouch {trapped.marks}/git\n")
    program.chmod(0o755)
    monkeypatch.chdir(trapped.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert git.tracked_files(str(trapped.root))
    assert trapped.ran() == []


def test_a_package_of_the_repository_is_not_imported_by_the_processes_that_read_files(tmp_path: Path) -> None:
    """Through the console script, which people type in the folder of a clone."""
    mark = tmp_path / "imported"
    files = {f"src/m{number}.py": f"def f{number}(): pass\n" for number in range(PARALLEL_FILES_MIN + 10)}
    files["multiprocessing/__init__.py"] = f"open({str(mark)!r}, 'w').close()\n"
    repository = make_repository(tmp_path / "clone", files)
    script = Path(sys.executable).with_name("holloway")
    command = [str(script), "index", "--workers", "2"]
    done = subprocess.run(command, cwd=repository.root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert not mark.exists()


def test_a_rules_file_that_is_a_submodule_runs_no_conversion(trapped: BoobyTrapped) -> None:
    commit = git.head_commit(str(trapped.root))
    trapped.repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},CLAUDE.md")
    tree = trapped.repository.git("write-tree")
    trapped.repository.git("update-ref", "HEAD", trapped.repository.git("commit-tree", tree, "-m", "x"))
    trapped.clear()
    assert git.read_file_at(str(trapped.root), "HEAD", "CLAUDE.md") == ""
    run(trapped, "-m", "holloway", "rules")
    assert trapped.ran() == []


def test_asking_whether_a_branch_was_squashed_runs_no_program(trapped: BoobyTrapped) -> None:
    root = str(trapped.root)
    trapped.repository.git("config", "format.pretty", "format:%H %G?")
    trapped.repository.git("config", "diff.submodule", "diff")
    tip = git.head_commit(root)
    first = git.run_git(root, "rev-list", "--max-parents=0", tip).strip()
    assert not git.is_merged(root, first, tip, first)
    queries._is_squashed(root, first, first, tip)
    assert trapped.ran() == []


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(trapped: BoobyTrapped) -> None:
    for name in ("HEAD", "shallow", "packed-refs"):
        place = trapped.root / ".git" / name
        place.unlink(missing_ok=True)
        os.mkfifo(place)
    assert git.head_commit(str(trapped.root)) == ""
    assert git.shallow_commits(str(trapped.root)) == frozenset()
