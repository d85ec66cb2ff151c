"""What a taught sentence is about, where the teacher did not say."""

import time

import pytest

from holloway.domain.memory import MemoryType
from holloway.errors import InvalidInput
from holloway.promotion.taught_memory import infer_type, named_files
from holloway.service.holloway import Holloway
from tests.conftest import Repository
from tests.store.test_memories import taught


def test_the_files_that_a_sentence_names_are_found(repository: Repository) -> None:
    said = "src/shop/auth/tokens.py and ./README.md are read first, missing.py is not there"
    assert named_files(said, repository.root) == ("src/shop/auth/tokens.py", "README.md")


def test_a_name_that_no_disk_can_hold_is_no_file(memory: Holloway) -> None:
    long = "a." * 200 + "py"
    done = memory.remember(f"the file {long} is generated")
    assert done.memory is not None
    assert done.memory.files == ()
    with pytest.raises(InvalidInput, match="does not exist"):
        memory.remember("it is generated", files=[long])


@pytest.mark.parametrize("name", ["files", "modules", "tags"])
def test_one_text_is_not_taken_for_a_list_of_its_letters(memory: Holloway, name: str) -> None:
    made = taught(memory, "tokens live an hour")
    with pytest.raises(InvalidInput, match=f"{name} cannot be the text 'README.md'") as caught:
        memory.remember("it is generated", **{name: "README.md"})  # type: ignore[arg-type]
    assert "['README.md']" in caught.value.hint
    with pytest.raises(InvalidInput, match=f"{name} cannot be the text"):
        memory.edit(made.id, **{name: "README.md"})  # type: ignore[arg-type]
    assert memory.memories() == [made]


def test_files_in_play_are_a_list_too(memory: Holloway) -> None:
    with pytest.raises(InvalidInput, match="files cannot be the text"):
        memory.recall("tokens", files="README.md")
    with pytest.raises(InvalidInput, match="known cannot be the text"):
        memory.map.locate("tokens", known="README.md")


@pytest.mark.promise("linear-time")
@pytest.mark.parametrize("piece", ["a", "a-", "a.", "/", "a@"])
def test_one_long_word_takes_no_longer_than_many(repository: Repository, piece: str) -> None:
    def cpu_s(text: str) -> float:
        started = time.process_time()
        for _ in range(5):
            named_files(text[:4_096], repository.root)
        return time.process_time() - started

    assert cpu_s(piece * 4_096) < 20 * cpu_s("src/shop/auth/tokens.py is read " * 200)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("tests/auth hangs without REDIS_URL", MemoryType.GOTCHA),
        ("Never call refresh() twice, the token is burnt", MemoryType.GOTCHA),
        ("We chose JWT over server sessions because apps use the API", MemoryType.DECISION),
        ("We decided to keep money as integer cents", MemoryType.DECISION),
        ("I prefer small commits", MemoryType.PREFERENCE),
        ("ConnectionRefusedError 6379 -> set REDIS_URL", MemoryType.ERROR_PATTERN),
        ("We tried Redis for test sessions; it failed in CI", MemoryType.DEAD_END),
        ("Whenever you change the schema you must also regenerate client.ts", MemoryType.CAUSAL_DEPENDENCY),
        ("Responses must arrive within 200 ms", MemoryType.REQUIREMENT),
        ("To add a route: 1. edit urls.py 2. write the view", MemoryType.WORKFLOW_RECIPE),
        ("The token logic lives in src/auth", MemoryType.MODULE_INSIGHT),
        ("Every handler goes through the same decorator", MemoryType.PATTERN),
        ("Tuesday", MemoryType.GOTCHA),
    ],
)
def test_a_sentence_sounds_like_its_type(sentence: str, expected: MemoryType) -> None:
    assert infer_type(sentence) is expected
