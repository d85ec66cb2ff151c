"""What a session needed, what a prediction would have saved, and what the simplest programs predict."""

from __future__ import annotations

from benchmarks import trivial
from benchmarks.b1_sessions import named
from benchmarks.told import failing, measured, told
from tests.benchmarks.recordings import recording

TOKENS, INVOICE, README = "src/auth/tokens.py", "src/billing/invoice.py", "README.md"


def test_files_that_the_prompt_names_need_not_be_found() -> None:
    session = told(recording("one", 0, "Mend the refresh in tokens.py now", ("read", TOKENS), ("edit", INVOICE)))
    assert session.files == (TOKENS, INVOICE)
    assert session.gold == {INVOICE}


def test_a_prompt_of_two_words_is_no_task() -> None:
    assert not told(recording("one", 0, "go on", ("read", TOKENS))).is_asked


def test_a_predicted_file_saves_its_first_read_and_the_searches_before_it() -> None:
    deeds = (("search", "refresh"), ("search", "token"), ("read", TOKENS), ("read", INVOICE), ("read", TOKENS))
    session = told(recording("one", 0, "Why does the login fail", *deeds))
    assert session.discovery == ("", "", TOKENS, INVOICE)
    assert measured(session, [TOKENS]) == (0.5, 0.75)
    assert measured(session, [INVOICE, TOKENS]) == (1.0, 1.0)
    assert measured(session, []) == (0.0, 0.0)


def test_the_same_error_counts_once_in_a_session() -> None:
    error = "fail", "pytest -q -> E   ModuleNotFoundError: No module named 'shop'"
    session = told(recording("one", 0, "Make the tests pass again", error, ("run", "ls"), error))
    assert len(failing(session)) == 1


def test_each_simple_program_follows_its_own_rule() -> None:
    past = [
        told(recording("a", 0, "Mend the token refresh", ("read", TOKENS), ("read", README))),
        told(recording("b", 1, "Add the tax to an invoice", ("read", INVOICE), ("read", README))),
    ]
    asked = told(recording("c", 2, "The refresh of tokens is slow", ("read", TOKENS)))
    lists = trivial.all_lists(asked, past, [TOKENS, INVOICE, README], {TOKENS: 2.0, INVOICE: 1.0})
    assert lists["freq"][0] == README
    assert lists["recent"][0] == INVOICE
    assert lists["kNN over past prompts"] == [README, TOKENS]
    assert lists["path BM25"] == [TOKENS]
    assert lists[trivial.CONTENTS] == [TOKENS, INVOICE]
    assert lists[trivial.FUSED][0] == TOKENS, "most of them know it"


def test_simple_programs_name_no_file_that_is_gone() -> None:
    past = [told(recording("a", 0, "Mend the token refresh", ("read", TOKENS), ("read", INVOICE)))]
    asked = told(recording("b", 1, "The token refresh is slow", ("read", TOKENS)))
    lists = trivial.all_lists(asked, past, [INVOICE], {TOKENS: 1.0})
    assert all(TOKENS not in found for found in lists.values())
    assert lists["recent"] == [INVOICE]


def test_the_end_of_a_long_list_does_not_outweigh_the_beginning_of_another() -> None:
    filler = [f"src/{number}.py" for number in range(2 * trivial.RRF_DEPTH)]
    fused = trivial.ordered(trivial.rrf([[TOKENS], [*filler[::2], README], [*filler[1::2], README]]))
    assert README not in fused
    assert TOKENS in fused


def test_only_files_of_the_project_are_taken_from_a_text() -> None:
    text = f"holloway: for this task:\n- {INVOICE}: total (named: invoice.py)\n- tests: {TOKENS} (run: make test)"
    assert named(text, [TOKENS, INVOICE, README]) == [INVOICE, TOKENS]
