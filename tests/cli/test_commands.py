import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest

import holloway
from holloway.cli import CLI_COMMANDS
from holloway.cli.learn import learn_command
from holloway.cli.recall import PHASES, SOURCE_LABELS
from holloway.domain.memory import Source
from holloway.domain.work import Phase
from holloway.install import DIALECTS
from holloway.service import agents
from holloway.store import lookup
from tests.cli.conftest import Cli
from tests.conftest import Repository

NAMES = [name for section in CLI_COMMANDS.values() for name in section]
FIELDS = {"id", "type", "summary", "content", "files", "confidence", "state", "source", "created_at"}


def test_remember_shows_what_it_inferred(cli: Cli) -> None:
    cli("init")
    shown = cli("remember", "src/shop/auth/tokens.py hangs without REDIS_URL")
    assert shown.code == 0
    assert "inferred: type gotcha, file src/shop/auth/tokens.py, module auth" in shown.out


def test_what_was_known_gets_the_places_that_are_said_later_and_keeps_its_type(cli: Cli) -> None:
    cli("init")
    cli("remember", "the token burns twice", "--type", "dead_end")
    shown = cli("remember", "the token burns twice", "--module", "login")
    assert "Already stored" in shown.out
    assert "inferred" not in shown.out  # nothing that was guessed holds for it
    again = cli("remember", "the token burns twice", "--file", "src/shop/auth/tokens.py", "--json").json
    assert (again["type"], again["modules"]) == ("dead_end", ["login", "auth"])


def test_remember_prints_the_memory_as_json(cli: Cli) -> None:
    made = cli("remember", "We chose JWT over sessions because apps use it", "--tag", "auth", "--pin", "--json").json
    assert set(made) >= FIELDS
    assert (made["type"], made["tags"], made["pinned"]) == ("decision", ["auth"], True)
    assert made["inferred"] == {"type": "decision", "files": [], "module": None}


def test_what_is_given_overrides_what_is_inferred(cli: Cli) -> None:
    made = cli("remember", "hangs", "--type", "requirement", "--file", "README.md", "--module", "docs", "--json").json
    assert (made["type"], made["files"], made["modules"]) == ("requirement", ["README.md"], ["docs"])


def test_a_path_is_taken_from_where_one_stands(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root / "src/shop/auth")
    assert cli("remember", "x hangs", "--file", "tokens.py", "--json").json["files"] == ["src/shop/auth/tokens.py"]
    assert cli("remember", "y hangs", "--file", "src/shop/auth/session.py", "--json").json["files"] == [
        "src/shop/auth/session.py"
    ]


def test_typed_details_come_from_options(cli: Cli) -> None:
    arguments = ["--type", "workflow_recipe", "--detail", "task=add a route", "--detail", "steps=edit", "--detail"]
    made = cli("remember", "How to add a route", *arguments, "steps=test", "--json").json
    assert made["details"] == {"task": "add a route", "steps": [{"description": "edit"}, {"description": "test"}]}


def test_text_can_come_from_stdin(cli: Cli) -> None:
    assert cli("remember", "-", "--json", stdin=b"from a pipe\n").json["content"] == "from a pipe"


def test_recall_and_list_give_results(cli: Cli, trap: str) -> None:
    (found,) = cli("recall", "token", "--json").json["results"]
    assert set(found) >= FIELDS | {"score", "project"}
    (listed,) = cli("list", "--json").json["results"]
    assert found["id"] == listed["id"] == trap
    assert "refresh() burns the token" in cli("recall", "token").out
    assert cli("recall", "zeppelin").out == "No memory matches 'zeppelin' in shop.\n"
    assert "in any project." in cli("recall", "zeppelin", "--all-projects").out
    assert len(cli("recall", "zeppelin " * 10_000).out) < 200


def test_list_filters(cli: Cli, trap: str) -> None:
    cli("remember", "We decided on cents", "--type", "decision")
    assert [each["type"] for each in cli("list", "-t", "decision", "--json").json["results"]] == ["decision"]
    assert [each["id"] for each in cli("list", "-f", "src/shop/auth/tokens.py", "--json").json["results"]] == [trap]
    assert cli("list", "--state", "quarantined", "--json").json["results"] == []
    assert len(cli("list", "-n", "1", "--json").json["results"]) == 1


@pytest.mark.promise("cited")
def test_show_and_why_take_a_beginning_of_the_id(cli: Cli, trap: str) -> None:
    assert "refresh() burns the token" in cli("show", trap[:4]).out
    why = cli("why", trap, "--json").json
    assert why["history"][0]["kind"] == "created"


