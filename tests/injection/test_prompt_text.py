from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.config import PROMPT_BARE_FILES_MAX, PROMPT_FILES_MAX, PROMPT_TESTS_MAX, PROMPT_TOKENS_MAX
from holloway.injection.prompt_text import (
    PROMPT_FILE_SCORE_MIN,
    choose_files,
    drop_unrelated,
    group_paths,
    is_task,
    label_doubt,
    list_known,
    render,
    task_keywords,
    task_names,
)
from holloway.injection.template import line
from holloway.retrieval.evidence import HABIT_REASON, LATELY_REASON, UNDERWAY_REASON
from holloway.retrieval.locate import LocatedFile, LocateResult
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.injection.test_tool_result import ROW


def make_tests(*paths: str, score: float = 0.0) -> tuple[LocatedFile, ...]:
    return tuple(LocatedFile(path, score, ()) for path in paths)


NAMED = LocatedFile("src/a.py", 1.0, ("named: a.py", "changes with src/b.py"), ("refresh",))


def test_it_reads_like_this() -> None:
    sources = (
        NAMED,
        LocatedFile("src/b.py", 0.9, ("speaks of token",), ("refresh_token", "other")),
        LocatedFile("src/c.py", 0.9, ("closest in x", UNDERWAY_REASON, LATELY_REASON)),
        LocatedFile("src/d.py", 0.8, ("path has d", "speaks of the, token, refresh")),
        LocatedFile("src/shop/e.py", 0.7, (LATELY_REASON,)),
        LocatedFile("src/shop/f.py", 0.7, (LATELY_REASON,)),
    )
    located = LocateResult(sources, make_tests("tests/test_a.py", score=0.7))
    rows: list[dict[str, object]] = [{**ROW, "files": ["src/a.py"]}]
    chosen = choose_files(located, "refresh the token")
    rendered = render(chosen, located, rows, task="refresh the token", test_command="pytest -q")
    assert rendered.text == (
        "holloway: files for this task:\n"
        "- src/a.py (refresh)\n"
        "- src/b.py (refresh_token)\n"
        "- also src/: c.py, d.py; src/shop/: e.py, f.py\n"
        "- tests tests/: test_a.py (run: pytest -q)\n"
        "- Trap: refresh() burns the token [hw:7f3a2c, 3 sessions, last 12 Oct]"
    )
    assert rendered.memories == ("7f3a2c",)
    assert rendered.files == (*(file.path for file in sources[1:]), "tests/test_a.py")


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (LocatedFile("c", 1.0, ("closest in x", UNDERWAY_REASON, LATELY_REASON)), "- c (changed on this branch)"),
        (LocatedFile("d", 1.0, ("path has d", "speaks of the, token, refresh")), "- d (speaks of token, refresh)"),
        (LocatedFile("e", 1.0, ("speaks of nothing", HABIT_REASON)), "- e (opened in many sessions)"),
        (LocatedFile("f", 1.0, ("changes with src/b.py", "path has token"), ("other",)), "- f"),
    ],
)
def test_a_file_has_the_first_reason_that_a_person_accepts(file: LocatedFile, shown: str) -> None:
    assert render((file,), LocateResult((file,)), [], task="refresh the token").text.split("\n")[1] == shown


def test_paths_are_grouped_by_folder_in_the_order_of_the_best() -> None:
    assert (
        group_paths(["src/a.py", "go.mod", "src/shop/b.py", "src/c.py"]) == "src/: a.py, c.py; go.mod; src/shop/: b.py"
    )
    assert group_paths([]) == ""


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
    dated = render((), LocateResult(), [{**row, "stated_at": "2026-03-04T00:00:00.000Z"}]).text
    assert "- Dead end (seen 4 Mar): " in dated


