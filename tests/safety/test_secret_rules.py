"""Each rule of `data/secrets.toml` against its own examples."""

from __future__ import annotations

import random
import re
import string
import tomllib
from typing import Any

import pytest

from holloway.data import load_table
from holloway.data.source import DATA_FOLDER
from holloway.safety import secrets

Rule = dict[str, Any]
RULES: list[Rule] = tomllib.loads((DATA_FOLDER / "secrets.toml").read_text("utf-8"))["rules"]
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


def is_token(rule: Rule) -> bool:
    """Whether a rule describes a token that its own form gives away, whatever words are around it."""
    return "".join(rule["regex"]).startswith("${before}")


def found(text: str) -> list[str]:
    return [finding.rule for finding in secrets.scan_secrets(text)]


@pytest.mark.promise("secret-rules")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["id"])
def test_a_rule_finds_its_own_true_examples(rule: Rule) -> None:
    assert rule["secret_examples"]
    for template in rule["secret_examples"]:
        assert rule["id"] in found(expanded(template)), template


@pytest.mark.promise("secret-rules")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["id"])
def test_a_rule_leaves_its_own_false_examples_alone(rule: Rule) -> None:
    assert rule["benign_examples"]
    for template in rule["benign_examples"]:
        assert rule["id"] not in found(expanded(template)), template


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["id"])
def test_a_rule_has_a_keyword_in_each_true_example(rule: Rule) -> None:
    assert rule["keywords"]
    assert all(word == word.lower() for word in rule["keywords"])
    for template in rule["secret_examples"]:
        assert any(word in expanded(template).lower() for word in rule["keywords"]), template


def test_rules_have_unique_names_in_kebab_case() -> None:
    ids = [rule["id"] for rule in RULES]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in ids)


def test_there_are_rules_for_many_kinds_of_secrets() -> None:
    assert len(RULES) >= KINDS_MIN


def test_no_example_is_a_token_before_it_is_expanded() -> None:
    rows = [
        (rule["id"], template) for rule in RULES if "value_check" not in rule for template in rule["secret_examples"]
    ]
    assert [name for name, template in rows if name in found(template)] == []


def test_every_rule_is_loaded_in_the_order_of_the_file() -> None:
    assert [rule.id for rule in secrets.load_rules().rules] == [rule["id"] for rule in RULES]


def test_the_light_list_of_keywords_is_that_of_the_rules() -> None:
    light = load_table("secret_keywords")
    assert {*light["keywords"], *light["token_keywords"]} == {word for rule in RULES for word in rule["keywords"]}


def test_keywords_of_tokens_belong_to_no_rule_that_needs_words_around_its_value() -> None:
    contextual = {word for rule in RULES if not is_token(rule) for word in rule["keywords"]}
    assert contextual.isdisjoint(load_table("secret_keywords")["token_keywords"])
