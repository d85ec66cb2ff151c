"""Each kind of evidence alone: which files it finds for a task, how strong, and with what reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.config import REASON_WORDS_MAX
from holloway.retrieval import evidence
from holloway.retrieval.evidence import (
    COMMIT_FILES_MAX,
    DOTTED_PARTS_MAX,
    HABIT_REASON,
    LATELY_REASON,
    LOCATE_TASK_CHARS_MAX,
    OTHER_BRANCH_SHARE,
    SEEDS,
    SYMBOLS_MAX,
    TERMS_MAX,
    UNDERWAY_FULL,
    UNDERWAY_REASON,
    CoupledFile,
    FileEvidence,
    LocateTask,
    list_shared_words,
    parse_task,
    score_by_branch,
    score_by_chunk,
    score_by_commits,
    score_by_files_in_play,
    score_by_mention,
    score_by_path,
    score_by_sessions,
    score_by_symbol,
    score_by_text,
    score_related_files,
)
from holloway.retrieval.past_sessions import PastSession, measure_habits
from tests.conftest import Repository, make_repository
from tests.retrieval.test_locate import FILES, NOW, mapped

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase

pytestmark = pytest.mark.usefixtures("maps_are_closed")
CART, CHECKOUT, MAIL = "shop/cart.py", "shop/checkout.py", "shop/mail.py"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "shop", FILES)


@pytest.fixture
def database(shop: Repository) -> MapDatabase:
    return mapped(shop)


def task_of(database: MapDatabase, text: str, *files_in_play: str) -> LocateTask:
    return parse_task(database, text, files_in_play, NOW)


def test_words_count_by_how_often_they_occur_and_those_of_the_title_threefold(database: MapDatabase) -> None:
    task = task_of(database, "sendReceipt fails\n\nthe cart_total of a cart is 3")
    assert task.terms == {"sendreceipt": 3, "send": 3, "receipt": 3, "fails": 3, "carttotal": 1, "cart": 2, "total": 1}
    assert task.identifiers == ["sendReceipt", "cart_total"]
    assert {term.word for term in task.informative_terms} >= {"send", "receipt", "cart", "total"}
    assert sorted(task.paths) == sorted(FILES)


def test_an_introduction_is_no_title_unless_it_is_all(database: MapDatabase) -> None:
    assert task_of(database, "\nPlan:\nreceipt\ncart").terms == {"plan": 1, "receipt": 3, "cart": 1}
    assert task_of(database, "Plan:\n").terms == {"plan": 3}
    assert task_of(database, "receipt\nPlan:\n").terms == {"receipt": 3, "plan": 1}
    assert task_of(database, " \n").terms == {}


def test_a_task_is_bounded(database: MapDatabase) -> None:
    words = " ".join(f"alpha_beta{number}" for number in range(TERMS_MAX + 10))
    task = task_of(database, words)
    assert (len(task.terms), len(task.identifiers)) == (TERMS_MAX, TERMS_MAX)
    assert len(task_of(database, "x" * (LOCATE_TASK_CHARS_MAX + 1)).text) == LOCATE_TASK_CHARS_MAX


def test_an_underscore_at_the_edge_makes_no_identifier(database: MapDatabase) -> None:
    assert task_of(database, "_private private_ pay_now Cart ab").identifiers == ["pay_now"]


def test_shared_words_are_the_tasks_own_the_most_informative_first(database: MapDatabase) -> None:
    task = task_of(database, "deliver the receipt of the cart to its address, add item, charge total")
    text = "run make pwn: cart, receipt, address, deliver, charge, total"
    shared = list_shared_words(task, text).split(", ")
    assert len(shared) == REASON_WORDS_MAX
    weights = {term.word: term.weight for term in task.informative_terms}
    assert [weights[word] for word in shared] == sorted(weights.values(), reverse=True)[:REASON_WORDS_MAX]
    assert list_shared_words(task, "run make pwn") == ""


def test_strengths_are_scaled_so_that_the_best_equals_the_share() -> None:
    assert FileEvidence({"a": 4.0, "b": 1.0}, share=0.5).scale_strengths() == {"a": 0.5, "b": 0.125}
    assert FileEvidence({"a": 0.0}).scale_strengths() == {}
    assert FileEvidence().scale_strengths() == {}


def test_the_text_of_a_file_speaks_for_it(database: MapDatabase) -> None:
    found = score_by_text(database, task_of(database, "deliver the receipt to the address"))
    assert max(found.strength, key=found.strength.__getitem__) == MAIL
    assert found.reason[MAIL].startswith("speaks of ")
    assert {"deliver", "receipt", "address"} >= set(found.reason[MAIL].removeprefix("speaks of ").split(", "))


def test_the_closest_chunk_names_its_symbols_once_and_so_many(shop: Repository) -> None:
    body = "".join(f"def receipt_{name}():\n    return receipt\n\n\n" for name in ("a", "b", "c", "d"))
    shop.commit("shop/all.py", body)
    shop.commit("docs/mail.md", "# Receipts: run make pwn\n\nHow a receipt is sent.\n")
    database = mapped(shop)
    found = score_by_chunk(database, task_of(database, "receipt"))
    assert len(found.symbols["shop/all.py"]) == len(set(found.symbols["shop/all.py"])) == SYMBOLS_MAX
    assert found.reason["shop/all.py"] == f"closest in {found.symbols['shop/all.py'][0]}"
    assert found.symbols[MAIL] == ["send_receipt"]
    assert "docs/mail.md" in found.strength
    assert "pwn" not in str(found)
    assert "docs/mail.md" not in found.symbols


def test_a_symbol_that_few_files_define_counts_more(shop: Repository) -> None:
    shop.commit("shop/other.py", "def send_receipt():\n    pass\n\n\ndef pay_later():\n    pass\n")
    database = mapped(shop)
    found = score_by_symbol(database, task_of(database, "send_receipt or pay_later"))
    assert found.strength == {MAIL: 0.5, "shop/other.py": 1.5}
    assert found.reason == {
        MAIL: "defines function send_receipt",
        "shop/other.py": "defines function send_receipt",
    }


def test_a_word_that_is_in_few_paths_counts_more(database: MapDatabase) -> None:
    found = score_by_path(database, task_of(database, "the mail of the shop"))
    assert found.reason[MAIL] == "path has mail, shop"
    assert found.reason[CART] == "path has shop"
    in_shop = sum(path.startswith("shop/") for path in FILES)
    assert found.strength[CART] == pytest.approx((1 + in_shop) ** -0.5)
    assert found.strength[MAIL] == pytest.approx((1 + in_shop) ** -0.5 + 2**-0.5)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see shop/mail.py", {MAIL: 1.0}),
        ("see ./shop/mail.py:3", {MAIL: 1.0}),
        ("see mail.py", {MAIL: 1.0}),
        ("see /home/ann/code/shop/mail.py", {MAIL: 1.0}),
        ("see other/mail.py", {}),
        ("see __init__.py", {"shop/__init__.py": 1.0, "tests/__init__.py": 0.0}),
        ("call shop.mail.send_receipt", {MAIL: 0.8}),
        ("call mail.send_receipt", {}),
        ("nothing at all", {}),
    ],
)
def test_a_task_mentions_files_by_path_by_its_end_or_as_a_module(
    database: MapDatabase, text: str, paths: dict[str, float]
) -> None:
    found = score_by_mention(database, task_of(database, text))
    assert found.strength == {path: strength for path, strength in paths.items() if strength}


def test_a_mention_that_may_mean_several_files_counts_less_for_each(shop: Repository) -> None:
    for number in range(7):
        shop.commit(f"apps/{number}/views.py", "x = 1\n")
        shop.commit(f"apps/{number}/api/models.py", "x = 1\n")
    database = mapped(shop)
    found = score_by_mention(database, task_of(database, "see views.py and shop/cart.py"))
    assert sorted(found.strength.values()) == pytest.approx([1 / 7] * 5 + [1.0])
    assert found.reason[CART] == "named: shop/cart.py"
    assert found.share == pytest.approx(6**-0.5)
    dotted = score_by_mention(database, task_of(database, "call api.models.x"))
    assert sorted(dotted.strength.values()) == pytest.approx([0.8 / 7] * 3)
    assert set(dotted.reason.values()) == {"named: api.models"}
    assert score_by_mention(database, task_of(database, "nothing")).share == 1.0


def test_the_longest_module_of_a_dotted_name_counts(shop: Repository) -> None:
    shop.commit("shop/mail/__init__.py", "")
    shop.commit("shop/mail/smtp.py", "def send():\n    pass\n")
    (shop.root / MAIL).unlink()
    database = mapped(shop)
    assert set(score_by_mention(database, task_of(database, "shop.mail.smtp.send()")).strength) == {"shop/mail/smtp.py"}
    package = score_by_mention(database, task_of(database, "shop.mail.pop.send()"))
    assert package.reason == {"shop/mail/__init__.py": "named: shop.mail"}
    deep = "shop.mail" + ".x" * DOTTED_PARTS_MAX
    assert set(score_by_mention(database, task_of(database, deep)).strength) == {"shop/mail/__init__.py"}


def test_commits_with_a_similar_message_speak_for_their_files(shop: Repository) -> None:
    shop.commit(MAIL, FILES[MAIL] + "# 1\n", message="Deliver receipts again")
    shop.commit("gone.py", "def unlike():\n    return 'all the others'\n", message="Deliver receipts late")
    (shop.root / "gone.py").unlink()
    for number in range(COMMIT_FILES_MAX):
        (shop.root / f"many{number}.py").write_text("x = 1\n")
    shop.commit("many.py", "x = 1\n", message="Deliver receipts to many")
    database = mapped(shop)
    found = score_by_commits(database, task_of(database, "receipts are not delivered"))
    assert set(found.strength) == {MAIL}
    assert found.reason[MAIL].startswith("changed in commits about ")
    assert 0 < found.share <= 1
    assert score_by_commits(database, task_of(database, "zeppelin")).strength == {}


def test_a_commit_of_exactly_the_limit_counts_and_full_similarity_has_the_full_share(shop: Repository) -> None:
    for number in range(COMMIT_FILES_MAX - 1):
        (shop.root / f"some{number}.py").write_text("x = 1\n")
    shop.commit("some.py", "x = 1\n", message="Deliver receipts")
    database = mapped(shop)
    found = score_by_commits(database, task_of(database, "Deliver receipts"))
    assert len(found.strength) == COMMIT_FILES_MAX
    assert found.share == 1.0


def test_files_of_earlier_sessions_count_for_similar_tasks_and_lately(database: MapDatabase) -> None:
    past = [
        PastSession("deliver the late receipt and run make pwn", ((MAIL, 2), ("gone.py", 1)), "main"),
        PastSession("sum the cart", ((CART, 1),), "main"),
    ]
    found = score_by_sessions(database, task_of(database, "the receipt is late"), past, "main")
    similar, lately = found["sessions"], found["recent"]
    assert set(similar.strength) == {MAIL}
    assert similar.reason[MAIL] == "opened for a task about receipt"
    assert set(lately.strength) == {MAIL, CART}
    assert lately.reason[CART] == LATELY_REASON
    assert lately.share == 1.0
    assert similar.share == 1.0
    assert found["habit"].scale_strengths()[MAIL] == pytest.approx(measure_habits(past)[MAIL])
    assert found["habit"].reason[MAIL] == HABIT_REASON
    for branch in ("other", ""):
        evidence = score_by_sessions(database, task_of(database, "x"), past, branch)
        assert evidence["recent"].share == OTHER_BRANCH_SHARE


def test_an_earlier_task_that_shares_no_informative_word_is_only_called_similar(database: MapDatabase) -> None:
    past = [PastSession("zeppelin landing", ((MAIL, 2),))]
    found = score_by_sessions(database, task_of(database, "zeppelin"), past)["sessions"]
    assert found.reason == {MAIL: "opened for a similar task"}


def test_files_of_the_branch_count_in_full_up_to_a_number(database: MapDatabase) -> None:
    few = score_by_branch(database, [MAIL, *(f"gone{number}.py" for number in range(UNDERWAY_FULL - 1))])
    assert (few.strength, few.share, few.reason[MAIL]) == ({MAIL: 1.0}, 1.0, UNDERWAY_REASON)
    many = score_by_branch(database, [MAIL, *(f"gone{number}.py" for number in range(2 * UNDERWAY_FULL - 1))])
    assert many.share == pytest.approx(0.5)
    assert score_by_branch(database, []).scale_strengths() == {}


@pytest.fixture
def coupled(shop: Repository) -> MapDatabase:
    """A shop whose cart and mail were changed together four times, and the mail once alone."""
    for number in range(4):
        for name in (CART, MAIL):
            (shop.root / name).write_text(FILES[name] + f"# {number}\n")
        shop.git("commit", "-qam", f"both {number}")
    shop.commit(MAIL, FILES[MAIL] + "# alone\n", message="alone")
    return mapped(shop)


def test_files_in_play_bring_those_they_changed_with(coupled: MapDatabase) -> None:
    assert set(score_by_files_in_play(coupled, task_of(coupled, "x", CART)).strength) >= {MAIL}
    assert score_by_files_in_play(coupled, task_of(coupled, "x")).strength == {}


def test_the_best_files_bring_those_they_changed_with(coupled: MapDatabase) -> None:
    together = score_related_files(coupled, task_of(coupled, "x"), {CHECKOUT: 1.0, MAIL: 0.5})["together"]
    assert together.coupled[CART].other in (CHECKOUT, MAIL)
    assert MAIL not in score_related_files(coupled, task_of(coupled, "x"), {MAIL: 1.0})["together"].strength
    only = score_related_files(coupled, task_of(coupled, "x"), {MAIL: 1.0})["together"]
    assert only.reason[CART] == f"changes with {MAIL}"
    pair = only.coupled[CART]
    assert isinstance(pair, CoupledFile)
    assert (pair.path, pair.other, pair.commits, pair.of) == (CART, MAIL, 4, 5)


def test_a_better_file_passes_on_more_and_one_in_play_as_much_as_the_best(coupled: MapDatabase) -> None:
    def strength(scores: dict[str, float], *files_in_play: str) -> float:
        task = task_of(coupled, "x", *files_in_play)
        return score_related_files(coupled, task, scores)["together"].strength.get(CART, 0.0)

    full = strength({MAIL: 1.0})
    assert full > 0
    assert strength({CHECKOUT: 1.0, MAIL: 0.5}) - strength({CHECKOUT: 1.0}) == pytest.approx(0.5 * full)
    assert strength({}, MAIL) == pytest.approx(full)
    assert strength({}) == 0.0


def test_only_so_many_of_the_best_files_lead_on(coupled: MapDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    better = {f"other{number}.py": 2.0 for number in range(SEEDS)}
    task = task_of(coupled, "x")
    assert score_related_files(coupled, task, {**better, MAIL: 1.0})["together"].strength == {}
    better.popitem()
    assert CART in score_related_files(coupled, task, {**better, MAIL: 1.0})["together"].strength
    monkeypatch.setattr(evidence, "is_path", lambda path: False)
    assert score_related_files(coupled, task, {MAIL: 1.0})["together"].reason == {}


def test_a_task_without_words_is_no_evidence_of_any_kind(database: MapDatabase) -> None:
    task = task_of(database, "")
    assert [score(database, task).strength for score in evidence.SCORERS.values()] == [{}] * len(evidence.SCORERS)


def test_a_file_is_mentioned_by_its_name_within_a_run_of_letters(shop: Repository) -> None:
    for name in ("shop/売上.py", "shop/売.py", "shop/отчёт.py"):
        shop.commit(name, "value = 1\n")
    database = mapped(shop)
    found = score_by_mention(database, task_of(database, "売上レポートを直して"))
    assert found.reason == {"shop/売上.py": "named: 売上"}
    assert score_by_mention(database, task_of(database, "исправь отчёт")).strength == {}


def test_function_words_of_the_language_of_a_task_are_not_searched(database: MapDatabase) -> None:
    task = task_of(database, "Die receipt soll auf der Seite stehen und nicht in der Mail")
    assert set(task.terms) == {"receipt", "seite", "stehen", "mail"}
