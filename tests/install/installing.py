"""What tests of setup share: one file of an agent's connected and disconnected, and the command line called."""

import json
from pathlib import Path

import pytest

from holloway.cli import main
from holloway.install import (
    CLAUDE_CODE_DIALECT,
    DIALECTS,
    connection_checks,
    file_change,
    launch_command,
    original_files,
)
from holloway.install.file_change import ConfigChange, ConfigPart
from holloway.install.file_content import parse_settings
from holloway.install.hooks_json import HooksJson, find_our_hooks


def holloway(*arguments: str) -> int:
    """Run a command; returns its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def written(path: Path, data: bytes | None) -> None:
    """A file with these bytes, its folder in any case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)


def part(path: Path, within: Path | None = None) -> ConfigPart:
    """Claude Code's hooks in a file."""
    content = HooksJson(CLAUDE_CODE_DIALECT, launch_command.launch_by_path(), with_status=False)
    scope = "project" if within else "user"
    return ConfigPart(
        path, content, "claude-code", scope, within or path.parent, needed=True, inside=within is not None
    )


def planned(path: Path, home: Path, *, remove: bool, within: Path | None = None) -> ConfigChange:
    """What setup or removal would do to a file."""
    return file_change.plan_removal(part(path, within), home) if remove else file_change.plan_setup(part(path, within))


def connected(path: Path, home: Path) -> None:
    """Put Claude Code's hooks into a file."""
    file_change.apply_change(planned(path, home, remove=False), home, original_files.missing_folders(path))


def disconnected(path: Path, home: Path) -> None:
    """Take them out again."""
    file_change.apply_change(planned(path, home, remove=True), home)


def write_old_form(path: Path, agent: str) -> None:
    """Turn the hooks in a file into what earlier versions of setup wrote for this agent."""
    settings = json.loads(path.read_bytes())
    words = (*launch_command.launch_by_path().hook, agent)
    separate = {"command": words[0], "args": list(words[1:])}
    for hook in find_our_hooks(settings):
        hook.value.update(
            separate if agent == CLAUDE_CODE_DIALECT.agent else {"command": launch_command.join_shell_line(words)}
        )
    path.write_text(json.dumps(settings, indent=2))


def events(path: Path) -> list[str]:
    """The events on which a file has hooks of ours."""
    return list(dict.fromkeys(hook.event for hook in find_our_hooks(parse_settings(path.read_text("utf-8")))))


def hints(root: Path, agent: str = "claude-code") -> list[str]:
    """What the doctor advises for an agent's connection."""
    return [check.hint for check in connection_checks.check_connections(root) if check.name == agent and check.finding]


def findings(root: Path, agent: str = "claude-code") -> list[str]:
    """What the doctor finds wrong with an agent's connection."""
    return [
        check.finding for check in connection_checks.check_connections(root) if check.name == agent and check.finding
    ]


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below one, with the bytes of the files."""
    found = sorted(folder.rglob("*")) if folder.exists() else []
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}


def record(home: Path) -> dict[str, object]:
    """What the data folder knows of the one file that was set up."""
    (file,) = (home / "installs").iterdir()
    loaded: dict[str, object] = json.loads(file.read_bytes())
    return loaded


AGENTS = tuple(DIALECTS)
WITH_JSON = tuple(agent for agent, dialect in DIALECTS.items() if not dialect.plugin)
"""The agents whose hooks are entries of a JSON file."""
WITH_PLUGIN = tuple(agent for agent in AGENTS if agent not in WITH_JSON)
