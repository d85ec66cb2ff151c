from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import b4_conversations as b4
from benchmarks.b4_conversations import DIALOGUES, Dialogue, Question, measure, read, text_of
from benchmarks.peers.endpoint import serving
from benchmarks.peers.own import OwnMemory
from benchmarks.peers.process import PeerProcess, Product
from benchmarks.peers.simple import DenseSearch, RankFusion, ScoreFusion, TextSearch, spread
from benchmarks.peers.system import LeftOut, System, Turn
from holloway.errors import EmbedderMissing

if TYPE_CHECKING:
    from holloway.domain.ports import Vectors

TURNS = (
    Turn("D1:1", "session_1", "Ann: I adopted a grey cat named Misty"),
    Turn("D1:2", "session_1", "Bob: My sister moved to Oslo"),
    Turn("D2:1", "session_2", "Ann: I am learning the cello [a photo of a cello]"),
)
ADAPTER = """
class Peer:
    def __init__(self, folder, embeddings):
        print("a peer may print what it likes")
        self.embeddings = embeddings

    def ingest(self, turns):
        self.turns = turns

    def ask(self, question, limit):
        if question == "crash":
            raise ValueError("no such thing")
        return [turn for turn, session, text in self.turns if question in text] + [self.embeddings]
"""


class WordEmbedder:
    """Nearness is the number of words that two texts share."""

    model = "words"
    dims = 64
    related_from = 0.0

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, sum(word.encode()) % self.dims] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@pytest.fixture
def conversation() -> dict[str, object]:
    said = {
        "speaker_a": "Ann",
        "session_10": [{"dia_id": "D10:1", "speaker": "Ann", "text": "Bye"}],
        "session_10_date_time": "noon on 2 May, 2023",
        "session_2": [{"dia_id": "D2:1", "speaker": "Bob", "text": "Look", "blip_caption": "a boat"}],
    }
    asked = [
        {"question": "When?", "category": 2, "evidence": ["D2:1; D10:1"]},
        {"question": "Never said", "category": 5, "evidence": ["D2:1"]},
        {"question": "No evidence", "category": 1, "evidence": []},
        {"question": "Unknown turn", "category": 1, "evidence": ["D9:9"]},
        {"question": "What?", "category": 4, "evidence": ["D2:1", "D9:9"]},
    ]
    return {"sample_id": DIALOGUES[0], "conversation": said, "qa": asked}


def test_sessions_are_read_in_order_and_only_questions_with_evidence_count(conversation: dict[str, object]) -> None:
    (dialogue,) = read([conversation])
    assert [(turn.id, turn.session) for turn in dialogue.turns] == [("D2:1", "session_2"), ("D10:1", "session_10")]
    assert [(one.text, one.category, one.wanted) for one in dialogue.questions] == [
        ("When?", 2, frozenset({"D2:1", "D10:1"})),
        ("What?", 4, frozenset({"D2:1"})),
    ]
    assert [one.text for one in read([conversation], sample=2)[0].questions] == ["When?"]


def test_a_turn_names_its_speaker_and_what_its_picture_shows() -> None:
    assert text_of({"speaker": "Bob", "text": "Look", "blip_caption": "a boat"}) == "Bob: Look [a boat]"
    assert text_of({"speaker": "Ann", "text": "Bye"}) == "Ann: Bye"


SIMPLE: list[Callable[[], System]] = [
    TextSearch,
    lambda: DenseSearch(WordEmbedder()),
    lambda: RankFusion(WordEmbedder()),
    lambda: ScoreFusion(WordEmbedder()),
    OwnMemory,
]


@pytest.mark.parametrize("start", SIMPLE, ids=["text", "dense", "ranks", "scores", "own"])
def test_every_system_finds_the_turn_that_shares_the_words(start: Callable[[], System]) -> None:
    system = start()
    system.ingest(TURNS)
    assert system.ask("learning the cello", 1) == ["D2:1"]
    assert system.ask("my sister moved", 2)[0] == "D1:2"
    system.close()


def test_words_said_twice_are_found_as_both_turns() -> None:
    own = OwnMemory()
    own.ingest([*TURNS, Turn("D3:1", "session_3", TURNS[0].text)])
    assert own.ask("Misty", 10)[:2] == ["D1:1", "D3:1"]
    own.close()


def test_text_search_stems_and_leaves_out_stop_words_unless_there_is_nothing_else() -> None:
    text = TextSearch()
    text.ingest(TURNS)
    assert text.ask("Is she in the cellos", 10) == ["D2:1"]
    assert text.ask("to", 10) == ["D1:2"]
    assert text.ask('"NEAR(cat', 10) == ["D1:1"]
    text.close()


def test_text_search_that_splits_names_finds_a_name_by_one_of_its_parts() -> None:
    turns = [Turn("D1:1", "one", "Mend QuerySetIterator"), Turn("D1:2", "one", "Mend the docs")]
    for split, found in ((False, []), (True, ["D1:1"])):
        text = TextSearch(split=split)
        text.ingest(turns)
        assert text.ask("Why is the iterator slow", 10) == found
        text.close()


def test_ranks_and_scores_are_fused_differently() -> None:
    text, dense = {"far ahead": 9.0, "second": 1.0, "third": 0.9}, {"second": 0.81, "third": 0.80, "far ahead": 0.79}
    with closing(RankFusion(WordEmbedder())) as by_rank, closing(ScoreFusion(WordEmbedder())) as by_score:
        ranks, scores = by_rank.fused(text, dense), by_score.fused(text, dense)
    assert max(ranks, key=ranks.__getitem__) == "second"
    assert scores["second"] == pytest.approx(0.5 / 9 + 0.5)
    assert scores["far ahead"] == pytest.approx(0.5)
    assert spread({"only": 3.0}) == {"only": 1.0}
    assert spread({}) == {}


