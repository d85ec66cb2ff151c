"""A hundred kinds of secrets and sixty harmless lines, written without knowledge of the rules."""

import random
import string

import pytest

from holloway.safety import secrets
from tests.attacks.secret_kinds import CORPUS, Row, find_leaks, make_line

SEEDS = range(20)
KINDS_MIN = 95
HARMLESS_CUT_MAX = 2
SAMPLES = 200
ALNUM = string.ascii_letters + string.digits

pytestmark = pytest.mark.promise("no-secret")


def is_cut(row: Row, seed: int) -> bool:
    line, spellings = make_line(row, seed)
    assert find_leaks(spellings, line)
    return not find_leaks(spellings, secrets.redact_secrets(line)[0])


def test_at_least_95_of_100_kinds_of_secrets_are_cut_out_whatever_their_value() -> None:
    rows = CORPUS["rows"]
    missed = [row["id"] for row in rows if not all(is_cut(row, seed) for seed in SEEDS)]
    assert len(rows) - len(missed) >= KINDS_MIN, missed


def test_words_around_a_secret_stay_readable() -> None:
    for row in CORPUS["rows"]:
        redacted = secrets.redact_secrets(make_line(row, 0)[0])[0]
        assert [words for words in row["keep"] if words not in redacted] == []


def test_harmless_lines_are_left_alone() -> None:
    cut = [row["id"] for row in CORPUS["benign"] if secrets.scan_secrets(row["line"])]
    assert len(cut) <= HARMLESS_CUT_MAX, cut


SHAPES = {
    "sk-{}": (ALNUM, 48),
    "sk-ant-{}": (ALNUM + "-", 95),
    "ghp_{}": (ALNUM, 36),
    'password = "{}"': (ALNUM, 16),
    "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----": (ALNUM + "+/", 64),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_five_common_kinds_are_found_200_of_200_times(shape: str) -> None:
    alphabet, size = SHAPES[shape]
    values = ["".join(random.Random(seed).choices(alphabet, k=size)) for seed in range(SAMPLES)]
    assert [value for value in values if value in secrets.redact_secrets(shape.format(value))[0]] == []


@pytest.mark.parametrize("shape", ["sk-{}", "sk-ant-{}", "ghp_{}"])
@pytest.mark.parametrize("alphabet", [ALNUM * 2, string.digits * 10, string.ascii_lowercase * 4 + string.digits])
def test_a_key_made_of_the_alphabet_is_a_key(shape: str, alphabet: str) -> None:
    value = alphabet[: SHAPES[shape][1]]
    assert value not in secrets.redact_secrets(f"use {shape.format(value)} here")[0]
