"""A typed passage is a rule if it says what should be, beyond the task at hand, in whatever language."""

from __future__ import annotations

import pytest

from holloway.observer.words.normative import WORDS_MAX, WORDS_MIN, is_normative


@pytest.mark.parametrize(
    "text",
    [
        "We should never log the token of a user",
        "Errors must carry a hint for the person",
        "The tests shouldn't reach the network at all",
        "I don't want a second way to do this",
        "I prefer short names in the public interface",
        "The panel has to work without any script",
        "We keep the price in cents instead of euros",
        "Foreign keys are not allowed in this schema",
        "Das Token darf nicht in die Logdatei geschrieben werden",
        "Die Rechnung sollte niemals doppelt gespeichert werden",
        "Alle Fehler müssen einen Hinweis für Menschen haben",
        "Le jeton ne doit jamais figurer dans les journaux",
        "El token no debe aparecer nunca en los registros",
        "Il totale non deve mai essere arrotondato due volte",
        "Токен никогда не должен попадать в журнал сервера",
        "Нельзя хранить пароль пользователя в открытом виде",
        "トークンは必ず暗号化して保存する",
        "令牌必须加密之后才可以保存到数据库",
    ],
)
def test_a_rule_is_normative_in_every_language(text: str) -> None:
    assert is_normative(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should we never log the token of a user?",
        "Sollte die Rechnung niemals doppelt gespeichert werden?",
        "トークンは必ず暗号化して保存する？",
    ],
)
def test_a_question_is_no_rule(text: str) -> None:
    assert not is_normative(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix the invoice, it should never be rounded twice",
        "ok, now please add a test, it must never reach the network",
        "Also refactor the tokens, they should always be refreshed",
        "You are a careful reviewer who must never guess anything",
        "I want you to check that tokens are always refreshed",
        "make sure that the invoice is always rounded once",
    ],
)
def test_the_opening_of_a_task_is_no_rule(text: str) -> None:
    assert not is_normative(text)


@pytest.mark.parametrize(
    "text",
    [
        "For now the invoice should never be rounded twice",
        "The invoice should not be touched in this PR at all",
        "This time the tokens must be refreshed by hand, only once",
        "The build must be green before you touch the tokens",
        "The invoice should be shorter, could you cut the footer",
        "The total should be rounded, please fix that in billing",
    ],
)
def test_a_wish_for_the_task_alone_is_no_rule(text: str) -> None:
    assert not is_normative(text)


@pytest.mark.parametrize(
    "text",
    [
        "--- FAIL: the token must never be empty in a session",
        "tokens.py:12 the token must never be empty in a session",
        "Error the token must never be empty in a session",
        "the log said\nTraceback of a token that must never be empty",
        "the token must never be empty in a session [hw:abc]",
    ],
)
def test_the_output_of_a_program_is_no_rule(text: str) -> None:
    assert not is_normative(text)


def test_a_statement_of_what_is_is_no_rule() -> None:
    assert not is_normative("The invoice is rounded once for every line of it")
    assert not is_normative("Токен хранится в журнале сервера уже очень давно")
    assert not is_normative("The mustard and the shoulders of the neverending story")


def test_a_rule_has_a_number_of_words_that_can_be_understood_alone() -> None:
    rule = ["Tokens", "must", *["really"] * (WORDS_MAX - 2)]
    assert not is_normative(" ".join(rule[: WORDS_MIN - 1]))
    assert is_normative(" ".join(rule[:WORDS_MIN]))
    assert is_normative(" ".join(rule))
    assert not is_normative(" ".join([*rule, "so"]))


def test_a_language_without_spaces_is_measured_in_characters() -> None:
    rule = "令牌必须加密之后才可以保存"
    assert is_normative(rule[: 2 * WORDS_MIN])
    assert not is_normative(rule[: 2 * WORDS_MIN - 1])
    assert not is_normative("never-ever-log-tokens")
