"""Documentation that cannot rot: generated parts are compared, commands are run, links lead somewhere."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import holloway
from docs import events, generate
from docs.console import BLOCK, Shell, fill_blocks, parse_steps, to_plain
from holloway.observer.signals.signal import SIGNALS
from holloway.safety.secrets import load_rules
from holloway.service.results import memory_json
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.domain.made import a_memory

ROOT = generate.DOCS.parent
WITH_CONSOLE = [page for page in generate.PAGES if BLOCK.search(page.read_text("utf-8"))]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.promise("documented")
@pytest.mark.parametrize("name", generate.GENERATED)
def test_what_is_written_from_the_code_says_what_the_code_says(name: str) -> None:
    assert (generate.DOCS / name).read_text("utf-8") == generate.GENERATED[name](), "`make docs` writes it anew"


@pytest.mark.promise("documented")
def test_every_event_that_setup_installs_a_hook_for_is_explained(tmp_path: Path, repository: Repository) -> None:
    Shell(repository.root, tmp_path / "shell").run("holloway setup claude-code --yes")
    settings = json.loads((tmp_path / "shell/home/.claude/settings.json").read_text("utf-8"))
    assert set(settings["hooks"]) <= set(events.HOOK_EVENTS)


def test_every_page_is_listed_where_a_reader_begins() -> None:
    index = (generate.DOCS / "README.md").read_text("utf-8")
    pages = {path.name for path in generate.DOCS.glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"({page})" not in index} == set()


@pytest.mark.promise("documented")
@pytest.mark.parametrize("name", generate.TABLES)
def test_a_table_in_a_page_says_what_the_code_says(name: str) -> None:
    assert (generate.DOCS / name).read_text("utf-8") == generate.with_table(name), "`make docs` writes it anew"


@pytest.mark.promise("documented", "signals")
def test_every_signal_that_is_watched_is_explained() -> None:
    page = (generate.DOCS / "learning.md").read_text("utf-8")
    named = set(re.findall(r"[a-z0-9_]+", page.partition("## Signals")[2].partition("## Validation")[0]))
    assert {str(signal) for signal in SIGNALS} <= named


@pytest.mark.promise("documented")
def test_every_json_field_is_documented() -> None:
    text = (generate.DOCS / "json.md").read_text("utf-8")
    documented = set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))
    assert set(memory_json(a_memory(), FakeClock().now())) | {"score", "project"} <= documented


@pytest.mark.promise("documented")
@pytest.mark.parametrize("page", WITH_CONSOLE, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_its_commands_print(page: Path, repository: Repository, tmp_path: Path) -> None:
    shown = page.read_text("utf-8")
    shell = Shell(repository.root, tmp_path / "shell")
    real = fill_blocks(shown, shell)
    assert to_plain(real) == to_plain(shown)


@pytest.mark.promise("documented")
def test_the_lines_that_the_readme_begins_with_are_what_an_agent_is_told(repository: Repository) -> None:
    refused = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
    tokens = "src/shop/auth/tokens.py"
    with holloway.open(repository.root) as memory:
        memory.remember("refresh() burns the token; call it once", files=[tokens])
        with memory.session("one") as session:
            session.used("edit", {"path": tokens, "old_string": "a", "new_string": "b"}, "ok")
            session.used("bash", {"command": "pytest -q"}, refused, ok=False)
            session.used("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "3 passed in 0.1s")
            session.finish(outcome="success")
        with memory.session("two") as session:
            told = [session.used("read_file", {"path": tokens}, "def refresh(token): ...")]
            told.append(session.used("bash", {"command": "pytest -q"}, refused, ok=False))
    shown = (ROOT / "README.md").read_text("utf-8").partition("## Try it")[0].splitlines()
    assert [each.partition(" [hw:")[0] for each in told] == [
        line.partition(" [hw:")[0] for line in shown if "[hw:" in line
    ]


@pytest.mark.promise("documented")
@pytest.mark.usefixtures("event_loop_of_its_own")
@pytest.mark.parametrize("page", generate.PAGES, ids=lambda page: page.name)
def test_python_in_a_page_runs_and_prints(
    page: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.root)
    for code in PYTHON.findall(page.read_text("utf-8")):
        exec(compile(code, str(page), "exec"), {})  # noqa: S102
        assert capsys.readouterr().out


@pytest.mark.parametrize("page", [*generate.PAGES, *generate.DOCS.glob("decisions/*.md")], ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def headings(page: Path) -> set[str]:
    """What a link may name in a page."""
    found = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", generate.PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings_that_exist(page: Path) -> None:
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8")):
        assert heading in headings(page.parent / target if target else page), f"{target}#{heading}"


def test_the_number_of_secret_rules_in_the_docs_is_right() -> None:
    assert f"scanned by {len(load_rules().rules)} rules" in (generate.DOCS / "security.md").read_text("utf-8")


def test_make_run_takes_a_project_whose_path_has_spaces() -> None:
    command = ["make", "--no-print-directory", "--dry-run", "--always-make", "run", "PROJECT=my own shop"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert shlex.split(done.stdout.splitlines()[-1])[-2:] == ["--project", "my own shop"]


def test_steps_of_a_block_keep_their_output() -> None:
    found = parse_steps("$ holloway list\none\ntwo\n$ make run\n")
    assert [(step.command, step.output, step.runs) for step in found] == [
        ("holloway list", "one\ntwo\n", True),
        ("make run", "", False),
    ]
