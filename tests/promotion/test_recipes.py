from holloway.domain.memory import Memory, MemoryType
from holloway.domain.memory_details import Recipe
from holloway.service.holloway import Holloway
from holloway.store.filter import Filter
from tests.observer.story import Story
from tests.service.learned import learn

RECIPE_SESSIONS = 5
"""Number of sessions from which a recipe scores high enough."""


def _habit(number: int, *more: str) -> Story:
    story = Story(f"s{number}", at=1_000.0 + 90_000 * number).edit("src/shop/auth/tokens.py")
    for command in ("make fmt", "make lint", "pytest -q", *more):
        story.green(command)
    return story


def _recipes(memory: Holloway) -> list[Memory]:
    return memory.store.memories.find_memories(Filter(types=(MemoryType.WORKFLOW_RECIPE,)), limit=-1)


def test_one_habit_is_one_recipe_that_counts_its_successes(memory: Holloway) -> None:
    for number in range(RECIPE_SESSIONS):
        learn(memory, _habit(number, "make docs"))
    (recipe,) = _recipes(memory)
    assert isinstance(recipe.details, Recipe)
    assert (len(recipe.details.steps), recipe.details.success_count) == (5, RECIPE_SESSIONS)
    assert recipe.details.steps[0].file == "src/shop/auth/tokens.py"
    last_validated_at = recipe.details.last_validated_at
    assert last_validated_at
    learn(memory, _habit(RECIPE_SESSIONS, "make docs"))
    (recipe,) = _recipes(memory)
    assert isinstance(recipe.details, Recipe)
    assert recipe.details.success_count == RECIPE_SESSIONS + 1
    assert recipe.details.last_validated_at > last_validated_at


def test_a_longer_habit_takes_the_place_of_its_part(memory: Holloway) -> None:
    for number in range(RECIPE_SESSIONS):
        learn(memory, _habit(number))
    (short,) = _recipes(memory)
    for number in range(RECIPE_SESSIONS, 2 * RECIPE_SESSIONS):
        learn(memory, _habit(number, "make docs"))
    (long,) = _recipes(memory)
    assert isinstance(short.details, Recipe)
    assert isinstance(long.details, Recipe)
    assert (len(short.details.steps), len(long.details.steps)) == (4, 5)
    assert memory.get(short.id).superseded_by == long.id
