"""Each rule of the tables against its own examples."""

from __future__ import annotations

import random
import re
import string
from typing import TYPE_CHECKING

import pytest

from docs import generate
from holloway.safety import secrets
from holloway.safety.rules import TABLE
from holloway.safety.secret_keywords import KEYWORDS, TOKENS

if TYPE_CHECKING:
    from holloway.safety.rules.rule import Rule

KINDS_MIN = 130

LETTERS_AND_DIGITS = string.ascii_letters + string.digits
ALPHABETS = {
    "alnum": LETTERS_AND_DIGITS,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "letters": string.ascii_letters,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "digit": string.digits,
    "base32": string.ascii_uppercase + "234567",
    "base32lower": string.ascii_lowercase + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "b64": LETTERS_AND_DIGITS + "+/",
    "url64": LETTERS_AND_DIGITS + "-_",
    "az": string.ascii_lowercase,
    "x": "x",
    "tilde": "~",
}


def expanded(template: str) -> str:
    """The template with random characters in it, the same for the same template."""
    chance = random.Random(template)

    def body(match: re.Match[str]) -> str:
        alphabet, size = ALPHABETS[match[1]], int(match[2])
        if len(alphabet) == 1:
            return alphabet * size
        # No character twice before each has been drawn once, and letters and digits at both ends.
        pool = "".join("".join(chance.sample(alphabet, len(alphabet))) for _ in range(size // len(alphabet) + 1))[:size]
        return pool if pool[0].isalnum() and pool[-1].isalnum() else body(match)

    return re.sub(r"\{(\w+):(\d+)\}", body, template)


def found(text: str) -> list[str]:
    return [finding.rule for finding in secrets.scan(text)]


@pytest.mark.promise("secret-rules")
@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.id)
def test_a_rule_finds_its_own_true_examples(rule: Rule) -> None:
    assert rule.secret
    for template in rule.secret:
        assert rule.id in found(expanded(template)), template


@pytest.mark.promise("secret-rules")
@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.id)
def test_a_rule_leaves_its_own_false_examples_alone(rule: Rule) -> None:
    assert rule.benign
    for template in rule.benign:
        assert rule.id not in found(expanded(template)), template


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.id)
def test_a_rule_has_a_keyword_in_each_true_example(rule: Rule) -> None:
    assert rule.keywords
    assert all(word == word.lower() for word in rule.keywords)
    for template in rule.secret:
        assert any(word in expanded(template).lower() for word in rule.keywords), template


def test_rules_have_unique_names_in_kebab_case() -> None:
    ids = [rule.id for rule in TABLE]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in ids)


def test_there_are_rules_for_many_kinds_of_secrets() -> None:
    assert len(TABLE) >= KINDS_MIN


def test_no_example_is_a_token_before_it_is_expanded() -> None:
    rows = [(rule.id, template) for rule in TABLE if not rule.judged for template in rule.secret]
    assert [name for name, template in rows if name in found(template)] == []


def test_the_light_list_of_keywords_is_that_of_the_rules() -> None:
    assert {*KEYWORDS, *TOKENS} == {word for rule in TABLE for word in rule.keywords}
    assert generate.KEYWORDS.read_text("utf-8") == generate.keywords()
