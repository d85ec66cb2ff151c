import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.config import PROMPT_TOKENS_MAX
from holloway.injection.prompt_text import choose_files, drop_unrelated_errors, is_task, render
from holloway.retrieval.evidence import CoupledFile
from holloway.retrieval.locate import LocatedFile, LocateResult
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.injection.test_tool_result import ROW

NAMED = LocatedFile("src/a.py", 1.0, ("named: a.py", "changed recently"), ("refresh",))


def test_it_reads_like_this() -> None:
    located = LocateResult((NAMED,), ("tests/test_a.py",), (CoupledFile("src/b.py", "src/a.py", 9, 11),))
    rows: list[dict[str, object]] = [{**ROW, "files": ["src/a.py"]}]
    said = render(located.files, located, rows, test_command="pytest -q")
    assert said.text == (
        "holloway: for this task, from earlier sessions and the code map:\n"
        "- src/a.py: refresh (named: a.py)\n"
        "- src/b.py: changes together with src/a.py in 9 of 11 commits\n"
        "- tests: tests/test_a.py (run: pytest -q)\n"
        "- Trap: refresh() burns the token [hw:7f3a2c, 3 sessions, last 12 Oct]"
    )
    assert said.memories == ("7f3a2c",)


def test_what_is_no_trap_is_not_called_one() -> None:
    row: dict[str, object] = {**ROW, "type": "module_insight", "state": "unconfirmed", "summary": "money is in cents"}
    assert (
        render((), LocateResult(), [row]).text.split("\n")[1].startswith("- Module insight, unconfirmed: money is in")
    )


def test_a_dead_end_says_why_and_what_instead() -> None:
    details = {"approach": "Redis", "reason": "CI has none", "alternative": "SQLite"}
    row: dict[str, object] = {**ROW, "type": "dead_end", "summary": "Redis for sessions", "details": details}
    told = "Redis for sessions; CI has none; instead: SQLite"
    assert (
        render((), LocateResult(), [row]).text.split("\n")[1].startswith(f"- Dead end (seen 12 Oct): {told} [hw:7f3a2c")
    )


def test_files_that_only_habit_speaks_for_are_not_named() -> None:
    habit = LocatedFile("src/busy.py", 1.0, ("changed recently", "imported by src/a.py"))
    small_talk = LocatedFile("src/word.py", 0.9, ("speaks of good, looks", "changed for “thanks for the test”"))
    one_word = LocatedFile("src/one.py", 0.8, ("speaks of invoice",))
    located = LocateResult((habit, small_talk, one_word), ("tests/test_x.py",), (CoupledFile("a", "b", 9, 9),))
    assert choose_files(located, "thanks, the test of the invoice looks good") == ()
    assert render((), located, []).text == ""


def test_where_the_words_of_a_task_speak_for_one_file_those_of_the_latest_sessions_come_along() -> None:
    meant = LocatedFile("src/jwt.py", 0.5, ("speaks of jwt, keys", "changed for “RS256 keys”"))
    habit = LocatedFile("src/login.py", 1.0, ("opened in the latest sessions",))
    faint = LocatedFile("src/far.py", 0.1, ("opened in the latest sessions",))
    assert choose_files(LocateResult((habit, meant, faint)), "jwt fails for RS256 keys") == (habit, meant)
    assert choose_files(LocateResult((habit, faint)), "jwt fails for RS256 keys") == ()


@pytest.mark.parametrize("text", ["fix src/a.py", "see shop.auth.tokens", "rename parse_http", "rename parseHTTP"])
def test_one_name_from_code_is_enough_for_a_task(text: str) -> None:
    assert is_task(text)


def test_words_that_any_conversation_has_are_no_task() -> None:
    assert not is_task("Thanks, that looks good to me, go on like this please.")
    assert is_task("the invoice totals are wrong")


def test_files_that_several_words_of_the_task_speak_for_are_named() -> None:
    file = LocatedFile("src/jwt.py", 0.5, ("speaks of jwt", "changed for “RS256 keys”"))
    assert choose_files(LocateResult((file,)), "jwt fails for RS256") == (file,)


def test_of_the_words_that_speak_for_a_file_only_the_tasks_own_are_shown() -> None:
    file = LocatedFile(
        "src/auth/jwt.py", 1.0, ("path has auth, jwt", "speaks of up, jwt, make, keys", "changed recently")
    )
    said = render((file,), LocateResult((file,)), [], task="make up the jwt keys")
    assert said.text.split("\n")[1] == "- src/auth/jwt.py (speaks of jwt, keys)"


def test_files_that_changed_together_once_or_with_something_else_are_no_line() -> None:
    seldom, elsewhere = CoupledFile("src/b.py", "src/a.py", 2, 2), CoupledFile("src/c.py", "src/other.py", 9, 9)
    assert "together" not in render((NAMED,), LocateResult((NAMED,), (), (seldom, elsewhere)), []).text


def test_an_error_comes_with_a_prompt_only_where_the_prompt_is_about_it() -> None:
    row: dict[str, object] = {**ROW, "type": "error_pattern", "summary": "“redis refused port 6379”: set REDIS_URL"}
    assert drop_unrelated_errors([row, ROW], "why is redis refusing the connection on its port") == [row, ROW]
    assert drop_unrelated_errors([row, ROW], "rename the invoice totals") == [ROW]


@pytest.mark.promise("texts-fit")
def test_where_it_is_too_long_coupled_files_go_first_then_the_files_least_sure_of_then_memories() -> None:
    files = tuple(LocatedFile(f"src/{number}/{'long_name/' * 60}a.py", 1.0, ("closest in it",)) for number in range(10))
    coupled = (CoupledFile("src/b.py", files[0].path, 9, 11),)
    said = render(files, LocateResult(files, (), coupled), [ROW])
    assert 0 < len(said.files) < len(files)
    assert said.files == tuple(file.path for file in files[: len(said.files)])
    assert said.memories == ("7f3a2c",)
    wordy: list[dict[str, object]] = [
        {**ROW, "id": f"{number:06x}", "summary": "a long story " * 60} for number in range(12)
    ]
    told = render(files, LocateResult(files, (), coupled), wordy)
    assert told.files == (files[0].path,)
    assert told.memories == tuple(str(row["id"]) for row in wordy[: len(told.memories)])


@pytest.mark.promise("texts-fit")
@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), max_size=12),
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), max_size=12),
)
def test_it_never_exceeds_its_budget_and_names_what_is_in_it(paths: list[str], summaries: list[str]) -> None:
    files = tuple(LocatedFile(path, 1.0, (f"named: {path}",)) for path in paths)
    rows = [{**ROW, "id": f"{number:06x}", "summary": each} for number, each in enumerate(summaries)]
    said = render(
        files, LocateResult(files, tuple(paths), tuple(CoupledFile(path, path, 9, 9) for path in paths)), rows
    )
    assert estimate_tokens(said.text) * MARGIN <= PROMPT_TOKENS_MAX
    assert [f"[hw:{one}" in said.text for one in said.memories] == [True] * len(said.memories)
