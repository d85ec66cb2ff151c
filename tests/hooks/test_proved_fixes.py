"""Errors and their fixes through the hooks: which difference between two runs one session teaches the next."""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import pytest

import holloway
from holloway.domain.memory import MemoryType
from holloway.service import jobs
from holloway.store.filter import Filter
from tests.conftest import Repository
from tests.hooks.asking import Asking, event


class Run(NamedTuple):
    """A shell command, its output, and whether its status was 0."""

    command: str
    output: str = ""
    ok: bool = True


class Edit(NamedTuple):
    """An edit of a project file."""

    path: str
    old: str
    new: str


ERRORS = Filter(types=(MemoryType.ERROR_PATTERN,))
Deed = Run | Edit
Teach = Callable[..., str]


def failed(command: str, output: str) -> Run:
    return Run(command, output, ok=False)


@pytest.fixture
def teach(repository: Repository, memory: holloway.Holloway, ask: Asking) -> Teach:
    """Let hooks watch sessions of these deeds and learn from them; return what the next one is told at the error."""

    numbers = count()

    def tell(deed: Deed, session: str) -> str:
        if isinstance(deed, Edit):
            edit = {"file_path": str(repository.root / deed.path), "old_string": deed.old, "new_string": deed.new}
            return ask(event(repository, "PostToolUse", session, tool_name="Edit", tool_input=edit)).context
        name = "PostToolUse" if deed.ok else "PostToolUseFailure"
        answer = {"tool_response": {"stdout": deed.output, "stderr": ""}} if deed.ok else {"error": deed.output}
        tool = {"tool_name": "Bash", "tool_input": {"command": deed.command}}
        return ask(event(repository, name, session, **tool, **answer)).context

    def watch(*deeds: Deed, sessions: int = 1) -> str:
        failure = next(deed for deed in deeds if isinstance(deed, Run) and not deed.ok)
        for session in (f"session-{next(numbers)}" for _ in range(sessions)):
            ask(event(repository, "SessionStart", session, source="startup"))
            ask(event(repository, "UserPromptSubmit", session, prompt="Make the whole shop work again please"))
            for deed in (Edit("README.md", "# shop", "# The shop"), *deeds):
                tell(deed, session)
            ask(event(repository, "SessionEnd", session, reason="exit"))
            with holloway.open(repository.root) as project:
                jobs.learn_ended(project, 60.0)
        return tell(failure, f"session-{next(numbers)}")

    return watch


NO_PYTEST = "/usr/bin/python3: No module named pytest"
NO_REDIS = "E   redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.\n1 failed"
GREEN = "3 passed in 0.12s"
RED = "FAILED tests/test_invoice.py::test_total - AssertionError: assert 4 == 3\n1 failed, 2 passed in 0.2s"

