"""Figures of a session that may leave the machine, and exports of other machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.errors import InvalidInput
from holloway.proof.session_figures import (
    COLUMNS,
    CONDITIONS,
    NUMBERS,
    dump_csv,
    extract_figures,
    is_randomised,
    parse_csv,
    pool_figures,
)

RECORD = {
    "group": "control",
    "randomised": True,
    "agent": "codex",
    "task": "a secret plan",
    "tool_calls": 12,
    "tokens_in": 1_000,
    "tokens_out": 50,
    "qa_first_pass": True,
    "error_runs": [[True, False, 4], [False, False, None], [False, False, 8]],
}
WHEN = "2026-01-05T09:00:00.000Z"
NUMBER = st.one_of(st.none(), st.floats(0, 1e9))
ROWS = st.fixed_dictionaries(
    {
        "session": st.text("0123456789abcdef", min_size=16, max_size=16),
        "day": st.just("2026-01-05"),
        "group": st.sampled_from(["full", "passive", "control"]),
        **{name: st.one_of(st.none(), st.text("abc, \"'é", min_size=1, max_size=20)) for name in CONDITIONS},
        **dict.fromkeys(NUMBERS, NUMBER),
    }
)


def test_figures_of_a_session_have_numbers_and_no_content() -> None:
    figures = extract_figures("5d0c8f6e", WHEN, RECORD)

    assert tuple(figures) == COLUMNS
    assert (figures["group"], figures["day"], figures["tokens"], figures["steps_until_green"]) == (
        "control",
        "2026-01-05",
        1_050,
        6.0,
    )
    text = dump_csv([figures])
    assert "secret" not in text
    assert "5d0c8f6e" not in text


def test_what_is_unknown_stays_unknown() -> None:
    figures = extract_figures("s", WHEN, {"group": "full", "tokens_in": 5})

    assert {figures[name] for name in NUMBERS} == {None}


def test_only_sessions_that_chance_assigned_are_compared() -> None:
    assert is_randomised(RECORD)
    assert not is_randomised({**RECORD, "randomised": None})
    assert not is_randomised({**RECORD, "group": "memory"})


@given(st.lists(ROWS, max_size=5))
def test_an_export_is_read_as_it_was_written(rows: list[dict[str, object]]) -> None:
    assert parse_csv(dump_csv(rows), "x.csv") == rows


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "session,group\n", "is not an export"),
        (lambda text: "", "is not an export"),
        (lambda text: text.replace("control", "treated"), "line 2: there is no group 'treated'"),
        (lambda text: text.replace(",12,", ",many,"), "line 2: could not convert"),
        (lambda text: text.replace(",12,", ",nan,"), "line 2: nan is not a number"),
        (lambda text: text.replace(",12,", ",1e999,"), "line 2: 1e999 is not a number"),
        (lambda text: text.replace("codex", "x" * 300), "line 2: the number of cells"),
        (lambda text: text.replace(",12,", ",12,13,"), "line 2: the number of cells"),
        (lambda text: text.replace("codex,", ""), "line 2: the number of cells"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_its_line(change, words: str) -> None:  # type: ignore[no-untyped-def]
    text = dump_csv([extract_figures("s", WHEN, RECORD)])

    with pytest.raises(InvalidInput) as error:
        parse_csv(change(text), "other.csv")

    assert words in str(error.value)


def test_a_session_that_two_machines_have_counts_once() -> None:
    first, second = (extract_figures(name, WHEN, RECORD) for name in ("a", "b"))

    assert pool_figures([[first, second], [second]]) == [first, second]
