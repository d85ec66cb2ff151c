from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import b2_commits, b2_commits_elsewhere, b3_issues, prepare
from benchmarks.b2_commits_elsewhere import Source
from benchmarks.baselines import Bm25, Contents, History, fuse_ranks, is_test, log, rank_keys, tokens
from benchmarks.checkout import checkout_of, git
from benchmarks.repositories import Repository as Public
from tests.conftest import Repository, make_repository

CACHE = "def evict(cache):\n    cache.clear()\n"
PARSER = "def parse(text):\n    return text.split()\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A cache and a parser; each changes with its test."""
    repository = make_repository(tmp_path / "shop", {"cache.py": CACHE, "parser.py": PARSER, "README.md": "# shop\n"})
    for turn in range(2):
        for name, text in (("cache", CACHE), ("parser", PARSER)):
            (repository.root / f"test_{name}.py").write_text(f"import {name}  # {turn}\n")
            repository.commit(f"{name}.py", f"{text}# {turn}\n", f"Repair the {name}")
    return repository


def test_identifiers_are_split_stemmed_and_kept_whole() -> None:
    assert tokens("the parseHTTPRequests") == ["pars", "http", "request", "parsehttprequests"]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = Bm25[str]()
    for name in ("one", "two", "three"):
        index.put(name, Counter(["common", name]))
    assert rank_keys(index.scores("common two"))[0] == "two"
    index.drop("two")
    assert set(index.scores("two")) == set()


def test_contents_follow_the_checkout_both_ways(shop: Repository, tmp_path: Path) -> None:
    added, contents = shop.commit("queue.py", "def enqueue(): ...\n"), Contents()
    with checkout_of(shop.root, tmp_path / "own") as place:
        for commit, expected in ((added, {"queue.py"}), (f"{added}^", set()), (added, {"queue.py"})):
            place.move(commit)
            contents.follow(place.root)
            assert set(contents.index.scores("enqueue")) == expected
            assert "README.md" not in contents.blobs


@pytest.mark.promise("no-hindsight")
def test_a_checkout_shows_nothing_later_than_its_commit(shop: Repository, tmp_path: Path) -> None:
    with checkout_of(shop.root, tmp_path / "own") as place:
        place.move(shop.git("rev-parse", "HEAD"))
        place.move(shop.git("rev-parse", "HEAD~2"))
        seen = git(place.root, "log", "--all", "--reflog", "--format=%H", "HEAD")
    assert seen.split() == shop.git("log", "--format=%H", "HEAD~2").split()


def test_a_checkout_serves_one_run_at_a_time(shop: Repository, tmp_path: Path) -> None:
    with checkout_of(shop.root, tmp_path / "own"), pytest.raises(SystemExit, match="Another run"):  # noqa: SIM117
        with checkout_of(shop.root, tmp_path / "own"):
            pass


def test_history_knows_similar_commits_and_what_moved_with_a_file(shop: Repository) -> None:
    history, present = History(), ["cache.py", "parser.py", "test_cache.py", "test_parser.py"]
    history.follow(shop.root)
    assert rank_keys(history.similar("repairs of the parser", present))[:2] == ["parser.py", "test_parser.py"]
    assert rank_keys(history.together("cache.py", present))[0] == "test_cache.py"


def test_history_unlearns_a_branch_that_is_left(shop: Repository) -> None:
    history = History()
    shop.git("checkout", "-qb", "side")
    shop.commit("cache.py", CACHE, "Sharding")
    history.follow(shop.root)
    assert history.similar("sharding", ["cache.py"])
    shop.git("checkout", "-q", "main")
    history.follow(shop.root)
    assert not history.similar("sharding", ["cache.py"])


def test_history_follows_renames(shop: Repository) -> None:
    shop.git("mv", "cache.py", "store.py")
    shop.commit("README.md", "# moved\n")
    history = History()
    history.follow(shop.root)
    assert rank_keys(history.similar("repair the cache", ["store.py"])) == ["store.py"]
    assert "test_cache.py" in history.together("store.py", ["store.py", "test_cache.py"])


def test_a_message_with_many_lines_is_read_whole(shop: Repository) -> None:
    shop.commit("cache.py", CACHE, "Subject\n\nFirst line\nM\tnot/a/file.py\n")
    last = log(shop.root, "HEAD")[-1]
    assert last.files == ("cache.py",)
    assert last.message.splitlines()[-1] == "M\tnot/a/file.py"


@pytest.mark.parametrize("path", ["tests/x/models.py", "a/test_b.py", "src/hono.test.ts", "pkg/tree_test.go"])
def test_tests_are_known_by_folder_or_name(path: str) -> None:
    assert is_test(path)
    assert not is_test("django/contest/latest.py")


def test_a_file_that_two_lists_agree_on_comes_first() -> None:
    assert fuse_ranks(["a", "b"], ["c", "b"])[0] == "b"