ENVIRONMENT_FIXES = {
    "virtual environment": (
        [failed("python3 -m pytest -q", NO_PYTEST), Run(".venv/bin/python -m pytest -q", GREEN)],
        "use `.venv/bin/python -m pytest` instead of `python3 -m pytest`",
    ),
    "uv": (
        [failed("pytest -q", "zsh: command not found: pytest"), Run("uv run pytest -q", GREEN)],
        "use `uv run pytest` instead of `pytest`",
    ),
    "pnpm": (
        [failed("npm test", "npm error This project needs pnpm, not npm"), Run("pnpm test", "4 passing")],
        "use `pnpm test` instead of `npm test`",
    ),
    "activate": (
        [
            failed("pytest -q", "E   ModuleNotFoundError: No module named 'shop'\n1 failed"),
            Run("source .venv/bin/activate && pytest -q", GREEN),
        ],
        "run `source .venv/bin/activate` first",
    ),
    "env variable": (
        [failed("pytest -q", NO_REDIS), Run("REDIS_URL=fake:// pytest -q", GREEN)],
        "set REDIS_URL=fake://",
    ),
    "cwd": (
        [
            failed("npm run build", "npm error enoent Could not read package.json: no such file or directory"),
            Run("cd web && npm run build", "built in 2s"),
        ],
        "run it in web",
    ),
    "build first": (
        [
            failed("pnpm test", "Error: Cannot find module '@shop/core/dist/index.js'"),
            Run("pnpm run build", "built in 3s"),
            Run("pnpm test", "4 passing"),
        ],
        "run `pnpm run build` first",
    ),
    "cargo toolchain": (
        [
            failed("cargo test", "error[E0554]: #![feature] may not be used on the stable release channel"),
            Run("cargo +nightly test", "test result: ok. 3 passed; 0 failed"),
        ],
        "use `cargo +nightly test` instead of `cargo test`",
    ),
    "docker compose service": (
        [failed("pytest -q", NO_REDIS), Run("docker compose up -d redis", "Started"), Run("pytest -q", GREEN)],
        "run `docker compose up -d redis` first",
    ),
    "docker compose container": (
        [failed("pytest -q", NO_REDIS), Run("docker compose exec web pytest -q", GREEN)],
        "use `docker compose exec web pytest` instead of `pytest`",
    ),
    "install": (
        [
            failed("npm test", "Error: Cannot find module 'react'"),
            Run("npm ci", "added 90 packages"),
            Edit("README.md", "a", "b"),
            Run("npm test", "4 passing"),
        ],
        "run `npm ci` first",
    ),
}


@pytest.mark.promise("first-loop", "proves-itself")
@pytest.mark.parametrize(("deeds", "fix"), ENVIRONMENT_FIXES.values(), ids=ENVIRONMENT_FIXES.keys())
def test_the_difference_between_the_runs_is_taught(teach: Teach, deeds: list[Deed], fix: str) -> None:
    assert f" -> {fix} [hw:" in teach(*deeds)


EDITED = Edit("src/shop/billing/invoice.py", "return 4", "return 3")

NO_LESSONS: dict[str, list[Deed]] = {
    "sudo": [failed("docker build .", "ERROR: permission denied: docker.sock"), Run("sudo docker build .", "done")],
    "another program of the same kind": [failed("npm run test", RED), Run("npm run lint", "0 problems")],
    "a task that may run something else": [failed("pytest -q", NO_REDIS), Run("make test", GREEN)],
    "a run that failed itself": [failed("pytest -q", NO_REDIS), Run("REDIS_URL=fake:// pytest -q | tail -3", RED)],
    "help": [failed("shopctl sync --all", "error: unknown option --all"), Run("shopctl sync --help", "Usage: shopctl")],
    "the tree of another commit": [failed("pytest -q", RED), Run("git checkout main"), Run("pytest -q", GREEN)],
    "a mutation that is put back": [
        Edit("src/shop/billing/invoice.py", "return 3", "return 4"),
        failed("pytest -q", RED),
        Edit("src/shop/billing/invoice.py", "return 4", "return 3"),
        Run("pytest -q", GREEN),
    ],
    "an expected failure": [
        failed("./check.sh bad.json  # should fail", "error: bad.json does not exist"),
        Run("STRICT=0 ./check.sh bad.json", "ok"),
    ],
    "a scratch folder": [failed("python3 /tmp/x/a.py", "E   OSError: no file"), Run("A=1 python3 /tmp/x/a.py", "ok")],
    "fewer tests": [failed("pytest -q tests", RED), Run("A=1 pytest -q tests/test_user.py", GREEN)],
    "fewer tests by name": [failed("pytest -q", RED), Run("A=1 pytest -q -k user", GREEN)],
    "an edit of the test": [
        failed("pytest -q", RED),
        Edit("tests/test_invoice.py", "assert total == 3", "assert total == 4"),
        Run("pytest -q", GREEN),
    ],
    "a deleted test": [failed("pytest -q", RED), Run("rm tests/test_invoice.py"), Run("pytest -q", GREEN)],
    "a status that is swallowed": [failed("mypy src", "error: no module"), Run("A=1 mypy src || true", "")],
    "an output that is cut": [failed("mypy src", "error: no module"), Run("A=1 mypy src | head -1", "")],
    "an output that is silenced": [failed("mypy src", "error: no module"), Run("mypy src 2>/dev/null | tail", "")],
    "options that only change the output": [failed("pytest -q", RED), Run("pytest -x -vv", GREEN)],
    "a command before a test that may be flaky": [
        failed("pytest -q", RED),
        Run("make build", "done"),
        Run("pytest -q", GREEN),
    ],
    "a variable that only changes the output": [failed("pytest -q", RED), Run("NO_COLOR=1 pytest -q", GREEN)],
    "a query": [
        failed("gh api repos/shop --jq .x[", "error: unexpected token"),
        Run("gh api repos/shop --jq '.x | keys'", "1"),
    ],
    "a skipped hook": [
        failed("git commit -m x", "error: pre-commit hook failed"),
        Run("git commit -m x --no-verify", "[main 1a2b3c4] x"),
    ],
    "a skipped check": [failed("mypy src", "error: bad import"), Run("mypy --ignore-missing-imports src", "")],
    "code under work": [failed("pytest -q", RED), EDITED, Run("pytest -q", GREEN)],
    "two differences": [failed("pytest -q", NO_REDIS), EDITED, Run("A=1 pytest -q", GREEN)],
    "git's own ways": [
        failed("git push", " ! [rejected] main -> main (fetch first)\nerror: failed to push some refs"),
        Run("git pull --rebase && git push"),
    ],
}


