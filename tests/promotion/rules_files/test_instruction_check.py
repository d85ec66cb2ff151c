"""A rule is told from a description by its words and its heading."""

import pytest

from holloway.promotion.rules_files import instruction_check
from holloway.promotion.rules_files.instruction_check import (
    is_about_conventions,
    is_about_product,
    is_imperative,
    is_obligation,
    is_rule,
)


@pytest.mark.parametrize("text", ["Tabs must be used", "You should not log tokens", "NEVER commit this", "必须使用"])
def test_words_of_duty_are_an_obligation(text: str) -> None:
    assert is_obligation(text)


@pytest.mark.parametrize("text", ["Tokens live an hour", "The mustard is yellow"])
def test_other_words_are_no_obligation(text: str) -> None:
    assert not is_obligation(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Use tabs", True), ("Style: use tabs", True), ("Tabs are used", False), ("Style: tabs are used", False)],
)
def test_an_imperative_stands_at_the_start_or_after_a_label(text: str, expected: bool) -> None:
    assert is_imperative(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Steps:\n1. Run it\n2. the end", True),
        ("Steps:\n1. Run it\n2. the end\n3. of it", False),
        ("Steps:\n- Run it\n- Push it\n- then wait", True),
        ("Steps: run it", False),
    ],
)
def test_a_list_is_steps_if_half_of_its_lines_are_imperatives(text: str, expected: bool) -> None:
    assert instruction_check._is_list_of_steps(text) is expected


@pytest.mark.parametrize(
    ("text", "headings", "item", "strict", "expected"),
    [
        ("Use tabs in Makefiles", (), False, False, True),
        ("Tokens must be logged", (), False, False, True),
        ("Tokens live an hour", (), True, False, False),
        ("Tokens live an hour", ("Rules",), True, False, True),
        ("Tokens live an hour", ("Rules",), False, False, False),
        ("Tokens break the cache", ("Rules",), False, False, True),
        ("Tokens live an hour", ("Rules", "Tokens"), True, False, True),
        ("Tokens live an hour", ("Rules", "Tokens", "Life"), True, False, False),
        ("Use tabs in Makefiles", ("Overview",), True, False, False),
        ("Tabs must be used", ("Overview",), True, False, True),
        ("Tabs must be used", ("Overview",), True, True, False),
        ("Use tabs in Makefiles", (), True, True, False),
        ("Tabs must be used", (), True, True, True),
        ("用制表符缩进代码", (), True, False, True),
        ("用制表符缩进代码", (), False, False, False),
        ("`make test`", ("Rules",), True, False, False),
        ("tabs", ("Rules",), True, False, False),
        ("Must I use tabs?", ("Rules",), True, False, False),
        ("Use caf\ufffd names", ("Rules",), True, False, False),
    ],
)
def test_a_block_is_a_rule_by_its_words_and_its_headings(
    text: str, headings: tuple[str, ...], item: bool, strict: bool, expected: bool
) -> None:
    assert is_rule(text, headings, item=item, strict=strict) is expected


def test_the_nearest_headings_say_what_a_section_is_about() -> None:
    assert is_about_conventions(("Shop", "Code style"))
    assert is_about_conventions(("Code style", "Python"))
    assert not is_about_conventions(("Code style", "Python", "Lists"))
    assert not is_about_conventions(("Shop",))
    assert is_about_product(("Rules", "Overview"))
    assert not is_about_product(("Overview", "Rules"))
    assert not is_about_product(())
