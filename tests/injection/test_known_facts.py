"""Memories about a file, a failure or a search are found while what they name is still there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holloway.injection import known_facts
from holloway.injection.known_facts import all_exist, any_exists, with_parents
from holloway.injection.reader import StoreView
from holloway.service.holloway import Holloway
from holloway.service.session_context import SessionReader
from tests.service.learned import REFUSED, learn, solved
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"


@pytest.fixture
def view(memory: Holloway) -> Iterator[StoreView]:
    reader = SessionReader(memory.opened, "s1", "coder")
    opened = reader.open()
    assert opened is not None
    with opened:
        yield opened
    reader.close()


def test_a_file_stands_below_its_folders_and_the_project() -> None:
    assert with_parents("a/b/c.py") == ["a/b/c.py", "a/b", "a", "."]
    assert with_parents("c.py") == ["c.py", "."]


def test_files_exist_all_or_some(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    root = str(tmp_path)
    assert [all_exist(files, root) for files in (["a"], ["a", "b"], [])] == [True, False, True]
    assert [any_exists(files, root) for files in (["a", "b"], ["b"], [])] == [True, False, True]


def test_a_memory_about_a_file_or_its_folder_is_found_once(memory: Holloway, view: StoreView) -> None:
    both = taught(memory, "refresh burns the token", files=[TOKENS, "README.md"])
    folder = taught(memory, "auth is slow to start", files=["src/shop/auth"])
    taught(memory, "cents, not floats", files=["src/shop/billing/invoice.py"])
    rows = known_facts.find_for_files(view, [TOKENS, "README.md"], 5)
    assert sorted(str(row["id"]) for row in rows) == sorted([both.id, folder.id])
    assert len(known_facts.find_for_files(view, [TOKENS], 1)) == 1
    assert {frozenset(row["files"]) for row in rows if row["id"] == both.id} == {frozenset({TOKENS, "README.md"})}  # type: ignore[call-overload]


def test_a_memory_whose_file_is_gone_is_left_out_and_noted(memory: Holloway, view: StoreView) -> None:
    stored = taught(memory, "refresh burns the token", files=[TOKENS])
    (memory.project.root / TOKENS).unlink()
    assert known_facts.find_for_files(view, [TOKENS], 5) == []
    assert view.reader.missing == [stored.id]
    assert known_facts.find_unseen(view, [], 5) == []


def test_an_answer_is_given_while_the_code_has_its_words(memory: Holloway, view: StoreView) -> None:
    stored = taught(memory, "refresh(token) is defined here", files=[TOKENS])
    (row,) = known_facts.find_answers(view, "refresh", 5)
    assert (row["id"], row["as"], row["pattern"]) == (stored.id, "answer", "refresh")
    (memory.project.root / TOKENS).write_text("x = 1\n")
    assert known_facts.find_answers(view, "refresh", 5) == []
    assert known_facts.find_answers(view, "abc", 5) == []


def test_fixes_are_found_by_their_error_and_an_output_without_errors_has_none(
    memory: Holloway, view: StoreView
) -> None:
    assert known_facts.find_fixes(view, "12 passed in 0.3s", 5) == []


def test_the_fix_of_an_error_holds_while_one_of_its_files_exists(memory: Holloway, view: StoreView) -> None:
    for number in range(2):
        learn(memory, solved(f"before{number}"))
    output = f"{REFUSED}\n1 failed"
    (row,) = known_facts.find_fixes(view, output, 5)
    assert row["as"] == "fix"
    assert "REDIS_URL" in str(row["details"])
    memory.edit(str(row["id"]), files=[TOKENS, "README.md"])
    (memory.project.root / TOKENS).unlink()
    assert len(known_facts.find_fixes(view, output, 5)) == 1
    (memory.project.root / "README.md").unlink()
    assert known_facts.find_fixes(view, output, 5) == []


def test_an_answer_without_a_file_needs_a_persons_word(memory: Holloway, view: StoreView) -> None:
    stored = taught(memory, "refresh tokens are rotated by the gateway")
    assert [row["id"] for row in known_facts.find_answers(view, "refresh.*tokens", 5)] == [stored.id]
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET state = 'unconfirmed'")
    assert known_facts.find_answers(view, "refresh.*tokens", 5) == []


def test_dead_ends_are_those_that_concern_the_work(memory: Holloway, view: StoreView) -> None:
    near = taught(memory, "Redis for sessions", type="dead_end")
    taught(memory, "Rounding twice", type="dead_end")
    taught(memory, "Redis is a gotcha")
    found = known_facts.find_dead_ends(view, lambda row: "Redis" in str(row["content"]), 5)
    assert [row["id"] for row in found] == [near.id]
    assert known_facts.find_dead_ends(view, lambda row: True, 1) != []
    assert len(known_facts.find_dead_ends(view, lambda row: True, 1)) == 1


def test_what_was_shown_is_not_found_unseen(memory: Holloway, view: StoreView) -> None:
    first, second = taught(memory, "one trap"), taught(memory, "another trap")
    assert {row["id"] for row in known_facts.find_unseen(view, [first.id, second.id], 5)} == {first.id, second.id}
    view.claim([first.id], "prompt")
    assert [row["id"] for row in known_facts.find_unseen(view, [first.id, second.id], 5)] == [second.id]


@pytest.mark.parametrize(
    ("phase", "session_type", "first"),
    [
        ("explore", "", "decision"),
        ("implement", "", "gotcha"),
        ("", "", "decision"),
        ("", "build", "gotcha"),
        ("explore", "build", "decision"),
    ],
)
def test_phase_and_type_of_a_session_decide_which_types_come_first(
    memory: Holloway, phase: str, session_type: str, first: str
) -> None:
    for kind in ("gotcha", "decision"):
        taught(memory, f"the {kind} about refreshing tokens", type=kind, files=["src/shop/auth/tokens.py"])
    session = memory.session("s1", phase=phase or None, type=session_type or None)
    text = session.used("Read", {"file_path": "src/shop/auth/tokens.py"}, "def refresh(token): ...")
    assert min(("gotcha", "decision"), key=lambda kind: text.index(f"the {kind} about")) == first
