"""Whatever is asked of it, with keys of every provider lying about, holloway opens no connection by itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Repository

WATCHED = """
import sys

def watch(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        with open(sys.argv[1], "a") as seen:
            seen.write(f"{event} {arguments[1:]}\\n")

sys.addaudithook(watch)
"""
COMMAND = WATCHED + "from holloway.cli import main\nmain(sys.argv[2:])\n"
WORKER = WATCHED + "from holloway import worker\nsys.argv = [sys.argv[0], sys.argv[2]]\nworker.main()\n"
CONNECTS = WATCHED + "import socket\nsocket.create_connection(('127.0.0.1', 9), timeout=1)\n"
COMMANDS = (
    ["init", "--yes"],
    ["remember", "refresh() burns the token; call it once", "--file", "src/shop/auth/tokens.py"],
    ["recall", "who burns what"],
    ["ask", "what happens to a token that is refreshed?"],
    ["locate", "a token is refreshed twice"],
    ["brief"],
    ["learn"],
    ["review", "--json"],
    ["export", "--format", "json"],
    ["status"],
    ["doctor"],
)


def run(program: str, seen: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, str(seen), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_connection_would_be_seen(tmp_path: Path) -> None:
    run(CONNECTS, tmp_path / "seen")
    assert "socket.connect" in (tmp_path / "seen").read_text()


@pytest.mark.promise("nothing-is-sent")
def test_no_command_and_no_worker_opens_a_connection(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VOYAGE_API_KEY", "COHERE_API_KEY"):
        monkeypatch.setenv(name, "a-key-that-lies-about")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:11434")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    seen = tmp_path / "seen"
    for arguments in COMMANDS:
        done = run(COMMAND, seen, *arguments, "--project", str(repository.root))
        assert done.returncode == 0, (arguments, done.stderr)
    assert run(WORKER, seen, str(repository.root)).returncode == 0
    assert not seen.exists(), seen.read_text()
