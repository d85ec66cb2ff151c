"""Markdown is read as elements below their headings, and front matter as values."""

import pytest
from hypothesis import given

from holloway.promotion.rules_files import markdown
from holloway.promotion.rules_files.markdown import (
    MarkdownElement,
    RuleBlock,
    parse_elements,
    split_front_matter,
    split_origin,
    strip_comments,
    strip_markup,
)
from tests.outside_input import bounded_time, text_of


@pytest.mark.parametrize("head", ["---\nglobs: a\n", "---\n: : :\n- [\n", "---", "--- \n\n\n"])
def test_broken_front_matter_counts_as_text(head: str) -> None:
    values, body = split_front_matter(f"{head}\n# Rules\n")
    assert values == {}
    assert "# Rules" in body


def test_front_matter_keeps_the_line_numbers() -> None:
    values, body = split_front_matter("---\nglobs: [\"*.{ts,tsx}\", 'b'] # why\n---\nx")
    assert values == {"globs": ("*.{ts,tsx}", "b")}
    assert body.split("\n")[3] == "x"


def test_a_long_list_of_globs_is_read_to_its_end_and_braces_hold_together() -> None:
    globs = tuple(f"packages/{number:02}/a-folder-with-a-long-name/**/*.{{ts,{{m,c}}js}}" for number in range(45))
    values, _ = split_front_matter(f"---\nglobs: {', '.join(globs)}\n---\nx")
    assert values == {"globs": globs}
    values, _ = split_front_matter("---\nglobs: src/{a,b\n---\nx")
    assert values == {"globs": ("src/{a", "b")}


def test_front_matter_holds_lists_scalars_and_nothing_beyond_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    values, body = split_front_matter("---\nPaths:\n  - 'a/**' # why\n  - \"b\"\n  -   \nname: x\nempty:\n...\nbody")
    assert values == {"paths": ("a/**", "b"), "name": ("x",), "empty": ()}
    assert body == "\n" * 8 + "body"
    assert split_front_matter("  - a\n---\nx") == ({}, "  - a\n---\nx")
    assert split_front_matter("---\n- a\n---\nx")[0] == {}
    monkeypatch.setattr(markdown, "FRONT_MATTER_VALUES_MAX", 2)
    assert split_front_matter("---\na: 1, 2, 3\n---\n")[0] == {"a": ("1", "2")}
    monkeypatch.setattr(markdown, "FRONT_MATTER_LINES_MAX", 3)
    assert split_front_matter("---\na: 1\n---\n")[0] == {"a": ("1",)}
    assert split_front_matter("---\na: 1\nb: 2\n---\n")[0] == {}


def read_kinds(text: str) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parse_elements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", [("paragraph", "one\ntwo"), ("paragraph", "three")]),
        ("- one\n* two\n+ three\n• four", [("item", word) for word in ("one", "two", "three", "four")]),
        ("- [ ] open\n- [x] done", [("item", "open"), ("item", "done")]),
        ("1. one\n2) two", [("item", "one"), ("item", "two")]),
        ("- one\n  two\n\n  three\n\nfour", [("item", "one\ntwo\nthree"), ("paragraph", "four")]),
        ("```sh\nmake\n\n# no heading\n```\nafter", [("code", "make\n\n# no heading"), ("paragraph", "after")]),
        ("~~~~\n```\n~~~~\nafter", [("code", "```"), ("paragraph", "after")]),
        ("```\n``` x\n````", [("code", "``` x")]),
        ("```\nopen end", [("code", "open end")]),
        ("| a | b |\n| - | - |\ntext", [("paragraph", "text")]),
        ("one\n\n***\n\ntwo", [("paragraph", "one"), ("paragraph", "two")]),
        ("> [!NOTE]\n> quoted", [("paragraph", "quoted")]),
        ("<b>bold</b> text", [("paragraph", "bold text")]),
        ("a < b <b>", [("paragraph", "a < b <b>")]),
        ('!!! warning "Mind this"\n    text', [("paragraph", "Mind this:\ntext")]),
        ("!!! note\n    text", [("paragraph", "text")]),
        ("one <!-- two\n\nthree --> four", [("paragraph", "one"), ("paragraph", "four")]),
        ("", []),
    ],
)
def test_a_text_is_split_into_its_elements(text: str, expected: list[tuple[str, str]]) -> None:
    assert read_kinds(text) == expected


