"""What comes with a prompt: stages, memories, a recipe, and what is recorded as shown."""

import pytest

from holloway.config import PROMPT_MEMORIES_MAX
from holloway.injection import prompt, session_state
from holloway.injection.project_map import ProjectMap
from holloway.injection.prompt_text import Rendered
from holloway.service.holloway import Holloway
from holloway.service.session_context import SessionReader
from holloway.store.pause_state import pause_folder
from tests.conftest import Repository
from tests.service.test_session_context import RECIPE
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"
NAMING = f"Why does refresh in {TOKENS} return the old token"
TASK = "Add a payment provider for cards please"


class Prompting:
    """One session that is given prompts; `offers` are the stages of the last one."""

    def __init__(self, memory: Holloway, session: str = "s1") -> None:
        self.reader = SessionReader(memory.opened, session, "coder")
        self.map = ProjectMap(str(memory.project.folder), str(memory.project.root))
        self.state = session_state.new_state()
        self.offers: dict[str, str] = {}

    def __call__(self, text: str) -> Rendered | None:
        self.offers = {}
        return prompt.inject(self.reader, self.map, self.state, text, self.offers.__setitem__)


@pytest.fixture
def prompting(memory: Holloway) -> Prompting:
    memory.map.update()
    return Prompting(memory)


def test_each_stage_is_better_than_the_one_before(memory: Holloway, prompting: Prompting) -> None:
    trap = taught(memory, "refresh() burns the token", files=[TOKENS])
    rendered = prompting(NAMING)
    assert rendered is not None
    assert list(prompting.offers) == ["matching-files", "files", "whole"]
    quick = "holloway: for this task, from a quick look (the machine is busy):"
    assert prompting.offers["matching-files"].startswith(f"{quick}\n- {TOKENS} (speaks of ")
    assert "test_tokens.py" in prompting.offers["files"]
    assert trap.id not in prompting.offers["files"]
    assert prompting.offers["whole"] == rendered.text
    assert f"hw:{trap.id}" in rendered.text
    assert rendered.memories == (trap.id,)


def test_no_stage_names_a_file_that_was_deleted_after_the_last_index(memory: Holloway, prompting: Prompting) -> None:
    (memory.project.root / TOKENS).unlink()
    rendered = prompting("Why does refresh return the old token of a session")
    assert rendered is not None
    assert prompting.offers
    assert TOKENS not in "".join([*prompting.offers.values(), rendered.text])


def test_a_memory_comes_with_one_prompt_only(memory: Holloway, prompting: Prompting) -> None:
    trap = taught(memory, "refresh() burns the token", files=[TOKENS])
    first, second = prompting(NAMING), prompting(NAMING)
    assert first is not None
    assert second is not None
    assert (first.memories, second.memories) == ((trap.id,), ())
    assert memory.times_shown(trap.id) == 1


def test_a_topic_brings_its_memory_with_a_prompt_that_has_its_words(memory: Holloway, prompting: Prompting) -> None:
    rule = taught(memory, "Nothing may be retried here", tags=["card payment providers"])
    rendered = prompting(TASK)
    assert rendered is not None
    assert rule.id in rendered.memories


@pytest.mark.parametrize("text", ["go on", "yes please", "<system-reminder>a b c d</system-reminder> go on"])
def test_a_short_prompt_is_counted_and_brings_nothing(prompting: Prompting, text: str) -> None:
    assert prompting(text) is None
    assert prompting.offers == {}
    assert prompting.state["prompts"] == 1


def test_without_a_store_there_is_nothing(memory: Holloway, prompting: Prompting) -> None:
    pause_folder(memory.project.folder, "injection")
    assert prompting(NAMING) is None


def test_small_talk_looks_for_the_work_at_hand_only_where_a_session_begins(
    memory: Holloway, repository: Repository, prompting: Prompting
) -> None:
    repository.git("checkout", "-qb", "feature")
    repository.commit(TOKENS, "def refresh(token):\n    return token + 1\n")
    memory.map.update()
    first, second = prompting("fix the tests please"), prompting("fix the tests please")
    assert first is not None
    assert second is not None
    assert (first.files[:1], second.text) == ((TOKENS,), "")
    assert prompting.state["prompts"] == 2


