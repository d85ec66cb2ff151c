"""The record of a session: what it did, in figures."""

from pathlib import Path

import pytest

from holloway.measure.record import ACTED_STEPS, Before, Shown, record, search_tokens
from holloway.observer.outcome import judge
from holloway.text.tokens import estimate
from tests.observer.story import Story

FOUND = "src/app.py: def total(items):\n" * 40
SEARCH_TOKENS = 500
EARLY = 1_000.0


def saved(story: Story, **before: object) -> int:
    """How many files a session opened without searching because it was told of them."""
    account = story.account()
    known = Before(search_tokens=SEARCH_TOKENS, **before)  # type: ignore[arg-type]
    return int(record(account, judge(account), [], None, known)["saved_tokens"]) // SEARCH_TOKENS


def test_what_a_command_printed_counts_once_though_it_listed_and_searched() -> None:
    account = Story().shell("ls src && grep -rn total src", FOUND).account()

    assert len(account.of("search", "list")) == 2
    assert search_tokens(account) == estimate(FOUND)


def test_the_results_of_two_searches_add_up() -> None:
    account = Story().shell("grep -rn total src", FOUND).shell("grep -rn total src", FOUND).account()

    assert search_tokens(account) == 2 * estimate(FOUND)


@pytest.mark.promise("tokens-saved")
def test_a_file_that_a_prompt_was_answered_with_saves_a_search_when_it_is_opened_without_one() -> None:
    located = {"src/app.py": EARLY, "src/cart.py": EARLY, "src/never.py": EARLY}
    assert saved(Story().read("src/app.py", "src/other.py", "src/cart.py", "src/app.py"), located=located) == 2
    assert saved(Story().search("total", "src/app.py").read("src/app.py"), located=located) == 0
    assert saved(Story().search("total").read("src/other.py").read("src/app.py"), located=located) == 1


@pytest.mark.promise("tokens-saved")
def test_a_memory_saves_a_search_for_its_file_only_if_it_was_shown_before_the_file_was_opened() -> None:
    def shown(at: float, point: str = "prompt") -> tuple[Shown, ...]:
        return (Shown("a1", point, at, files=("src/app.py",)),)

    story = Story().read("src/other.py").read("src/app.py")
    assert saved(story, shown=shown(EARLY)) == 1
    assert saved(story, shown=shown(EARLY + 600, "tool_result")) == 0, "the trap came with the file"
    assert saved(story, shown=shown(EARLY), located={"src/app.py": EARLY}) == 1, "one file, one search"
    assert saved(story, shown=shown(EARLY, "asked")) == 0, "the agent searched for it"


@pytest.mark.promise("tokens-saved")
@pytest.mark.parametrize("tool", ["mcp__holloway__locate", "mcp__plugin_holloway-mcp_holloway__locate"])
def test_a_file_that_the_agent_asked_us_for_saves_a_search_too(tool: str) -> None:
    answer = '{"files":[{"path":"src/app.py","reasons":["path has app"]}],"tests":["tests/test_app.py"]}'
    opened = ("src/app.py", "tests/test_app.py", "src/other.py")
    assert saved(Story().tool(tool, answer).read(*opened)) == 2
    assert saved(Story().read(*opened).tool(tool, answer)) == 0
    assert saved(Story().tool("mcp__other__locate", answer).read(*opened)) == 0


def test_a_memory_that_the_agent_says_helped_is_used_and_was_not_shown_twice() -> None:
    account = Story().read("src/other.py").account()
    told = (Shown("a1", "session_start", EARLY), Shown("a1", "asked", EARLY + 1), Shown("b2", "prompt", EARLY))
    figures = record(account, judge(account), [], None, Before(shown=told))
    assert figures["used"] == ["a1"]
    assert [(memory, point) for memory, point, _, _ in figures["shown"]] == [("a1", "session_start"), ("b2", "prompt")]


@pytest.mark.promise("session-record")
def test_the_record_tells_what_the_session_did_beside_what_was_known_before() -> None:
    account = Story().read("src/app.py", "src/cart.py").edit("src/app.py").red().green().account()
    before = Before(files=frozenset({"src/app.py"}), dead_end_files=frozenset({"src/app.py", "src/cart.py"}))
    figures = record(account, judge(account), [], None, before)
    assert (figures["agent"], figures["outcome"]) == ("claude-code", "success")
    assert (figures["tool_calls"], figures["errors"], figures["steps_to_first_edit"]) == (5, 1, 3)
    assert (figures["first_reads"], figures["known_files_read_again"], figures["files_edited"]) == (2, 1, 1)
    assert figures["dead_ends_entered"] == 1, "a file that was only read is not entered"


def test_every_figure_of_a_record_is_documented() -> None:
    account = Story().read("src/app.py").account()
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    figures = record(account, judge(account), [], None, Before())
    assert [name for name in (*figures, "wording") if f"`{name}`" not in page] == []


def acted(story: Story, *, files: tuple[str, ...] = (), command: str = "") -> list[str]:
    """The memories that a session acted on, of one that it was shown before its first step."""
    account = story.account()
    known = Before(shown=(Shown("a1", "prompt", EARLY, files=files, command=command),))
    return list(record(account, judge(account), [], None, known)["acted_on"])


@pytest.mark.promise("session-record")
@pytest.mark.parametrize(("calls_between", "expected"), [(ACTED_STEPS - 1, ["a1"]), (ACTED_STEPS, [])])
def test_a_memory_is_acted_on_within_so_many_steps(calls_between: int, expected: list[str]) -> None:
    story = Story()
    for number in range(calls_between):
        story.read(f"src/{number}.py")
    assert acted(story.read("src/app.py"), files=("src/app.py",)) == expected


@pytest.mark.promise("session-record")
@pytest.mark.parametrize("point", ["tool_result", "step"])
@pytest.mark.parametrize("cut_off_s", [0.0, 0.0009])
def test_what_a_memory_came_with_is_neither_acting_on_it_nor_a_search_saved(point: str, cut_off_s: float) -> None:
    account = Story().read("src/app.py").account()
    known = (Shown("a1", point, account.deeds[0].action.at - cut_off_s, files=("src/app.py",)),)
    figures = record(account, judge(account), [], None, Before(shown=known, search_tokens=SEARCH_TOKENS))
    assert (figures["acted_on"], figures["saved_tokens"]) == ([], 0)
    again = Story().read("src/app.py", "src/app.py").account()
    assert record(again, judge(again), [], None, Before(shown=known))["acted_on"] == ["a1"]


@pytest.mark.promise("session-record")
@pytest.mark.parametrize(
    "ran", ["REDIS_URL=redis://here pytest -q", "cd shop && REDIS_URL=x  pytest -q 2>&1 | tail -5"]
)
def test_a_memory_is_acted_on_by_its_command_however_it_is_written(ran: str) -> None:
    assert acted(Story().shell(ran), command="REDIS_URL= pytest -q") == ["a1"]
    assert acted(Story().shell("make lint"), command="REDIS_URL= pytest -q") == []
