"""Lines that agents write are read leniently: what is malformed, too long or of another type is left out."""

from pathlib import Path

import pytest

from holloway.capture import json_lines
from holloway.capture.json_lines import (
    BLOCKS_MAX,
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_text_blocks,
    parse_time,
    read_document,
    read_lines,
    read_objects,
)


def test_objects_are_read_and_other_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n[1]\n{"b"\n\xff\n' + b"[" * 100_000 + b'\n{"c": 3}')
    assert list(read_objects(path)) == [{"a": 1}, {"c": 3}]
    assert list(read_objects(tmp_path / "gone")) == []
    assert list(read_objects(tmp_path)) == []


def test_a_document_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a":\n "x\xffy"}')
    assert read_document(path) == {"a": "x\ufffdy"}
    assert read_document(path, path.stat().st_size) == {"a": "x\ufffdy"}
    assert read_document(path, path.stat().st_size - 1) == {}
    for malformed in (b"", b"[1]", b'{"a": 1} 2', b'{"a":' * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"):
        path.write_bytes(malformed)
        assert read_document(path) == {}
    assert read_document(tmp_path) == read_document(tmp_path / "gone") == read_document(Path("a\0b")) == {}


def test_a_line_over_the_limit_is_skipped_with_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LINE_BYTES_MAX", 8)
    monkeypatch.setattr(json_lines, "_CHUNK_BYTES", 4)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1234567\n12345678\n" + b"x" * 30 + b"\nlast\nend")
    assert list(read_lines(path)) == [b"1234567\n", b"last\n", b"end"]


def test_values_of_another_type_are_empty() -> None:
    assert as_mapping({"a": 1}) == {"a": 1}
    assert as_mapping([1]) == as_mapping(None) == {}
    assert as_items([1, 2]) == [1, 2]
    assert as_items("ab") == as_items(None) == []
    assert len(as_items(list(range(BLOCKS_MAX + 1)))) == BLOCKS_MAX
    assert as_text(3) == as_text(None) == ""


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert as_text("a" * 30, 30) == "a" * 30
    assert as_text("a " * 30 + "b " * 30, 30) == "a a a a a \n…\n b b b b b b b b "
    assert as_text("x\ud800y") == "x?y"


def test_the_text_of_a_message_is_that_of_its_blocks() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, "odd", {"type": "output", "text": "b"}]
    assert join_text_blocks("plain", "text") == "plain"
    assert join_text_blocks(blocks, "text") == "a"
    assert join_text_blocks(blocks, "text", "output") == "a\nb"
    assert join_text_blocks(None, "text") == ""


@pytest.mark.parametrize(
    ("value", "count"), [(0, 0), (7, 7), (-1, 0), (True, 0), ("7", 0), (1.5, 0), (2**53, 0), (2**53 - 1, 2**53 - 1)]
)
def test_only_a_count_is_a_count(value: object, count: int) -> None:
    assert as_count(value) == count


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1970-01-01T00:01:00+00:00", 60.0),
        ("1970-01-01T00:01:00Z", 60.0),
        ("1960-01-01T00:00:00Z", 0.0),
        ("yesterday", -1.0),
        (60, 60.0),
        (1, 1.0),
        (1.5, 1.5),
        (1e11, 1e11),
        (1e12, 1e9),
        (0, -1.0),
        (-5, -1.0),
        (1e14, -1.0),
        (True, -1.0),
        (None, -1.0),
    ],
)
def test_a_time_is_read_from_text_seconds_or_milliseconds(value: object, seconds: float) -> None:
    assert parse_time(value, -1.0) == seconds