def test_dead_ends_of_similar_work_come_from_any_file_and_once(memory: Holloway, prompting: Prompting) -> None:
    files = ["src/shop/billing/invoice.py"]
    near = taught(memory, "Caching refresh tokens in Redis was slow", type="dead_end", files=files)
    taught(memory, "Rounding invoices twice", type="dead_end", files=files)
    rendered = prompting("Should refresh tokens be cached somewhere")
    assert rendered is not None
    assert rendered.memories == (near.id,)


def test_memories_are_bounded(memory: Holloway, prompting: Prompting) -> None:
    for number in range(PROMPT_MEMORIES_MAX + 2):
        taught(memory, f"trap number {number} of the tokens", files=[TOKENS])
    rendered = prompting(NAMING)
    assert rendered is not None
    assert len(rendered.memories) == PROMPT_MEMORIES_MAX


def test_a_recipe_that_fits_is_shown_and_followed(memory: Holloway, prompting: Prompting) -> None:
    recipe = taught(memory, "Adding a payment provider", type="workflow_recipe", details=RECIPE)
    rendered = prompting(TASK)
    assert rendered is not None
    assert prompting.state["recipe"] == recipe.id
    assert "-   1. Write the provider (src/shop/billing/provider.py)" in rendered.text
    again = prompting(TASK)
    assert again is not None
    assert "Write the provider" not in again.text
    prompting("Why are invoices rounded twice here")
    assert prompting.state["recipe"] == recipe.id


def test_a_task_that_is_known_otherwise_follows_its_recipe_without_a_word(memory: Holloway) -> None:
    recipe = taught(memory, "Adding a payment provider", type="workflow_recipe", details=RECIPE)
    following = Prompting(memory)
    prompt.follow_task(following.reader, following.state, "Round the invoices")
    assert following.state["recipe"] == ""
    prompt.follow_task(following.reader, following.state, TASK)
    assert following.state["recipe"] == recipe.id
    assert memory.times_shown(recipe.id) == 0


def test_the_test_command_comes_with_the_tests_of_the_files(memory: Holloway, prompting: Prompting) -> None:
    rendered = prompting(NAMING)
    assert rendered is not None
    assert "- tests tests/auth/: test_tokens.py (run: " in rendered.text


@pytest.mark.promise("words-with-prompt")
def test_memories_come_by_the_words_and_names_of_a_prompt(memory: Holloway, prompting: Prompting) -> None:
    by_words = taught(memory, "Refunds are booked as negative invoices, never as deletions", type="requirement")
    by_name = taught(memory, "retry_limit counts the first try too", type="module_insight", files=["README.md"])
    taught(memory, "The logo must stay in the header", type="requirement")
    rendered = prompting("Let us book refunds when invoices are cancelled")
    assert rendered is not None
    assert rendered.memories == (by_words.id,)
    rendered = prompting("What does retry_limit mean exactly")
    assert rendered is not None
    assert rendered.memories == (by_name.id,)


@pytest.mark.promise("words-with-prompt")
def test_no_memory_comes_with_every_prompt(memory: Holloway) -> None:
    memory.map.update()
    taught(memory, "Everything in this shop is counted in cents", files=["."])
    for number in range(12):
        taught(memory, f"The shop service number {number} has a handler of its own", type="module_insight")
    for number, text in enumerate(("Rename the session store class", "Why is the shop service handler so slow")):
        rendered = Prompting(memory, f"s{number}")(text)
        assert rendered is None or rendered.memories == ()


def test_a_long_lesson_is_told_by_whole_sentences_and_says_how_to_read_more(
    memory: Holloway, prompting: Prompting
) -> None:
    whole = "Refunds are booked as negative invoices. " + "The ledger is append-only, so nothing is deleted. " * 5
    short = taught(memory, whole.strip(), type="requirement")
    long = taught(memory, whole + "Audits of refunds read the ledger alone. " * 3, type="decision")
    rendered = prompting("Let us book refunds when invoices are cancelled")
    assert rendered is not None
    assert f"{whole.strip().rstrip('.')} [hw:{short.id}" in rendered.text
    assert f"nothing is deleted (more: show {long.id}) [hw:{long.id}" in rendered.text