def test_recall_is_measured_by_category_and_a_system_that_fails_is_left_out() -> None:
    class Failing(TextSearch):
        def ask(self, question: str, limit: int) -> list[str]:
            raise LeftOut("it gave up")

    questions = (
        Question("Misty", 1, frozenset({"D1:1", "D2:1"})),
        Question("cello", 4, frozenset({"D2:1"})),
        Question("sister", 4, frozenset({"D1:1"})),
    )
    measured, failed = measure({"good": TextSearch, "bad": Failing}, [Dialogue("one", TURNS, questions)])
    assert measured["good"].recalls == {1: [0.5], 4: [1.0, 0.0]}
    assert len(measured["good"].query_ms) == 3
    assert (list(measured), failed) == (["good"], ["Left out: bad: it gave up."])


def post(url: str, body: bytes) -> dict[str, list[dict[str, object]]]:
    request = urllib.request.Request(f"{url}/embeddings", data=body)  # noqa: S310  (a server of this test)
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        found: dict[str, list[dict[str, object]]] = json.loads(answer.read())
        return found


def test_the_endpoint_embeds_one_text_or_many_in_order() -> None:
    with serving(WordEmbedder()) as url:
        many = post(url, json.dumps({"input": ["grey cat", "Oslo"], "model": "any"}).encode())["data"]
        (one,) = post(url, json.dumps({"input": "Oslo"}).encode())["data"]
    assert [row["index"] for row in many] == [0, 1]
    assert many[1]["embedding"] == one["embedding"] == WordEmbedder().embed(["Oslo"])[0].tolist()


@pytest.mark.parametrize("body", [b"no json", b"{}", b'{"input": 3}'])
def test_the_endpoint_refuses_what_it_cannot_read(body: bytes) -> None:
    with serving(WordEmbedder()) as url, pytest.raises(urllib.error.HTTPError, match="400") as refused:
        post(url, body)
    refused.value.close()


@pytest.fixture
def product(tmp_path: Path) -> Product:
    """A peer whose environment is the one that runs this test."""
    environment = tmp_path / "small_peer"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    (environment / "lib" / "python3" / "site-packages" / "small_peer-1.2.dist-info").mkdir(parents=True)
    (tmp_path / "small_peer.py").write_text(ADAPTER)
    return Product("small_peer", "small_peer", "small-peer", "as it comes")


def test_a_peer_answers_from_its_own_process_whatever_it_prints(product: Product, tmp_path: Path) -> None:
    assert product.title(tmp_path) == "small-peer 1.2"
    with closing(PeerProcess(product, tmp_path, "http://embeddings", folder=tmp_path)) as peer:
        peer.ingest(TURNS)
        assert peer.ask("Ann", 10) == ["D1:1", "D2:1", "http://embeddings"]
        assert peer.ask("Ann", 1) == ["D1:1"]


def test_a_peer_that_fails_says_why(product: Product, tmp_path: Path) -> None:
    with closing(PeerProcess(product, tmp_path, "", folder=tmp_path)) as peer:
        peer.ingest(TURNS)
        with pytest.raises(LeftOut, match="ValueError: no such thing"):
            peer.ask("crash", 10)
        with pytest.raises(LeftOut, match="no such thing"):
            peer.ask("Ann", 10)


def test_a_peer_that_cannot_be_opened_leaves_nothing_running(product: Product, tmp_path: Path) -> None:
    (tmp_path / "small_peer.py").write_text("import a_package_that_nobody_has")
    with pytest.raises(LeftOut, match="ModuleNotFoundError"):
        PeerProcess(product, tmp_path, "", folder=tmp_path)


def test_a_peer_without_an_environment_is_left_out_and_said(tmp_path: Path) -> None:
    for product in b4.PRODUCTS:
        with pytest.raises(LeftOut, match="pip install") as reason:
            product.python(tmp_path)
        assert product.packages in str(reason.value)


def test_each_peer_has_an_adapter() -> None:
    folder = Path(b4.__file__).parent / "peers"
    assert all("class Peer:" in (folder / f"{product.name}.py").read_text("utf-8") for product in b4.PRODUCTS)


@pytest.fixture
def data(tmp_path: Path, conversation: dict[str, object]) -> Path:
    not_measured = conversation | {"sample_id": "conv-42"}
    (tmp_path / b4.FILE).write_text(json.dumps([conversation, not_measured]))
    return tmp_path


def test_a_run_compares_holloway_with_the_rest(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(b4, "BuiltinEmbedder", WordEmbedder)
    result = b4.run(data, data)
    assert [row[0] for row in result["tables"][0]["rows"]] == ["FTS5", "dense", "RRF (k 60)", "convex 0.5", "holloway"]
    assert [row[0] for row in result["tables"][1]["rows"]] == ["FTS5", "dense", "RRF (k 60)", "convex 0.5"]
    assert result["figures"]["holloway"]["recall"]["macro"][3] == 2
    assert sum("there is no environment" in line for line in result["how"]) == len(b4.PRODUCTS)
    json.dumps(result)


def test_without_a_model_words_are_compared_and_the_rest_is_said(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(WordEmbedder):
        def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
            raise EmbedderMissing("numpy cannot be imported.", "pip install numpy")

    monkeypatch.setattr(b4, "BuiltinEmbedder", Missing)
    result = b4.run(data, None)
    assert [row[0] for row in result["tables"][0]["rows"]] == ["FTS5", "holloway"]
    assert result["how"][-1].startswith("Left out: everything with vectors")
