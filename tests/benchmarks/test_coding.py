from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import b4_coding, checkout
from benchmarks.ablation import CONSTANTS, FULL, SWITCHED, VARIANTS, answers, catch, shares, without
from benchmarks.b4_coding import list_queries
from benchmarks.baselines import Commit
from benchmarks.coding_result import reciprocal_rank
from benchmarks.coding_set import Past, Question, clean_message, coding_set, evenly, links, select_commits
from benchmarks.kept import Kept
from benchmarks.rewritten import Rewritten
from holloway.config import CONTENT_BYTES_MAX
from holloway.retrieval import rank
from holloway.retrieval.candidates import QueryKind
from holloway.retrieval.recall import STAGES, RecallOptions
from holloway.testing import FakeClock, FakeEmbedder
from tests.conftest import Repository, make_repository

EARLY = "Cache the parsed templates"
LATER = "Evict parsed templates from the cache when a loader changes"


def commit(number: int, message: str, files: Sequence[str] = ("a.py",)) -> Commit:
    return Commit((f"{number:06x}e" * 6)[:40], float(number), message, tuple(files))


def history(*messages: str) -> list[Commit]:
    """Enough commits before these that all of them are asked about."""
    before = [commit(number, f"Something else, of kind {number}") for number in range(3 * len(messages))]
    return [*before, *(commit(100 + number, message) for number, message in enumerate(messages))]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Fixed #12345 -- Kept the order.\n\nRegression in 1a2b3c4d5e.\nThanks Ann.",
            "Fixed -- Kept the order.|Thanks Ann.",
        ),
        ("ui: fade (#77)\n\nCo-authored-by: Ann <a@example.com>\nChange-Id: I0a1b", "ui: fade ()"),
        ("See https://example.com/issues/9 and golang/go#55, GH-12, CVE-2024-1234", "See and , ,"),
        ("Continue ticket 8708 and :ticket:`8709`", "Continue and :"),
    ],
)
def test_nothing_is_left_by_which_a_ticket_or_a_commit_could_be_looked_up(message: str, kept: str) -> None:
    text = clean_message(message)
    assert not any(sign.isdigit() for sign in text)
    assert [line for line in text.split("\n") if "Regression" not in line] == kept.split("|")


def test_words_and_versions_stay() -> None:
    assert clean_message("Drop Python 3.9, added feedface") == "Drop Python 3.9, added feedface"


def test_a_long_message_is_cut_to_what_a_memory_may_hold() -> None:
    assert len(clean_message("é" * 5_000).encode()) < CONTENT_BYTES_MAX


def test_only_what_a_person_wrote_about_a_few_source_files_is_a_memory() -> None:
    commits = [
        commit(9, "Keep the newest order"),
        commit(1, "Keep the oldest order"),
        commit(2, "Bump the parser to another one"),
        commit(3, "Update everything\n\nSigned-off-by: dependabot[bot]"),
        commit(4, "3.1.4 is out now"),
        commit(5, "Touch far too much", [f"{name}.py" for name in range(11)]),
        commit(6, "Touch no source file", []),
        commit(7, "Fix #88"),
        commit(10, "keep the  newest order (#12)"),
    ]
    assert [one.message for one in select_commits(commits)] == ["Keep the oldest order", "Keep the newest order"]


def test_a_question_wants_the_earlier_commits_of_its_ticket_and_those_it_names() -> None:
    past = history("Refs #1234 -- First step", "Refs #1234 -- Second step", "Nothing to do with it")
    named = past[-1].hash
    found = list(links([*past, commit(200, f"Fixed #1234 -- Third step\n\nFollow-up to {named[:9]}.")]))
    assert [(one.before, len(one.wanted), one.link) for one in found] == [(10, 1, "ticket"), (12, 3, "hash")]
    assert found[-1].wanted == {past[-3].hash, past[-2].hash, named}
    assert found[-1].text == "Fixed -- Third step\nFollow-up to ."


def test_a_link_points_backwards_only_and_a_number_in_a_trailer_is_none() -> None:
    later = commit(500, "Later work")
    forward = history(
        f"Prepares {later.hash[:10]}", "Step\n\nReviewed-on: https://x/issues/77", "Other\n\nIssue-of: #77"
    )
    assert list(links([*forward, later])) == []


