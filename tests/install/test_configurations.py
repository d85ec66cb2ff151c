"""Setup on the files that people have: it adds its own, twice is once, and removal restores every byte."""

import json
import tomllib
from pathlib import Path

import pytest

from holloway import extras, install
from holloway.config import AGENT_CONFIG_BYTES_MAX
from holloway.install import DIALECTS, launch_command, slash_commands
from holloway.install.file_content import parse_settings
from tests.conftest import Repository
from tests.install.configurations import CLAUDE_JSON, CLAUDE_SETTINGS, CODEX_HOOKS, CODEX_TOML, SETTINGS_OF_OTHERS
from tests.install.installing import AGENTS, events, holloway, tree, written

FILES = (
    ("claude-code", ".claude/settings.json", CLAUDE_SETTINGS),
    ("claude-code", ".claude.json", CLAUDE_JSON),
    ("codex", ".codex/config.toml", CODEX_TOML),
    ("codex", ".codex/hooks.json", CODEX_HOOKS),
    ("copilot", ".copilot/mcp-config.json", SETTINGS_OF_OTHERS),
    ("gemini", ".gemini/settings.json", SETTINGS_OF_OTHERS),
    ("qwen", ".qwen/settings.json", SETTINGS_OF_OTHERS),
    ("droid", ".factory/settings.json", SETTINGS_OF_OTHERS),
    ("droid", ".factory/mcp.json", SETTINGS_OF_OTHERS),
    ("opencode", ".config/opencode/opencode.json", SETTINGS_OF_OTHERS),
)
CASES = [
    pytest.param(agent, name, data, id=f"{name}: {what}")
    for agent, name, table in FILES
    for what, data in table.items()
]


