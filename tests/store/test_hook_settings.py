import json
from pathlib import Path

import pytest

import holloway
from holloway import config
from holloway.store import registry
from holloway.store.hook_settings import is_excluded, save_hook_settings
from tests.conftest import Repository


def saved(memory: holloway.Holloway) -> dict[str, object] | None:
    """Save the settings as they are now; returns what a hook reads."""
    settings = config.Settings.load_settings(memory.project.key, str(memory.home))
    save_hook_settings(memory.project, settings)
    path = memory.project.folder / registry.HOOK_SETTINGS
    content: dict[str, object] | None = json.loads(path.read_text()) if path.exists() else None
    return content


def test_a_hook_reads_the_exclusions_and_without_any_there_is_no_file(memory: holloway.Holloway) -> None:
    assert saved(memory) is None
    config.change_setting("exclude.paths", "secrets, *.pem")
    config.change_setting("exclude.commands", "vault")
    assert saved(memory) == {"exclude_paths": ["secrets", "*.pem"], "exclude_commands": ["vault"]}
    config.change_setting("exclude.projects", memory.project.name)
    config.change_setting("exclude.paths", "")
    assert saved(memory) == {"exclude_commands": ["vault"], "excluded": True}
    for name in ("exclude.commands", "exclude.projects"):
        config.change_setting(name, "")
    assert saved(memory) is None


def test_a_file_that_says_the_same_is_not_written_again(memory: holloway.Holloway) -> None:
    config.change_setting("exclude.commands", "vault")
    saved(memory)
    path = memory.project.folder / registry.HOOK_SETTINGS
    before = path.stat().st_ino
    saved(memory)
    assert path.stat().st_ino == before
    config.change_setting("exclude.commands", "aws")
    saved(memory)
    assert path.stat().st_ino != before


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("shop", True),
        ("KEY", True),
        ("ROOT", True),
        ("ROOT/", True),
        ("PARENT", True),
        ("PARENT/*", True),
        ("PARENT/other", False),
        ("ROOT/src", False),
        ("sho", False),
        ("other, shop", True),
    ],
)
def test_a_project_is_excluded_by_name_key_folder_or_one_above(
    memory: holloway.Holloway, repository: Repository, pattern: str, expected: bool
) -> None:
    words = {"ROOT": str(repository.root), "PARENT": str(repository.root.parent), "KEY": memory.project.key}
    for word, value in words.items():
        pattern = pattern.replace(word, value)
    config.change_setting("exclude.projects", pattern)
    settings = config.Settings.load_settings(memory.project.key, str(memory.home))
    assert is_excluded(memory.project, settings) is expected


def test_a_tilde_is_the_persons_folder(
    memory: holloway.Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def excluded(pattern: str) -> bool:
        config.change_setting("exclude.projects", pattern)
        return is_excluded(memory.project, config.Settings.load_settings(memory.project.key, str(memory.home)))

    monkeypatch.setenv("HOME", str(Path(repository.root).parent))
    assert excluded("~")
    assert excluded("~/shop")
    assert not excluded("~shop")
    monkeypatch.setenv("HOME", "/nowhere")
    assert not excluded("~/shop")