def test_what_is_reverted_is_told_apart() -> None:
    past = history("Add a cache of templates")
    (found,) = links([*past, commit(200, f'Revert "Add a cache"\n\nThis reverts commit {past[-1].hash}.')])
    assert (found.link, found.wanted) == ("revert", frozenset({past[-1].hash}))


def test_a_ticket_without_end_is_not_asked_about() -> None:
    steps = [f"Refs #1234 -- step {name}" for name in "abcdefghijklmno"]
    assert [len(one.wanted) for one in links(history(*steps))] == list(range(1, 11))


def test_the_first_part_of_a_history_is_only_learned() -> None:
    commits = [commit(number, f"Refs #55 -- step {number}") for number in range(10)]
    assert [one.before for one in links(commits)] == [6, 7, 8, 9]


def test_questions_are_spread_over_all_of_them() -> None:
    asked = [Question(str(number), 0.0, "", "", number, frozenset(), "ticket", 0.0) for number in range(10)]
    assert [one.before for one in evenly(asked, 4)] == [0, 2, 5, 7]
    assert evenly(asked, 10) == asked


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    first, again = FakeEmbedder(), FakeEmbedder()
    kept = Kept(first, tmp_path / "vectors.npz")
    vectors = kept.embed(["one", "two", "one"])
    kept.close()
    later = Kept(again, tmp_path / "vectors.npz")
    assert (later.embed(["one", "two", "one"]) == vectors).all()
    assert again.asked == []
    later.embed(["one"], is_query=True)
    assert again.asked == ["one"]


def test_the_first_that_is_wanted_counts_by_its_place() -> None:
    assert reciprocal_rank(["x", "b", "a"], {"a", "b"}) == 0.5
    assert reciprocal_rank([*"0123456789", "a"], {"a"}) == 0.0


def test_names_alone_are_the_words_that_only_code_has() -> None:
    text = "Let parse_header call loadsHTTP before the parse_header of a Response in read.py"
    question = Question("a", 0.0, text, "a.py", 1, frozenset(), "ticket", 0.0)
    assert question.names == "parse_header loadsHTTP"
    assert list_queries(question)["names"] == ("parse_header loadsHTTP", [])
    assert "names" not in list_queries(Question("a", 0.0, "No name in it", "a.py", 1, frozenset(), "ticket", 0.0))


def test_a_changed_weight_holds_for_every_kind_of_question() -> None:
    ((_, _, table),) = shares(graph=0.15).changes
    assert isinstance(table, dict)
    assert table == {kind: rank.LIST_WEIGHTS[kind] | {"graph": 0.15} for kind in QueryKind}


@pytest.mark.promise("stages-measured")
def test_every_stage_is_measured_without() -> None:
    by_lot = {"trust", "phase"}
    assert {f"without {stage}" for stage in STAGES - by_lot} <= set(SWITCHED)
    assert all(any(name.startswith(stage) for name in SWITCHED) for stage in by_lot)
    assert without("recency").means(RecallOptions()).stages == STAGES - {"recency"}


@pytest.fixture
def templates(tmp_path: Path) -> Repository:
    """A cache that two commits of one ticket changed, among work on other files."""
    repository = make_repository(
        tmp_path / "templates", {"cache.py": "def parsed(): ...\n", "loader.py": "import cache\n"}
    )
    repository.commit("cache.py", "def parsed(): ...\n# kept\n", f"{EARLY} (#321)")
    for word in ("colours", "fonts", "margins"):
        repository.commit(f"{word}.py", f"{word} = 1\n", f"Draw {word} as the page says")
    repository.commit("cache.py", "def evict(): ...\n", f"{LATER}\n\nRefs #321")
    return repository


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setattr(checkout, "cache_folder", lambda: folder)
    monkeypatch.setattr(b4_coding, "BuiltinEmbedder", FakeEmbedder)


