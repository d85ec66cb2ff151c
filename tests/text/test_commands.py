from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text import commands, shell
from holloway.text.commands import parse_command, unwrap_command
from holloway.text.programs import PROGRAM_KINDS

if TYPE_CHECKING:
    from types import FrameType

    from _typeshed import TraceFunction


def one(command: str) -> commands.Step:
    (step,) = parse_command(command)
    return step


@pytest.mark.promise("shell-is-read")
@pytest.mark.parametrize(
    ("command", "kind", "program", "paths"),
    [
        ("cat src/a.py", "read", "cat", ("src/a.py",)),
        ("head -n 20 src/a.py", "read", "head", ("src/a.py",)),
        ("tail -30 log.txt", "read", "tail", ("log.txt",)),
        ("sed -n '1,80p' src/a.py", "read", "sed", ("src/a.py",)),
        ("jq '.a.b' package.json", "read", "jq", ("package.json",)),
        ("wc -l a.go b.go", "read", "wc", ("a.go", "b.go")),
        (r"type C:\Users\me\a.py", "read", "type", (r"C:\Users\me\a.py",)),
        ("sed -i 's/a/b/' x.go", "edit", "sed", ("x.go",)),
        ("sed -i '' 's/a/b/' x.go y.go", "edit", "sed", ("x.go", "y.go")),
        ("sed -i.bak -e 's/a/b/' x.go", "edit", "sed", ("x.go",)),
        ("echo hi > notes.md", "edit", ">", ("notes.md",)),
        ("cat >> a.env", "edit", ">>", ("a.env",)),
        ("tree -L 2 src", "list", "tree", ("src",)),
        ("ls -la scripts/", "list", "ls", ("scripts/",)),
        ("find cmd -type f", "list", "find", ("cmd",)),
        ("pytest -q tests/test_a.py::test_b", "test", "pytest", ("tests/test_a.py::test_b",)),
        ("python3 -m pytest tests", "test", "pytest", ("tests",)),
        ("uv run --group dev pytest", "test", "pytest", ()),
        ("poetry run python -m pytest", "test", "pytest", ()),
        ("npx -y vitest run src/a.test.ts", "test", "vitest", ("src/a.test.ts",)),
        ("./node_modules/.bin/jest src/a.test.js", "test", "jest", ("src/a.test.js",)),
        ("npm test", "test", "npm test", ()),
        ("npm run test:ci -- --watch=false", "test", "npm run test:ci", ()),
        ("yarn jest", "test", "yarn jest", ()),
        ("pnpm --filter web test", "test", "pnpm test", ()),
        ("bun test", "test", "bun test", ()),
        ("make -C sub test", "test", "make test", ()),
        ("just test", "test", "just test", ()),
        ("mise run test:integration -- -run TestX", "test", "mise run test:integration", ()),
        ("cargo test -p core", "test", "cargo test", ()),
        ("go test ./...", "test", "go test", ("./...",)),
        ("mvn -q clean test", "test", "mvn clean test", ()),
        ("./gradlew :app:test", "test", "gradle :app:test", ()),
        ("tox", "test", "tox", ()),
        ("docker compose run --rm -e A=1 web pytest tests/a.py", "test", "pytest", ("tests/a.py",)),
        ("python manage.py test app", "test", "manage.py test", ("app",)),
        ("node --test a.js", "test", "node", ("a.js",)),
        ("ruff check src", "check", "ruff check", ()),
        ("npx tsc --noEmit", "check", "tsc", ()),
        ("go build ./...", "check", "go build", ("./...",)),
        ("npm run lint", "check", "npm run lint", ()),
        ("make", "check", "make", ()),
        ("python scripts/a.py --x", "run", "python", ("scripts/a.py",)),
        ("./scripts/a.sh", "run", "a.sh", ()),
        ("npm run dev", "run", "npm run dev", ()),
        ("docker compose up -d", "run", "docker compose up", ()),
        ("git push origin main", "git", "git push", ()),
        ("git diff -- src/a.py", "git", "git diff", ("src/a.py",)),
        ("git show HEAD:src/a.py", "git", "git show", ("src/a.py",)),
        ("git stash pop", "git", "git stash", ()),
        ("git restore --staged a.py", "git", "git restore", ("a.py",)),
        ("git reset --hard HEAD~1", "revert", "git reset", ()),
        ("git checkout -- src/a.py", "revert", "git checkout", ("src/a.py",)),
        ("git stash", "revert", "git stash", ()),
        ("git revert abc123", "revert", "git revert", ()),
        ("pip install -r requirements.txt", "install", "pip install", ("requirements.txt",)),
        ("uv pip install flask", "install", "pip install", ()),
        ("npm ci", "install", "npm ci", ()),
        ("go mod tidy", "install", "go mod tidy", ()),
        ("mkdir -p a/b", "other", "mkdir", ("a/b",)),
    ],
)
def test_a_command_says_what_it_does_and_to_what(command: str, kind: str, program: str, paths: tuple[str, ...]) -> None:
    step = one(command)
    assert (step.kind, step.program, step.paths) == (kind, program, paths)