@pytest.mark.parametrize("deeds", NO_LESSONS.values(), ids=NO_LESSONS.keys())
def test_what_proves_no_fix_is_not_taught(teach: Teach, memory: holloway.Holloway, deeds: list[Deed]) -> None:
    assert teach(*deeds) == ""
    assert memory.store.memories.count_memories(ERRORS) == 0


def test_a_line_that_reports_a_pass_is_not_the_error(teach: Teach) -> None:
    output = "✓ says that the user does not exist\nPASS not found\nsh: 1: vitest: not found"
    told = teach(failed("npm test", output), Run("npm install", "added 90 packages"), Run("npm test", "4 passing"))
    assert '"sh: 1: vitest: not found" -> run `npm install` first' in told


@pytest.mark.promise("proves-itself")
def test_a_later_session_confirms_the_fix_only_if_it_needed_the_same(teach: Teach, memory: holloway.Holloway) -> None:
    teach(failed("pytest -q", NO_REDIS), Run("REDIS_URL=fake:// pytest -q", GREEN), sessions=2)
    teach(failed("pytest -q", NO_REDIS), Run("docker compose up -d redis"), Run("pytest -q", GREEN))
    memories = memory.store.memories.find_memories(ERRORS)
    assert sorted(("REDIS_URL" in fix.content, len(fix.sessions)) for fix in memories) == [(False, 1), (True, 2)]


UV, VENV = "uv run pytest -q", ".venv/bin/python -m pytest -q"


@pytest.mark.parametrize(
    ("passed", "shown"),
    [
        ([UV], "test: pytest"),
        ([UV, UV], "test: uv run pytest"),
        ([VENV, UV, UV, UV], "test: uv run pytest"),
        ([VENV, UV, VENV, UV], "test: pytest"),
        (["uv run pytest -q | tail -1"] * 2, "test: uv run pytest"),
        (["/home/ann/.venv/bin/python -m pytest"] * 2, "test: pytest"),
        (["uv run --with colours pytest"] * 2, "test: pytest"),
    ],
)
def test_the_brief_calls_the_tests_as_in_the_sessions_in_which_they_passed(
    teach: Teach, repository: Repository, memory: holloway.Holloway, ask: Asking, passed: list[str], shown: str
) -> None:
    memory.map.update()
    for command in passed:
        teach(failed("pytest -q", RED), Run(command, GREEN))
    brief = ask(event(repository, "SessionStart", "last", source="startup")).context
    assert shown in brief.replace("\n", " · ").split(" · ") or f"Build and test: {shown}" in brief.splitlines()
