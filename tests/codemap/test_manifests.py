"""Manifests are read defensively: whatever they hold, a table or a text comes back."""

from pathlib import Path

import pytest

from holloway.codemap import manifests
from holloway.codemap.manifests import get_string, nested_table, parse_json_table, parse_toml_table, read_text


def test_a_small_text_is_read_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.toml").write_bytes("a\r\ngrün".encode())
    (tmp_path / "b.toml").write_bytes("grün".encode("utf-16"))
    assert read_text(tmp_path, "a.toml") == "a\ngrün"
    assert read_text(tmp_path, "b.toml") == "grün"
    assert read_text(tmp_path, "gone.toml") == read_text(tmp_path, ".") == ""
    monkeypatch.setattr(manifests, "RULE_FILE_BYTES_MAX", 8)
    assert read_text(tmp_path, "a.toml") == "a\ngrün"
    monkeypatch.setattr(manifests, "RULE_FILE_BYTES_MAX", 7)
    assert read_text(tmp_path, "a.toml") == ""


@pytest.mark.parametrize("text", ["", "[1]", "{", "3", "[" * 100_000])
def test_what_is_no_object_is_an_empty_table(text: str) -> None:
    assert parse_json_table(text) == {}


def test_tables_are_parsed() -> None:
    assert parse_json_table('{"a": 1}') == {"a": 1}
    assert parse_toml_table("a = 1") == {"a": 1}
    assert parse_toml_table("a = ") == {}


def test_what_is_missing_in_a_table_is_empty() -> None:
    table: dict[str, object] = {"a": {"b": {"c": "text"}}, "d": 3}
    assert nested_table(table, "a", "b") == {"c": "text"}
    assert nested_table(table) == table
    assert nested_table(table, "a", "x", "y") == nested_table(table, "d", "b") == {}
    assert get_string(nested_table(table, "a", "b"), "c") == "text"
    assert get_string(table, "d") == get_string(table, "x") == ""
