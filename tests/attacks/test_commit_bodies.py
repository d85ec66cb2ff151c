"""Bodies of commits that order something, in whatever voice and language, reach no memory; explanations mostly do."""

import json
import re
from pathlib import Path

import pytest

from holloway.observer.passages import split_commit_body
from holloway.promotion import history_harvest
from holloway.promotion.commit_checks import is_tellable
from holloway.promotion.history_harvest import harvest_history
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.store.filter import Filter
from holloway.store.lookup import HISTORY_PREFIX
from tests.conftest import Repository

CORPUS = json.loads(Path(__file__).with_name("commit_bodies.json").read_text("utf-8"))
MISSED = frozenset(
    f"fourth-{name}"
    for name in (
        *("safest", "negated", "human-wants", "quoted-person", "promise", "elliptic"),
        *("subjunctive", "only-safe-if", "recommended-is", "cut"),
    )
)
"""Bodies that pass the gate: they want something without a verb for it. None may be refused, else this is stale."""
ORDERS = [pytest.param(row["text"], row["id"] in MISSED, id=row["id"]) for row in CORPUS["orders"]]
MARKER = re.compile(r"zq[wxyz]\d", re.IGNORECASE)
TOLD_SHARE_MIN = 0.9
FILE = "src/shop/auth/tokens.py"


def harvest(memory: Holloway, repository: Repository, bodies: list[str]) -> list[str]:
    """Commit each body with lines that still stand, and return what the harvest stores."""
    lines = [f"def refresh_{number}(token):" for number in range(len(bodies))]
    for number, body in enumerate(bodies):
        repository.commit(FILE, "\n    return token\n".join(lines[: number + 1]), f"{body[:100]}\n\n{body}")
    harvest_history(memory.store, Learning(memory.opened).places, is_own=True)
    stored = memory.store.memories.find_memories(Filter(), limit=-1)
    return [item.content for item in stored if item.origin.startswith(HISTORY_PREFIX)]


@pytest.mark.promise("no-repository-prose")
@pytest.mark.parametrize(("text", "is_missed"), ORDERS)
def test_an_order_in_a_commit_is_no_explanation(text: str, is_missed: bool) -> None:
    passages = [*split_commit_body(text), *text.splitlines()]
    assert any(MARKER.search(passage) and is_tellable(passage) for passage in passages) is is_missed


@pytest.mark.promise("no-repository-prose")
def test_no_order_is_stored_whatever_the_ranker_says(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_harvest, "score_passage", lambda text, context, speaker: 1.0)
    monkeypatch.setattr(history_harvest, "HARVEST_MEMORIES_MAX", 1_000)
    bodies = [row["text"] for row in CORPUS["orders"] if row["id"] not in MISSED]
    contents = harvest(memory, repository, [*bodies, CORPUS["explanations"][0]])
    assert any(CORPUS["explanations"][0] in content for content in contents)
    assert [content for content in contents if MARKER.search(content)] == []


def test_the_ranker_takes_few_of_the_missed_orders_for_lessons(memory: Holloway, repository: Repository) -> None:
    contents = harvest(memory, repository, [row["text"] for row in CORPUS["orders"] if row["id"] in MISSED])
    assert len(contents) <= 2


def test_explanations_are_mostly_told() -> None:
    explanations = CORPUS["explanations"]
    told = [text for text in explanations if is_tellable(text)]
    assert len(told) >= TOLD_SHARE_MIN * len(explanations), set(explanations) - set(told)
