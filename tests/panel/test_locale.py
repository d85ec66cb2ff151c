"""Languages: every text that a page shows is in every catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from holloway.panel.locale import choose_language, load_languages, parse_catalog
from holloway.panel.service_messages import load_templates

PACKAGE = Path("src/holloway/panel")
CALLS = {"_", "gettext", "mark_plural", "mark_text", "ngettext"}
PLURALS = {"mark_plural", "ngettext"}
PLACE = re.compile(r"%\((\w+)\)s")
NO_WORDS = {"holloway"}
"""Names and commands, which are the same in every language."""


def find_messages() -> set[tuple[str, ...]]:
    """Return every text that the templates and the code of the panel have translated."""
    environment = Environment(extensions=["jinja2.ext.i18n"])  # noqa: S701  (nothing is rendered)
    messages: set[tuple[str, ...]] = set()
    for template in PACKAGE.rglob("*.html"):
        for call in environment.parse(template.read_text("utf-8")).find_all(nodes.Call):
            name = call.node.attr if isinstance(call.node, nodes.Getattr) else getattr(call.node, "name", "")
            texts = [argument.value for argument in call.args if isinstance(argument, nodes.Const)]
            if name in CALLS and texts:
                messages.add(tuple(map(str, texts[: 2 if name in PLURALS else 1])))
    messages |= {(template.text,) for template in load_templates()}
    for module in PACKAGE.rglob("*.py"):
        messages |= set(find_calls(ast.parse(module.read_text("utf-8"))))
    return messages


def find_calls(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            if name in CALLS and texts:
                yield tuple(map(str, texts[: 2 if name in PLURALS else 1]))


def flatten(messages: set[tuple[str, ...]]) -> set[str]:
    return {text for message in messages for text in message}


@pytest.mark.parametrize("catalog", sorted(PACKAGE.glob("locales/*.po")), ids=lambda path: path.stem)
class TestCatalog:
    def test_every_text_is_translated(self, catalog: Path) -> None:
        entries = parse_catalog(catalog.read_text("utf-8"))
        translated = flatten({message for message, texts in entries.items() if all(texts)})
        assert sorted(flatten(find_messages()) - translated) == []

    def test_nothing_is_translated_that_no_page_shows(self, catalog: Path) -> None:
        entries = parse_catalog(catalog.read_text("utf-8"))
        assert sorted(flatten(set(entries)) - flatten(find_messages()) - {""}) == []

    def test_a_translation_has_the_places_of_its_text(self, catalog: Path) -> None:
        for message, texts in parse_catalog(catalog.read_text("utf-8")).items():
            places = set(PLACE.findall(message[-1]))
            for text in texts if message != ("",) else ():
                assert set(PLACE.findall(text)) <= places, message
                assert set(PLACE.findall(text)) >= places - {"count"}, message


def test_a_text_for_one_thing_has_its_count_because_some_languages_use_it_for_none() -> None:
    assert [message for message in find_messages() if len(message) > 1 and "%(count)s" not in message[0]] == []


class TextFinder(HTMLParser):
    """Collects the words of a template that are outside of translated expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self._add(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("title", "alt", "placeholder", "aria-label"):
                self._add(value or "")

    def _add(self, text: str) -> None:
        if text.strip() not in NO_WORDS and re.search(r"[^\W\d_]{2,}", text):
            self.words.append(text.strip())


@pytest.mark.parametrize("template", sorted(PACKAGE.rglob("*.html")), ids=lambda path: path.stem)
def test_a_template_shows_no_word_that_is_not_translated(template: Path) -> None:
    finder = TextFinder()
    text = re.sub(r"<kbd>[^<]*</kbd>", "", template.read_text("utf-8"))
    finder.feed(re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL))
    assert [word for word in finder.words if "holloway" not in word] == []


@pytest.mark.parametrize(
    ("chosen", "accepted", "code"),
    [
        ("", "", "en"),
        ("", "fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        ("", "de;q=1, en;q=0.5, fr;q=0.7", "fr"),
        ("en", "fr", "en"),
        ("xx", "fr", "fr"),
        ("", "fr;q=x,,;;de;q=1.1.1", "en"),
        ("", "\x00,*;q=1", "en"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_one_the_browser_prefers(chosen: str, accepted: str, code: str) -> None:
    assert choose_language(chosen, accepted).code == code


def test_every_language_is_named_in_itself() -> None:
    assert {language.code: language.name for language in load_languages().values()} == {
        "en": "English",
        "fr": "Français",
    }


def test_a_line_that_is_no_entry_is_reported() -> None:
    with pytest.raises(ValueError, match="msgwhat"):
        parse_catalog('msgid "a"\nmsgwhat "b"\n')


def test_a_fuzzy_translation_is_not_used() -> None:
    assert parse_catalog('#, fuzzy\nmsgid "a"\nmsgstr "b"\n') == {}
