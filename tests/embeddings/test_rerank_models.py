"""A closer look at a few texts, within its time."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from tokenizers import Tokenizer, models, pre_tokenizers

import holloway
from holloway.config import Settings
from holloway.embeddings import rerank_models
from holloway.embeddings.rerank_models import CrossEncoder, LateInteraction, choose_reranker
from holloway.errors import EmbedderMissing, EmbeddingFailed
from tests.store.test_memories import taught

WORDS = ["[UNK]", "money", "cents", "redis", "tests"]


def cross_encoder(
    folder: Path, *, value: float = 1.0, inputs: tuple[str, ...] = ("input_ids", "attention_mask")
) -> Path:
    """A model whose score is the sum of the ids it reads, times a value: a text with later words scores more."""
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    nodes = [
        helper.make_node("Cast", [inputs[0]], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["numbers", "axis"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "value"], ["logits"]),
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in inputs]
    constants = [
        helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        helper.make_tensor("value", TensorProto.FLOAT, [1], [value]),
    ]
    out = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 1])]
    graph = helper.make_graph(nodes, "sum", given, out, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, str(folder / "model.onnx"))
    return folder


def test_late_interaction_prefers_the_text_that_answers_word_by_word() -> None:
    texts = ["the invoice number is a string", "money is stored as integer cents", "tests need redis"]
    scores = LateInteraction().score("how is money stored", texts, deadline_s=60)
    assert scores is not None
    assert max(range(3), key=scores.__getitem__) == 1


def test_a_cross_encoder_of_ones_own_is_asked(tmp_path: Path) -> None:
    encoder = CrossEncoder(cross_encoder(tmp_path))
    assert encoder.score("money", ["cents", "tests", "redis redis"], deadline_s=60) == [3.0, 5.0, 7.0]
    assert encoder.score("money", [], deadline_s=60) == []


@pytest.mark.promise("closer-look-ends")
@pytest.mark.parametrize("deadline_s", [0.0, -1.0])
def test_after_its_time_there_is_no_answer(deadline_s: float) -> None:
    assert LateInteraction().score("money", ["cents"], deadline_s=deadline_s) is None


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(EmbedderMissing, match="cannot be loaded"):
        CrossEncoder(tmp_path).score("x", ["y"], deadline_s=60)
    (tmp_path / "model.onnx").write_bytes(b"nonsense")
    with pytest.raises(EmbedderMissing, match="cannot be loaded"):
        CrossEncoder(tmp_path).score("x", ["y"], deadline_s=60)


def test_a_model_that_asks_for_more_or_gives_no_number_is_said(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    more = cross_encoder(tmp_path / "more", inputs=("pixels",))
    with pytest.raises(EmbeddingFailed, match="pixels"):
        CrossEncoder(more).score("money", ["cents"], deadline_s=60)
    (tmp_path / "nan").mkdir()
    nan = cross_encoder(tmp_path / "nan", value=float("nan"))
    with pytest.raises(EmbeddingFailed, match="not a number"):
        CrossEncoder(nan).score("money", ["cents"], deadline_s=60)


def test_nothing_looks_closer_unless_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert choose_reranker(Settings.load_settings()).reranker is None
    monkeypatch.setenv("HOLLOWAY_RERANK_PROVIDER", "late")
    assert isinstance(choose_reranker(Settings.load_settings()).reranker, LateInteraction)
    monkeypatch.setenv("HOLLOWAY_RERANK_PROVIDER", "onnx")
    assert "rerank.folder" in choose_reranker(Settings.load_settings()).reason
    monkeypatch.setenv("HOLLOWAY_RERANK_FOLDER", str(tmp_path))
    assert isinstance(choose_reranker(Settings.load_settings()).reranker, CrossEncoder)


@pytest.mark.promise("closer-look-ends")
def test_a_question_is_answered_in_the_order_of_the_closer_look_or_as_before(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    taught(memory, "money money money")
    taught(memory, "money tests tests tests")
    assert memory.recall("money")[0].memory.content == "money money money"
    monkeypatch.setenv("HOLLOWAY_RERANK_PROVIDER", "onnx")
    monkeypatch.setenv("HOLLOWAY_RERANK_FOLDER", str(cross_encoder(tmp_path)))
    monkeypatch.setattr(rerank_models, "RERANK_BATCH", 2)
    memory.search.__dict__.pop("_closer", None)
    (first, _) = memory.recall("money")
    assert first.memory.content == "money tests tests tests"
    assert "reranked" in first.stages
    (tmp_path / "model.onnx").write_bytes(b"nonsense")
    rerank_models._load_model.cache_clear()
    assert memory.recall("money")[0].memory.content == "money money money"
    assert "cannot be loaded" in memory.search.degraded["reranking"]
