from typing import TYPE_CHECKING

import numpy as np
import pytest

from holloway.testing import FakeEmbedder

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
