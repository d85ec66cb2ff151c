"""Parts of a text that is to be forgotten, found in other words."""

import json

import pytest

from holloway.store.text_traces import TextTraces

SENTENCE = "Deploys wait for the smoke test on staging, not for a person."


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "deploys   wait\nfor the SMOKE test",
        "No: wait for the smoke-test on (staging)!",
        json.dumps({"draft": {"content": ["x", "Deploys\nwait for the smoke test"]}}),
        json.dumps([{SENTENCE: 1}]),
        "\uff24eploys wait for the smoke test",
    ],
)
def test_a_part_is_found_whatever_its_case_breaks_and_signs(text: str) -> None:
    assert TextTraces([SENTENCE]).occur_in(text)


@pytest.mark.parametrize(
    "text", ["", None, "the smoke test", "for a person", "wait for the smoke", "{", '{"a": 1, "b": [null, true]}']
)
def test_other_text_is_not_taken_for_a_part(text: str | None) -> None:
    assert not TextTraces([SENTENCE]).occur_in(text)


def test_a_run_of_short_words_says_nothing() -> None:
    assert not TextTraces(["so it is to be at the end of it all"]).occur_in("it is to be at noon")


def test_a_short_text_is_found_as_a_whole() -> None:
    assert TextTraces(["Use tabs"]).occur_in("please use TABS here")
    assert not TextTraces(["Use tabs"]).occur_in("use spaces, not tabs")


def test_nothing_has_no_parts() -> None:
    assert not TextTraces(["", "..."]).occur_in("...")


def test_a_script_without_spaces_is_compared_by_its_characters() -> None:
    traces = TextTraces(["\u672c\u756a\u74b0\u5883\u306f\u624b\u52d5\u3067\u79fb\u884c\u3059\u308b"])
    assert traces.occur_in("\u304a\u9858\u3044\u672c\u756a\u74b0\u5883\u306f\u624b\u52d5\u3067\u79fb\u884c")
    assert not traces.occur_in("\u672c\u756a\u74b0\u5883\u306f\u81ea\u52d5\u3067\u79fb\u884c\u3059\u308b")


def test_a_whole_text_is_found_inside_of_another_and_a_part_of_it_is_not() -> None:
    traces = TextTraces(["The cache must be flushed by hand"])
    assert traces.occur_whole_in("Remember: the CACHE must be flushed, by hand!")
    assert not traces.occur_whole_in("The cache must be flushed by the worker")
    assert not TextTraces(["flush the cache"]).occur_whole_in("always flush the cache here")
    assert not traces.occur_whole_in(None)
