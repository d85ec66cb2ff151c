"""Whatever is asked, there is an answer and no error."""

import random

import pytest

import holloway
from holloway.embeddings.provider_choice import EmbedderChoice
from holloway.errors import InvalidInput
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeEmbedder
from tests.faults.figures import NIGHTLY, record
from tests.store.test_memories import taught

COUNT = 100_000 if NIGHTLY else 400
PIECES = [
    *('"', "'", "(", ")", "*", "^", "-", "+", ":", "{", "}", "[", "]", "\\", "/", "%", "_", ";", ",", ".", "?", "!"),
    *("AND", "OR", "NOT", "NEAR(", "NEAR/3", "rowid:", "search_text:", "a*", '"open', "--", "/*", "*/", "DROP TABLE"),
    *(
        "\x00",
        "\x1f",
        "\u200b",
        "\u202e",
        "\ud800",
        "\ufeff",
        "ﬁ",
        "ß",
        "İ",
        "日本語",
        "поиск",
        "🧨",
        "e\u0301",
        "\n\t ",
    ),
    *("tokens", "parseHTTPResponse", "parse_http", "src/a.py", "Foo::bar()", "1e9", "0x1F", "the of and", "x" * 300),
]


@pytest.mark.promise("query-is-data")
@pytest.mark.parametrize("seed", range(4))
def test_any_question_is_answered_or_refused_as_empty(memory: holloway.Holloway, seed: int) -> None:
    for text in ("tokens live an hour", "parseHTTPResponse swallows timeouts", "日本語 works", "the of and"):
        taught(memory, text)
    memory.search.__dict__["choice"] = EmbedderChoice(FakeEmbedder())
    randomly = random.Random(seed)
    answered = 0
    for _ in range(COUNT // 4):
        joint = randomly.choice(["", " "])
        query = joint.join(randomly.choices(PIECES, k=randomly.randint(1, 12)))
        if not query.strip():
            with pytest.raises(InvalidInput, match="empty"):
                memory.recall(query)
            continue
        results = memory.recall(query, limit=randomly.randint(1, 20))
        answered += 1
        assert all(0.0 <= result.score <= 1.0 for result in results)
        assert len({result.memory.id for result in results}) == len(results)
    assert answered > COUNT // 8
    record("questions", asked=COUNT // 4, errors=0)


def test_a_question_of_a_hundred_kilobytes_is_answered(memory: holloway.Holloway) -> None:
    taught(memory, "tokens live an hour")
    assert memory.recall("tokens " + "padding " * 14_000)[0].memory.content == "tokens live an hour"


def test_a_memory_that_holds_strange_signs_is_found(memory: holloway.Holloway) -> None:
    from holloway.domain.memory import Draft

    for piece in PIECES:
        if piece.strip() and "\ud800" not in piece:
            memory.store.memories.add_memory(sanitize_draft(Draft(content=f"{piece} zeppelin")))
    memory.search.__dict__["choice"] = EmbedderChoice(None, "")
    assert len(memory.recall("zeppelin", limit=200)) > 30
