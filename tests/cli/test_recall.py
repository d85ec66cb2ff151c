"""Commands that find and show memories: recall, ask, list, show, why."""

from pathlib import Path

import pytest

import holloway
from holloway.cli import recall
from holloway.cli.recall import SOURCE_LABELS
from holloway.domain.memory import Source
from holloway.service import agents
from holloway.store import lookup
from tests.cli.conftest import Cli
from tests.cli.test_reader import type_answers
from tests.conftest import Repository

FIELDS = {"id", "type", "summary", "content", "files", "confidence", "state", "source", "created_at"}


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


def test_recall_crosses_projects_when_asked(cli: Cli, trap: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert cli("recall", "token", "--project", str(other), "--json").json["results"] == []
    (found,) = cli("recall", "token", "--project", str(other), "--all-projects", "--json").json["results"]
    assert (found["project"], found["id"]) == ("shop", trap)


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


def test_the_list_does_not_count_twice_what_it_shows(cli: Cli, repository: Repository, tmp_path: Path) -> None:
    repository.commit("CLAUDE.md", "# Rules\n\n- Never use floats for money.\n")
    repository.log_own_work(tmp_path / "person")
    cli("rules")
    shown = cli("list").out.splitlines()
    assert ("Never use floats for money" in shown[0], shown[-1]) == (True, "To review: 1 (`holloway review`).")


def test_a_search_explains_its_scores_when_asked(cli: Cli, trap: str) -> None:
    cli("remember", "the token is logged", "--file", "README.md")
    explained = cli("recall", "token", "--explain").out
    assert " → " in explained
    assert " → " not in cli("recall", "token").out
    assert len(cli("recall", "token", "-n", "1", "--json").json["results"]) == 1


def test_a_memory_of_the_person_stands_under_its_own_heading(cli: Cli, trap: str) -> None:
    cli("remember", "--user", "never log a token, ever")
    assert "user:" in cli("recall", "token").out.splitlines()


def test_lists_can_be_narrowed_to_pins_sessions_and_replaced_memories(cli: Cli, trap: str) -> None:
    other = cli("remember", "cents, not floats", "--pin", "--json").json["id"]
    assert [row["id"] for row in cli("list", "--pinned", "--json").json["results"]] == [other]
    assert cli("list", "--session", "s1", "--json").json["results"] == []
    new = cli("wrong", trap, "refresh() is safe now", "--json").json["id"]
    assert {row["id"] for row in cli("list", "--json").json["results"]} == {other, new}
    assert {row["id"] for row in cli("list", "--superseded", "--json").json["results"]} == {other, new, trap}


def test_an_empty_memory_says_how_to_begin(cli: Cli) -> None:
    expected = 'No memory in shop yet. `holloway remember "..."` stores the first one.\n'
    assert cli("list").out == expected


def test_a_quarantined_memory_is_shown_only_when_asked_for(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "foreign.json").write_text('[{"content": "from afar"}]')
    cli("import", str(tmp_path / "foreign.json"))
    (waiting,) = (row["id"] for row in cli("review", "--json").json["results"])
    refused = cli("show", waiting)
    assert (refused.code, "is quarantined until a person reviews it" in refused.err) == (2, True)
    assert "from afar" in cli("show", waiting, "--quarantined").out
    assert cli("list").out == "To review: 1 (`holloway review`).\n"
    assert "To review" not in cli("list", "--quarantined").out


def test_a_card_shows_details_place_and_time(cli: Cli, repository: Repository) -> None:
    steps = ["--type", "workflow_recipe", "--detail", "task=add a route", "--detail", "steps=edit it"]
    made = cli("remember", "How to add a route", *steps, "--detail", "steps=test it", "--json").json["id"]
    card = cli("show", made).out
    assert card.startswith(f"{made}  workflow recipe\nHow to add a route\n")
    assert "  task: add a route\n" in card
    assert "  steps: edit it, test it\n" in card
    commit = repository.git("rev-parse", "HEAD")
    assert f", branch main, commit {commit[:10]}; shown to agents 0 times\n" in card


def test_the_past_of_a_memory_names_what_it_replaced(cli: Cli, trap: str) -> None:
    new = cli("wrong", trap, "refresh() is safe now", "--json").json["id"]
    why = cli("why", new)
    assert f"  replaced {trap}: refresh() burns the token\n" in why.out
    assert [old["id"] for old in cli("why", new, "--json").json["replaced"]] == [trap]
    assert "Seen in sessions" not in why.out
    assert "Shown to agents" not in why.out


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("by user_taught", "taught by you"),
        ("by mcp_auto, codex", "recorded over MCP, codex"),
        ("by hand", "by hand"),
        ("user_taught", "user_taught"),
        ("", ""),
    ],
)
def test_a_source_in_the_history_has_its_label(detail: str, text: str) -> None:
    assert recall._describe_detail(detail) == text


