"""A matched value is a secret only if it reads like one: not a placeholder, a word, a name or an expression."""

from __future__ import annotations

import re

import pytest

from holloway.safety.secret_values import find_secret, is_placeholder, measure_entropy, measure_filler

KEY = "aB3dE5gH7jK9mN1p"


def find(check: str, before: str, value: str, after: str = "") -> str:
    """Return the part of a text that counts as the secret; a match begins after the name that the text begins with."""
    text = before + value + after
    start = len(before)
    name = re.match(r"\w*", before)
    return find_secret(check, 0.0, text, name.end() if name else 0, start, start + len(value))


def test_entropy_is_that_of_the_characters() -> None:
    assert measure_entropy("aaaa") == 0
    assert measure_entropy("abab") == 1
    assert measure_entropy("abcdefgh") == 3


@pytest.mark.parametrize(
    ("value", "share"),
    [("", 0.0), ("abc", 0.0), ("aaaa", 1.0), ("abcd", 1.0), ("dcba", 1.0), ("aaa", 0.0), ("aaaaxq", 4 / 6)],
)
def test_filler_is_a_run_of_equal_or_consecutive_characters(value: str, share: float) -> None:
    assert measure_filler(value) == pytest.approx(share)


def test_only_the_steps_that_are_asked_for_are_filler() -> None:
    assert measure_filler("abcdefgh", (0,)) == 0.0
    assert measure_filler("abcdefgh", (1,)) == 1.0


@pytest.mark.parametrize("value", ["my-example-key", "${TOKEN}", "{{ token }}", "xxxxxxxxab", "changeme", "12345678"])
def test_templates_and_examples_are_placeholders(value: str) -> None:
    assert is_placeholder(value)
    assert not is_placeholder(KEY)


def test_a_value_below_the_entropy_of_its_rule_is_no_secret() -> None:
    text = "abab2c2c9d9d"
    for limit, secret in ((measure_entropy(text), text), (measure_entropy(text) + 0.01, "")):
        assert find_secret("", limit, text, 0, 0, len(text)) == secret


def test_a_long_key_of_the_alphabet_is_a_key_of_its_vendor() -> None:
    letters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn"
    assert find("", "", letters) == letters
    assert find("", "", letters[:39]) == ""


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        (KEY, True),
        ("short1", False),
        ("refresh_token_name", False),
        ("/usr/lib/x86", False),
        ("https://a.org/b", False),
        ("C:\\aB3dE5gH7jK9mN1p", False),
        ("C:aB3dE5gH7jK9mN1p", True),
        ("/aB3dE5gH7jK9mN1p", False),
        ("x/aB3dE5gH7jK9mN1p", True),
        ("release-a1bcdefgh", True),
        ("harb3ourquayx", True),
        ("harbourquayx3", False),
        ("qXqqmXrtrn", False),
        ("qXqXqmXrtn", True),
        ("aXqXamXart", False),
        ("aXqXamXqrtrx", True),
        ("aXqXamXartrn", False),
        ("aes256-sha384-utf16", False),
        ("aes256xsha384yutf16", False),
    ],
)
def test_a_shape_is_a_secret_if_a_machine_made_it(value: str, is_secret: bool) -> None:
    assert bool(find("shape", "", value)) is is_secret


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("hunter22x", True),
        ("password", False),
        ("PASSWORD9", False),
        ("$secret", False),
        ("<password>", False),
        ("$Hunter22x", False),
        ("H$unter22x", True),
    ],
)
def test_the_password_of_an_address_is_more_than_a_word_for_it(value: str, is_secret: bool) -> None:
    assert bool(find("address", "", value)) is is_secret