@pytest.mark.promise("shell-is-read")
@pytest.mark.parametrize(
    ("command", "pattern", "paths"),
    [
        ('grep -rn "to do" src --include=*.py', "to do", ("src",)),
        ("rg -n -g '*.go' foo cmd internal", "foo", ("cmd", "internal")),
        ("rg -e 'a|b' src", "a|b", ("src",)),
        ("git grep -n foo -- src", "foo", ("src",)),
        ("find . -name '*.go' -type f", "*.go", (".",)),
        ("fd -e py test src", "test", ("src",)),
        ("find cmd -name x.go | xargs grep -l foo", "x.go", ("cmd",)),
    ],
)
def test_a_search_says_what_it_looks_for_and_where(command: str, pattern: str, paths: tuple[str, ...]) -> None:
    step = parse_command(command)[0]
    assert (step.kind, step.pattern, step.paths) == ("search", pattern, paths)


@pytest.mark.promise("shell-is-read")
@pytest.mark.parametrize(
    ("command", "url"),
    [
        ("curl -s -H 'X: y' https://example.com/a | jq .name", "https://example.com/a"),
        ("wget -O out.txt http://example.com", "http://example.com"),
        ("gh api repos/a/b/pulls/1 --paginate", "repos/a/b/pulls/1"),
        ("gh issue view 12 --comments", "12"),
        ("git clone git@example.com:a/b.git", "git@example.com:a/b.git"),
        ("npm view left-pad", "left-pad"),
        ("pip download flask", "flask"),
        ("owner=$(gh repo view octo/app) && echo $owner", "octo/app"),
        ('bash -c "curl https://example.com/install.sh | sh"', "https://example.com/install.sh"),
    ],
)
def test_what_brings_foreign_content_is_a_fetch_with_its_address(command: str, url: str) -> None:
    step = parse_command(command)[0]
    assert (step.kind, step.url) == ("fetch", url)


def test_opening_a_pull_request_fetches_nothing() -> None:
    assert one("gh pr create --title x --body y").kind == "other"


def test_every_part_of_a_chain_is_a_step_and_filters_are_none() -> None:
    steps = parse_command("cd web && npm ci && FOO=1 npm test 2>&1 | grep -v ok | tail -30; echo done")
    assert [(step.kind, step.program) for step in steps] == [("install", "npm ci"), ("test", "npm test")]
    assert steps[1].env == ("FOO",)
    assert {step.directory for step in steps} == {"web"}


def test_a_filter_that_names_a_file_reads_it() -> None:
    assert [step.paths for step in parse_command("echo x | grep foo src/a.py")] == [("src/a.py",)]


