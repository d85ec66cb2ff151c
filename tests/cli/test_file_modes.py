"""Everything that holloway writes into its data folder is readable by its owner only, whatever the umask."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import holloway
from tests.cli.conftest import Cli
from tests.conftest import Repository, make_repository
from tests.hooks.asking import event, hook
from tests.service.on_disk import transcript


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """The umask of a person who shares everything, of most people, of a careful one."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """Every file and folder that somebody else may open, with its mode."""
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}
    return {
        str(path.relative_to(folder)): oct(mode)
        for path, mode in modes.items()
        if mode != (0o700 if path.is_dir() else 0o600)
    }


@pytest.mark.promise("private-files")
@pytest.mark.usefixtures("umask")
def test_commands_hooks_and_sessions_leave_private_files_only(
    cli: Cli, repository: Repository, tmp_path: Path, home: Path
) -> None:
    (Path.home() / ".claude").mkdir(parents=True)
    transcript(repository.root, "before")
    cli("init", "--yes")
    cli("remember", "tokens are burnt on refresh", "--file", "src/shop/auth/tokens.py")
    cli("remember", "answers are short", "--user")
    cli("config", "set", "synchronous", "full")
    cli("backup")
    cli("pause", "injection")
    cli("resume")
    cli("pause", "--everywhere")
    cli("resume", "--everywhere")
    cli("recall", "refresh")
    cli("export", "--format", "archive", "--output", str(tmp_path / "all.holloway"))
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolBatch", "Stop"):
        hook(event(repository, name, source="startup", prompt="Fix the refresh of tokens"))
    with holloway.open(repository.root) as memory:
        memory.session("s2", task="Fix it").checkpoint()
        memory.store.create_backup()
    repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    cli("status")
    stranger = make_repository(tmp_path / "stranger", {"a": "1"})
    stranger.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    hook(event(stranger, "SessionStart", source="startup"))
    hook(b"{broken")
    assert json.loads((home / "asked.json").read_text())
    assert (home / "hook-failures.log").exists()
    assert open_to_others(home) == {}
