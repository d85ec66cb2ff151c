"""The table of languages and its query files agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holloway.codemap.parse import languages
from holloway.codemap.parse.languages import LANGUAGES, load_rare_query

RARE = [(row.name, rare) for row in LANGUAGES.values() for rare in row.rare]


@pytest.mark.parametrize(("language", "rare"), RARE, ids=[f"{language}, {rare.query}" for language, rare in RARE])
def test_what_is_asked_of_few_files_is_found_only_beside_the_word_that_chooses_them(
    language: str, rare: languages.RareQuery
) -> None:
    word = rare.query.encode()
    source = Path(languages.__file__).with_name("queries").joinpath(f"{rare.query}.scm").read_bytes()
    query = load_rare_query(language, rare.query)
    assert query.pattern_count > 0
    assert rare.pattern.pattern.startswith(word)
    for number in range(query.pattern_count):
        pattern = source[query.start_byte_for_pattern(number) : query.end_byte_for_pattern(number)]
        assert word in re.findall(rb"#eq\? @\w+ \"(\w+)\"", pattern), pattern.decode()


@pytest.mark.parametrize(
    ("path", "language", "role"),
    [
        ("src/a.py", "python", "source"),
        ("src/A.PY", "python", "source"),
        ("tests/test_a.py", "python", "test"),
        ("src/a.tsx", "tsx", "source"),
        ("README.md", "", "prose"),
        ("a/pyproject.toml", "", "config"),
        ("logo.png", "", "other"),
        ("Makefile", "", "other"),
        (".py", "", "other"),
        ("a.py/b", "", "other"),
    ],
)
def test_the_suffix_of_a_file_says_its_language_and_its_role(path: str, language: str, role: str) -> None:
    row = languages.language_of(path)
    assert (row.name if row else "", languages.role_of(path)) == (language, role)


def test_a_suffix_is_of_the_name_alone_and_in_lower_case() -> None:
    names = ("a/b.PY", "a.d/b", ".env", "a.tar.gz", "b.")
    assert [languages.suffix_of(name) for name in names] == [".py", "", "", ".gz", "."]


def test_languages_of_a_family_share_their_import_rules() -> None:
    assert {languages.find_family(name) for name in ("javascript", "typescript", "tsx")} == {"javascript"}
    assert languages.find_family("python") == "python"
    assert languages.find_family("cobol") == ""


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_has_a_parser_and_a_query_that_are_loaded_once(name: str) -> None:
    parser, query = languages.load_parser(name)
    assert languages.load_parser(name)[0] is parser
    assert query.pattern_count > 0
    assert parser.parse(b"").root_node.child_count == 0
    assert str(LANGUAGES[name])[:1].isupper()
