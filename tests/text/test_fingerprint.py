import pytest

from holloway.text.fingerprint import fingerprint_text, normalise_text


def test_case_space_and_punctuation_do_not_matter() -> None:
    assert fingerprint_text("Tests hang, without REDIS_URL!", "s") == fingerprint_text(
        "tests  hang without `redis_url`", "s"
    )


def test_signs_that_change_the_sense_matter() -> None:
    for one, other in (("retries >= 3", "retries <= 3"), ("use C++ here", "use C# here"), ("a.b", "a b")):
        assert fingerprint_text(one, "s") != fingerprint_text(other, "s")


def test_other_words_give_another_fingerprint() -> None:
    assert fingerprint_text("use JWT", "s") != fingerprint_text("use sessions", "s")


def test_a_fingerprint_says_nothing_without_the_salt() -> None:
    assert fingerprint_text("use JWT", "one store") != fingerprint_text("use JWT", "another store")


def test_texts_without_words_are_told_apart() -> None:
    assert fingerprint_text("→ ✓", "s") != fingerprint_text("✗ ✗", "s")


@pytest.mark.parametrize(
    ("text", "normal_form", "stored"),
    [
        ("Run `make test` before pushing.", "run make test before pushing", "7daccb54fe3e15a3919b371e45df10d1"),
        ("C++ >= 3; not C#", "c++ >= 3 not c#", "b20005207e200fa4de41f61eb2db51dc"),
        ("Stra\u00dfe \u2019quoted\u2019 \u201cx\u201d", "strasse quoted x", "06015f0519bdbd18a60186d34ef5ef9e"),
        ("e\u0301 caf\u00e9", "\u00e9 caf\u00e9", "3f45aa5cb5c550653de0b870c5f7c85b"),
        ("...", "", "441c780ffa9038ecd44e66bae051cdf0"),
    ],
)
def test_fingerprints_in_stores_of_the_first_release_still_match(text: str, normal_form: str, stored: str) -> None:
    assert normalise_text(text) == normal_form
    assert fingerprint_text(text, "salt") == stored


def test_a_shorter_digest_without_a_salt_is_the_mark_that_origins_of_rules_hold() -> None:
    assert fingerprint_text("Run `make test` before pushing.", "", 8) == "cef4e0e1d3f959a7"
