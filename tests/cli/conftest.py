"""A command line in the test's own process."""

import io
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holloway.cli import main
from tests.conftest import Repository


@dataclass(frozen=True)
class Run:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


Cli = Callable[..., Run]


@pytest.fixture
def cli(repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command where the small shop is."""
    monkeypatch.chdir(repository.root)

    def run(*arguments: str, stdin: bytes = b"") -> Run:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        return Run(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def trap(cli: Cli) -> str:
    """The id of a taught trap."""
    return str(cli("remember", "refresh() burns the token", "--file", "src/shop/auth/tokens.py", "--json").json["id"])


@pytest.fixture
def hub(tmp_path: Path, repository: Repository) -> Path:
    """A bare repository that the project's remote `origin` names."""
    path = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    repository.git("remote", "add", "origin", str(path))
    return path
