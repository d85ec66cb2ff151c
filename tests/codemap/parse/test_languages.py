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