def test_files_that_only_habit_speaks_for_are_not_named() -> None:
    habit = LocatedFile("src/busy.py", 1.0, (LATELY_REASON, "changes with src/a.py"))
    small_talk = LocatedFile("src/word.py", 0.9, ("speaks of good, looks", "changed for “thanks for the test”"))
    one_word = LocatedFile("src/one.py", 0.8, ("speaks of invoice",))
    located = LocateResult((habit, small_talk, one_word), make_tests("tests/test_x.py"))
    assert choose_files(located, "thanks, the test of the invoice looks good") == ()
    assert render((), located, []).text == ""


def test_where_the_words_of_a_task_speak_for_one_file_those_of_the_latest_sessions_come_along() -> None:
    habit = LocatedFile("src/login.py", 1.0, (LATELY_REASON,))
    for score in (0.9, 0.5):
        meant = LocatedFile("src/jwt.py", score, ("speaks of jwt, keys", "changed for “RS256 keys”"))
        chosen = choose_files(LocateResult((habit, meant)), "jwt fails for RS256 keys")
        assert chosen == (habit, meant)[: 2 if score >= PROMPT_FILE_SCORE_MIN else 1]
    assert choose_files(LocateResult((habit,)), "jwt fails for RS256 keys") == ()


@pytest.mark.parametrize("text", ["fix src/a.py", "see shop.auth.tokens", "rename parse_http", "rename parseHTTP"])
def test_one_name_from_code_is_enough_for_a_task(text: str) -> None:
    assert is_task(text)


def test_words_that_any_conversation_has_are_no_task() -> None:
    assert not is_task("Thanks, that looks good to me, go on like this please.")
    assert is_task("the invoice totals are wrong")


def test_files_that_several_words_of_the_task_speak_for_are_named() -> None:
    file = LocatedFile("src/jwt.py", 1.0, ("speaks of jwt", "changed for “RS256 keys”"))
    assert choose_files(LocateResult((file,)), "jwt fails for RS256") == (file,)


def test_of_the_words_that_speak_for_a_file_only_the_tasks_own_are_shown() -> None:
    file = LocatedFile("src/auth/jwt.py", 1.0, ("path has auth, jwt", "speaks of up, jwt, make, keys", UNDERWAY_REASON))
    said = render((file,), LocateResult((file,)), [], task="make up the jwt keys")
    assert said.text.split("\n")[1] == "- src/auth/jwt.py (speaks of jwt, keys)"


def test_an_error_comes_with_a_prompt_only_where_the_prompt_is_about_it() -> None:
    row: dict[str, object] = {**ROW, "type": "error_pattern", "summary": "“redis refused port 6379”: set REDIS_URL"}
    assert drop_unrelated([row, ROW], [str(ROW["path"])], "why is redis refusing the connection on its port") == [
        row,
        ROW,
    ]
    assert drop_unrelated([row, ROW], [str(ROW["path"])], "rename the invoice totals") == [ROW]


@pytest.mark.promise("texts-fit")
def test_where_it_is_too_long_the_files_least_sure_of_go_first_then_memories() -> None:
    files = tuple(LocatedFile(f"src/{number}/{'long_name/' * 30}a.py", 1.0, ("closest in it",)) for number in range(4))
    rendered = render(files, LocateResult(files), [ROW])
    assert 0 < len(rendered.files) < len(files)
    assert rendered.files == tuple(file.path for file in files[: len(rendered.files)])
    assert rendered.memories == ("7f3a2c",)
    wordy: list[dict[str, object]] = [
        {**ROW, "id": f"{number:06x}", "summary": "a long story " * 20} for number in range(12)
    ]
    shortened = render(files, LocateResult(files), wordy)
    assert shortened.files == (files[0].path,)
    assert shortened.memories == tuple(str(row["id"]) for row in wordy[: len(shortened.memories)]) != ()


@pytest.mark.promise("texts-fit")
@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), max_size=12),
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), max_size=12),
)
def test_it_never_exceeds_its_budget_and_names_what_is_in_it(paths: list[str], summaries: list[str]) -> None:
    files = tuple(LocatedFile(path, 1.0, (f"named: {path}",)) for path in paths)
    rows = [{**ROW, "id": f"{number:06x}", "summary": summary} for number, summary in enumerate(summaries)]
    rendered = render(files, LocateResult(files, make_tests(*paths[:3])), rows)
    assert estimate_tokens(rendered.text) * MARGIN <= PROMPT_TOKENS_MAX
    assert [f"[hw:{memory}" in rendered.text for memory in rendered.memories] == [True] * len(rendered.memories)


