"""What a session needed, what a prediction would have saved, and what the simplest programs predict."""

from __future__ import annotations

from benchmarks import arms, trivial
from benchmarks.b1_sessions import list_named
from benchmarks.told import describe_session, failing, measure_prediction, read_recording, restrict_to
from holloway.domain.event import TEAMMATE_PREFIX, Call, Event, Result, Said, Started, ToolKind
from tests.benchmarks.recordings import recording

TOKENS, INVOICE, README = "src/auth/tokens.py", "src/billing/invoice.py", "README.md"


def test_files_that_the_prompt_names_need_not_be_found() -> None:
    session = read_recording(
        recording("one", 0, "Mend the refresh in tokens.py now", ("read", TOKENS), ("edit", INVOICE))
    )
    assert session.files == (TOKENS, INVOICE)
    assert session.gold == {INVOICE}


def test_a_prompt_of_two_words_is_no_task() -> None:
    assert not read_recording(recording("one", 0, "go on", ("read", TOKENS))).is_asked


def test_a_predicted_file_saves_its_first_read_and_the_searches_before_it() -> None:
    deeds = (("search", "refresh"), ("search", "token"), ("read", TOKENS), ("read", INVOICE), ("read", TOKENS))
    session = read_recording(recording("one", 0, "Why does the login fail", *deeds))
    assert session.discovery == ("", "", TOKENS, INVOICE)
    assert measure_prediction(session, [TOKENS]) == (0.5, 0.75)
    assert measure_prediction(session, [INVOICE, TOKENS]) == (1.0, 1.0)
    assert measure_prediction(session, []) == (0.0, 0.0)


def test_the_same_error_counts_once_in_a_session() -> None:
    error = "fail", "pytest -q -> E   ModuleNotFoundError: No module named 'shop'"
    session = read_recording(recording("one", 0, "Make the tests pass again", error, ("run", "ls"), error))
    assert len(failing(session)) == 1


def test_each_simple_program_follows_its_own_rule() -> None:
    past = [
        read_recording(recording("a", 0, "Mend the token refresh", ("read", TOKENS), ("read", README))),
        read_recording(recording("b", 1, "Add the tax to an invoice", ("read", INVOICE), ("read", README))),
    ]
    asked = read_recording(recording("c", 2, "The refresh of tokens is slow", ("read", TOKENS)))
    lists = trivial.all_lists(asked, past, [TOKENS, INVOICE, README], {TOKENS: 2.0, INVOICE: 1.0})
    assert lists["freq"][0] == README
    assert lists["recent"][0] == INVOICE
    assert lists["kNN over past prompts"] == [README, TOKENS]
    assert lists["path BM25"] == [TOKENS]
    assert lists[trivial.CONTENTS] == [TOKENS, INVOICE]
    assert lists[trivial.FUSED][0] == TOKENS, "most of them know it"


def test_simple_programs_name_no_file_that_is_gone() -> None:
    past = [read_recording(recording("a", 0, "Mend the token refresh", ("read", TOKENS), ("read", INVOICE)))]
    asked = read_recording(recording("b", 1, "The token refresh is slow", ("read", TOKENS)))
    lists = trivial.all_lists(asked, past, [INVOICE], {TOKENS: 1.0})
    assert all(TOKENS not in found for found in lists.values())
    assert lists["recent"] == [INVOICE]


def test_the_end_of_a_long_list_does_not_outweigh_the_beginning_of_another() -> None:
    filler = [f"src/{number}.py" for number in range(2 * trivial.RRF_DEPTH)]
    fused = trivial.rank_paths(trivial.rrf([[TOKENS], [*filler[::2], README], [*filler[1::2], README]]))
    assert README not in fused
    assert TOKENS in fused


def test_the_branch_has_lists_of_its_own() -> None:
    past = [
        read_recording(recording("a", 0, "Mend the token refresh", ("read", TOKENS), branch="feature")),
        read_recording(recording("b", 1, "Round the invoices", ("read", INVOICE), branch="main")),
    ]
    asked = read_recording(recording("c", 2, "Go on with this work", ("read", README), began_on="feature"))
    paths = [TOKENS, INVOICE, README]
    lists = trivial.all_lists(asked, past, paths, {})
    lists = trivial.add_branch_lists(lists, asked, past, paths, [README, "gone.py", INVOICE])
    assert lists[trivial.ON_BRANCH] == [TOKENS]
    assert lists[trivial.CHANGED] == [README, INVOICE]
    assert set(lists[trivial.ALL_FUSED]) == set(paths)


def test_only_files_of_the_project_are_taken_from_a_text() -> None:
    text = f"holloway: files for this task:\n- {INVOICE} (named: invoice.py)\n- tests {TOKENS} (run: make test)"
    assert list_named(text, [TOKENS, INVOICE, README]) == [INVOICE, TOKENS]
    grouped = "- also README.md; src/auth/: none.py, tokens.py; src/billing/: invoice.py (run: make test)"
    assert list_named(grouped, [TOKENS, INVOICE, README]) == [README, TOKENS, INVOICE]


def test_a_session_needs_only_what_was_there_and_its_prompt_does_not_name() -> None:
    deeds = (("read", TOKENS), ("edit", INVOICE), ("edit", "src/new.py"))
    session = restrict_to(
        read_recording(recording("one", 0, "Mend the refresh in tokens.py now", *deeds)), [TOKENS, INVOICE]
    )
    assert session.gold == {INVOICE}
    assert session.named == session.mentioned == {TOKENS}
    assert restrict_to(session, [README]).is_asked is False


def test_an_agent_that_a_lead_starts_is_asked_what_the_lead_said() -> None:
    events: list[Event] = [
        Started(1.0, "one", branch="main"),
        Said(1.0, "Round the invoices to cents", actor=f"{TEAMMATE_PREFIX}lead"),
        Call(2.0, "a", ToolKind.READ, "Read", path=INVOICE.replace("/", "\\")),
        Result(3.0, "a"),
    ]
    session = describe_session(events)
    assert session is not None
    assert (session.query, session.files, session.began_on) == ("Round the invoices to cents", (INVOICE,), "main")
    assert describe_session(events[1:]) is None


def test_the_placebo_keeps_the_shape_of_the_sessions_and_loses_their_files() -> None:
    past = [(f"task {number}", ((f"{number}.py", 1), ("all.py", 2)), "main") for number in range(6)]
    permuted = arms.permute_files(past, "shop")
    assert [(task, len(files), branch) for task, files, branch in permuted] == [
        (f"task {n}", 2, "main") for n in range(6)
    ]
    assert {path for _, files, _ in permuted for path, _ in files} == {
        path for _, files, _ in past for path, _ in files
    }
    assert all(permuted[number][1][0][0] != f"{number}.py" for number in range(6))
    assert arms.permute_files(past, "shop") == permuted
    assert arms.permute_files([], "shop") == []


def test_sessions_of_another_project_stand_for_files_as_popular_here() -> None:
    past = [("a", (("here.py", 1), ("rare.py", 1)), "main"), ("b", (("here.py", 1),), "feature")]
    foreign = [("c", (("there.rs", 2),), "x"), ("d", (("there.rs", 1), ("seldom.rs", 1)), "y"), ("e", (), "")]
    adopted = arms.adopt_foreign(past, foreign, ["here.py", "rare.py", "other.py"])
    assert adopted == [("c", (("here.py", 2),), "main"), ("d", (("here.py", 1), ("rare.py", 1)), "feature")]
    assert arms.adopt_foreign(past, [], []) == []
