"""The table of languages and its query files agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holloway.codemap.reading import languages
from holloway.codemap.reading.languages import LANGUAGES, rare_query

RARE = [row for row in LANGUAGES.values() if row.rare]


@pytest.mark.parametrize("row", RARE, ids=[row.name for row in RARE])
def test_what_is_asked_of_few_files_is_found_only_beside_the_words_that_choose_them(row: languages.Language) -> None:
    source = Path(languages.__file__).with_name("queries").joinpath(f"{row.rare}.scm").read_bytes()
    query = rare_query(row.name)
    assert query.pattern_count > 0
    for number in range(query.pattern_count):
        pattern = source[query.start_byte_for_pattern(number) : query.end_byte_for_pattern(number)]
        needed = re.findall(rb"#eq\? @\w+ \"(\w+)\"", pattern)
        assert not set(row.rare_words).isdisjoint(needed), pattern.decode()