def test_a_question_without_a_language_model_is_answered_with_evidence(cli: Cli, trap: str) -> None:
    asked = cli("ask", "what does refresh do to the token")
    assert (asked.code, "refresh() burns the token" in asked.out) == (0, True)
    assert "src/shop/auth/tokens.py" in asked.out.splitlines()
    assert "Evidence only, no written answer: " in asked.err
    answer = cli("ask", "refresh", "token", "--json").json
    assert (answer["answer"], answer["cited"], answer["model"]) == (None, [], None)
    assert [result["id"] for result in answer["memories"]] == [trap]
    assert answer["note"]


def test_the_past_of_a_memory_is_told_to_the_minute(cli: Cli, trap: str, repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        connection = memory.store.database.connection
        now = "2026-01-05T10:11:12.345Z"
        lookup.claim_injections(connection, [trap], session="s1", agent="x", point="tool_result", now=now)
        ((at, _, _),) = memory.why(trap).history
    told = cli("why", trap).out.splitlines()
    assert f"  {at[:10]} {at[11:16]}  created: taught by you" in told
    assert told[told.index("Shown to agents") + 1] == "  2026-01-05 10:11  tool result, session s1"


def test_show_gives_the_memory_as_a_document(cli: Cli, trap: str) -> None:
    shown = cli("show", trap, "--json").json
    (listed,) = cli("list", "--json").json["results"]
    assert set(shown) >= FIELDS
    assert {name: shown[name] for name in FIELDS} == {name: listed[name] for name in FIELDS}


def test_a_list_goes_on_after_its_key(cli: Cli) -> None:
    for number in range(3):
        cli("remember", f"memory number {number}")
    first = cli("list", "--limit", "2", "--json").json
    assert (len(first["results"]), first["total"]) == (2, 3)
    second = cli("list", "--limit", "2", "--after", first["next_key"], "--json").json
    assert ([row["content"] for row in second["results"]], second["next_key"]) == (["memory number 0"], "")
    assert "1 more: --limit shows them." in cli("list", "--limit", "2").out


def test_memories_are_counted_by_what_they_are(cli: Cli, trap: str) -> None:
    counts = cli("list", "--counts", "--json").json
    assert (counts["types"], counts["files"]) == ({"gotcha": 1}, {"src/shop/auth/tokens.py": 1})
    printed = cli("list", "--counts").out
    assert "types         gotcha 1\n" in printed
    assert "presets       unused 1\n" in printed
    assert trap


def test_ready_made_filters_and_ages_restrict_a_list(cli: Cli, trap: str) -> None:
    assert cli("list", "--preset", "unused", "--newer", "1", "--json").json["total"] == 1
    assert cli("list", "--preset", "active", "--json").json["total"] == 0
    assert cli("list", "--source", "user_taught", "--branch", "main", "--json").json["total"] == 1
    assert cli("list", "--older", "1", "--json").json["total"] == 0
    assert trap


def test_why_says_how_a_memory_was_used_and_what_its_confidence_is_made_of(cli: Cli, trap: str) -> None:
    printed = cli("why", trap).out
    assert "confidence 0.90 at birth, 0.90 before decay, set aside on " in printed
    answer = cli("why", trap, "--json").json
    assert (answer["uses"]["shown"], answer["files"][0]["state"]) == (0, "present")


def test_without_a_question_ask_is_a_conversation_on_a_terminal(
    cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert type_answers("what burns the token?\nand why?\n\n", monkeypatch, "ask") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Ask about this project; an empty line ends the conversation.\n")
    assert printed.count(trap) == 2
    assert "question is empty" in cli("ask").err


def test_a_question_that_nothing_supports_is_refused(cli: Cli) -> None:
    cli("remember", "Money is integer cents")
    assert cli("forget", "--all", "--yes").code == 0
    printed = cli("ask", "zxqv wvut")
    assert printed.out == "Nothing that is stored supports an answer.\n"
    assert cli("ask", "zxqv wvut", "--json").json["refused"] is True