def test_a_prompt_without_a_place_is_met_with_the_work_at_hand_only_where_a_session_begins() -> None:
    underway = LocatedFile("src/a.py", 1.0, (UNDERWAY_REASON,), ("fix",))
    lately = LocatedFile("src/b.py", 0.9, (LATELY_REASON,))
    other = LocatedFile("src/c.py", 0.8, ("changes with src/a.py",))
    located = LocateResult((underway, lately, other))
    assert choose_files(located, "fix the tests") == ()
    chosen = choose_files(located, "fix the tests", begins=True)
    assert chosen == (LocatedFile("src/a.py", 1.0, (UNDERWAY_REASON,)), lately)
    assert render(chosen, located, [], task="fix the tests").text.split("\n")[0] == line("prompt", "at_hand")


def test_only_the_best_files_are_chosen() -> None:
    files = tuple(LocatedFile(f"src/{number}.py", 1.0, ("defines class Cart",)) for number in range(12))
    tests = make_tests(*(f"tests/test_{number}.py" for number in range(PROMPT_TESTS_MAX + 1)), score=1.0)
    expected = (*files[: PROMPT_FILES_MAX + PROMPT_BARE_FILES_MAX], *tests[:PROMPT_TESTS_MAX])
    assert choose_files(LocateResult(files, tests), "x") == expected
    just = LocatedFile("a", PROMPT_FILE_SCORE_MIN, ("named: a",))
    below = LocatedFile("b", PROMPT_FILE_SCORE_MIN - 0.01, ("named: b",))
    assert choose_files(LocateResult((files[0], just, below)), "x") == (files[0], just)


def test_a_file_whose_whole_path_stands_in_the_prompt_is_not_named_again_and_does_not_hide_others() -> None:
    known = LocatedFile("src/a.py", 1.0, ("named: src/a.py",))
    near, far = LocatedFile("src/b.py", 0.4, ("defines x",)), LocatedFile("src/c.py", 0.2, ("defines y",))
    located = LocateResult((known, near, far), make_tests("tests/test_a.py"))
    assert choose_files(located, "mend src/a.py") == (near, located.tests[0])
    assert list_known(located, "mend src/a.py") == ["src/a.py"]
    assert choose_files(LocateResult((known,)), "mend src/a.py") == ()


def test_files_that_the_prompt_names_itself_are_not_counted_as_pointed_to() -> None:
    other = LocatedFile("src/b.py", 1.0, ("defines class Cart",))
    assert render((NAMED, other), LocateResult((NAMED, other)), []).files == ("src/b.py",)


@pytest.mark.parametrize(
    ("count", "sessions", "times"), [(3, '["a"]', "3 times"), (1, "[]", "once"), (0, '["a", "b"]', "2 times")]
)
def test_a_recipe_lists_its_steps_and_how_often_they_worked(count: int, sessions: str, times: str) -> None:
    steps = [{"description": f"Do {number}", "file": "src/a.py" if number == 1 else ""} for number in range(1, 11)]
    details = {"task": "add a provider", "steps": steps, "success_count": count}
    said = render((), LocateResult(), [], recipe={**ROW, "id": "abcdef", "details": details, "sessions": sessions})
    shown = said.text.split("\n")
    assert shown[1:4] == [
        f"- Done before ({times}): add a provider [hw:abcdef]",
        "-   1. Do 1 (src/a.py)",
        "-   2. Do 2",
    ]
    assert (len(shown), shown[-1]) == (10, "-   8. Do 8")
    assert said.memories == ("abcdef",)


def test_a_recipe_that_does_not_fit_is_left_out() -> None:
    details = {"task": "a long task " * 2_000, "steps": []}
    assert render((), LocateResult(), [], recipe={**ROW, "details": details}).text == ""


