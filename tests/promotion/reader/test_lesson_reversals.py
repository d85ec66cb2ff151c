"""Reversals: what a later part of the session took back is refused, and what it only touched passes."""

from itertools import pairwise

import pytest

from holloway.promotion.reader.lesson_reversals import gives_up
from holloway.promotion.reader.reader import judge_answers
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from tests.conftest import Repository
from tests.observer.story import Story
from tests.promotion.reader.reading import TOKENS, answer, collect_evidence, judge_one, lesson, reason

TEXT = "The cache of the tokens is filled by `warm_cache` at start"
SAID = "The cache of the tokens is filled by `warm_cache` at start."
LIMIT = "The cache of the tokens keeps at most 50 entries (`CACHE_LIMIT`)"


def story() -> Story:
    return Story().user("Make the login faster").edit(TOKENS, [], ["def warm_cache():"]).says(SAID, thinking=False)


def test_code_that_the_session_took_out_again_is_no_lesson(memory: Holloway) -> None:
    told = story().edit(TOKENS, ["def warm_cache():"], ["def cool_cache():"])
    judged = judge_one(memory, told, lesson(TEXT, "is filled by `warm_cache`"))
    assert reason(judged) == "refuse by reversed: the session removed warm_cache later"


def test_code_that_moved_to_another_file_stays(memory: Holloway) -> None:
    told = story().edit(TOKENS, ["def warm_cache():"]).write("src/shop/cache.py", ["def warm_cache():"])
    assert judge_one(memory, told, lesson(TEXT, "is filled by `warm_cache`")).finding.check != "reversed"


def test_code_that_the_checkout_still_has_stays(memory: Holloway, repository: Repository) -> None:
    repository.commit("src/shop/cache.py", "def warm_cache():\n    pass\n")
    told = story().edit(TOKENS, ["def warm_cache():"], ["def cool_cache():"])
    assert reason(judge_one(memory, told, lesson(TEXT, "is filled by `warm_cache`"))) == ""


def limited(*values: int) -> Story:
    told = Story().user("Limit the cache").edit(TOKENS, [], [f"CACHE_LIMIT = {values[0]}"])
    told = told.says("The cache of the tokens keeps at most 50 entries (`CACHE_LIMIT`).", thinking=False)
    for old, new in pairwise(values):
        told = told.edit(TOKENS, [f"CACHE_LIMIT = {old}"], [f"CACHE_LIMIT = {new}"])
    return told


@pytest.mark.parametrize(("values", "is_reversed"), [((50, 200), True), ((50, 200, 50), False), ((50,), False)])
def test_a_value_that_the_session_changed_again_is_no_lesson(
    memory: Holloway, repository: Repository, values: tuple[int, ...], is_reversed: bool
) -> None:
    repository.commit(TOKENS, f"CACHE_LIMIT = {values[-1]}\n")
    judged = judge_one(memory, limited(*values), lesson(LIMIT, "keeps at most 50 entries"))
    assert (judged.finding.check == "reversed") is is_reversed


@pytest.mark.parametrize(
    "words",
    [
        "I replaced `warm_cache` with a lazy lookup.",
        "We now read tokens lazily instead of calling `warm_cache`.",
        "The helper `warm_cache` was removed.",
    ],
)
def test_what_somebody_gave_up_later_is_no_lesson(memory: Holloway, repository: Repository, words: str) -> None:
    repository.commit("src/shop/cache.py", "def warm_cache():\n    pass\n")
    judged = judge_one(memory, story().says(words, thinking=False), lesson(TEXT, "is filled by `warm_cache`"))
    assert judged.finding.check == "reversed"
    assert words in judged.finding.reason


def test_what_was_given_up_before_it_was_said_is_no_reversal(memory: Holloway, repository: Repository) -> None:
    repository.commit("src/shop/cache.py", "def warm_cache():\n    pass\n")
    told = Story().user("Make the login faster").says("I removed `warm_cache` from the script.", thinking=False)
    told = told.says(SAID, thinking=False)
    assert reason(judge_one(memory, told, lesson(TEXT, "is filled by `warm_cache`"))) == ""


@pytest.mark.parametrize(
    ("words", "claim", "is_given_up"),
    [
        ("Replaced `warm_cache` with `lazy_cache`.", TEXT, True),
        ("Replaced `warm_cache` with `lazy_cache`.", "`lazy_cache` took the place of `warm_cache`", False),
        ("Removed the unused imports.", TEXT, False),
        ("Removed `warm_cache`.", "Use `lazy_cache` instead of `warm_cache`", False),
        ("Removed `warm_cache`.", "`warm_cache` was removed, because it is slow", False),
        ("The helper `warm_cache` is no longer called.", TEXT, True),
    ],
)
def test_words_give_up_what_a_claim_says(words: str, claim: str, is_given_up: bool) -> None:
    assert gives_up(words, claim) is is_given_up


def judge_parts(memory: Holloway, told: Story, first: dict[str, object], second: dict[str, object]) -> list[str]:
    answers = {1: answer(first), 2: answer(second)}
    judged = judge_answers(answers, collect_evidence(memory, told), Learning(memory.opened).trust())
    return [f"{item.text}: {reason(item)}" for item in judged if item.is_refused]


