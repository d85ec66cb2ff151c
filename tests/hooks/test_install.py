import json
from pathlib import Path

import pytest

from holloway.errors import HollowayError, InvalidInput
from holloway.hooks import install
from holloway.hooks.install import CLAUDE_CODE

SETTINGS = {
    "nothing": None,
    "an empty file": b"",
    "an empty object": b"{}",
    "tabs and no last newline": b'{\n\t"model": "opus",\n\t"env": {"A": "1"}\n}',
    "four spaces": b'{\n    "permissions": {\n        "allow": ["Bash(ls:*)"]\n    }\n}\n',
    "one line": b'{"model": "opus", "includeCoAuthoredBy": false}',
    "windows line ends": b'{\r\n  "model": "opus"\r\n}\r\n',
    "other letters": '{\n  "name": "Zoë — 日本"\n}\n'.encode(),
    "strange order and spacing": b'{ "z":1,\n "a" : [ 1,2 , 3 ],\n\n\n "hooks": {} }\n',
    "hooks of others": b"""{
  "hooks": {
    "PostToolUse": [
      {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
  },
  "statusLine": {"type": "command", "command": "~/.claude/line.sh"}
}
""",
}


def connected(path: Path, home: Path) -> None:
    install.apply(install.plan(CLAUDE_CODE, path, remove=False, home=home), home)


def disconnected(path: Path, home: Path) -> None:
    install.apply(install.plan(CLAUDE_CODE, path, remove=True, home=home), home)


def written(path: Path, data: bytes | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the settings of the person are."""
    return tmp_path / "person/.claude/settings.json"


@pytest.mark.promise("leaves-no-trace")
@pytest.mark.parametrize("before", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("times", [1, 2])
def test_after_removal_the_file_is_what_it_was_byte_for_byte(
    path: Path, home: Path, before: bytes | None, times: int
) -> None:
    written(path, before)
    for _ in range(times):
        connected(path, home)
    disconnected(path, home)
    assert (path.read_bytes() if path.exists() else None) == before
    assert list((home / "installs").iterdir()) == []


@pytest.mark.parametrize("before", SETTINGS.values(), ids=SETTINGS)
def test_setup_adds_its_hooks_and_keeps_everything_else(path: Path, home: Path, before: bytes | None) -> None:
    written(path, before)
    connected(path, home)
    after = json.loads(path.read_bytes())
    assert set(CLAUDE_CODE.events) <= set(after["hooks"])
    assert set(install.installed(path)) == set(CLAUDE_CODE.events)
    old = json.loads(before) if before else {}
    for event, entries in old.pop("hooks", {}).items():
        assert after["hooks"][event][: len(entries)] == entries
    assert {name: value for name, value in after.items() if name != "hooks"} == old


def test_setting_up_twice_changes_nothing_more(path: Path, home: Path) -> None:
    written(path, SETTINGS["hooks of others"])
    connected(path, home)
    again = install.plan(CLAUDE_CODE, path, remove=False, home=home)
    assert not again.needed


def test_what_a_person_changed_in_between_stays_after_removal(path: Path, home: Path) -> None:
    written(path, SETTINGS["four spaces"])
    connected(path, home)
    settings = json.loads(path.read_bytes())
    settings["model"] = "opus"
    settings["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    path.write_text(json.dumps(settings, indent=4))
    disconnected(path, home)
    assert json.loads(path.read_bytes()) == {
        "permissions": {"allow": ["Bash(ls:*)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
        "model": "opus",
    }


@pytest.mark.parametrize(
    "data", [b"{", b'{"a": 1,}', b"// comment\n{}", b"[]", b"7", b"\xff\xfe", b"[" * 90_000, b'{"hooks": []}']
)
def test_a_file_that_is_not_understood_is_left_alone_with_a_message(path: Path, home: Path, data: bytes) -> None:
    written(path, data)
    with pytest.raises(HollowayError) as caught:
        install.plan(CLAUDE_CODE, path, remove=False, home=home)
    assert str(path) in caught.value.message
    assert path.read_bytes() == data


def test_a_linked_file_stays_a_link(path: Path, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles/settings.json"
    written(real, b"{}\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    connected(path, home)
    assert path.is_symlink()
    assert install.installed(real)
    disconnected(path, home)
    assert path.is_symlink()
    assert real.read_bytes() == b"{}\n"


def test_the_files_permissions_stay(path: Path, home: Path) -> None:
    written(path, b"{}")
    path.chmod(0o644)
    connected(path, home)
    assert path.stat().st_mode & 0o777 == 0o644


def test_removal_where_nothing_is_installed_changes_nothing(path: Path, home: Path) -> None:
    written(path, SETTINGS["one line"])
    assert not install.plan(CLAUDE_CODE, path, remove=True, home=home).needed


def test_the_command_is_an_absolute_path_without_a_shell(path: Path, home: Path) -> None:
    entry = install.handler(CLAUDE_CODE, 5)
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["command"]).exists()
    assert isinstance(entry["args"], list)
    assert "shims" not in entry["command"]


def test_scope_chooses_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install.config_file(CLAUDE_CODE, "project", tmp_path) == tmp_path / ".claude/settings.local.json"
    assert install.config_file(CLAUDE_CODE, "user", tmp_path) == Path.home() / ".claude/settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert install.config_file(CLAUDE_CODE, "user", tmp_path) == tmp_path / "elsewhere/settings.json"


def test_an_unknown_agent_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        install.dialect("hal9000")
    assert "claude-code" in caught.value.hint


def test_hooks_whose_interpreter_is_gone_are_found_by_the_doctor(path: Path, home: Path) -> None:
    connected(path, home)
    assert install.verdict(CLAUDE_CODE, path)[0] == "ok"
    path.write_text(path.read_text().replace(install.handler(CLAUDE_CODE, 5)["command"], "/nowhere/python"))
    assert install.verdict(CLAUDE_CODE, path)[0] == "failure"
