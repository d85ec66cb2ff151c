import hashlib
import json
import os
import signal
from pathlib import Path

import pytest

from holloway import install
from holloway.errors import HollowayError, InvalidInput
from holloway.install import CLAUDE_CODE_DIALECT, file_change, launch_command, original_files
from holloway.install.hooks_json import split_command
from holloway.install.launch_command import HOOK_MARK, hook_program
from holloway.service.project_finder import knows
from tests.conftest import Repository
from tests.install.installing import (
    WITH_JSON,
    connected,
    disconnected,
    events,
    findings,
    hints,
    holloway,
    planned,
    record,
    tree,
    write_old_form,
    written,
)

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

NOT_UNDERSTOOD: list[object] = [
    None,
    "x",
    {"PostToolUse": ["x"]},
    {"PostToolUse": [None]},
    {"PostToolUse": None},
    {"PostToolUse": {"hooks": []}},
    {"PostToolUse": [{"hooks": "x"}]},
    {"PostToolUse": [{"hooks": None}]},
    {"PostToolUse": [{"hooks": ["x", 7, None]}]},
]
"""Values of "hooks" that no agent writes, but a person or a repository may."""


def beside(path: Path) -> Path:
    return path.with_name(path.name + ".before-holloway")


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
    assert list(path.parent.iterdir()) == ([] if before is None else [path])


@pytest.mark.parametrize("before", SETTINGS.values(), ids=SETTINGS)
def test_setup_adds_its_hooks_and_keeps_everything_else(path: Path, home: Path, before: bytes | None) -> None:
    written(path, before)
    connected(path, home)
    after = json.loads(path.read_bytes())
    assert set(CLAUDE_CODE_DIALECT.events) <= set(after["hooks"])
    assert set(events(path)) == set(CLAUDE_CODE_DIALECT.events)
    old = json.loads(before) if before else {}
    for event, entries in old.pop("hooks", {}).items():
        assert after["hooks"][event][: len(entries)] == entries
    assert {name: value for name, value in after.items() if name != "hooks"} == old


def test_setting_up_twice_changes_nothing_more(path: Path, home: Path) -> None:
    written(path, SETTINGS["hooks of others"])
    connected(path, home)
    again = planned(path, home, remove=False)
    assert not again.is_needed


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
    assert list(path.parent.iterdir()) == [path]
    assert list((home / "installs").iterdir()) == []


def test_the_data_folder_keeps_hashes_and_the_bytes_stay_beside_the_file(path: Path, home: Path) -> None:
    before = b'{"env": {"ANTHROPIC_API_KEY": "sk-ant-kept-out"}}'
    written(path, before)
    path.chmod(0o640)
    connected(path, home)
    assert record(home) == {
        "path": str(path),
        "agent": "claude-code",
        "scope": "user",
        "root": str(path.parent),
        "existed": True,
        "before": hashlib.sha256(before).hexdigest(),
        "after": hashlib.sha256(path.read_bytes()).hexdigest(),
        "made_folders": [],
    }
    assert beside(path).read_bytes() == before
    assert beside(path).stat().st_mode & 0o777 == 0o640


def test_a_file_that_was_not_there_has_no_copy_and_is_private(path: Path, home: Path) -> None:
    connected(path, home)
    assert (record(home)["existed"], record(home)["before"]) == (False, None)
    assert record(home)["made_folders"] == [str(path.parent), str(path.parent.parent)]
    assert not beside(path).exists()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [folder.stat().st_mode & 0o777 for folder in (home, home / "installs")] == [0o700, 0o700]


def test_a_folder_that_setup_made_goes_with_the_removal(path: Path, home: Path) -> None:
    connected(path, home)
    disconnected(path, home)
    assert not path.parent.exists()


def test_a_folder_that_setup_made_stays_when_something_else_lies_in_it(path: Path, home: Path) -> None:
    connected(path, home)
    (path.parent / "CLAUDE.md").write_text("mine")
    disconnected(path, home)
    assert [file.name for file in path.parent.iterdir()] == ["CLAUDE.md"]


