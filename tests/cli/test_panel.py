"""The commands of the panel, run as a person runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

import holloway
from holloway.cli import main
from holloway.panel import start

if TYPE_CHECKING:
    from tests.conftest import Repository


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of holloway."""
    return subprocess.run(
        [sys.executable, "-m", "holloway", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.fixture
def running(repository: Repository, home: Path) -> Iterator[str]:
    """The one-time address that a panel printed."""
    holloway.open(repository.root).close()
    command = [sys.executable, "-m", "holloway", "panel"]
    with subprocess.Popen(command, cwd=repository.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


def open_page(address: str) -> tuple[int, str]:
    """Return the status and the text of a page."""
    try:
        with urllib.request.urlopen(address) as answer:  # noqa: S310  (an address of this machine)
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_panel_prints_its_address_once_and_every_command_names_it(running: str, repository: Repository) -> None:
    address = running.partition("/enter")[0]
    assert urlsplit(running).hostname == "127.0.0.1"
    assert address in run("status", cwd=repository.root).stdout
    link = run("panel", "--link", cwd=repository.root).stdout.strip()
    assert link.startswith(f"{address}/enter?token=")
    assert link != running
    taught = run("teach", "src/shop/auth/tokens.py", "--text", "Tokens & co", cwd=repository.root).stdout.strip()
    page = urlsplit(parse_qs(urlsplit(taught).query)["next"][0])
    assert page.path == "/teach"
    assert parse_qs(page.query) == {"file": ["src/shop/auth/tokens.py"], "text": ["Tokens & co"]}
    status, text = open_page(f"{address}/memories")
    assert (status, "panel --link" in text) == (401, True)


def test_a_second_panel_of_a_project_names_the_first(running: str, repository: Repository) -> None:
    answer = run("panel", cwd=repository.root)
    assert answer.returncode == 1
    assert "panel --link" in answer.stderr


def test_an_interrupt_ends_a_panel_without_a_word(repository: Repository, home: Path) -> None:
    holloway.open(repository.root).close()
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "holloway", "panel"]
    with subprocess.Popen(command, cwd=repository.root, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().partition("/enter")[0]
        assert open_page(f"{address}/memories")[0] == 401
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "")
        assert process.returncode == 0


def test_a_panel_that_was_killed_leaves_no_address(repository: Repository, home: Path) -> None:
    holloway.open(repository.root).close()
    command = [sys.executable, "-m", "holloway", "panel"]
    with subprocess.Popen(command, cwd=repository.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        process.kill()
    answer = run("panel", "--link", cwd=repository.root)
    assert answer.returncode == 2
    assert "No panel runs" in answer.stderr
    assert "not running" in run("status", cwd=repository.root).stdout


def test_a_taken_port_is_named(running: str, repository: Repository, tmp_path: Path) -> None:
    port = str(urlsplit(running).port)
    other = tmp_path / "other"
    other.mkdir()
    holloway.open(other).close()
    answer = run("panel", "--port", port, cwd=other)
    assert answer.returncode == 1
    assert port in answer.stderr


def test_a_folder_without_a_memory_is_named(tmp_path: Path) -> None:
    answer = run("panel", cwd=tmp_path)
    assert answer.returncode == 1
    assert "holloway init" in answer.stderr


@pytest.mark.parametrize("package", start.PANEL_PACKAGES)
def test_a_missing_extra_names_the_command_that_installs_it(
    package: str, repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit):
        main(["panel", "--project", str(repository.root)])
    message = capsys.readouterr().err
    assert package in message
    assert "holloway[panel]" in message


def test_the_panel_loads_nothing_of_its_packages_for_other_commands() -> None:
    code = "import sys; from holloway.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([name for name in ('starlette', 'jinja2', 'uvicorn') if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert answer.stdout.rstrip().endswith("[]")


def test_without_a_panel_teach_serves_its_form(repository: Repository, home: Path) -> None:
    holloway.open(repository.root).close()
    command = [sys.executable, "-m", "holloway", "teach", "src/shop/auth/tokens.py", "--text", "Tokens & co"]
    with subprocess.Popen(command, cwd=repository.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(process.stdout.readline().strip()) as answer:
            form = answer.read().decode()
        process.send_signal(signal.SIGINT)
    assert 'value="src/shop/auth/tokens.py"' in form
    assert "Tokens &amp; co</textarea>" in form
