"""Manifests are read as people write them, and whatever they hold, once."""

from __future__ import annotations

import pytest

from holloway.codemap.resolve.imports.lenient_json import parse_json_object


def test_comments_and_trailing_commas_are_passed_over_but_not_inside_a_string() -> None:
    text = '{\n  // one\n  "a": "http://b/*", /* two\n */ "c": ["\\"//",],\n}'
    assert parse_json_object(text) == {"a": "http://b/*", "c": ['"//']}


@pytest.mark.parametrize("opened", ["/* ", '\\"', '"\\'])
def test_what_is_opened_again_and_again_and_never_closed_is_looked_through_once(opened: str) -> None:
    assert parse_json_object(opened * 80_000) == {}
