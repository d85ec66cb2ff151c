"""The worker reads the messages of new commits once, in the background."""

import pytest

from holloway.domain.memory import Source, State
from holloway.promotion.history_harvest import HARVESTED
from holloway.service.holloway import Holloway
from holloway.service.jobs import JOBS, Job
from holloway.store.filter import Filter
from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"
LESSON = "The cache must not be shared between threads because two threads would write the same token at once."


@pytest.fixture
def job() -> Job:
    (job,) = (job for job in JOBS if job.name == "history")
    return job


def harvested(memory: Holloway, *states: State) -> list[str]:
    found = memory.store.memories.find_memories(Filter(states=states), limit=-1)
    return [stored.content for stored in found if stored.source is Source.COMMIT_AUTO]


def test_the_history_is_read_when_there_are_new_commits(memory: Holloway, repository: Repository, job: Job) -> None:
    repository.commit(TOKENS, "tokens = load_tokens(1)\n", f"Keep one cache\n\n{LESSON}")
    assert job.is_due(memory)
    assert job.do(memory, 60) == "1 from 2 commits"
    assert not job.is_due(memory)
    assert memory.store.get_meta(HARVESTED) == repository.git("rev-parse", "HEAD")
    repository.commit(TOKENS, "tokens = load_tokens(2)\n", "Change it")
    assert job.is_due(memory)
    assert job.do(memory, 60) == ""
    assert not job.is_due(memory)


def test_a_project_without_commits_has_no_history_to_read(memory: Holloway, repository: Repository, job: Job) -> None:
    repository.git("update-ref", "-d", "HEAD")
    assert not job.is_due(memory)


def test_the_history_of_a_stranger_waits_for_review(memory: Holloway, repository: Repository, job: Job) -> None:
    repository.git("config", "user.email", "test@example.invalid")
    repository.commit(TOKENS, "tokens = load_tokens(1)\n", f"Keep one cache\n\n{LESSON}")
    job.do(memory, 60)
    assert harvested(memory, State.QUARANTINED) == [f"Keep one cache: {LESSON}"]
    assert harvested(memory, State.UNCONFIRMED) == []


def test_the_history_of_the_person_does_not(memory: Holloway, own_repository: Repository, job: Job) -> None:
    own_repository.commit(TOKENS, "tokens = load_tokens(1)\n", f"Keep one cache\n\n{LESSON}")
    job.do(memory, 60)
    assert harvested(memory, State.QUARANTINED) == []
    assert harvested(memory, State.UNCONFIRMED) == [f"Keep one cache: {LESSON}"]


def test_the_history_is_read_after_the_map_and_before_vectors_are_computed() -> None:
    names = [job.name for job in JOBS]
    assert names.index("history") > max(place for place, name in enumerate(names) if name == "map")
    assert names.index("history") < names.index("embed")