@pytest.mark.parametrize(
    ("before", "value", "after", "secret"),
    [
        ("password=", "hunter22x", "", "hunter22x"),
        ("password: '", "hunter22x", "'", "hunter22x"),
        ("password=", "hunter22x;next", "", "hunter22x"),
        ("password=", "hunter22x.", "", "hunter22x"),
        ("password=", "hunter", "", ""),
        ("password=", "getPassword(user)", "", ""),
        ("password=", "config[0]", "", ""),
        ("password=", "getPassw0rd(user)", "", ""),
        ("password=", "confPassw0rd[0]", "", ""),
        ("password=", "confPassw0rd{0}", "", ""),
        ("password=", "hunter22x,", "", ""),
        ("password=", "hunter22x)", "", ""),
        ("password=", "aB3dE5gH7jK9mN1p,", "", "aB3dE5gH7jK9mN1p"),
        ("password = ", "hunter22x", "", ""),
        ("password: ", "hunter22x", "", "hunter22x"),
        ("password: ", "=hunter22x", "", "=hunter22x"),
        ("csrf_token=", "hunter22x", "", ""),
        ("my_csrf_token=", "hunter22x", "", ""),
        ("mycsrf_token=", "hunter22x", "", ""),
        ("password=", "/etc/passwd1", "", ""),
        ("password: '", "C:\\Tr0ub4dor", "'", ""),
        ("password=", "TokensTokensXqXq", "", ""),
        ("password=", "TokensTokenXqXqX", "", "TokensTokenXqXqX"),
        ("password=", "XqXqXTokensToken", "", "XqXqXTokensToken"),
        ("password=", "Tr0ub4dor&3", "", "Tr0ub4dor"),
        ("password='", "Tr0ub4dor&3", "'", "Tr0ub4dor&3"),
    ],
)
def test_an_assigned_password_ends_where_its_value_ends(before: str, value: str, after: str, secret: str) -> None:
    assert find("password", before, value, after) == secret


def test_a_key_must_be_random_and_a_password_need_not_be() -> None:
    assert find("password", "password=", "hunter22x") == "hunter22x"
    assert find("key", "api_key=", "hunter22") == ""
    assert find("key", "api_key=", KEY) == KEY


@pytest.mark.parametrize("value", ["getIDFromDBByID", "parseIDOrDB", "userIDToken"])
def test_a_name_with_short_acronyms_is_no_password(value: str) -> None:
    assert find("password", "password=", value) == ""


def test_a_value_that_its_pattern_cut_is_extended_to_its_end() -> None:
    text = f"api_key={KEY}/rest+of=it next"
    secret = find_secret("key", 0.0, text, text.index("="), len("api_key="), len("api_key=") + len(KEY))
    assert secret == f"{KEY}/rest+of=it"


@pytest.mark.parametrize(
    ("check", "value", "secret"),
    [
        ("prose", "hunter22.", "hunter22"),
        ("prose", "hunter22–and", "hunter22"),
        ("prose", "call(hunter22", ""),
        ("prose", "a=hunter22", ""),
        ("prose", "a=Tr0ub4dor!", ""),
        ("prose", "f(Tr0ub4dor!x", ""),
        ("prose", "Tr0ub4dor!==", "Tr0ub4dor!=="),
        ("argument", "a=Tr0ub4dor!", "a=Tr0ub4dor!"),
        ("argument", "hunter22!", "hunter22!"),
        ("strong", "Hunter22x", "Hunter22x"),
        ("strong", "hunter22x", ""),
        ("strong", "Hunter/22x", ""),
    ],
)
def test_a_password_in_prose_is_a_whole_word(check: str, value: str, secret: str) -> None:
    assert find(check, "", value) == secret


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("hunter22", True),
        ("hunt1", False),
        ("pass123", False),
        ("userNameField", False),
        ("qXzvBnTrKw", True),
        ("tAereRRRXn", True),
        ("nRXXeetntn", False),
        ("XKCDNaMeXq", True),
        ("XKCDNameXq", False),
        ("correct!Horse", True),
        ("me@example.org", False),
        ("me22@example.org", False),
        ("hunter22@home", True),
        ("hunter22.x!", True),
        ("release-Build-77", False),
        ("a1b2-c3d4", True),
        ("xkcdbrtzwq", False),
        ("XKCDBRTZWQ", False),
        ("1234567890", False),
        ("$hunter22", False),
    ],
)
def test_a_password_is_something_that_a_person_chose_as_one(value: str, is_secret: bool) -> None:
    assert bool(find("argument", "", value)) is is_secret


def test_words_with_numbers_make_no_random_value() -> None:
    assert find("shape", "", "release2024-build77") == ""
    assert find("shape", "", "r3lea5e20x4-bu1ld77") == "r3lea5e20x4-bu1ld77"
