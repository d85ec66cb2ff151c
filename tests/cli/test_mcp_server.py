"""Commands that agents start: the MCP server and the status line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import Repository


def test_the_server_is_started_for_a_folder_and_for_nothing_else(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Path] = []
    monkeypatch.setattr("holloway.mcp.server.serve_stdio", served.append)
    assert cli("mcp").code == 0
    assert cli("mcp", "--project", "src").code == 0
    refused = cli("mcp", "--project", "README.md")
    assert (refused.code, f"{repository.root / 'README.md'} is not a folder." in refused.err) == (2, True)
    assert served == [repository.root, repository.root / "src"]


def test_the_status_line_command_runs_the_program_that_the_agent_runs(repository: Repository, trap: str) -> None:
    command = [sys.executable, "-m", "holloway", "statusline"]
    state = json.dumps({"cwd": str(repository.root)})
    done = subprocess.run(command, input=state, capture_output=True, text=True, check=True)
    assert "1 memory" in done.stdout