def test_a_defect_that_a_later_part_describes_as_fixed_is_told_once(memory: Holloway, repository: Repository) -> None:
    repository.commit(TOKENS, "def warm_cache(scope):\n    return load_tokens(scope)\n")
    defect = "`warm_cache` ignores the scope, so one tenant sees the tokens that `load_tokens` read for another one"
    fixed = "`warm_cache` passes the scope on to `load_tokens`: tokens are read for each tenant, and not shared"
    told = Story().user("Review the cache").says(f"{defect}.", thinking=False)
    told = told.edit(TOKENS, ["return load_tokens()"], ["return load_tokens(scope)"]).says(f"{fixed}.", thinking=False)
    first, second = (
        lesson(defect, "ignores the scope", files=(TOKENS,)),
        lesson(fixed, "passes the scope on", files=(TOKENS,)),
    )
    refused = judge_parts(memory, told, first, second)
    assert refused == [f"{defect}: refuse by overtaken: a later part of the session says: {fixed}"]


def test_two_parts_about_one_subject_stay_without_a_change_between_them(
    memory: Holloway, repository: Repository
) -> None:
    repository.commit(TOKENS, "def warm_cache(scope):\n    return load_tokens(scope)\n")
    defect = "`warm_cache` ignores the scope, so one tenant sees the tokens that `load_tokens` read for another one"
    other = "`warm_cache` calls `load_tokens` at every start, which takes a second for each tenant with many tokens"
    told = Story().user("Review the cache").says(f"{defect}.", thinking=False).says(f"{other}.", thinking=False)
    assert judge_parts(memory, told, lesson(defect, "ignores the scope"), lesson(other, "at every start")) == []


DEFECT = "`warm_cache` ignores the scope of `load_tokens`, so one tenant sees the tokens of another one"
FIXED = "Fixed: `warm_cache` gives `load_tokens` the scope of the tenant."


def reviewed(repository: Repository) -> Story:
    repository.commit(TOKENS, "def warm_cache(scope):\n    return load_tokens(scope)\n")
    return Story().user("Review the cache").says(f"{DEFECT}.", thinking=False)


def test_a_defect_that_the_agent_reports_as_fixed_after_an_edit_is_no_lesson(
    memory: Holloway, repository: Repository
) -> None:
    defect = lesson(DEFECT, "ignores the scope", files=(TOKENS,))
    edited = reviewed(repository).edit(TOKENS, ["return load_tokens()"], ["return load_tokens(scope)"])
    assert FIXED in judge_one(memory, edited.says(FIXED, thinking=False), defect).finding.reason


def test_a_fix_that_no_edit_made_and_one_of_something_else_are_no_reversal(
    memory: Holloway, repository: Repository
) -> None:
    repository.commit(TOKENS, "def warm_cache(scope):\n    return load_tokens(scope)\n")
    defect = lesson(DEFECT, "ignores the scope", files=(TOKENS,))
    before = Story().user("Review").edit(TOKENS, ["a"], ["b"]).says(f"{DEFECT}.", thinking=False)
    assert reason(judge_one(memory, before.says(FIXED, thinking=False), defect)) == ""
    told = Story().user("Review").says(f"{DEFECT}.", thinking=False).edit(TOKENS, ["a"], ["b"])
    assert reason(judge_one(memory, told.says("Fixed: the page is green now.", thinking=False), defect)) == ""


def test_a_rule_is_not_over_because_it_was_followed(memory: Holloway, repository: Repository) -> None:
    rule = f"{DEFECT}: it must pass the scope on"
    edited = reviewed(repository).edit(TOKENS, ["return load_tokens()"], ["return load_tokens(scope)"])
    told = edited.says(FIXED, thinking=False)
    assert reason(judge_one(memory, told, lesson(rule, "ignores the scope", files=(TOKENS,)))) == ""


def test_a_later_part_that_gives_a_lesson_up_overtakes_it_without_an_edit(memory: Holloway) -> None:
    first = "The first request of a day calls `warm_cache` with the `limits_table`, which takes a second"
    second = "A lazy lookup answers each request: the call of `warm_cache` with the `limits_table` was removed"
    told = Story().user("Look").shell("rg tokens", "warm_cache limits_table").says(f"{first}.", thinking=False)
    told = told.says("A lazy lookup answers each request now.", thinking=False)
    decision = lesson(first, "The first request of a day", kind="decision")
    refused = judge_parts(memory, told, decision, lesson(second, "A lazy lookup answers each request"))
    assert refused == [f"{first}: refuse by overtaken: a later part of the session says: {second}"]


def test_an_edit_between_two_subjects_overtakes_nothing(memory: Holloway, repository: Repository) -> None:
    repository.commit(TOKENS, "warm_cache load_tokens drop_tokens count_tokens\n")
    first = "`warm_cache` calls `load_tokens` at every start of the shop, for each of its tenants"
    second = "`drop_tokens` calls `count_tokens` at every start of the shop, for each of its tenants"
    told = Story().user("Look").says(f"{first}.", thinking=False).edit(TOKENS, ["a"], ["b"])
    told = told.says(f"{second}.", thinking=False)
    parts = (lesson(text, text, files=(TOKENS,)) for text in (first, second))
    assert judge_parts(memory, told, *parts) == []


def test_the_agent_alone_takes_back_nothing_that_the_person_chose(memory: Holloway, repository: Repository) -> None:
    repository.commit("src/shop/cache.py", "def warm_cache():\n    pass\n")
    chosen = Story().user("The cache of the tokens is filled by `warm_cache` at start")
    decision = lesson(TEXT, "is filled by `warm_cache`", kind="decision")
    later = "I replaced `warm_cache` with a lazy lookup."
    assert reason(judge_one(memory, chosen.says(later, thinking=False), decision)) == ""
    again = Story().user("The cache of the tokens is filled by `warm_cache` at start").user("Get rid of `warm_cache`")
    assert judge_one(memory, again, decision).finding.check == "reversed"