@pytest.mark.promise("leaves-no-trace")
@pytest.mark.parametrize(("agent", "name", "data"), CASES)
def test_twice_set_up_and_taken_back_every_file_is_what_it_was(
    agent: str, name: str, data: bytes, repository: Repository, home: Path
) -> None:
    written(Path.home() / name, data)
    before = tree(Path.home())
    command = ("setup", agent, "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    once = tree(Path.home())
    assert is_around(data.decode(), (Path.home() / name).read_text("utf-8"))
    assert DIALECTS[agent].plugin or set(DIALECTS[agent].events) <= set(events(hooks_file(agent)))
    assert holloway(*command) == 0
    assert tree(Path.home()) == once
    assert holloway(*command, "--remove") == 0
    assert tree(Path.home()) == before
    assert list((home / "installs").iterdir()) == []


@pytest.mark.parametrize(("agent", "name", "data"), CASES)
def test_without_the_kept_copy_removal_leaves_what_the_file_says(
    agent: str, name: str, data: bytes, repository: Repository, home: Path
) -> None:
    path = Path.home() / name
    written(path, data)
    command = ("setup", agent, "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    for file in (home / "installs").iterdir():
        file.unlink()
    assert holloway(*command, "--remove") == 0
    assert pruned(meaning(path)) == pruned(parsed(path, data))


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("agent", AGENTS)
def test_where_nothing_was_nothing_is_left(agent: str, scope: str, repository: Repository) -> None:
    Path.home().mkdir(parents=True)
    before = tree(Path.home()), tree(repository.root)
    command = ("setup", agent, "--scope", scope, "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    assert (tree(Path.home()), tree(repository.root)) != before
    assert holloway(*command, "--remove") == 0
    assert (tree(Path.home()), tree(repository.root)) == before


def test_both_scopes_share_a_file_and_leave_it_one_after_the_other(repository: Repository) -> None:
    path = Path.home() / ".claude.json"
    written(path, CLAUDE_JSON["servers of others"])
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    assert holloway(*command, "--scope", "project") == 0
    assert holloway(*command, "--remove") == 0
    left = json.loads(path.read_bytes())
    assert set(left["mcpServers"]) == {"github"}
    assert set(left["projects"][str(repository.root)]["mcpServers"]) == {"holloway"}
    assert holloway(*command, "--scope", "project", "--remove") == 0
    assert path.read_bytes() == CLAUDE_JSON["servers of others"]


def test_tables_that_codex_put_below_our_server_go_with_it(repository: Repository) -> None:
    path = Path.home() / ".codex/config.toml"
    written(path, b'model = "gpt-5"\n')
    command = ("setup", "codex", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    approved = '\n[mcp_servers.holloway.tools.locate]\napproval_mode = "approve"\n\n# mine\n[tui]\ntheme = "dark"\n'
    path.write_text(path.read_text() + approved)
    assert holloway(*command, "--remove") == 0
    assert tomllib.loads(path.read_text()) == {"model": "gpt-5", "tui": {"theme": "dark"}}
    assert "# mine\n[tui]" in path.read_text()


def test_a_project_with_brackets_in_its_path_stays_trusted_when_our_server_goes(repository: Repository) -> None:
    path = Path.home() / ".codex/config.toml"
    command = ("setup", "codex", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    trusted = '\n[projects."/home/ada/shop, old/app/[id]"]\ntrust_level = "trusted"\n'
    path.write_text(path.read_text() + trusted)
    assert holloway(*command, "--remove") == 0
    assert path.read_text() == trusted


def test_what_a_person_added_to_our_own_entries_stays_when_they_are_renewed(repository: Repository) -> None:
    written(
        Path.home() / ".claude.json",
        b'{"mcpServers": {"holloway": {"type": "stdio", "command": "/gone/python", "args": '
        b'["-I", "-m", "holloway", "mcp"], "env": {"HOLLOWAY_HOME": "/mine"}}}}',
    )
    written(
        Path.home() / ".claude/settings.json",
        b'{"statusLine": {"type": "command", "command": "/gone/python -I -m holloway statusline", "padding": 2}}',
    )
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    server = json.loads((Path.home() / ".claude.json").read_bytes())["mcpServers"]["holloway"]
    assert (server["type"], server["env"]) == ("stdio", {"HOLLOWAY_HOME": "/mine"})
    line = json.loads((Path.home() / ".claude/settings.json").read_bytes())["statusLine"]
    assert line["padding"] == 2
    assert "/gone/python" not in (server["command"], line["command"].split()[0])
    once = tree(Path.home())
    assert holloway(*command) == 0
    assert tree(Path.home()) == once


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (".claude.json", b'{"mcpServers": {"holloway": {"command": "docker", "args": ["run"]}}}', "did not write"),
        (".claude.json", b'{"mcpServers": {"holloway": null}}', "did not write"),
        (".claude.json", b'{"mcpServers": {"holloway": null, "other": {"command": "x"}}}', "did not write"),
        (".claude.json", b'{"mcpServers": null}', "unknown structure in 'mcpServers'"),
        (".claude.json", b'{"mcpServers": []}', "unknown structure in 'mcpServers'"),
        (".claude.json", b"{", "not valid JSON"),
        (".claude.json", b"\xff\xfe{\0}\0", "not UTF-8"),
        (".claude/commands/recall.md", b"my own", "is your file"),
        (".claude/settings.json", b'{"model": "opus", // mine\n}', "does not read a file with a comment in line 1"),
    ],
)
def test_what_is_not_ours_stays_and_is_named_while_the_rest_is_set_up(
    name: str, data: bytes, said: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / name
    written(path, data)
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert data in path.read_bytes() or name.endswith("settings.json")
    assert events(hooks_file("claude-code"))
    assert holloway(*command, "--remove") == 0
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"= broken",
        b"a = 1\na = 2\n",
        b"a = " + b"1" * 5_000,
        b"mcp_servers = 7\n",
        b'mcp_servers = { a = { command = "x" } }\n',
        b"\xff",
    ],
)
def test_a_broken_config_toml_keeps_no_hook_from_codex(
    data: bytes, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / ".codex/config.toml"
    written(path, data)
    assert holloway("setup", "codex", "--yes", "--project", str(repository.root)) == 0
    assert str(path) in capsys.readouterr().out
    assert path.read_bytes() == data
    assert events(hooks_file("codex"))


@pytest.mark.parametrize(("agent", "name"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")])
def test_a_file_that_is_read_only_is_not_replaced(
    agent: str, name: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / name
    written(path, b"{}")
    path.chmod(0o444)
    before = tree(Path.home())
    assert holloway("setup", agent, "--yes", "--project", str(repository.root)) == 1
    assert f"{path} is read-only; nothing was changed." in capsys.readouterr().err
    assert tree(Path.home()) == before


def test_a_read_only_file_that_is_not_needed_is_left_out_with_a_note(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / ".codex/config.toml"
    written(path, b"")
    path.chmod(0o444)
    assert holloway("setup", "codex", "--yes", "--project", str(repository.root)) == 0
    assert f"{path} is read-only" in " ".join(capsys.readouterr().out.split())
    assert path.read_bytes() == b""
    assert events(hooks_file("codex"))


def test_a_file_larger_than_any_configuration_is_left_alone(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / ".claude.json"
    written(path, b" " * (AGENT_CONFIG_BYTES_MAX + 1))
    assert holloway("setup", "claude-code", "--yes", "--project", str(repository.root)) == 0
    assert "larger than a configuration" in " ".join(capsys.readouterr().out.split())
    assert path.stat().st_size == AGENT_CONFIG_BYTES_MAX + 1


def test_without_the_optional_package_no_server_is_written_that_could_not_start(
    repository: Repository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_command, "has_mcp_package", lambda: False)
    assert holloway("setup", "codex", "--yes", "--project", str(repository.root)) == 0
    assert extras.install_command("mcp") in capsys.readouterr().out
    assert not (Path.home() / ".codex/config.toml").exists()


def test_a_status_line_of_the_person_is_neither_replaced_nor_shadowed(repository: Repository) -> None:
    written(Path.home() / ".claude/settings.json", CLAUDE_SETTINGS["a status line"])
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    assert holloway(*command, "--scope", "project") == 0
    assert "statusLine" not in json.loads((repository.root / ".claude/settings.local.json").read_bytes())
    assert holloway(*command) == 0
    kept = json.loads((Path.home() / ".claude/settings.json").read_bytes())["statusLine"]
    assert kept == {"type": "command", "command": "~/.claude/line.sh"}


def test_a_command_that_the_person_edited_is_theirs_from_then_on(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path.home() / ".claude/commands/holloway-review.md"
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    assert holloway(*command) == 0
    path.write_text(path.read_text() + "Be brief.\n")
    edited = path.read_bytes()
    assert holloway(*command) == 0
    assert path.read_bytes() == edited
    assert holloway(*command, "--remove") == 0
    assert f"{path} was edited after setup wrote it, so it stays." in capsys.readouterr().out
    assert [file.name for file in path.parent.iterdir()] == ["holloway-review.md"]


@pytest.mark.promise("leaves-no-trace")
@pytest.mark.parametrize("upgrade", [True, False], ids=["set up again", "removed"])
def test_a_command_that_has_another_name_now_goes_unless_somebody_edited_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, upgrade: bool
) -> None:
    folder = Path.home() / ".claude/commands"
    command = ("setup", "claude-code", "--yes", "--project", str(repository.root))
    with monkeypatch.context() as earlier:
        earlier.setitem(slash_commands.SLASH_COMMANDS, "review", "review")
        earlier.setattr(slash_commands, "RETIRED", ())
        assert holloway(*command) == 0
    assert (folder / "review.md").exists()
    kept = (folder / "review.md").read_text() + "Be brief.\n"
    assert holloway(*command, *(() if upgrade else ("--remove",))) == 0
    assert not (folder / "review.md").exists()
    assert (folder / "holloway-review.md").exists() is upgrade
    written(folder / "review.md", kept.encode())
    for again in (command, (*command, "--remove")):
        assert holloway(*again) == 0
        assert (folder / "review.md").read_text() == kept


def test_without_leaves_out_what_is_named(repository: Repository) -> None:
    out = ("--without", "mcp", "--without", "commands", "--without", "statusline")
    assert holloway("setup", "claude-code", "--yes", *out, "--project", str(repository.root)) == 0
    assert set(tree(Path.home())) == {".claude", ".claude/settings.json"}
    assert set(json.loads((Path.home() / ".claude/settings.json").read_bytes())) == {"hooks"}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_dry_run_shows_every_line_and_writes_none(
    agent: str, repository: Repository, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("setup", agent, "--project", str(repository.root))
    assert holloway(*command, "--dry-run", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["changed"] is False
    assert not Path.home().exists()
    assert not home.exists()
    assert holloway(*command, "--yes") == 0
    for file in said["files"]:
        lines = Path(file["file"]).read_text().splitlines()
        assert [line[1:] for line in file["diff"].splitlines()[3:]] == lines


def test_the_diff_of_a_long_line_shows_what_comes_and_no_secret_beside_it(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    written(Path.home() / ".claude.json", b'{"primaryApiKey": "sk-ant-do-not-show", "theme": "dark", "tips": 3}')
    assert holloway("setup", "claude-code", "--dry-run", "--project", str(repository.root)) == 0
    out = capsys.readouterr().out
    assert '"mcpServers": {"holloway"' in out
    assert "sk-ant" not in out


def is_around(old: str, new: str) -> bool:
    """Whether every sign of the old text stands in the new one, in the same order: things were only put between."""
    rest = iter(new)
    return all(sign in rest for sign in old if not sign.isspace())


def hooks_file(agent: str) -> Path:
    """Where the person's hooks of an agent are."""
    return install.hooks_file(DIALECTS[agent], "user", Path.home())


def meaning(path: Path) -> object:
    """What a file says, if it is there."""
    return parsed(path, path.read_bytes() if path.exists() else b"")


def parsed(path: Path, data: bytes) -> object:
    """What bytes say in a file of that name."""
    return tomllib.loads(data.decode("utf-8-sig")) if path.suffix == ".toml" else parse_settings(data.decode())


def pruned(value: object) -> object:
    """A value without the empty objects and lists that removal may have taken along."""
    if not isinstance(value, dict):
        return value
    return {key: left for key, each in value.items() if (left := pruned(each)) not in ({}, [])}
