import pytest

from holloway.domain.memory import MemoryType
from holloway.text.memory_kind import infer_type


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
