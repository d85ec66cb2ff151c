from holloway.text.patterns import Patterns


def test_all_patterns_that_a_text_has_are_named_by_their_place_in_order() -> None:
    looked_for = Patterns([r"\bcat\b", "dog", r"\d{3}"])

    assert looked_for.found("a dog, 123 times, and a cat") == [0, 1, 2]
    assert looked_for.found("concatenated dogs") == [1]
    assert looked_for.found("") == []


def test_text_and_bytes_are_searched_alike() -> None:
    looked_for = Patterns(["ä+"])

    assert looked_for.any("laut: ää")
    assert looked_for.any("laut: ää".encode())
    assert not looked_for.any(b"plain")


def test_case_counts_unless_it_is_said_not_to() -> None:
    assert not Patterns(["wait"]).any("WAIT")
    assert Patterns(["wait"], any_case=True).any("WAIT")
