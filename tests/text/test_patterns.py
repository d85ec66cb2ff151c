from holloway.text.patterns import Patterns


def test_all_patterns_that_a_text_has_are_named_by_their_place_in_order() -> None:
    looked_for = Patterns([r"\bcat\b", "dog", r"\d{3}"])

    assert looked_for.find_matches("a dog, 123 times, and a cat") == [0, 1, 2]
    assert looked_for.find_matches("concatenated dogs") == [1]
    assert looked_for.find_matches("") == []


def test_text_and_bytes_are_searched_alike() -> None:
    looked_for = Patterns(["ä+"])

    assert looked_for.has_match("laut: ää")
    assert looked_for.has_match("laut: ää".encode())
    assert not looked_for.has_match(b"plain")


def test_case_counts_unless_it_is_said_not_to() -> None:
    assert not Patterns(["wait"]).has_match("WAIT")
    assert Patterns(["wait"], any_case=True).has_match("WAIT")