def test_keywords_leave_out_words_of_any_conversation() -> None:
    assert task_keywords("please fix the invoice totals") == {"invoice", "total"}


@pytest.mark.parametrize(
    ("state", "source", "label"),
    [
        ("confirmed", "observer_inferred", ""),
        ("confirmed", "user_correction", ""),
        ("unconfirmed", "observer_inferred", ", unconfirmed"),
        ("unconfirmed", "user_correction", ", you said"),
        ("unconfirmed", "agent_concluded", ", the agent concluded"),
        ("unconfirmed", "agent_note", ", an agent noted"),
        ("unconfirmed", "commit_auto", ", a commit says"),
        ("stale", "commit_auto", ", possibly out of date"),
    ],
)
def test_only_doubt_is_labelled_and_by_its_speaker(state: str, source: str, label: str) -> None:
    assert label_doubt({**ROW, "state": state, "source": source}) == label


def test_a_memory_of_a_folder_needs_words_of_the_prompt() -> None:
    folder = {**ROW, "path": "src", "summary": "Invoice totals are rounded once"}
    assert drop_unrelated([folder], ["src/a.py"], "rename the session store") == []
    assert drop_unrelated([folder], ["src/a.py"], "round the invoice totals") == [folder]


def test_names_of_code_in_a_task() -> None:
    assert task_names("why does retry_limit ignore maxTries and `limits.toml`, or the Redis port") == [
        "retry_limit",
        "maxtries",
        "limits.toml",
    ]


def test_a_test_that_is_worth_naming_stands_among_the_tests_and_not_among_the_files() -> None:
    (test, *faint) = make_tests("tests/test_b.py", score=0.9) + make_tests("tests/test_c.py", "tests/test_d.py")
    located = LocateResult((NAMED,), (test, *faint))
    chosen = choose_files(located, "a.py")
    assert chosen == (NAMED, test)
    assert choose_files(LocateResult((NAMED,), tuple(faint)), "a.py") == (NAMED, faint[0])
    unnamed = replace(NAMED, reasons=("defines class Cart",))
    assert choose_files(LocateResult((unnamed,), tuple(faint)), "a.py") == (unnamed,)
    assert render(chosen, located, []).text.split("\n")[1:] == ["- src/a.py (named: a.py)", "- tests tests/: test_b.py"]


TRACE = """Fix this crash:
Traceback (most recent call last):
  File "/app/src/a.py", line 9, in refresh
    return tokens[name]
KeyError: 'name'
"""


def test_a_file_that_only_a_stack_trace_names_is_listed() -> None:
    located = LocateResult((replace(NAMED, reasons=("named: /app/src/a.py",)),))
    assert [file.path for file in choose_files(located, TRACE)] == ["src/a.py"]
    assert choose_files(located, TRACE + "It is in src/a.py, I think.") == ()


def test_a_file_whose_name_is_not_shown_is_described_by_its_folder_and_what_it_defines() -> None:
    nameless = LocatedFile("src/shop", 0.9, ("closest in report_sales",), ("report_sales",))
    located = LocateResult(nameless=(nameless, replace(nameless, score=0.3), replace(nameless, reasons=(), symbols=())))
    rendered = render((), located, [], task="Fix report_sales for cancelled orders")
    assert rendered.text.split("\n")[1:] == [
        "- src/shop/: a file whose name is not in plain letters (report_sales)",
    ]
    assert rendered.files == ()
    assert render((), located, [], task="Rename the session store").text == ""


def test_function_words_of_another_language_are_no_keywords() -> None:
    assert task_keywords("Die Rechnung soll auf Cent gerundet werden, und das ist wichtig") == {
        "rechnung",
        "cent",
        "gerundet",
        "wichtig",
    }
    assert "über" not in task_keywords("Wir reden über den Korb und die Mail")
    assert "überweisung" in task_keywords("Die Überweisung ist noch nicht in der Liste")
