from datetime import UTC, datetime
from pathlib import Path

import pytest

from holloway.promotion.reader import checkout_search
from holloway.promotion.reader.checkout_search import CheckoutSearch
from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"
BEFORE, AFTER = datetime(2026, 1, 6, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
"""Moments after and before the commits of the tests, which all have one date."""


@pytest.fixture
def search(repository: Repository) -> CheckoutSearch:
    repository.commit("lib/tokens.py", "x = 1\n")
    (repository.root / "new.py").write_text("refresh = 1\n")
    return CheckoutSearch(str(repository.root))


@pytest.mark.parametrize(
    ("path", "file"),
    [
        (TOKENS, TOKENS),
        ("auth/tokens.py", TOKENS),
        ("/auth/tokens.py", TOKENS),
        ("uth/tokens.py", ""),
        ("tokens.py", ""),
        ("new.py", ""),
        ("README.md", "README.md"),
    ],
)
def test_a_path_names_the_one_tracked_file_that_ends_with_it(path: str, file: str, search: CheckoutSearch) -> None:
    assert search.resolve_file(path) == file


@pytest.mark.parametrize(
    ("path", "known"), [("tokens.py", True), ("/lib/tokens.py", True), ("b/tokens.py", False), ("new.py", False)]
)
def test_several_files_may_end_with_a_path(path: str, known: bool, search: CheckoutSearch) -> None:
    assert search.has_file_ending(path) is known


@pytest.mark.parametrize(("path", "folder"), [("src/shop", True), ("src/shop/", True), ("src/sho", False)])
def test_a_folder_has_files_below_it(path: str, folder: bool, search: CheckoutSearch) -> None:
    assert search.is_folder(path) is folder


@pytest.mark.parametrize(
    ("name", "files"),
    [("refresh", {TOKENS, "tests/auth/test_tokens.py"}), ("nowhere", frozenset()), ("re", None), ("r" * 121, None)],
)
def test_a_name_is_found_in_the_files_of_the_commit(name: str, files: object, search: CheckoutSearch) -> None:
    assert search.find_files_with(name) == files


def test_after_a_number_of_searches_only_earlier_answers_are_given(
    search: CheckoutSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout_search, "SEARCHES_MAX", 1)
    assert search.find_files_with("nowhere") == frozenset()
    assert search.find_files_with("refresh") is None
    assert search.find_files_with("nowhere") == frozenset()


def test_a_bounded_number_of_files_has_a_name(search: CheckoutSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout_search, "MATCHING_FILES_MAX", 1)
    assert search.find_files_with("refresh") == frozenset([TOKENS])


def test_a_folder_without_git_knows_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("refresh = 1\n")
    search = CheckoutSearch(str(tmp_path))
    assert (search.commit, search.files, search.find_files_with("refresh"), search.instructions) == (
        *("", frozenset(), None),
        (),
    )


def test_another_commit_has_its_own_files(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.commit("lib/new.py", "x = 1\n")
    assert CheckoutSearch(str(repository.root), first).resolve_file("new.py") == ""


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n", False),
        ("a = 1\nb = 5\nc = 6\nd = 4\n", False),
        ("a = 1\nx = 5\ny = 6\nz = 4\n", True),
    ],
)
def test_a_file_counts_as_another_one_once_most_of_its_lines_changed(
    text: str, changed: bool, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repository.commit("lib/a.py", "a = 1\nb = 2\nc = 3\nd = 4\n")
    repository.commit("lib/a.py", text)
    monkeypatch.setattr("holloway.git.find_commit_before", lambda root, commit, stamp: first)
    assert CheckoutSearch(str(repository.root)).has_changed_since("lib/a.py", BEFORE) is changed


def test_a_file_has_not_changed_where_no_earlier_commit_is_known(search: CheckoutSearch) -> None:
    assert not search.has_changed_since("lib/tokens.py", AFTER)
    assert not search.has_changed_since("lib/tokens.py", BEFORE)
    assert not search.has_changed_since("nowhere.py", BEFORE)


def test_instructions_are_the_paragraphs_and_items_of_the_files_for_agents(repository: Repository) -> None:
    repository.commit("AGENTS.md", "# The rules of this shop\n- Never round an invoice twice\n  on one day\n- Short\n")
    repository.commit("sub/README.md", "One paragraph\nof two lines here\n\n1. A numbered item of it\n")
    repository.commit(".cursor/rules/a.mdc", "Use integer cents for money\n")
    repository.commit(".claude/settings.json", "this is not a text\n")
    repository.commit("docs/guide.md", "Nobody reads this long guide\n")
    assert set(CheckoutSearch(str(repository.root)).instructions) == {
        "# the rules of this shop",
        "- never round an invoice twice on one day",
        "one paragraph of two lines here",
        "1 a numbered item of it",
        "use integer cents for money",
    }


def test_names_that_were_searched_for_together_are_not_searched_for_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("lib/cache.py", "def warm_cache():\n    pass\n")
    search = CheckoutSearch(str(repository.root))
    search.find_all(["warm_cache", "nowhere_at_all", "x"])
    asked: list[str] = []

    def note_search(name: str) -> frozenset[str]:
        asked.append(name)
        return frozenset()

    monkeypatch.setattr(search, "_search", note_search)
    assert search.find_files_with("warm_cache") == frozenset({"lib/cache.py"})
    assert search.find_files_with("nowhere_at_all") == frozenset()
    assert asked == ["nowhere_at_all"]