def test_an_element_knows_its_line_its_depth_its_number_and_its_headings() -> None:
    text = "Top\n===\n\nSub\n---\ntext\n# One:\n## Two ##\n- item\n\t3. deep\n### Three\n# Four\n```Py\nx\n```"
    assert parse_elements(text) == [
        MarkdownElement("paragraph", "text", 6, ("Top", "Sub")),
        MarkdownElement("item", "item", 9, ("One", "Two")),
        MarkdownElement("item", "deep", 10, ("One", "Two"), depth=4, ordered=3),
        MarkdownElement("code", "x", 13, ("Four",), language="py"),
    ]


def test_a_line_of_signs_is_a_heading_only_below_one_line_of_text() -> None:
    assert [element.headings for element in parse_elements("one\ntwo\n---\nthree")] == [(), ()]
    assert [element.headings for element in parse_elements("- one\n---\nthree")] == [(), ()]
    assert [element.headings for element in parse_elements("one\n___\nthree")] == [(), ()]


def test_an_inset_paragraph_belongs_to_the_item_above_under_the_same_heading_only() -> None:
    assert read_kinds("- one\n\n   two") == [("item", "one\ntwo")]
    assert read_kinds("  - one\n\n  two") == [("item", "one"), ("paragraph", "two")]
    assert read_kinds("- one\n\n# Next\n   two") == [("item", "one"), ("paragraph", "two")]


def test_an_element_is_cut_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "ELEMENT_CHARS_MAX", 5)
    assert read_kinds("1234567\n\na\nb\nc\nd") == [("paragraph", "12345"), ("paragraph", "a\nb\nc")]


def test_comments_are_removed_and_lines_stay() -> None:
    assert strip_comments("a <!-- b\nc --> d\n<!-- open\nend") == "a \n d\n\n"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**Never** use [tabs](https://x) here", "Never use tabs here"),
        ("***all***  of\nit", "all of it"),
        ("![logo](x.png) text", "logo text"),
        ("`**kept**` and `[a](b)`", "`**kept**` and `[a](b)`"),
        ("`**/*.ts` or `**/*.js`", "`**/*.ts` or `**/*.js`"),
        ("**Use `a` and `**kwargs`**", "Use `a` and `**kwargs`"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
    ],
)
def test_prose_loses_its_markup_and_code_keeps_it(text: str, bare: str) -> None:
    assert strip_markup(text) == bare


def test_an_origin_names_the_path_and_the_hash_of_a_block() -> None:
    block = RuleBlock("docs/a#b.md", 3, "Use tabs")
    assert split_origin(block.origin) == ("docs/a#b.md", block.text_hash)
    assert split_origin("observer:x#y") == ("", "")
    assert block.text_hash == RuleBlock("other.md", 9, "Use tabs").text_hash
    assert block.text_hash != RuleBlock("other.md", 9, "Use spaces").text_hash


MARKDOWN = text_of(
    *(
        "# ",
        "## Rules\n",
        "- ",
        "1. ",
        "```\n",
        "~~~",
        "<!--",
        "-->",
        "> [!NOTE]\n",
        "!!! note",
        "| a |",
        "---\n",
        "globs: ",
    ),
    *("{a,b}", "    ", "* [x] ", "<b ", "[", "](", "`", "**", "_"),
)


@given(MARKDOWN)
def test_any_text_is_read_into_bounded_elements_in_its_order(text: str) -> None:
    with bounded_time():
        elements = parse_elements(text)
    assert all(0 < len(element.text) <= markdown.ELEMENT_CHARS_MAX for element in elements)
    assert [element.line for element in elements] == sorted(element.line for element in elements)
    assert all(1 <= element.line <= text.count("\n") + 1 for element in elements)


@given(MARKDOWN)
def test_front_matter_of_any_text_has_few_values_and_keeps_the_line_numbers(text: str) -> None:
    with bounded_time():
        values, body = split_front_matter(f"---\n{text}")
    assert sum(map(len, values.values())) <= markdown.FRONT_MATTER_LINES_MAX * markdown.FRONT_MATTER_VALUES_MAX
    assert body.count("\n") == text.count("\n") + 1