@pytest.mark.parametrize(
    "wrapped", ["sudo -u me", "timeout -k 5 30s", "nice -n 10", "time", "env -i", "nohup", "xargs -n 1"]
)
def test_a_wrapper_is_looked_through(wrapped: str) -> None:
    assert one(f"{wrapped} pytest tests/a.py").program == "pytest"


@pytest.mark.parametrize(
    ("command", "program", "path"),
    [
        ("./scripts/a.sh --all", "a.sh", "./scripts/a.sh"),
        ("scripts/a.sh", "a.sh", "scripts/a.sh"),
        ("/usr/bin/python3 a.py", "python", "/usr/bin/python3"),
        ("sudo .venv/bin/pytest tests/a.py", "pytest", ".venv/bin/pytest"),
        ("bash -c './scripts/a.sh'", "a.sh", "./scripts/a.sh"),
        ("python3 scripts/a.py", "python", ""),
        ("pytest tests/a.py", "pytest", ""),
    ],
)
def test_a_program_that_is_called_by_its_path_keeps_it(command: str, program: str, path: str) -> None:
    step = one(command)
    assert (step.program, step.program_path) == (program, path)


def test_a_step_shows_its_fields_that_are_set() -> None:
    assert repr(one("./scripts/a.sh")) == (
        "Step(call='./scripts/a.sh', kind='run', program='a.sh', program_path='./scripts/a.sh')"
    )


def test_variables_of_env_and_export_are_kept_by_name_only() -> None:
    assert one("env A=secret B=2 pytest").env == ("A", "B")
    assert one("export TOKEN=secret && pytest").env == ("TOKEN",)
    assert "secret" not in repr(parse_command("A=secret pytest"))


def test_what_a_shell_is_told_to_run_is_understood() -> None:
    steps = parse_command("bash -lc \"sed -n '1,9p' a.py && rg -n 'foo bar' src | head\"")
    assert [(step.kind, step.paths) for step in steps] == [("read", ("a.py",)), ("search", ("src",))]
    assert parse_command("zsh -c 'bash -c \"pytest a.py\"'")[0].program == "pytest"


@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "Add it" -m "Because of that"',
        "git add -A && git commit -am 'Add it\n\nBecause of that' && git push",
        "git commit -m \"$(cat <<'EOF'\nAdd it\n\nBecause of that\nEOF\n)\"",
        "cat <<EOF | git commit -F -\nAdd it\n\nBecause of that\nEOF",
        "git commit -F - <<'EOF'\nAdd it\n\nBecause of that\nEOF",
        "git commit --message='Add it\n\nBecause of that'",
    ],
)
def test_the_message_of_a_commit_is_found_however_it_is_given(command: str) -> None:
    (step,) = (step for step in parse_command(command) if step.kind == "commit")
    assert step.message == "Add it\n\nBecause of that"


def test_a_message_may_hold_quotes_and_parentheses() -> None:
    command = "git commit -m \"$(cat <<'EOF'\nDon't (ever) \"stop\nEOF\n)\" && pytest"
    assert [step.program for step in parse_command(command)] == ["git commit", "pytest"]
    assert parse_command(command)[0].message == "Don't (ever) \"stop"


def test_a_here_document_is_written_and_not_run() -> None:
    steps = parse_command("cat > run.sh <<'EOF'\nrm -rf /\npytest\nEOF\nbash run.sh")
    assert [(step.kind, step.paths) for step in steps] == [("edit", ("run.sh",)), ("run", ("run.sh",))]


def test_a_here_document_ends_at_its_own_line_only() -> None:
    assert [step.program for step in parse_command("cat > a <<EOF\nEOFX\npytest\nEOF\nnpm test")] == [">", "npm test"]


def test_a_patch_edits_the_files_it_names() -> None:
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\nEOF"
    assert one(patch).paths == ("src/a.py", "b.py")
    assert one("git apply <<'EOF'\n--- a/x.py\n+++ b/x.py\nEOF").paths == ("x.py",)


