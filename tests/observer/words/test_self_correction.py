import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.observer.words import self_correction
from holloway.observer.words.self_correction import FORMS, SIGN_POINTS, SIGNS, Form
from holloway.observer.words.sentences import CLAUSE_CHARS_MAX


@pytest.mark.parametrize(
    ("text", "belief", "fact"),
    [
        (
            "I assumed the cache was shared between workers, but each worker opens its own file.",
            "the cache was shared between workers",
            "each worker opens its own file",
        ),
        (
            "You're right, I was wrong. The token lives in the keyring, not in the settings file.",
            "in the settings file",
            "The token lives in the keyring, not in the settings file",
        ),
        (
            "I see - `open_store()` is in the `disk` package, not `memory`. Let me fix my import.",
            "`memory`",
            "`open_store()` is in the `disk` package",
        ),
        (
            "The issue with my current approach is that I compare local times, but the log is written in UTC.",
            "my current approach is that I compare local times",
            "the log is written in UTC",
        ),
        (
            "So the timeout fix was a misdiagnosis. The actual issue was a full disk on the runner.",
            "the timeout fix",
            "The actual issue was a full disk on the runner",
        ),
        (
            "In my implementation, I'm saving the offset before the flush, at which point the file is still empty.",
            "saving the offset before the flush",
            "the file is still empty",
        ),
    ],
)
def test_a_wrong_belief_and_the_fact_are_found_and_taken_apart(text: str, belief: str, fact: str) -> None:
    found = self_correction.find_self_correction(text)
    assert found is not None
    assert (found.belief, found.fact) == (belief, fact)
    assert found.score >= self_correction.SELF_CORRECTION_SCORE_MIN
    assert found.sentence in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Wait for the server to come up, then run the smoke test.",
        "Actually, let me read the file first.",
        "Let me reconsider the options: a queue, a table, or a plain file.",
        "I see, the handler is called twice.",
        "I think the lock might be held by another process, not by ours?",
        "The linter says the import is unused. Let me fix that.",
        "Now update the function to take a path instead of a string.",
        "The documentation is wrong: the flag is called --json, not --format.",
        "You're right. Let me fix that.",
        "I was wrong.",
        "my mistake",
    ],
)
def test_plans_checks_and_findings_without_a_wrong_belief_are_none(text: str) -> None:
    assert self_correction.find_self_correction(text) is None


def test_without_a_fact_an_admission_is_none() -> None:
    admission = "I misread the output of the build."
    assert self_correction.find_self_correction(f"You're right. {admission} Let me check it again.") is None
    assert (
        self_correction.find_self_correction(f"You're right. {admission} The second job never started at all.")
        is not None
    )


def test_the_fact_may_stand_before_a_plain_admission() -> None:
    found = self_correction.find_self_correction(
        "You're right. There is no export command in this tool. I was wrong to suggest it."
    )
    assert found is not None
    assert (found.belief, found.fact) == (
        "There is export command in this tool",
        "There is no export command in this tool",
    )


def test_a_contrast_alone_is_none_and_a_change_of_mind_beside_it_makes_the_difference() -> None:
    contrast = "The port is read from the socket file, not from the environment."
    assert self_correction.find_self_correction(contrast) is None
    assert self_correction.find_self_correction(f"You're right. {contrast}") is not None


def test_a_denied_verb_gives_the_belief_as_the_statement_that_was_denied() -> None:
    found = self_correction.find_candidates("You're right. The daemon does not start before the login.")
    assert [(one.belief, one.fact) for one in found] == [
        ("The daemon does start before the login", "The daemon does not start before the login")
    ]


def test_a_supposition_counts_less_than_a_statement() -> None:
    stated = "I see - the hook runs in the parent shell, not in the child. Let me fix my script."
    supposed = stated.replace("the hook runs", "maybe the hook runs")
    score = {text: max(one.score for one in self_correction.find_candidates(text)) for text in (stated, supposed)}
    assert score[supposed] < score[stated]


def test_code_and_quotations_are_not_what_the_agent_says() -> None:
    said = "I assumed the queue was ordered, but the broker delivers in any order."
    assert self_correction.find_self_correction(said) is not None
    assert self_correction.find_self_correction(f"```\n{said}\n```") is None
    assert self_correction.find_self_correction(f"> {said}") is None


def test_both_halves_are_bounded() -> None:
    long = "the very long name of a thing " * 50
    found = self_correction.find_self_correction(f"You're right, my fix doesn't help with {long}. It is for {long}.")
    assert found is not None
    assert CLAUSE_CHARS_MAX // 2 < len(found.belief) <= CLAUSE_CHARS_MAX
    assert CLAUSE_CHARS_MAX // 2 < len(found.fact) <= CLAUSE_CHARS_MAX


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        ("the default of the option is off", "config"),
        ("templates live in src/site/pages/", "path"),
        ("`flush()` returns the number of bytes", "api"),
        ("the plan has to start with the schema", "approach"),
        ("the sun rises in the east", "factual"),
    ],
)
def test_the_kind_is_what_the_fact_is_about(fact: str, kind: str) -> None:
    assert self_correction.classify_kind("something else", fact) == kind


@cache
def sentences_of(form: Form) -> st.SearchStrategy[str]:
    alphabet = st.characters(codec="ascii") | st.sampled_from("—–")
    return st.from_regex(re.compile(form.pattern, re.IGNORECASE | re.ASCII), alphabet=alphabet)


@settings(deadline=None, max_examples=15)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@given(data=st.data())
def test_every_sentence_of_a_form_has_one_of_its_anchors(form: Form, data: st.DataObject) -> None:
    sentence = data.draw(sentences_of(form))
    assert any(anchor in sentence.lower() for anchor in form.anchors)


def test_forms_have_names_of_their_own_and_every_sign_has_a_pattern() -> None:
    assert {name for name, _ in SIGN_POINTS} <= set(SIGNS)
    assert len({form.name for form in FORMS}) == len(FORMS)
    assert all(anchor == anchor.lower() for form in FORMS for anchor in form.anchors)


def test_what_was_misremembered_is_found_with_a_word_before_it() -> None:
    found = self_correction.find_self_correction(
        "You're right, I completely misremembered the flag; it is spelled `--no-cache` and lives in the build settings."
    )
    assert found is not None
    assert found.fact == "it is spelled `--no-cache` and lives in the build settings"


def test_what_somebody_was_convinced_of_is_found() -> None:
    found = self_correction.find_self_correction(
        "I was convinced the cache was cleared on start; it is only cleared on install."
    )
    assert found is not None
    assert found.fact == "it is only cleared on install"


def test_lone_surrogates_and_curly_quotes_are_read() -> None:
    found = self_correction.find_self_correction(
        "\ud800 I’d assumed the index was rebuilt, but it is only appended to."
    )
    assert found is not None
    assert found.fact == "it is only appended to"
