from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from holloway.domain.ports import Completion
from holloway.testing import CountedIds, FakeClock, FakeEmbedder, FakeWriter

if TYPE_CHECKING:
    from holloway.domain.ports import Embedder


def test_texts_that_share_words_lie_nearer() -> None:
    embedder: Embedder = FakeEmbedder()
    question, near, far = embedder.embed(["Tokens expire early", "why do tokens expire", "money is cents"])
    assert question @ near > question @ far


def test_the_fake_is_the_same_everywhere_and_of_length_one() -> None:
    vectors = FakeEmbedder(dims=8).embed(["one two two", "", "\ud800"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    assert vectors[0].tolist() == pytest.approx(FakeEmbedder(dims=8).embed(["TWO one, two!"])[0].tolist())
    assert vectors[1].tolist() == [1, *[0] * 7]


def test_the_clock_moves_only_when_it_is_told_to() -> None:
    clock = FakeClock()
    assert clock.now() == clock.now() == datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    clock.advance(days=1, hours=2, seconds=3)
    assert clock.now() == datetime(2026, 1, 6, 11, 0, 3, tzinfo=UTC)
    assert FakeClock(datetime(2030, 1, 1, tzinfo=UTC)).now().year == 2030


def test_ids_differ_and_are_the_same_in_every_run() -> None:
    first, second = CountedIds(), CountedIds()
    ids = [first.new() for _ in range(20)]
    assert len(set(ids)) == 20
    assert {len(identifier) for identifier in ids} == {32}
    assert [second.new() for _ in range(20)] == ids
    assert CountedIds("other").new() not in ids


def test_the_writer_gives_its_answers_in_order_and_raises_its_errors() -> None:
    writer = FakeWriter("one two", ValueError("no"), "three")
    assert writer.complete("why is it", max_tokens=9, deadline_s=1.0) == Completion("one two", 3, 2)
    with pytest.raises(ValueError, match="no"):
        writer.complete("again", max_tokens=9, deadline_s=1.0)
    assert writer.complete("last", max_tokens=9, deadline_s=1.0).text == "three"
    assert writer.asked == ["why is it", "again", "last"]