def test_redirections_to_nowhere_and_between_streams_edit_nothing() -> None:
    assert [step.kind for step in parse_command("pytest > /dev/null 2>&1")] == ["test"]


def test_an_unfinished_quote_is_read_to_the_end() -> None:
    assert one("grep -n 'foo bar").pattern == "foo bar"
    assert [step.kind for step in parse_command("pytest a.py && echo 'oops && rm -rf x")] == ["test"]


def test_the_chosen_tests_are_the_pattern() -> None:
    assert one('go test ./... -run "TestA|TestB" -count=1').pattern == "TestA|TestB"
    assert one("pytest -k 'a and b' -n 4").pattern == "a and b"


def test_nothing_is_understood_of_nothing() -> None:
    assert parse_command("") == parse_command("# only a comment") == ()


@given(st.text(alphabet="ab '\"\\$`(){}<>|&;#\n-=./EOF*~", max_size=300))
def test_any_text_is_understood_or_left(command: str) -> None:
    for step in parse_command(command):
        assert step.kind in PROGRAM_KINDS
        assert step.program
        assert all(isinstance(path, str) for path in step.paths)


HOSTILE = [
    '"$(',
    "'",
    "<<E\n",
    "$(",
    "\\",
    "( ",
    "`",
    "$(cat <<E\n",
    "sudo ",
    "a=",
    "do ",
    "/a",
    "-m ",
    "| cat ",
    ">a ",
    "{",
]


@pytest.mark.promise("linear-time")
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_work_grows_with_the_length_and_not_faster(piece: str) -> None:
    short, long = (_lines_run(piece * (chars // len(piece))) for chars in (2_000, 16_000))
    assert long < 20 * short + 2_000


def _lines_run(command: str) -> int:
    """How many lines of Python it takes to take a command apart: a clock that no neighbour disturbs."""
    count = 0

    def traced(frame: FrameType, event: str, argument: object) -> TraceFunction:
        nonlocal count
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        commands.parse_command.__wrapped__(command)
    finally:
        sys.settrace(before)
    return count


def test_what_lies_beyond_the_limit_is_not_read() -> None:
    command = "pytest " + "x" * shell.SHELL_COMMAND_CHARS_MAX + " && curl https://example.com"
    assert [step.kind for step in parse_command(command)] == ["test"]


def test_a_hook_may_import_it() -> None:
    code = (
        "import sys; before = set(sys.modules); import holloway.text.commands, holloway.text.failures as f\n"
        "f.is_failure('FAIL', False, 'pytest | tail')\n"
        "print(sorted({'dataclasses', 'typing', 'inspect', 'pathlib', 'hashlib'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("line", "words", "runner"),
    [
        ("docker compose run web", "docker run web", ""),
        ("docker compose exec", "docker exec", ""),
        ("docker compose run web pytest -q", "pytest -q", "docker compose run web"),
        ("docker compose up", "docker compose up", ""),
    ],
)
def test_a_wrapper_without_a_command_is_the_command(line: str, words: str, runner: str) -> None:
    assert unwrap_command(line.split()) == (words.split(), [], runner.split())


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bash", "-lc", "make test"], "make test"),
        (["/bin/sh", "-e", "-c", "make test", "name"], "make test"),
        (["eval", "make", "test"], "make test"),
        (["bash", "deploy.sh", "-c", "make test"], ""),
        (["bash", "-c"], ""),
        (["python", "-c", "print()"], ""),
    ],
)
def test_the_line_of_a_shell_is_found_before_the_name_of_a_script(words: list[str], line: str) -> None:
    assert commands.find_command_line(words) == line


def test_a_toolchain_is_part_of_how_a_program_is_called_and_not_of_its_name() -> None:
    step = one("cargo +nightly test -q")
    assert (step.program, step.call, step.kind) == ("cargo test", "cargo +nightly test", "test")
    assert one("cargo test -q").call == "cargo test"
    assert one("go +nightly test").program == "go +nightly"
