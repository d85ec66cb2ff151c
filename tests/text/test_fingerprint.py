from holloway.text.fingerprint import fingerprint


def test_case_space_and_punctuation_do_not_matter() -> None:
    assert fingerprint("Tests hang, without REDIS_URL!", "s") == fingerprint("tests  hang without `redis_url`", "s")


def test_signs_that_change_the_sense_matter() -> None:
    for one, other in (("retries >= 3", "retries <= 3"), ("use C++ here", "use C# here"), ("a.b", "a b")):
        assert fingerprint(one, "s") != fingerprint(other, "s")


def test_other_words_give_another_fingerprint() -> None:
    assert fingerprint("use JWT", "s") != fingerprint("use sessions", "s")


def test_a_fingerprint_says_nothing_without_the_salt() -> None:
    assert fingerprint("use JWT", "one store") != fingerprint("use JWT", "another store")


def test_texts_without_words_are_told_apart() -> None:
    assert fingerprint("→ ✓", "s") != fingerprint("✗ ✗", "s")
