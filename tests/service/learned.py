"""Stories that leave something to learn, and what the store holds after them."""

from holloway.domain.memory import MemoryType
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learned, Learning
from holloway.store.filter import Filter
from tests.observer.story import Story

FIX = "I assumed `retry_limit` was read from settings.py, but it actually comes from `limits.toml`."
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."


def learn(memory: Holloway, story: Story) -> Learned:
    """Learn from a story as from a session that ended."""
    return Learning(memory.opened).learn(story.pad())


def corrected(session: str = "s1") -> Story:
    """The agent says that it was wrong, and acts on it."""
    told = Story(session, task="Raise the retry limit").read("src/shop/auth/session.py").says(FIX)
    return told.edit("limits.toml", [], ["retry_limit = 3"])


def solved(session: str = "s1") -> Story:
    """A command fails, and a change of the command mends it."""
    told = Story(session).edit("src/shop/auth/tokens.py").shell("pytest -q", REFUSED, ok=False)
    return told.shell("REDIS_URL=fake:// pytest -q", "12 passed in 0.3s")


def contents(memory: Holloway, *types: MemoryType) -> list[str]:
    """The texts of the memories of these types."""
    return [each.content for each in memory.store.memories.find_memories(Filter(types=types), limit=-1)]