def test_a_repository_becomes_memories_and_questions(templates: Repository) -> None:
    coded = coding_set(templates.root, "templates")
    assert (coded.memories[0].text, coded.memories[0].files) == (f"{EARLY} ()", ("cache.py",))
    (question,) = coded.questions
    assert (question.text, question.file, question.before) == (f"{LATER}\nRefs", "cache.py", len(coded.memories) - 1)
    assert question.wanted == {coded.memories[0].commit}


@pytest.mark.usefixtures("own_cache")
def test_every_variant_and_program_is_asked_and_no_constant_stays_changed(templates: Repository) -> None:
    before = {name: [getattr(module, key) for module, key, _ in one.changes] for name, one in VARIANTS.items()}
    coded = coding_set(templates.root, "templates")
    done = b4_coding.measure_repository(templates.root, coded, FakeEmbedder())
    for task in ("message", "near"):
        recalls = done.scores[task]["recall"]
        assert set(VARIANTS) < set(recalls)
        assert recalls[FULL] == recalls["FTS5"] == recalls["on the same file, newest first"] == [1.0]
        assert done.scores[task]["MRR"]["newest first"] == [0.25]
    assert done.scores["names"]["recall"] == {}
    assert before == {name: [getattr(module, key) for module, key, _ in one.changes] for name, one in VARIANTS.items()}


@pytest.mark.promise("no-hindsight")
@pytest.mark.usefixtures("own_cache")
def test_the_file_in_play_reaches_recall_and_later_commits_do_not(templates: Repository) -> None:
    templates.commit("cache.py", "def after(): ...\n", "Cache the parsed templates again, later")
    coded = coding_set(templates.root, "templates")
    question, clock = coded.questions[0], FakeClock()
    with b4_coding.open_memory_before(templates.root, coded, clock, FakeEmbedder()) as memory:
        for past in coded.memories[: question.before]:
            b4_coding.teach(memory, past)
        alone = catch(memory, question.text)
        beside = catch(memory, question.text, [question.file])
        assert (alone.means.places, beside.means.places["cache.py"]) == ({}, 1.0)
        assert beside.means.places["loader.py"] > 0
        found = [one.commit for one in answers(beside, {FULL: VARIANTS[FULL]})[FULL]]
    assert coded.memories[0].commit in found
    assert not {question.commit, coded.memories[-1].commit} & set(found)


@pytest.mark.usefixtures("own_cache")
def test_what_changed_is_counted_up_to_the_question(templates: Repository) -> None:
    coded = coding_set(templates.root, "templates")
    templates.commit("cache.py", "one\ntwo\n", "Rewrite the cache")
    (templates.root / "colours.py").unlink()
    before = templates.commit("fonts.py", "fonts = 1\nmore = 2\n", "Drop colours, more fonts")
    templates.commit("fonts.py", "other\n", "After the question")
    with b4_coding.open_memory_before(templates.root, coded, FakeClock(), FakeEmbedder()) as memory:
        files = ("cache.py", "colours.py", "fonts.py", "margins.py", "never there.py")
        b4_coding.teach(memory, Past(coded.memories[3].commit, 0.0, "About four files", files))
        (taught,) = memory.memories()
    with closing(Rewritten(templates.root)) as rewritten:
        (shares_of,) = rewritten.shares([taught], before).values()
    assert shares_of == {
        "cache.py": 1.0,
        "colours.py": 1.0,
        "fonts.py": 0.5,
        "margins.py": 0.0,
        "never there.py": 1.0,
    }


@pytest.mark.usefixtures("own_cache")
def test_a_run_has_a_table_for_each_task_and_for_the_stages(templates: Repository) -> None:
    result = b4_coding.run(templates.root.parent, names=["templates"])
    assert [table["title"].split(":")[0] for table in result["tables"]] == [
        "What is asked",
        "Against simple programs",
        "Against simple programs",
        "Ways and fusion",
        "Stages",
        "Constants",
    ]
    assert all(len(row) == len(table["columns"]) for table in result["tables"] for row in table["rows"])
    assert result["figures"]["templates"]["message"]["recall"][FULL] == 1.0
    json.dumps(result)


def test_constants_are_tried_beside_the_one_that_is_shipped() -> None:
    for name, variant in CONSTANTS.items():
        assert any(getattr(module, key) != value for module, key, value in variant.changes), name
