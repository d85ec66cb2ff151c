"""The ranker scores a passage by its words and its shape, and reads English only."""

from __future__ import annotations

import math

import pytest

from holloway.data import load_table
from holloway.observer import passage_ranker
from holloway.observer.passage_ranker import (
    CODE_NAMES_MAX,
    LESSON_SCORES,
    extract_features,
    is_english,
    score_passage,
)
from holloway.observer.passages import Speaker

LESSON = "The cache must not be shared between threads because `refresh` is not atomic: two threads would write it."
REPORT = "Updated the readme and bumped the version to 1.2.3."


@pytest.fixture
def weigh(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Replace the trained weights by these, which a test fills."""
    weights = {"bias": 0.0}
    monkeypatch.setattr(passage_ranker, "_load_weights", lambda: weights)
    return weights


def test_the_shape_of_a_passage_becomes_numbers() -> None:
    features = extract_features("Why 42?", "", "agent")
    numbers = {name: value for name, value in features.items() if not name.startswith(("word", "first", "pair"))}
    assert numbers == {
        "speaker agent": 1.0,
        "length": math.log(7),
        "code names": 0.0,
        "question": 1.0,
        "digits": 2 / 7,
        "symbols": 0.0,
        "capital": 1.0,
        "full stop": 0.0,
        "has context": 0.0,
    }


def test_an_empty_passage_has_features() -> None:
    features = extract_features("", "", "note")
    assert (features["length"], features["digits"], features["capital"]) == (0.0, 0.0, 0.0)


def test_the_end_symbols_and_context_of_a_passage_are_seen() -> None:
    features = extract_features("it → is.", "Root cause", "commit")
    assert (features["full stop"], features["symbols"], features["has context"]) == (1.0, 1.0, 1.0)
    assert features["capital"] == 0.0
    assert {"context root", "context cause"} <= features.keys()


@pytest.mark.parametrize("name", ["`refresh all`", "shop.auth.tokens", "src/shop/auth", "refresh()", "--no-cache"])
def test_a_code_name_is_one_word_whatever_it_is_called(name: str) -> None:
    features = extract_features(f"when {name} fails", "", "commit")
    assert features["code names"] == 1.0
    assert {"word <code>", "word fails", "pair when <code>", "first <code>"} <= features.keys()
    assert not any("refresh" in feature or "shop" in feature or "cache" in feature for feature in features)


def test_code_names_are_counted_up_to_a_limit() -> None:
    names = " ".join(f"`name_{number}`" for number in range(CODE_NAMES_MAX + 3))
    assert extract_features(names, "", "commit")["code names"] == CODE_NAMES_MAX
    assert extract_features("`one` and `two`", "", "commit")["code names"] == 2.0


def test_pairs_are_of_function_words_and_only_two_words_are_the_first() -> None:
    features = extract_features("It must not break tokens", "", "commit")
    assert {name for name in features if name.startswith("pair ")} == {"pair it must", "pair must not"}
    assert {name for name in features if name.startswith("first ")} == {"first it", "first must"}


def test_the_score_is_the_logistic_function_of_the_weighted_features(weigh: dict[str, float]) -> None:
    assert score_passage("because", "", "commit") == 0.5
    weigh |= {"bias": -1.0, "word because": 3.0, "word never": 100.0}
    assert score_passage("because", "", "commit") == pytest.approx(1 / (1 + math.exp(-2.0)))


def test_extreme_weights_overflow_nothing(weigh: dict[str, float]) -> None:
    weigh["bias"] = -1e9
    assert 0.0 < score_passage("because", "", "commit") < 1e-12
    weigh["bias"] = 1e9
    assert 1.0 >= score_passage("because", "", "commit") > 1 - 1e-12


def test_every_speaker_has_a_score() -> None:
    assert set(LESSON_SCORES) == set(Speaker)


def test_a_reason_outranks_a_report_for_every_speaker() -> None:
    for speaker in Speaker:
        assert score_passage(LESSON, "Keep one cache per thread", speaker) >= LESSON_SCORES[speaker]
        assert score_passage(REPORT, "Release", speaker) < LESSON_SCORES[speaker]


def test_the_trained_weights_are_words_and_numbers() -> None:
    weights = load_table("passage_weights")
    assert all(isinstance(value, float) and abs(value) < 10 for value in weights.values())
    shapes = {"bias", *extract_features("", "", "commit")} - {"speaker commit"}
    worded = [name for name in weights if name not in shapes]
    assert all(name.split(" ")[0] in ("word", "pair", "first", "context", "speaker") for name in worded)
    assert max(len(name.split(" ")) for name in worded) == 3


@pytest.mark.parametrize(
    "text",
    [
        LESSON,
        REPORT,
        "Never retry.",
        "The invoice (Rechnung) is rounded per line, which the tax office expects from us.",
        "`naïve_total` is not the sum that we want",
    ],
)
def test_english_is_recognized(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Die Rechnung sollte niemals in der Datenbank doppelt stehen",
        "Das Token war abgelaufen, also will der Dienst es nie an den Server schicken",
        "Токен никогда не должен попадать в журнал сервера",
        "トークンは必ずログに出さないでください",
        "Le jeton ne doit jamais figurer dans les journaux, on a perdu deux jours",
        "El token no debe aparecer nunca en los registros",
        "refresh invoice total token session cache thread lock flush retry sum line the",
        "Токен the никогда не должен попадать в журнал",
    ],
)
def test_other_languages_and_lists_of_names_are_not_english(text: str) -> None:
    assert not is_english(text)
