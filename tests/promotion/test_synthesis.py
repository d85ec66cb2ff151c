"""What sessions show only together: pairs of modules, what work in one opens, and how much of it there is."""

import pytest

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import Calibration, CausalDependency, Prefetch
from holloway.promotion import synthesis
from holloway.promotion.candidate import CodeMapLookup
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from tests.observer.story import Story
from tests.service.learned import contents, learn

TOKENS, INVOICE = "src/shop/auth/tokens.py", "src/shop/billing/invoice.py"
SESSION = "src/shop/auth/session.py"


def module_of(path: str) -> str:
    return path.split("/")[2] if path.startswith("src/shop/") else ""


PLACES = CodeMapLookup(module_of)


def changed_together(memory: Holloway, one: str, other: str, sessions: int = synthesis.FILE_PAIR_SESSIONS_MIN) -> None:
    for number in range(sessions):
        learn(memory, Story(f"s{number}").edit(one).edit(other).red())


@pytest.mark.promise("across-sessions")
def test_files_of_two_modules_that_change_together_are_told_of_once(memory: Holloway) -> None:
    changed_together(memory, TOKENS, INVOICE)
    (kept,) = synthesis.synthesise_module_pairs(memory.store, PLACES)
    assert kept.content == f"Work in auth reaches into billing: `{TOKENS}` and `{INVOICE}` change together"
    assert isinstance(kept.details, CausalDependency)
    assert kept.confidence == pytest.approx(
        synthesis.SYNTHESIS_CONFIDENCE_FROM
        + synthesis.FILE_PAIR_SESSIONS_MIN * synthesis.SYNTHESIS_CONFIDENCE_PER_SESSION
    )
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []
    assert contents(memory, MemoryType.CAUSAL_DEPENDENCY) == [kept.content]


def test_what_a_person_rejected_is_not_found_again_the_week_after(memory: Holloway) -> None:
    changed_together(memory, TOKENS, INVOICE)
    (kept,) = synthesis.synthesise_module_pairs(memory.store, PLACES)
    memory.wrong(kept.id, "incorrect")
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []


@pytest.mark.promise("no-junk")
def test_files_of_one_module_or_of_none_are_no_pair_of_modules(memory: Holloway) -> None:
    changed_together(memory, TOKENS, SESSION)
    changed_together(memory, INVOICE, "README.md")
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []


@pytest.mark.promise("no-junk")
def test_a_test_and_an_import_explain_a_pair(memory: Holloway) -> None:
    changed_together(memory, TOKENS, "src/shop/checks/test_tokens.py")
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []
    changed_together(memory, TOKENS, INVOICE)
    assert synthesis.synthesise_module_pairs(memory.store, CodeMapLookup(module_of, lambda one, other: True)) == []


@pytest.mark.promise("no-junk")
def test_a_pair_too_few_sessions_changed_or_that_changes_apart_more_often_says_nothing(memory: Holloway) -> None:
    changed_together(memory, TOKENS, INVOICE, synthesis.FILE_PAIR_SESSIONS_MIN - 1)
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []
    changed_together(memory, TOKENS, INVOICE)
    for number in range(2 * synthesis.FILE_PAIR_SESSIONS_MIN):
        learn(memory, Story(f"apart{number}").edit(TOKENS).red())
    assert synthesis.synthesise_module_pairs(memory.store, PLACES) == []


def opened(memory: Holloway, *sessions: tuple[str, ...]) -> Prefetch | None:
    """What is known of `auth` after sessions that opened these files and edited one of the module's."""
    for number, files in enumerate(sessions):
        Learning(memory.opened, PLACES).learn(Story(f"s{number}").read(*files).edit(TOKENS).red().pad())
    found = synthesis.draft_prefetch(memory.store, "auth", PLACES)
    return found.details if found is not None and isinstance(found.details, Prefetch) else None


def test_what_work_in_a_module_opens_nearly_always_stands_apart_from_what_it_opens_often(memory: Holloway) -> None:
    always, often, seldom = SESSION, "pyproject.toml", "README.md"
    known = opened(memory, (always, often), (always, often), (always, often), (always, seldom), (always,))
    assert known == Prefetch("auth", (always, TOKENS), (often,), 5)


def test_what_every_session_anywhere_opens_says_nothing_about_one_module(memory: Holloway) -> None:
    for number in range(6):
        Learning(memory.opened, PLACES).learn(Story(f"b{number}").read("README.md").edit(INVOICE).red().pad())
    assert opened(memory, *[("README.md", SESSION)] * 5) == Prefetch("auth", (SESSION, TOKENS), (), 5)


def test_one_file_is_no_pattern_of_a_module(memory: Holloway) -> None:
    assert opened(memory, *[()] * 5) is None


@pytest.mark.promise("across-sessions")
def test_a_module_is_looked_at_once_at_each_count(memory: Holloway) -> None:
    looked = []
    for number in range(synthesis.THRESHOLDS[1] + 1):
        done = Learning(memory.opened, PLACES).learn(Story(f"s{number}").read(SESSION).edit(TOKENS).red().pad())
        looked += [(number + 1, each.threshold) for each in done.synthesised]
    assert looked == [(count, count) for count in synthesis.THRESHOLDS[:2]]


@pytest.mark.promise("across-sessions")
def test_what_a_session_costs_is_told_from_three_that_said_it(memory: Holloway) -> None:
    for number, tokens in enumerate((10_000, 20_000)):
        Learning(memory.opened, PLACES).learn(Story(f"s{number}").edit(TOKENS).uses(tokens).pad())
    Learning(memory.opened, PLACES).learn(Story("silent").edit(TOKENS).pad())
    assert synthesis.draft_context_cost(memory.store, "auth", PLACES) is None
    Learning(memory.opened, PLACES).learn(Story("third").edit(TOKENS).uses(30_000).pad())
    found = synthesis.draft_context_cost(memory.store, "auth", PLACES)
    assert found is not None
    assert found.content == "A session in auth takes about 20,000 tokens of context, up to 28,000"


def test_sessions_that_take_next_to_nothing_have_no_cost_worth_telling(memory: Holloway) -> None:
    for number in range(synthesis.SAMPLES_MIN):
        Learning(memory.opened, PLACES).learn(Story(f"s{number}").edit(TOKENS).uses(400).pad())
    assert synthesis.draft_context_cost(memory.store, "auth", PLACES) is None


def _planned(number: int, planned: int, steps: int) -> Story:
    story = Story(f"p{number}", planned_steps=planned)
    for _ in range(steps):
        story.edit(TOKENS)
    return story


@pytest.mark.promise("across-sessions")
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((10, 10, 30), "estimated accurately: 0.8 times the planned steps"),
        ((4, 5, 6), "overestimated: 0.2 times the planned steps"),
        ((30, 30, 31), "underestimated: 1.5 times the planned steps"),
    ],
)
def test_a_calibration_is_over_all_sessions_and_says_how_plans_are_off(
    memory: Holloway, steps: tuple[int, ...], words: str
) -> None:
    learning = Learning(memory.opened, PLACES)
    for number, taken in enumerate(steps):
        learning.learn(_planned(number, 20, taken).pad())
    draft = synthesis.draft_calibration(memory.store, "auth", PLACES)
    assert draft is not None
    assert draft.content == f"Work in auth is {words}"
    assert isinstance(draft.details, Calibration)
    assert (draft.details.samples, draft.details.methodology) == (3, "plain")
