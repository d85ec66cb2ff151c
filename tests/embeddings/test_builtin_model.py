"""The model that is shipped, run for real."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from holloway import extras
from holloway.config import EMBED_TOKENS_MAX
from holloway.embeddings import builtin_model
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.errors import EmbedderMissing

TEXTS = [
    "How do I renew an expired access token?",
    "def refresh(token): return issue(token.owner, expires=now() + HOUR)",
    "Money is stored in cents, never as a float.",
    "",
    "a",
    "the tests hang when redis is not running " * 30,
]
SOURCE = Path(__file__).parents[2] / "src" / "holloway"
EMBEDS = (
    "from holloway.embeddings.builtin_model import BuiltinEmbedder; "
    "print(BuiltinEmbedder().embed(['a sentence']).shape)"
)


@pytest.fixture(scope="module")
def model() -> BuiltinEmbedder:
    return BuiltinEmbedder()


def cosine(model: BuiltinEmbedder, one: str, other: str) -> float:
    first, second = model.embed([one, other])
    return float(first @ second)


@pytest.mark.parametrize(
    ("one", "paraphrase", "unrelated"),
    [
        (
            "How do I renew an expired access token?",
            "refreshing credentials after they time out",
            "banana bread recipe",
        ),
        ("The tests hang without redis", "test suite blocks if the redis server is down", "Prices are kept in cents"),
        (
            "add two numbers and return the sum",
            "def plus(a, b): return a + b",
            "def connect(host): return socket(host)",
        ),
        ("We chose SQLite over Postgres", "decision: the embedded database was preferred", "The button is green"),
    ],
)
def test_what_means_the_same_is_nearer_than_what_does_not(
    model: BuiltinEmbedder, one: str, paraphrase: str, unrelated: str
) -> None:
    assert cosine(model, one, paraphrase) > cosine(model, one, unrelated) + 0.1


def test_rows_have_length_one_and_the_size_that_is_told(model: BuiltinEmbedder) -> None:
    vectors = model.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), model.dims)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert model.embed([]).shape == (0, model.dims)


def test_a_text_has_the_same_vector_alone_and_in_company(model: BuiltinEmbedder) -> None:
    many = [f"{text} {number}" for number in range(12) for text in TEXTS]
    together = model.embed(many)
    alone = np.concatenate([model.embed([text]) for text in many[:18]])
    assert np.abs(together[:18] - alone).max() < 1e-4


def test_the_same_texts_give_the_same_bytes_also_from_another_loading(model: BuiltinEmbedder) -> None:
    first = model.embed(TEXTS)
    assert first.tobytes() == model.embed(TEXTS).tobytes() == BuiltinEmbedder().embed(TEXTS).tobytes()


def test_white_space_does_not_count(model: BuiltinEmbedder) -> None:
    spaced = "def total(items):\n\n        return   sum(items)\n"
    assert model.embed([spaced]).tobytes() == model.embed(["def total(items): return sum(items)"]).tobytes()


def test_what_lies_beyond_the_models_reach_is_cut(model: BuiltinEmbedder) -> None:
    base = "word " * (EMBED_TOKENS_MAX + 50)
    assert model.embed([base + "alpha"]).tobytes() == model.embed([base + "omega"]).tobytes()


@pytest.mark.parametrize("text", ["\ud800 half a pair", "\x00\x01", "<s></s><mask><pad>", "🦊" * 600, "\u202e" * 50])
def test_any_text_has_a_vector(model: BuiltinEmbedder, text: str) -> None:
    (vector,) = model.embed([text])
    assert np.isfinite(vector).all()


def test_marks_of_the_model_in_a_text_are_only_text(model: BuiltinEmbedder) -> None:
    assert cosine(model, "a <mask> b", "a mask b") > cosine(model, "a <mask> b", "a  b")


def test_threads_may_share_a_model_and_load_it_once(model: BuiltinEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []
    real = builtin_model._read_verified

    def counted(folder: Path, name: str) -> bytes:
        loads.append(name)
        return real(folder, name)

    monkeypatch.setattr(builtin_model, "_read_verified", counted)
    builtin_model._load_model.cache_clear()
    shared = BuiltinEmbedder(threads=1)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda text: shared.embed([text]), TEXTS[:3] * 4))
    assert sorted(loads) == ["model.onnx", "tokenizer.json"]
    for text, answer in zip(TEXTS[:3] * 4, answers, strict=True):
        assert np.abs(answer - model.embed([text])).max() < 1e-4


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named_with_the_way_to_install_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    builtin_model._load_model.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(builtin_model, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(EmbedderMissing, match=package) as caught:
        BuiltinEmbedder().embed(["text"])
    assert extras.install_command() in caught.value.hint
    assert builtin_model.list_absent_packages() == [package]


def test_a_damaged_or_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderMissing, match=r"cannot be read.*model\.onnx"):
        BuiltinEmbedder(tmp_path).embed(["text"])
    data = bytearray((builtin_model.MODEL_FOLDER / "model.onnx").read_bytes())
    data[1_000_000] ^= 1
    (tmp_path / "model.onnx").write_bytes(data)
    with pytest.raises(EmbedderMissing, match=r"damaged.*model\.onnx"):
        BuiltinEmbedder(tmp_path).embed(["text"])


def test_the_model_is_shipped_with_its_licence_and_what_was_changed() -> None:
    assert "Apache License" in (builtin_model.MODEL_FOLDER / "LICENSE").read_text("utf-8")
    notice = (builtin_model.MODEL_FOLDER / "NOTICE").read_text("utf-8")
    assert "IBM" in notice
    assert "Statement of change" in notice


def test_choosing_loads_neither_numpy_nor_the_runtime() -> None:
    code = (
        "import sys; from holloway.config import Settings; "
        "from holloway.embeddings.provider_choice import choose_embedder; "
        "import holloway.domain.ports, holloway.testing, holloway.store.vectors, holloway.embeddings.backfill; "
        "assert choose_embedder(Settings({})).embedder; "
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'ssl', 'urllib.request'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.promise("nothing-is-sent")
def test_to_embed_a_text_leaves_no_trace_of_a_report_anywhere(tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    for place in places.values():
        place.mkdir(exist_ok=True)
    environment = {**os.environ, **{name: str(place) for name, place in places.items()}}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", EMBEDS], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("(1, 384)\n", "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_it_is_loaded_in_one_place_only() -> None:
    named = re.compile(r"^.*\bonnxruntime\b.*\bimport\b.*$|^.*\bimport\b.*\bonnxruntime\b.*$", re.MULTILINE)
    found = {line for path in SOURCE.rglob("*.py") for line in named.findall(path.read_text("utf-8"))}
    assert found == {"    from onnxruntime import InferenceSession"}  # for types alone


def test_the_model_is_dropped_when_nothing_was_embedded_for_a_while_and_loads_again() -> None:
    embedder = builtin_model.BuiltinEmbedder()
    first = embedder.embed(["tokens rotate"])
    assert not builtin_model.release_model(unused_s=3_600)
    assert builtin_model.release_model(unused_s=0)
    assert not builtin_model.release_model(unused_s=0)
    assert (embedder.embed(["tokens rotate"]) == first).all()


def test_texts_are_embedded_in_batches_of_like_length_with_a_limited_number_of_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(builtin_model, "EMBED_BATCH_TEXTS", 3)
    monkeypatch.setattr(builtin_model, "EMBED_BATCH_TOKENS", 8)
    encodings: list[Any] = [SimpleNamespace(ids=[0] * length) for length in (5, 1, 2, 1, 9, 4, 2)]
    assert list(builtin_model._group_by_length(encodings)) == [[1, 3, 2], [6, 5], [0], [4]]
