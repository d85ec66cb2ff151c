"""What of a rules file becomes a block, and what is left out."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.config import CONTENT_BYTES_MAX
from holloway.promotion.rules_files import markdown
from holloway.promotion.rules_files.markdown import RuleBlock, RulesText, split_origin
from holloway.promotion.rules_files.split_blocks import BLOCKS_PER_FILE_MAX, split_rule_blocks
from tests.outside_input import bounded_time, text_of


def said(text: str, *, sections: bool = False) -> list[str]:
    return [block.text for block in split_rule_blocks(RulesText("CLAUDE.md", text, sections=sections))]


def test_a_list_item_is_a_block_with_its_heading_and_line() -> None:
    (first, second) = split_rule_blocks(
        RulesText("CLAUDE.md", "# Shop\n\n## Style\n\n- Use `ruff`.\n- Never use\n  wildcards.\n")
    )
    assert (first.text, first.heading, first.line) == ("Use `ruff`.", "Style", 5)
    assert (second.text, second.line) == ("Never use wildcards.", 6)


def test_code_stays_with_its_sentence() -> None:
    text = "## Tests\n\nAlways run the tests before a commit:\n\n```bash\nmake test\n```\n\nThe end of it all.\n"
    assert said(text) == ["Always run the tests before a commit:\n```bash\nmake test\n```"]


def test_commands_below_a_title_are_kept_with_the_title() -> None:
    assert said("### Running the tests\n```sh\nmake test\n```\n") == ["Running the tests:\n```sh\nmake test\n```"]


def test_code_that_does_not_fit_is_left_out_and_the_sentence_kept() -> None:
    long = "x = 1\n" * CONTENT_BYTES_MAX
    assert said(f"## Style\n\nNever write this:\n\n```python\n{long}```\n") == ["Never write this:"]


@pytest.mark.parametrize(
    "text",
    [
        "# Shop\n\n[![build](https://x.invalid/b.svg)](https://x.invalid) ![logo](logo.png)\n",
        "## Contents\n\n- [Style](#style)\n- [Tests](#tests)\n",
        "# Shop\n\nShop sells things to people in forty countries and has done so since 2011.\n",
        "# CLAUDE.md\n\nThis file provides guidance to agents when working with code in this repository.\n",
        "## Key files\n\n- `src/a.py` - the entry point\n- `src/b.py`: settings and defaults\n",
        "## Style\n\n| tool | use |\n| --- | --- |\n| ruff | must be used |\n",
        "## Rules\n\n<!-- Never mind: the old rules\n- Use tabs everywhere\n-->\n",
        "## How it works\n\n- The server never sleeps and prints what it does\n",
        "## Error handling\n\nHow it works:\n- `main.py` never prints errors\n- `root.py` returns them\n",
        "## Tests\n\nWhich framework should I use?\n",
        "",
        "\n\n---\n\n***\n",
    ],
)
def test_what_is_no_rule_is_left_out(text: str) -> None:
    assert said(text) == []


def test_a_short_list_is_one_block_with_the_line_that_leads_up_to_it() -> None:
    assert said("## Settings\n\n**Do NOT:**\n- read the file yourself\n- copy its values\n") == [
        "Do NOT:\n- read the file yourself\n- copy its values"
    ]


def test_items_of_a_long_list_repeat_what_leads_up_to_them() -> None:
    items = [f"hand the record number {number} on to a caller of any kind, in any module at all" for number in range(9)]
    found = said("## Data\n\nYou must never:\n" + "".join(f"- {item}\n" for item in items))
    assert found == [f"You must never: {item}" for item in items]


def test_steps_stay_together_and_keep_their_numbers() -> None:
    assert said("## Adding a setting\n\n1. Add the field\n2. Write a test\n") == [
        "Adding a setting:\n1. Add the field\n2. Write a test"
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Adding a setting\n\n1. Add the field\n2. Write a test\n", 3),
        ("## Settings\n\n**Do NOT:**\n\n- read the file yourself\n- copy its values\n", 3),
    ],
)
def test_a_list_that_is_one_block_has_the_line_on_which_it_or_its_lead_begins(text: str, line: int) -> None:
    (block,) = split_rule_blocks(RulesText("CLAUDE.md", text))
    assert block.line == line


def test_a_single_word_before_a_list_is_said_of_its_heading() -> None:
    assert said("## New agents\n\n- Steps:\n  1. Implement `Agent`\n  2. Register it\n") == [
        "New agents, steps:\n  1. Implement `Agent`\n  2. Register it"
    ]


def test_parts_of_an_item_stay_with_it() -> None:
    assert said("## Rules\n\n- Money is an integer:\n  - cents, never floats\n  - EUR only\n- Keep names short\n") == [
        "Money is an integer:\n  - cents, never floats\n  - EUR only",
        "Keep names short",
    ]


def test_a_long_paragraph_keeps_the_sentences_that_ask_for_something_with_their_stops() -> None:
    filler = "The service was written for another company in a hurry and it shows everywhere you look at it. " * 10
    text = f"Always run make lint, e.g. before a push. {filler}Never edit generated files! The rest is history."
    assert said(text) == ["Always run make lint, e.g. before a push. Never edit generated files!"]


def test_a_readme_gives_only_its_sections_on_conventions() -> None:
    text = (
        "# Shop\n\nYou must try it.\n\n## Code style\n\nYou must use tabs.\n\n## Bug reports\n\nYou must be polite.\n"
    )
    assert said(text, sections=True) == ["You must use tabs."]


def test_rules_in_a_language_without_cues_are_taken_by_their_form() -> None:
    assert said("# 规范\n\n- 测试函数命名清晰描述场景\n") == ["测试函数命名清晰描述场景"]


def test_a_program_that_never_does_something_is_not_told_what_to_do() -> None:
    assert said("## Printing\n\nCobra never prints errors.\n\nNever print errors.\n") == ["Never print errors."]


def test_underlined_headings_and_crossed_boxes_are_read() -> None:
    (block,) = split_rule_blocks(RulesText("a", "Rules\n=====\n\n- [ ] Run the linter first\n"))
    assert (block.heading, block.text) == ("Rules", "Run the linter first")


def test_a_warning_is_read_without_the_signs_that_make_it_one() -> None:
    body = "    The tests need port 8000.\n    Make sure that it is free.\n"
    assert said(f"## Tests\n\n!!! warning\n{body}") == ["The tests need port 8000. Make sure that it is free."]
    titled = said(f'## Tests\n\n??? danger "Ports"\n{body}')
    assert titled == ["Ports: The tests need port 8000. Make sure that it is free."]
    assert said(f"## Tests\n\n- Never skip a test.\n\n!!! note\n{body}")[0] == "Never skip a test."


def test_blocks_are_known_again_by_what_they_say() -> None:
    one, other = RuleBlock("a.md", 3, "Use `ruff`."), RuleBlock("b.md", 9, "use ruff")
    assert one.text_hash == other.text_hash != RuleBlock("a.md", 3, "Use black.").text_hash
    assert split_origin(one.origin) == ("a.md", one.text_hash)
    assert split_origin("observer:x") == ("", "")


HOSTILE = (
    "# " + " " * 90_000 + "x",
    "\n" * 90_000,
    "- " * 50_000,
    "**a " * 30_000,
    "[a](" * 30_000,
    "```\n" * 30_000,
    "> " * 40_000,
    "<a " * 40_000,
    "`" * 80_000,
    "<!--" * 30_000,
    "- x:\n" * 20_000,
    "in a, " * 20_000,
    "\t- use x in y\n" * 9_000,
)
"""Each takes minutes where a pattern goes over the same text again and again."""


@pytest.mark.parametrize("piece", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_to_its_end_and_within_bounds(piece: str) -> None:
    found = split_rule_blocks(RulesText("CLAUDE.md", f"## Rules\n\n- Use tabs in Makefiles\n\n{piece}\n"))
    assert found[0].text == "Use tabs in Makefiles"
    assert len(found) <= BLOCKS_PER_FILE_MAX
    assert max(len(block.text.encode()) for block in found) <= CONTENT_BYTES_MAX


def cpu_s(text: str) -> float:
    started = time.process_time()
    split_rule_blocks(RulesText("CLAUDE.md", markdown.split_front_matter(text)[1]))
    return time.process_time() - started


@pytest.mark.promise("linear-time")
@pytest.mark.parametrize(
    ("start", "piece", "end", "chars"),
    [
        ("- ", "abc/", "!\n", 1_900),
        ("---\nglobs: ", "a,", "\n---\n", 20_000),
        ("- ", "**a ", "\n", 1_900),
        ("- ", "[", "\n", 1_900),
    ],
    ids=["path", "globs", "emphasis", "link"],
)
def test_a_line_four_times_as_long_takes_about_four_times_the_time(
    start: str, piece: str, end: str, chars: int
) -> None:
    small, large = (4 * f"{start}{piece * (size // len(piece))}{end}" for size in (chars, 4 * chars))
    cpu_s(small)
    # Neighbours on the same core inflate one measurement; quadratic time fails all three.
    assert any(cpu_s(large) < 10 * min(cpu_s(small), cpu_s(small)) + 0.1 for _ in range(3))


def test_of_several_pieces_of_code_the_first_stays_with_its_sentence() -> None:
    text = (
        "## Tests\n\nAlways run the tests:\n\n```sh\nmake test\n```\n\n```sh\nmake other\n```\n\nUse tabs everywhere.\n"
    )
    assert said(text) == ["Always run the tests:\n```sh\nmake test\n```", "Use tabs everywhere."]


@given(
    text_of(
        "# Rules\n", "- Always ", "- Never use ", "1. Run ", "```sh\n", "make test\n", "must ", "because ", ":\n", "`x`"
    ),
    st.booleans(),
)
def test_any_text_gives_few_rules_of_bounded_size(text: str, sections: bool) -> None:
    with bounded_time():
        blocks = split_rule_blocks(RulesText("CLAUDE.md", text, sections=sections))
    assert len(blocks) <= BLOCKS_PER_FILE_MAX
    # A rule that is longer than a memory may be is refused where it is stored, with a reason.
    assert all(0 < len(block.text) <= 2 * markdown.ELEMENT_CHARS_MAX for block in blocks)
