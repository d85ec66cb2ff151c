import os
import subprocess
import sys
from pathlib import Path

import pytest

from holloway.cli import CLI_COMMANDS
from tests.cli.conftest import Cli
from tests.conftest import Repository

NAMES = [name for section in CLI_COMMANDS.values() for name in section]


def test_edit_pin_and_review(cli: Cli, trap: str, tmp_path: Path) -> None:
    assert cli("edit", trap, "refresh() burns it twice", "--json").json["content"] == "refresh() burns it twice"
    assert cli("pin", trap, "--json").json["pinned"]
    assert not cli("pin", trap, "--off", "--json").json["pinned"]
    foreign = tmp_path / "foreign.json"
    foreign.write_text('[{"content": "from afar"}, {"content": "from farther"}]')
    cli("import", str(foreign))
    one, two = (each["id"] for each in cli("review", "--json").json["results"])
    assert "imported, and nobody who is known here wrote it" in cli("review").out
    cli("review", "--ok", one, "--drop", two)
    assert cli("review", "--json").json["results"] == []
    assert cli("show", one, "--json").json["state"] == "confirmed"
    assert cli("show", two, "--quarantined", "--json").json["deleted_at"]


def test_review_later_asks_another_day(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "foreign.md").write_text("- from afar\n")
    cli("import", str(tmp_path / "foreign.md"))
    (one,) = (each["id"] for each in cli("review", "--json").json["results"])
    assert cli("review", "--later", one).out.startswith("Approved 0, dropped 0, later 1; 0 left to review.")


@pytest.mark.promise("looking")
def test_looking_leaves_nothing_behind(cli: Cli, home: Path, tmp_path: Path) -> None:
    looks = (("list",), ("recall", "x"), ("status",), ("brief",), ("review",), ("doctor",), ("config",))
    for arguments in (*looks, ("config", "get", "synchronous", "--here"), ("config", "list", "--here")):
        assert cli(*arguments).code == 0
    cli("setup", "claude-code", "--dry-run")
    assert not (home / "projects").exists()


def test_names_with_escape_sequences_do_not_steer_the_terminal(cli: Cli, repository: Repository) -> None:
    folder = repository.root / "src/shop/\x1b]0;PWNED\x07\x1b[31mmod"
    folder.mkdir()
    (folder / "a.py").write_text("x")
    for arguments in (("init",), ("brief",), ("status",)):
        assert "\x1b" not in cli(*arguments).out


def test_a_terminal_without_our_signs_still_gets_an_answer(repository: Repository) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "holloway", "doctor"],
        cwd=repository.root,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(cli: Cli, name: str) -> None:
    shown = cli(name, "--help")
    assert shown.code == 0
    assert "Example" in shown.out
    assert f"holloway {name}" in shown.out


READERS = [("list",), ("recall", "x"), ("status",), ("doctor",), ("review",), ("brief",), ("config",), ("init",)]


@pytest.mark.parametrize("arguments", READERS, ids=lambda arguments: arguments[0])
def test_what_reads_can_print_json(cli: Cli, trap: str, arguments: tuple[str, ...]) -> None:
    assert isinstance(cli(*arguments, "--json").json, dict)


def test_colour_only_on_a_terminal(cli: Cli, trap: str) -> None:
    for arguments in READERS:
        assert "\x1b" not in cli(*arguments).out


@pytest.mark.promise("help-is-light")
def test_help_loads_no_command(repository: Repository) -> None:
    code = (
        "import sys\nfrom holloway.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted(m for m in sys.modules if m.startswith(('holloway.', 'rich', 'sqlite3'))), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stderr.strip() == "['holloway.cli', 'holloway.errors']"


@pytest.mark.parametrize(("given", "meant"), [("rember", "remember"), ("search", "recall"), ("help", "--help")])
def test_a_command_that_there_is_not_is_answered_with_the_one_that_was_meant(cli: Cli, given: str, meant: str) -> None:
    said = cli(given, "token")
    assert said.code == 2
    assert f"There is no command '{given}'. Did you mean {meant}?" in said.err


def test_a_reader_that_stops_reading_is_no_error(trap: str, repository: Repository) -> None:
    command = f"{sys.executable} -m holloway list | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=repository.root, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("0\n")
    assert done.stderr == ""


def test_without_colour_nothing_is_bold_either(trap: str, repository: Repository) -> None:
    code = (
        "import os, pty, sys\n"
        "os.environ['NO_COLOR'] = '1'\n"
        f"pty.spawn([{sys.executable!r}, '-m', 'holloway', 'status'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=repository.root, capture_output=True, text=True, check=True)
    assert "memories" in done.stdout
    assert "\x1b" not in done.stdout