def test_a_card_and_its_past_are_told_in_words(cli: Cli, trap: str, repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        store = memory.store.database
        lookup.claim_injections(
            store.connection, [trap], session="s1", agent="x", point="tool_result", now="2026-01-05"
        )
        agents.mark_used(memory, trap, "s1")
    told = cli("why", trap).out
    assert "taught by you on 20" in told
    assert "shown to agents 1 time, used 1 time" in told
    assert "created: taught by you" in told
    assert "the agent reported that it helped, session s1" in told
    assert "user_taught" not in told


def test_every_source_has_words() -> None:
    assert set(SOURCE_LABELS) == set(Source)


def test_wrong_forget_and_restore(cli: Cli, trap: str) -> None:
    assert cli("wrong", trap, "--reason", "not-here").code == 0
    assert cli("list", "--json").json["results"] == []
    assert cli("restore", "--last", "--json").json["results"][0]["id"] == trap
    assert cli("forget", trap).code == 0
    assert cli("list", "--deleted", "--json").json["results"][0]["id"] == trap
    assert cli("restore", trap).code == 0
    new = cli("wrong", trap, "refresh() is safe now", "--json").json
    assert (new["content"], cli("show", trap, "--json").json["superseded_by"]) == ("refresh() is safe now", new["id"])


@pytest.mark.promise("asks-first")
def test_forgetting_much_or_for_good_asks_first(cli: Cli, trap: str) -> None:
    for arguments in (("forget", "--all"), ("forget", trap, "--hard")):
        asked = cli(*arguments)
        assert asked.code == 2
        assert "--yes" in asked.err
    assert cli("list", "--json").json["results"]
    done = cli("forget", trap, "--hard", "--yes", "--json").json
    assert done == {"forgotten": [trap], "hard": True, "not_cleaned": []}
    assert cli("show", trap).code == 2


def test_edit_pin_and_review(cli: Cli, trap: str, tmp_path: Path) -> None:
    assert cli("edit", trap, "refresh() burns it twice", "--json").json["content"] == "refresh() burns it twice"
    assert cli("pin", trap, "--json").json["pinned"]
    assert not cli("pin", trap, "--off", "--json").json["pinned"]
    foreign = tmp_path / "foreign.json"
    foreign.write_text('[{"content": "from afar"}, {"content": "from farther"}]')
    cli("import", str(foreign))
    one, two = (each["id"] for each in cli("review", "--json").json["results"])
    assert "imported from a file of unknown origin" in cli("review").out
    cli("review", "--ok", one, "--drop", two)
    assert cli("review", "--json").json["results"] == []
    assert cli("show", one, "--json").json["state"] == "confirmed"
    assert cli("show", two, "--quarantined", "--json").json["deleted_at"]


def test_review_later_asks_another_day(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "foreign.md").write_text("- from afar\n")
    cli("import", str(tmp_path / "foreign.md"))
    (one,) = (each["id"] for each in cli("review", "--json").json["results"])
    assert cli("review", "--later", one).out.startswith("Approved 0, dropped 0, later 1; 0 left to review.")


@pytest.mark.promise("backups")
def test_backup_list_and_restore(cli: Cli, trap: str) -> None:
    assert cli("backup").code == 0
    name = cli("backup", "--list", "--json").json["backups"][0]["name"]
    cli("forget", trap, "--hard", "--yes")
    cli("remember", "something new")
    assert cli("backup", "--restore", name).code == 2
    kept = cli("backup", "--restore", name, "--yes", "--json").json["kept"]
    assert Path(kept).exists()
    assert cli("list", "--json").json["results"] == []
    for answered in ((), ("--yes",)):
        assert "There is no backup 'nonsense'" in cli("backup", "--restore", "nonsense", *answered).err


def test_config_is_shown_set_and_kept_with_its_comments(cli: Cli, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("# my own words\n")
    assert cli("config", "get", "synchronous", "--json").json == {"synchronous": {"value": "normal", "from": "default"}}
    assert cli("config", "set", "synchronous", "full").code == 0
    assert cli("config", "set", "trust_level", "2", "--here").code == 0
    assert (home / "config.toml").read_text().startswith("# my own words\n")
    assert cli("config", "--json").json["trust_level"] == {"value": 2, "from": "project"}
    assert cli("status", "--json").json["trust_level"] == 2


def test_pause_and_resume_are_seen_in_the_status(cli: Cli) -> None:
    cli("pause", "capture")
    assert cli("status", "--json").json["paused"] == "capture"
    cli("resume")
    assert cli("status", "--json").json["paused"] is None
    cli("pause", "--everywhere")
    assert "Still paused everywhere" in cli("resume").out
    assert cli("resume", "--everywhere").out == "Resumed.\n"


def test_status_counts_what_there_is(cli: Cli, trap: str) -> None:
    status = cli("status", "--json").json
    assert (status["memories"], status["by_type"], status["by_state"]) == (1, {"gotcha": 1}, {"confirmed": 1})
    assert "1 gotcha" in cli("status").out


@pytest.mark.promise("doctor")
def test_doctor_finds_a_sound_set_up(cli: Cli, trap: str) -> None:
    (Path.home() / ".claude").mkdir(parents=True)
    done = cli("doctor", "--json")
    verdicts = {check["name"]: check["verdict"] for check in done.json["checks"]}
    assert done.code == 0
    assert verdicts["database"] == "ok"
    assert verdicts["claude-code"] == "warning"
    cli("setup", "claude-code", "--yes")
    assert {check["name"]: check["verdict"] for check in cli("doctor", "--json").json["checks"]}["claude-code"] == "ok"


@pytest.mark.promise("asks-first")
def test_setup_shows_what_it_does_and_asks(cli: Cli) -> None:
    assert "+  " in cli("setup", "claude-code", "--dry-run").out
    assert not (Path.home() / ".claude/settings.json").exists()
    assert cli("setup", "claude-code").code == 2
    assert cli("setup", "claude-code", "--yes").code == 0
    assert "nothing to change" in cli("setup", "claude-code", "--yes").out
    assert cli("setup", "claude-code", "--remove", "--yes").code == 0
    assert not (Path.home() / ".claude/settings.json").exists()


@pytest.mark.parametrize("where", [".", "downloads"])
def test_an_agent_is_connected_from_any_folder_and_only_a_project_becomes_known(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder = Path.home() / where
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    done = cli("setup", "claude-code", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "`holloway init`" in done.out
    assert (Path.home() / ".claude/settings.json").exists()
    assert not (home / "projects").exists()


def test_a_memory_is_stored_and_shown_even_if_no_copy_can_be_made(cli: Cli, home: Path) -> None:
    cli("init")
    (folder,) = (home / "projects").iterdir()
    (folder / "backups").write_text("in the way")
    done = cli("remember", "stored all the same", "--json")
    assert (done.code, done.json["content"]) == (0, "stored all the same")
    assert "No backup was made" in done.err


@pytest.mark.promise("looking")
def test_looking_leaves_nothing_behind(cli: Cli, home: Path, tmp_path: Path) -> None:
    looks = (("list",), ("recall", "x"), ("status",), ("brief",), ("review",), ("doctor",), ("config",))
    for arguments in (*looks, ("config", "get", "synchronous", "--here"), ("config", "list", "--here")):
        assert cli(*arguments).code == 0
    cli("setup", "claude-code", "--dry-run")
    assert not (home / "projects").exists()


def test_the_home_folder_is_not_a_project(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path.home().mkdir(exist_ok=True)
    monkeypatch.chdir(Path.home())
    done = cli("remember", "x")
    assert (done.code, "is not a project" in done.err) == (2, True)
    assert cli("remember", "I prefer tabs", "--user").code == 2


def test_a_setting_reaches_the_hooks_at_once(cli: Cli, trap: str, home: Path) -> None:
    cli("config", "set", "trust_level", "3")
    (database,) = home.glob("projects/*/memory.db")
    connection = sqlite3.connect(database)
    assert connection.execute("SELECT value FROM meta WHERE key = 'trust_level'").fetchone() == ("3",)
    connection.close()


def test_names_with_escape_sequences_do_not_steer_the_terminal(cli: Cli, repository: Repository) -> None:
    folder = repository.root / "src/shop/\x1b]0;PWNED\x07\x1b[31mmod"
    folder.mkdir()
    (folder / "a.py").write_text("x")
    for arguments in (("init",), ("brief",), ("status",)):
        assert "\x1b" not in cli(*arguments).out


def test_a_terminal_without_our_signs_still_gets_an_answer(repository: Repository) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "holloway", "doctor"],
        cwd=repository.root,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_of_several_ids_none_is_touched_when_one_is_wrong(cli: Cli, trap: str) -> None:
    cli("forget", trap)
    assert cli("restore", trap, "zzzzzz").code == 2
    assert cli("list", "--json").json["results"] == []


def test_init_and_brief_print_what_an_agent_reads(cli: Cli) -> None:
    assert "Build and test: build: pip install -e . · test: pytest" in cli("init").out
    brief = cli("brief", "--json").json
    assert cli("brief").out.strip() == brief["text"]
    assert brief["tokens"] <= 1_200


def test_recall_crosses_projects_when_asked(cli: Cli, trap: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert cli("recall", "token", "--project", str(other), "--json").json["results"] == []
    (found,) = cli("recall", "token", "--project", str(other), "--all-projects", "--json").json["results"]
    assert (found["project"], found["id"]) == ("shop", trap)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(cli: Cli, name: str) -> None:
    shown = cli(name, "--help")
    assert shown.code == 0
    assert "Example" in shown.out
    assert f"holloway {name}" in shown.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(cli: Cli, shell: str) -> None:
    assert "_HOLLOWAY_COMPLETE" in cli("completion", shell).out


READERS = [("list",), ("recall", "x"), ("status",), ("doctor",), ("review",), ("brief",), ("config",), ("init",)]


@pytest.mark.parametrize("arguments", READERS, ids=lambda arguments: arguments[0])
def test_what_reads_can_print_json(cli: Cli, trap: str, arguments: tuple[str, ...]) -> None:
    assert isinstance(cli(*arguments, "--json").json, dict)


def test_colour_only_on_a_terminal(cli: Cli, trap: str) -> None:
    for arguments in READERS:
        assert "\x1b" not in cli(*arguments).out


@pytest.mark.promise("help-is-light")
def test_help_loads_no_command(repository: Repository) -> None:
    code = (
        "import sys\nfrom holloway.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted(m for m in sys.modules if m.startswith(('holloway.', 'rich', 'sqlite3'))), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stderr.strip() == "['holloway.cli', 'holloway.errors']"


def test_an_export_does_not_write_over_a_file_that_is_there(cli: Cli, trap: str, repository: Repository) -> None:
    (repository.root / "CLAUDE.md").write_text("mine")
    refused = cli("export", "--format", "claude", "CLAUDE.md")
    assert (refused.code, "already exists" in refused.err) == (2, True)
    assert (repository.root / "CLAUDE.md").read_text() == "mine"
    assert cli("export", "--format", "claude", "CLAUDE.md", "--replace").code == 0
    assert "refresh() burns the token" in (repository.root / "CLAUDE.md").read_text()


def test_a_dead_end_says_so_and_why_in_the_line_that_agents_see(cli: Cli) -> None:
    details = ["--detail", "approach=Redis", "--detail", "reason=not in CI", "--detail", "alternative=SQLite"]
    made = cli("remember", "Redis for sessions", "--type", "dead_end", *details, "--json").json
    assert made["summary"] == "Redis for sessions (not in CI; instead: SQLite)"
    assert f"dead end: Redis for sessions (not in CI; instead: SQLite) [hw:{made['id']}]" in cli("brief").out


def test_forgetting_twice_forgets_once(cli: Cli, trap: str) -> None:
    assert cli("forget", trap).out.startswith("Forgot 1 memory.")
    assert "nothing was forgotten" in cli("forget", trap).out


def test_a_program_that_forgets_nothing_is_told_so_in_json(cli: Cli, trap: str) -> None:
    cli("forget", trap)
    assert cli("forget", trap, "--json").json == {"forgotten": [], "hard": False, "not_cleaned": []}


def test_no_editor_opens_where_nobody_sits(cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    refused = cli("edit", trap)
    assert (refused.code, "no terminal" in refused.err) == (2, True)


def test_memories_of_one_project_stand_under_one_heading(cli: Cli, trap: str) -> None:
    cli("remember", "a token is never logged")
    shown = cli("recall", "token", "--all-projects").out.splitlines()
    assert [line for line in shown if line.endswith(":")] == ["shop:"]


def test_a_folder_or_a_path_from_the_root_chooses_from_anywhere(
    cli: Cli, trap: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root / "src/shop")
    for path in ("auth/tokens.py", "src/shop/auth/tokens.py", "auth", "src"):
        assert [each["id"] for each in cli("list", "--file", path, "--json").json["results"]] == [trap]
    assert cli("list", "--file", "billing", "--json").json["results"] == []


def test_nothing_that_matches_is_not_an_empty_memory(cli: Cli, trap: str) -> None:
    assert cli("list", "--tag", "none").out == "No memory matches.\n"


def test_having_no_memories_of_your_own_says_nothing_of_the_project(cli: Cli, trap: str) -> None:
    expected = 'No memory for all projects yet. `holloway remember --user "..."` stores the first one.\n'
    assert cli("list", "--user").out == expected
    cli("remember", "--user", "tabs are four wide, careful")
    assert cli("list", "--user", "--tag", "none").out == "No memory matches.\n"


def test_a_memory_can_be_lifted_from_its_branch(cli: Cli, repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    made = cli("remember", "the gate is ajar, careful", "--json").json
    assert made["branch_only"] == "feature"
    assert cli("edit", made["id"], "--everywhere", "--json").json["branch_only"] == ""


def test_remember_names_the_project_and_says_where_there_is_no_git(cli: Cli, tmp_path: Path) -> None:
    assert cli("remember", "one thing").out.startswith("Remembered in shop.\n")
    plain = tmp_path / "plain"
    plain.mkdir()
    assert f"Remembered in plain ({plain}, not under git)." in cli("remember", "x", "-p", str(plain)).out


def test_a_pause_everywhere_says_how_it_ends(cli: Cli) -> None:
    assert "Resume with `holloway resume --everywhere`" in cli("pause", "--everywhere").out
    assert "Resume with `holloway resume --everywhere`" in cli("resume").out


def test_a_mistyped_type_is_answered_with_the_closest(cli: Cli) -> None:
    assert "Did you mean dead_end?" in cli("remember", "x", "--type", "deadend").err


@pytest.mark.parametrize(("given", "meant"), [("rember", "remember"), ("search", "recall"), ("help", "--help")])
def test_a_command_that_there_is_not_is_answered_with_the_one_that_was_meant(cli: Cli, given: str, meant: str) -> None:
    said = cli(given, "token")
    assert said.code == 2
    assert f"There is no command '{given}'. Did you mean {meant}?" in said.err


@pytest.mark.parametrize(
    ("given", "hint"), [("tokens.py", "Did you mean src/shop/auth/tokens.py?"), ("nope.py", "Paths are taken from ")]
)
def test_a_file_that_is_not_there_is_answered_with_one_of_that_name_or_none(cli: Cli, given: str, hint: str) -> None:
    said = cli("remember", "refresh() burns the token", "--file", given)
    assert said.code == 2
    assert f"Hint: {hint}" in said.err


def test_setup_names_the_agents_it_knows_and_the_way_for_all_others(cli: Cli) -> None:
    assert "{claude-code|codex}" in cli("setup").err
    assert "Any other agent with MCP support can start `holloway mcp`." in cli("setup", "cursor").err


def test_a_reader_that_stops_reading_is_no_error(trap: str, repository: Repository) -> None:
    command = f"{sys.executable} -m holloway list | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=repository.root, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("0\n")
    assert done.stderr == ""


def test_without_colour_nothing_is_bold_either(trap: str, repository: Repository) -> None:
    code = (
        "import os, pty, sys\n"
        "os.environ['NO_COLOR'] = '1'\n"
        f"pty.spawn([{sys.executable!r}, '-m', 'holloway', 'status'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=repository.root, capture_output=True, text=True, check=True)
    assert "memories" in done.stdout
    assert "\x1b" not in done.stdout


def test_an_altered_archive_is_told_from_other_files(cli: Cli, trap: str, tmp_path: Path) -> None:
    cli("export", "--format", "archive", str(tmp_path / "a"))
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes().replace(b"burns", b"keeps"))
    shown = cli("import", str(tmp_path / "b")).out
    assert "not signed here or was changed afterwards" in shown
    assert "Imported 1 memory for review" in shown


def test_what_is_known_is_known_even_if_it_was_rejected_once(cli: Cli, trap: str, tmp_path: Path) -> None:
    cli("export", str(tmp_path / "all.json"))
    cli("forget", trap, "--hard", "--yes")
    cli("remember", "refresh() burns the token")
    assert cli("import", str(tmp_path / "all.json"), "--json").json["known"] == 1


def test_the_list_does_not_count_twice_what_it_shows(cli: Cli, repository: Repository) -> None:
    repository.commit("CLAUDE.md", "# Rules\n\n- Never use floats for money.\n")
    cli("rules")
    shown = cli("list").out.splitlines()
    assert ("Never use floats for money" in shown[0], shown[-1]) == (True, "To review: 1 (`holloway review`).")


def test_what_can_be_chosen_here_is_what_the_program_knows() -> None:
    (agent,) = (each for each in learn_command.params if each.name == "agent")
    assert isinstance(agent.type, click.Choice)
    assert tuple(agent.type.choices) == tuple(DIALECTS)
    assert tuple(Phase) == PHASES
