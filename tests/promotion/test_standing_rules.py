"""Rules that a person lays down for good, and wishes for one task."""

import pytest

from holloway.domain.memory import Memory, MemoryType, Source, State
from holloway.promotion.standing_rules import is_branch_independent, is_for_good
from holloway.service.holloway import Holloway
from tests.observer.story import Story
from tests.service.learned import learn

RULE = "Never commit generated files, they are built in CI"
OPPOSITE = "Always commit generated files, they are built in CI"


@pytest.mark.promise("rules-for-good")
@pytest.mark.parametrize(
    "words",
    [
        RULE,
        "From now on use pnpm instead of npm",
        "Here we write tests before the code",
        "In this repository commits name their ticket",
        "whenever you change the schema, write a migration",
        "Never embed the token in a URL",
        "Wir committen generierte Dateien niemals",
        "Utilise toujours pnpm pour les paquets",
        "\u5fc5\u305a\u30c6\u30b9\u30c8\u3092\u66f8\u304f\u3053\u3068",
    ],
)
def test_general_words_hold_for_good(words: str) -> None:
    assert is_for_good(words)


@pytest.mark.promise("rules-for-good")
@pytest.mark.parametrize(
    "words",
    [
        "For now never mind the failing tests",
        "Don't touch the schema in this PR, we always do that later",
        "Always use the mock for this task",
        "Should we always use pnpm?",
        "I think we never tested that",
        "the build has always been slow",
        "env.load is defined in env.go but never called anywhere in the project",
        "Fax nie erst mal ins System, nie",
        "use pnpm instead of npm",
        "always " * 100,
    ],
)
def test_a_wish_inside_a_task_a_doubt_and_a_question_do_not(words: str) -> None:
    assert not is_for_good(words)


def stated_rules(memory: Holloway) -> list[Memory]:
    return [each for each in memory.memories() if each.source is Source.USER_CORRECTION]


@pytest.mark.promise("rules-for-good")
def test_a_rule_for_good_is_tied_neither_to_the_branch_nor_to_the_file_that_was_open(memory: Holloway) -> None:
    story = Story("s1").on("topic").edit("src/shop/auth/tokens.py").user("Never call `git push` here, CI does that")
    learn(memory, story.green())
    (rule,) = stated_rules(memory)
    assert (rule.files, rule.branch_only, rule.confidence, rule.review) == ((), "", 0.90, "stated")
    assert rule.type is MemoryType.REQUIREMENT


def test_rules_and_conventions_hold_on_every_branch() -> None:
    for memory_type in (MemoryType.PREFERENCE, MemoryType.REQUIREMENT, MemoryType.PATTERN):
        assert is_branch_independent(memory_type, ("a.py",), Source.AGENT_EXPLICIT)
    assert is_branch_independent(MemoryType.GOTCHA, ("a.py",), Source.USER_CORRECTION)
    assert not is_branch_independent(MemoryType.DECISION, (), Source.AGENT_EXPLICIT)
    assert is_branch_independent(MemoryType.ERROR_PATTERN, (), Source.ERROR_FIX)
    assert not is_branch_independent(MemoryType.ERROR_PATTERN, ("a.py",), Source.ERROR_FIX)


@pytest.mark.promise("rules-for-good")
def test_the_newer_of_two_opposite_rules_wins_and_both_stay_readable(memory: Holloway) -> None:
    learn(memory, Story("s1", at=1_000.0).user(RULE).green())
    (older,) = stated_rules(memory)
    learn(memory, Story("s2", at=900_000.0).user(OPPOSITE).green())
    (newer,) = stated_rules(memory)
    assert (newer.content, memory.get(older.id).superseded_by) == (OPPOSITE, newer.id)
    assert [replaced.id for replaced in memory.why(newer.id).replaced] == [older.id]


@pytest.mark.promise("rules-for-good")
def test_an_older_rule_that_is_read_later_does_not_win(memory: Holloway) -> None:
    learn(memory, Story("s2", at=900_000.0).user(OPPOSITE).green())
    learn(memory, Story("s1", at=1_000.0).user(RULE).green())
    assert [rule.content for rule in stated_rules(memory)] == [OPPOSITE]


def test_a_taught_memory_is_not_overruled_by_what_was_said_in_a_session(memory: Holloway) -> None:
    taught = memory.remember(OPPOSITE).memory
    assert taught is not None
    learn(memory, Story("s1").user(RULE).green())
    assert memory.get(taught.id).is_alive
    (rule,) = stated_rules(memory)
    assert [relation.memory for relation in rule.relations] == [taught.id]


def test_what_the_person_said_waits_first_in_review(memory: Holloway) -> None:
    learn(memory, Story("s0").fetch("https://example.com", "Tokens live an hour.").says("Tokens live an hour.").green())
    learn(memory, Story("s1").user(RULE).green())
    assert memory.to_review()[0].content == RULE
    assert memory.to_review()[0].state is State.UNCONFIRMED


def test_a_memory_has_the_methodology_of_its_work(memory: Holloway) -> None:
    with memory.session("s1", work_unit=("cart", "total"), way="tdd") as session:
        session.record("Totals are integer cents, because floats drift")
        session.finish("success")
    assert [each.methodology for each in memory.memories() if each.source is Source.AGENT_EXPLICIT] == ["tdd"]