def test_the_first_original_is_kept_when_another_installation_writes_its_hooks(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = SETTINGS["tabs and no last newline"]
    assert before is not None
    written(path, before)
    connected(path, home)
    monkeypatch.setattr("sys.executable", "/opt/other/bin/python")
    connected(path, home)
    assert beside(path).read_bytes() == before
    disconnected(path, home)
    assert path.read_bytes() == before


def test_what_a_person_changed_between_two_setups_stays_after_removal(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, b"{}")
    connected(path, home)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"model": "opus"}))
    monkeypatch.setattr("sys.executable", "/opt/other/bin/python")
    connected(path, home)
    disconnected(path, home)
    assert json.loads(path.read_bytes()) == {"model": "opus"}
    assert list(path.parent.iterdir()) == [path]


def test_a_person_keeps_their_settings_when_the_data_folder_was_lost_before_a_second_setup(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, b'{"model": "opus"}')
    connected(path, home)
    next((home / "installs").iterdir()).unlink()
    monkeypatch.setattr("sys.executable", "/opt/other/bin/python")
    connected(path, home)
    disconnected(path, home)
    assert json.loads(path.read_bytes()) == {"model": "opus"}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("copy", [b'{"model": "forged"}', None], ids=["changed", "gone"])
def test_a_copy_that_is_not_the_original_is_not_brought_back(path: Path, home: Path, copy: bytes | None) -> None:
    written(path, b'{"model": "opus"}')
    connected(path, home)
    beside(path).unlink()
    written(beside(path), copy)
    disconnected(path, home)
    assert json.loads(path.read_bytes()) == {"model": "opus"}
    assert list(path.parent.iterdir()) == [path]


def test_removal_clears_up_after_a_person_who_took_the_hooks_out_by_hand(path: Path, home: Path) -> None:
    written(path, b'{"model": "opus"}')
    connected(path, home)
    path.write_bytes(b'{"model": "sonnet"}')
    assert holloway("setup", "claude-code", "--remove", "--yes") == 0
    assert path.read_bytes() == b'{"model": "sonnet"}'
    assert list(path.parent.iterdir()) == [path]
    assert list((home / "installs").iterdir()) == []