class Oracle:
    """A predictor that notes what it saw and always says the same."""

    name = "oracle"

    def __init__(self, answer: Sequence[str]) -> None:
        self.answer = list(answer)
        self.seen: list[tuple[str, str]] = []
        self.asked: list[tuple[str, ...]] = []

    def open(self, root: Path) -> None:
        self.advance(root)

    def advance(self, root: Path) -> None:
        self.seen.append((git(root, "log", "-1", "--format=%H").strip(), (root / "cache.py").read_text()))

    def files(self, task: str, known: Sequence[str], limit: int, now: float) -> list[str]:
        self.asked.append((task, *known))
        return self.answer[:limit]


@pytest.mark.promise("no-hindsight")
def test_commits_are_predicted_from_their_parents(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    parent = shop.git("rev-parse", "HEAD")
    (shop.root / "test_cache.py").write_text("import cache\n")
    (shop.root / "new.py").write_text("fresh = 1\n")
    commit = shop.commit("cache.py", "LATER = 1\n", "Make the cache later")
    files = ["cache.py", "new.py", "test_cache.py", "README.md"]
    listed = [{"h": commit, "t": at, "s": "Make the cache later", "b": "", "files": files} for at in range(5)]
    cases = b2_commits.cases_of(shop.root, listed)
    assert [case.wanted for case in cases] == [("cache.py", "test_cache.py")]
    oracle = Oracle(["README.md", "cache.py", "test_cache.py"])
    scored = b2_commits.replay(shop.root, cases, [oracle])
    assert [(at, "LATER" in text) for at, text in oracle.seen] == [(parent, False)]
    assert ("", "cache.py") in oracle.asked
    assert [scored[0][task]["oracle"] for task in b2_commits.TASKS] == [1.0, 1.0, 1.0]
    assert scored[0]["message"]["BM25 over contents"] == 1.0
    assert b2_commits.replay(shop.root, cases, [])[0]["message"] == {
        name: score for name, score in scored[0]["message"].items() if name != "oracle"
    }


def test_of_the_commits_to_predict_the_newest_can_be_taken(shop: Repository) -> None:
    listed = [one | {"t": at} for at, one in enumerate(prepare.commits_of(shop.root, "HEAD") * 2)]
    every = b2_commits.cases_of(shop.root, listed[1:])
    assert len(every) == 2
    assert b2_commits.cases_of(shop.root, listed[1:], newest=1) == every[1:]


def test_other_repositories_are_measured_at_a_fixed_commit_and_averaged(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip, read = shop.git("rev-parse", "HEAD"), prepare.commits_of
    shop.commit("later.py", "LATER = 1\n", "Later than the fixed commit")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(
        prepare, "commits_of", lambda root, tip: [one | {"t": at} for at, one in enumerate(read(root, tip))]
    )
    monkeypatch.setattr(b2_commits_elsewhere, "SOURCES", {"shop": Source("Python", is_looked_into=False)})
    monkeypatch.setattr(b2_commits_elsewhere, "TABLE", {"shop": Public("someone/shop", tip)})
    oracle = Oracle(["parser.py"])
    oracle.name = b2_commits_elsewhere.OURS
    result = b2_commits_elsewhere.run(shop.root.parent, [oracle], last=1)
    assert {task for task, *_ in oracle.asked} == {"Repair the parser", ""}
    by_message, *_ = result["tables"]
    assert [row[:3] for row in by_message["rows"]] == [
        ["someone/shop", "Python", "no"],
        [b2_commits_elsewhere.ALL, "", ""],
    ]
    assert [row[by_message["columns"].index(oracle.name)] for row in by_message["rows"]] == ["0.500", "0.500"]
    assert [row[-1] for row in by_message["rows"]] == [1, 1]


def test_an_issue_is_scored_by_the_place_of_the_edited_file(
    shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instance = {
        "instance_id": "shop-1",
        "repo": "a/shop",
        "base_commit": shop.git("rev-parse", "HEAD"),
        "problem_statement": "`parse` in parser.py fails",
        "patch": "--- a/parser.py\n+++ b/parser.py\n",
    }
    cases = b3_issues.cases_of(shop.root, [instance])
    places = b3_issues.replay(shop.root, cases, [Oracle(["test_parser.py", "cache.py", "parser.py"])])
    assert places == [{"BM25 over contents": 0, "BM25 with named paths": 0, "oracle": 1}]


def test_of_all_issues_of_the_public_set_only_those_of_the_figures_are_asked() -> None:
    names = ["django__django-12983", "django__django-13028", "pallets__flask-4045", "psf__requests-863"]
    asked = [name for name in names if b3_issues.is_asked({"instance_id": name})]
    assert asked == ["django__django-12983", "pallets__flask-4045", "psf__requests-863"]


def test_files_are_named_by_path_module_or_name() -> None:
    paths = ["django/db/models/query.py", "django/forms/models.py", "src/flask/app.py", "django/apps/config.py"]
    text = "File /usr/lib/django/db/models/query.py, then django.forms.models.ModelForm and flask's app.py"
    assert b3_issues.score_mentions(text, paths) == {paths[0]: 3, paths[1]: 2, paths[2]: 1}
