"""Which modules may start another program."""

import ast
from pathlib import Path

import pytest

import holloway

SOURCE = Path(holloway.__file__).parent
STARTERS = {"subprocess", "multiprocessing", "pty", "asyncio.subprocess"}
CALLS = (
    *(f"os.{name}" for name in ("system", "popen", "exec", "spawn", "posix_spawn", "fork", "startfile")),
    "asyncio.create_subprocess",
)
ALLOWED = {
    "git/runner.py": "git, in isolation",
    "git/transfer.py": "git, for memories that the user shares",
    "service/background_worker.py": "the worker",
    "llm/agent_process.py": "the agent that the user chose as reader",
    "llm/agent_supervisor.py": "that agent, so that it ends with the worker",
    "codemap/process_pool.py": "processes that parse files",
    "service/local_models.py": "the Ollama of this machine, asked for its models",
    "install/launch_command.py": "quotes a command line and starts nothing",
}


def starts_programs(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and any(name.name.split(".")[0] in STARTERS for name in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in STARTERS:
            return True
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith(CALLS):
            return True
    return False


@pytest.mark.promise("repository-is-not-trusted")
def test_only_these_modules_start_programs() -> None:
    starting = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if starts_programs(path.read_text("utf-8"))
    }
    assert starting == set(ALLOWED)


@pytest.mark.parametrize(
    "source", ["import subprocess as s", "from multiprocessing import Pool", "import os\nos.execv"]
)
def test_a_start_of_a_program_is_recognised(source: str) -> None:
    assert starts_programs(source)