@pytest.mark.parametrize("refused", [".claude/settings.json", ".claude.json", ".claude/commands/holloway-review.md"])
def test_a_setup_that_cannot_write_one_file_leaves_nothing_behind_in_any(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def refuses(target: str, data: bytes) -> None:
        if target == str(Path.home() / refused):
            raise HollowayError("The disk is full.")
        Path(target).write_bytes(data)

    written(path, b"{}")
    before = tree(Path.home())
    monkeypatch.setattr(original_files, "replace_file", refuses)
    assert holloway("setup", "claude-code", "--yes") == 1
    assert tree(Path.home()) == before
    assert list((home / "installs").iterdir()) == []


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("later", [b'{"model": "opus"}', None], ids=["rewritten", "deleted"])
def test_a_file_that_changed_after_it_was_shown_is_not_written(
    path: Path, home: Path, remove: bool, later: bytes | None
) -> None:
    written(path, b"{}")
    if remove:
        connected(path, home)
    made = planned(path, home, remove=remove)
    path.unlink()
    written(path, later)
    with pytest.raises(HollowayError) as caught:
        file_change.apply_change(made, home)
    assert caught.value.message == f"{path} was changed by another program; nothing was written."
    assert caught.value.hint == "Run the command again."
    assert (path.read_bytes() if path.exists() else None) == later
    assert beside(path).exists() == remove


@pytest.mark.parametrize(
    "data",
    [b"{", b'{"a": 1,,}', b"/* comment\n{}", b"[]", b"7", b"\xff\xfe", b"[" * 90_000, b'{"hooks": []}']
    + [json.dumps({"hooks": hooks}).encode() for hooks in NOT_UNDERSTOOD],
)
def test_a_file_that_is_not_understood_is_left_alone_with_a_message(path: Path, home: Path, data: bytes) -> None:
    written(path, data)
    with pytest.raises(HollowayError) as caught:
        planned(path, home, remove=False)
    assert str(path) in caught.value.message
    assert path.read_bytes() == data


@pytest.mark.parametrize("hooks", [*NOT_UNDERSTOOD, {"PostToolUse": [{"matcher": "x"}]}])
def test_hooks_of_any_form_are_nobody_s_and_removal_leaves_them(path: Path, home: Path, hooks: object) -> None:
    written(path, json.dumps({"hooks": hooks}).encode())
    assert events(path) == []
    assert "hooks-gone" not in findings(path.parent)
    assert not planned(path, home, remove=True).is_needed


@pytest.mark.parametrize(
    "entries", [["x"], [None], [{"matcher": "x"}], [{"hooks": "x"}], [{"hooks": ["x", None]}], [{"hooks": []}], {}]
)
def test_entries_of_any_form_stay_when_ours_are_taken_out(path: Path, home: Path, entries: object) -> None:
    connected(path, home)
    settings = json.loads(path.read_bytes())
    settings["hooks"]["Stop"] += entries if isinstance(entries, list) else []
    settings["hooks"]["Other"] = entries
    path.write_text(json.dumps(settings))
    assert set(events(path)) == set(CLAUDE_CODE_DIALECT.events)
    assert findings(path.parent) == []
    disconnected(path, home)
    assert json.loads(path.read_bytes()) == {"hooks": {"Other": entries} | ({"Stop": entries} if entries else {})}


@pytest.mark.parametrize(
    "hook",
    [
        {"args": [HOOK_MARK]},
        {"command": None, "args": [HOOK_MARK]},
        {"command": 7, "args": [HOOK_MARK, {"a": []}]},
        {"command": "x" * 5_000, "args": [HOOK_MARK]},
        {"command": HOOK_MARK, "args": "x"},
        {"command": "\ud800", "args": [HOOK_MARK]},
        {"command": "\0", "args": [HOOK_MARK]},
    ],
)
def test_hooks_of_ours_that_somebody_bent_are_found_and_taken_out(path: Path, home: Path, hook: object) -> None:
    written(path, json.dumps({"model": "opus", "hooks": {"Stop": [{"hooks": [hook]}]}}).encode())
    assert events(path) == ["Stop"]
    assert findings(path.parent) == ["hooks-gone"]
    holloway("doctor", "--json", "--project", str(path.parent))
    assert holloway("setup", "claude-code", "--remove", "--yes", "--project", str(path.parent)) == 0
    assert json.loads(path.read_bytes()) == {"model": "opus"}


@pytest.mark.parametrize("data", [b"{", b"[]", b"7", b"null"])
def test_a_broken_file_has_no_hooks_and_a_failure_for_the_doctor(path: Path, data: bytes) -> None:
    written(path, data)
    assert findings(path.parent) == ["config-broken", "not-connected"]


def test_a_file_that_only_mentions_the_hook_is_not_rewritten_by_removal(path: Path, home: Path) -> None:
    written(path, b'{"permissions": {"deny":["Bash(python -m holloway.hooks.entry)"]}}')
    assert not planned(path, home, remove=True).is_needed
    connected(path, home)
    settings = json.loads(path.read_bytes()) | {"model": "opus"}
    path.write_text(json.dumps(settings))
    disconnected(path, home)
    assert events(path) == []
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("linked", [".claude", ".claude/settings.local.json"])
@pytest.mark.parametrize("remove", [(), ("--remove",)])
def test_a_link_that_leads_out_of_the_project_is_refused_by_name(
    repository: Repository,
    tmp_path: Path,
    linked: str,
    remove: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    outside = tmp_path / "person/.config"
    target = outside if linked == ".claude" else outside / "settings.local.json"
    written(outside / "settings.local.json", b"{}")
    link = repository.root / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    command = ("setup", "claude-code", "--scope", "project", "--yes", "--project", str(repository.root))
    assert holloway(*command, *remove) == 1
    assert f"is a link out of the project, to {outside / 'settings.local.json'}" in capsys.readouterr().err
    assert [file.read_bytes() for file in outside.iterdir()] == [b"{}"]


def test_a_folder_outside_whose_file_links_back_into_the_project_is_refused(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.root / ".claude").symlink_to(outside)
    (outside / "settings.local.json").symlink_to(repository.root / "settings.json")
    written(repository.root / "settings.json", b"{}")
    path = install.hooks_file(CLAUDE_CODE_DIALECT, "project", repository.root)
    with pytest.raises(HollowayError, match="outside"):
        planned(path, home, remove=False, within=repository.root)


def test_a_link_that_is_made_after_the_question_is_refused_too(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    path = install.hooks_file(CLAUDE_CODE_DIALECT, "project", repository.root)
    made = planned(path, home, remove=False, within=repository.root)
    (tmp_path / "outside").mkdir()
    path.parent.symlink_to(tmp_path / "outside")
    with pytest.raises(HollowayError, match="is a link out of the project"):
        file_change.apply_change(made, home)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_link_within_the_project_is_followed(repository: Repository) -> None:
    real = repository.root / "config/claude.json"
    written(real, b"{}")
    path = install.hooks_file(CLAUDE_CODE_DIALECT, "project", repository.root)
    path.parent.mkdir()
    path.symlink_to(real)
    assert holloway("setup", "claude-code", "--scope", "project", "--yes", "--project", str(repository.root)) == 0
    assert events(real)


def test_the_explanation_names_the_real_file_behind_a_link(
    path: Path, repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = tmp_path / "dotfiles/settings.json"
    written(real, b"{}\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    assert holloway("setup", "claude-code", "--yes", "--project", str(repository.root)) == 0
    assert f"{real} (target of the symbolic link)" in capsys.readouterr().out
    assert beside(path).read_bytes() == b"{}\n"


def test_only_a_setup_that_is_carried_out_makes_a_memory_for_the_project(repository: Repository, home: Path) -> None:
    command = ("setup", "claude-code", "--project", str(repository.root))
    assert holloway(*command, "--dry-run") == 0
    assert holloway(*command, "--remove", "--yes") == 0
    assert holloway(*command) == 2
    assert not home.exists()
    assert holloway(*command, "--yes") == 0
    assert knows(repository.root, home)


def test_removal_in_an_unknown_project_makes_no_memory_for_it(path: Path, repository: Repository, home: Path) -> None:
    connected(path, home)
    assert holloway("setup", "claude-code", "--remove", "--yes", "--project", str(repository.root)) == 0
    assert not path.exists()
    assert not knows(repository.root, home)


def test_a_linked_file_stays_a_link(path: Path, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles/settings.json"
    written(real, b"{}\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    connected(path, home)
    assert path.is_symlink()
    assert events(real)
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
    assert not planned(path, home, remove=True).is_needed


@pytest.mark.parametrize("agent", WITH_JSON)
def test_a_hook_is_one_shell_line_without_arguments_that_names_the_interpreter_by_its_path(agent: str) -> None:
    entry = install.build_handler(install.find_dialect(agent), 5)
    assert set(entry) == {"type", "command", "timeout"}
    program = str(hook_program(split_command(entry)))
    assert Path(program).is_absolute()
    assert Path(program).exists()
    assert "shims" not in program
    assert f" {agent};" in entry["command"]


def test_setup_rewrites_hooks_with_arguments_where_they_are(path: Path, home: Path) -> None:
    connected(path, home)
    current = json.loads(path.read_bytes())
    write_old_form(path, "claude-code")
    settings = json.loads(path.read_bytes())
    foreign = {"type": "command", "command": "say done", "args": ["loudly"]}
    settings["hooks"]["Stop"][0]["hooks"].append(foreign)
    path.write_text(json.dumps(settings))
    connected(path, home)
    current["hooks"]["Stop"][0]["hooks"].append(foreign)
    assert json.loads(path.read_bytes()) == current


@pytest.mark.parametrize("command", [("setup", "claude-code", "--remove", "--yes"), ("uninstall", "--yes")])
@pytest.mark.parametrize("agent", WITH_JSON)
def test_hooks_of_an_earlier_form_are_taken_out(agent: str, command: tuple[str, ...], repository: Repository) -> None:
    there = ("--project", str(repository.root)) if command[0] == "setup" else ()
    assert holloway("setup", agent, "--yes", "--project", str(repository.root)) == 0
    path = install.hooks_file(install.find_dialect(agent), "user", repository.root)
    write_old_form(path, agent)
    assert set(events(path)) == set(install.find_dialect(agent).events)
    assert holloway(*(agent if word == "claude-code" else word for word in command), *there) == 0
    assert not path.exists() or events(path) == []


@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_doctor_finds_hooks_of_an_earlier_form_and_names_the_command(scope: str, repository: Repository) -> None:
    command = ("setup", "claude-code", "--scope", scope, "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    write_old_form(install.hooks_file(CLAUDE_CODE_DIALECT, scope, repository.root), "claude-code")
    assert findings(repository.root) == ["hooks-outdated"]
    advised = "holloway setup claude-code" + (" --scope project" if scope == "project" else "")
    assert hints(repository.root) == [f"`{advised}` rewrites them."]
    assert holloway(*command) == 0
    assert findings(repository.root) == []


def test_scope_chooses_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install.hooks_file(CLAUDE_CODE_DIALECT, "project", tmp_path) == tmp_path / ".claude/settings.local.json"
    assert install.hooks_file(CLAUDE_CODE_DIALECT, "user", tmp_path) == Path.home() / ".claude/settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert install.hooks_file(CLAUDE_CODE_DIALECT, "user", tmp_path) == tmp_path / "elsewhere/settings.json"


def test_an_unknown_agent_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        install.find_dialect("hal9000")
    assert "claude-code" in caught.value.hint


def test_hooks_whose_interpreter_is_gone_are_found_by_the_doctor(path: Path, home: Path) -> None:
    connected(path, home)
    assert findings(path.parent) == []
    path.write_text(path.read_text().replace(launch_command.launch_by_path().hook[0], "/nowhere/python"))
    assert findings(path.parent) == ["hooks-gone"]


def test_in_a_repository_the_copy_of_the_settings_is_where_nobody_commits_it(
    repository: Repository, home: Path
) -> None:
    path = repository.root / ".claude/settings.local.json"
    written(path, b'{"env": {"KEY": "value"}}')
    connected(path, home)
    assert "before-holloway" not in repository.git("status", "--porcelain", "--untracked-files=all")
    disconnected(path, home)
    assert path.read_bytes() == b'{"env": {"KEY": "value"}}'
    assert list((repository.root / ".git").glob("*before-holloway")) == []


@pytest.mark.promise("leaves-no-trace")
@pytest.mark.parametrize("failing_call", range(6))
def test_an_interrupted_setup_leaves_no_copy_and_no_change(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch, failing_call: int
) -> None:
    settings = Path.home() / ".claude/settings.json"
    written(settings, b'{"apiKeyHelper": "my own"}\n')
    written(Path.home() / ".claude.json", b'{"mine": 1}\n')
    before = tree(Path.home())
    replace, calls = os.replace, iter(range(100))

    def interrupted(source: str, target: str) -> None:
        if next(calls) == failing_call:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    assert holloway("setup", "claude-code", "--yes", "--project", str(repository.root)) != 0
    assert tree(Path.home()) == before
    assert list((home / "installs").glob("*")) == []


@pytest.mark.promise("leaves-no-trace")
def test_a_signal_waits_until_the_setup_is_whole(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(Path.home() / ".claude/settings.json", b"{}\n")
    events_seen: list[int] = []
    replace, handler = os.replace, signal.signal(signal.SIGTERM, lambda number, frame: events_seen.append(number))

    def terminated(source: str, target: str) -> None:
        if Path(target).is_relative_to(Path.home()):
            os.kill(os.getpid(), signal.SIGTERM)
            assert events_seen == [], "not before all files are written"
        replace(source, target)

    monkeypatch.setattr(os, "replace", terminated)
    try:
        assert holloway("setup", "claude-code", "--yes", "--project", str(repository.root)) == 0
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert events_seen == [signal.SIGTERM]
