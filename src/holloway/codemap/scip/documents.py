"""Reads SCIP indexes: what compiler-backed indexers say about which name means which definition.

An index is one Protocol Buffers message that may be hundreds of megabytes long. It is read a document at a time and
only the fields that the map needs are decoded, so no Protocol Buffers package is needed. Whoever wrote the file is not
trusted: sizes, counts and paths are bounded, and a file that is cut off or something else is an error that names it.
"""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from holloway.config import MAP_FILES_MAX, PATH_CHARS_MAX
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INDEX_BYTES_MAX = 2 * 1024**3
DOCUMENT_BYTES_MAX = 64 * 1024**2
TOP_FIELDS_MAX = 10_000_000
OCCURRENCES_MAX = 500_000
"""In one document."""
LINE_MAX = 10_000_000

DEFINITION, IMPORT = 1, 2
"""Bits of `Occurrence.roles`."""


class Occurrence(NamedTuple):
    """A symbol at a place. Lines count from 1, columns from 0; without an enclosing range its lines are 0."""

    symbol: str
    line: int
    end_line: int
    start_col: int
    roles: int
    enclosing_line: int
    enclosing_end_line: int


class Relationship(NamedTuple):
    """How a symbol stands to another one."""

    symbol: str
    is_implementation: bool


class SymbolInformation(NamedTuple):
    """What an indexer says about a symbol that a document defines; many leave `kind` at 0."""

    kind: int
    relationships: tuple[Relationship, ...]


class Document(NamedTuple):
    """One source file of an index."""

    path: str
    language: str
    occurrences: list[Occurrence]
    symbols: dict[str, SymbolInformation]


class _Malformed(Exception):
    """The bytes are not what they should be."""


def read(path: Path) -> Iterator[Document]:
    """The documents of an index one by one; those whose path leaves the project are left out."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _Malformed("it is no regular file")
        with path.open("rb") as file:
            for data in _document_messages(file):
                document = _document(data)
                if _stays_inside(document.path):
                    yield document
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "The map works without it.") from error
    except (_Malformed, UnicodeDecodeError) as error:
        message = f"{path} is not a whole SCIP index: {error}."
        raise HollowayError(message, "Run the indexer again to make it anew; the map works without it.") from error


def _stays_inside(path: str) -> bool:
    if not path or len(path) > PATH_CHARS_MAX or not path.isprintable() or "\\" in path or path[1:2] == ":":
        return False
    return not {"", ".", ".."} & set(path.split("/"))


def _document_messages(file: BinaryIO) -> Iterator[bytes]:
    """The messages of the documents, in the order of the file. The metadata comes first, or it is no index."""
    documents = bytes_read = 0
    for at in range(TOP_FIELDS_MAX):
        tag = _read_varint(file, may_end=at > 0)
        if tag is None:
            return
        if tag & 7 != 2 or (at == 0 and tag >> 3 != 1):
            raise _Malformed(f"field {at} at its top is of another format")
        size = _read_varint(file) or 0
        documents += tag >> 3 == 2
        bytes_read += size
        if size > DOCUMENT_BYTES_MAX or bytes_read > INDEX_BYTES_MAX or documents > MAP_FILES_MAX:
            raise _Malformed(f"it is larger than allowed at field {at} ({size:,} bytes)")
        data = file.read(size)
        if len(data) < size:
            raise _Malformed("it ends in the middle")
        if tag >> 3 == 2:
            yield data
    raise _Malformed(f"it has more than {TOP_FIELDS_MAX:,} fields")


def _read_varint(file: BinaryIO, *, may_end: bool = False) -> int | None:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            if may_end and shift == 0:
                return None
            raise _Malformed("it ends in the middle")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
    raise _Malformed("a number in it has more than ten bytes")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field of a message: an integer, or the bytes of a string, message or packed list."""
    at, end = 0, len(data)
    while at < end:
        tag, at = (data[at], at + 1) if data[at] < 0x80 else _varint(data, at)
        value: int | bytes = 0
        wire = tag & 7
        if wire == 2:
            size, start = _varint(data, at)
            at = start + size
            value = data[start:at]
        elif wire == 0:
            value, at = _varint(data, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        else:
            raise _Malformed(f"a field in it has the unknown wire type {wire}")
        if at > end:
            raise _Malformed("a field in it is longer than what holds it")
        yield tag >> 3, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    try:
        if data[at] < 0x80:
            return data[at], at + 1
        for shift in range(0, 70, 7):
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
    except IndexError:
        raise _Malformed("a field in it is cut off") from None
    raise _Malformed("a number in it has more than ten bytes")


def _text(value: int | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else ""


def _number(value: int | bytes) -> int:
    return value if isinstance(value, int) else 0


def _document(data: bytes) -> Document:
    path = language = ""
    occurrences: list[Occurrence] = []
    symbols: dict[str, SymbolInformation] = {}
    for number, value in _fields(data):
        if number == 2 and isinstance(value, bytes):
            if occurrence := _occurrence(value):
                occurrences.append(occurrence)
                if len(occurrences) > OCCURRENCES_MAX:
                    raise _Malformed(f"a document in it has more than {OCCURRENCES_MAX:,} occurrences")
        elif number == 3 and isinstance(value, bytes):
            name, information = _symbol_information(value)
            symbols[name] = information
        elif number == 1:
            path = _text(value)
        elif number == 4:
            language = _text(value)
    return Document(path, language, occurrences, symbols)


def _occurrence(data: bytes) -> Occurrence | None:
    """None for what only colours the text: it names no symbol."""
    symbol, roles = "", 0
    place: list[int] = []
    enclosing: list[int] = []
    for number, value in _fields(data):
        if number == 1:
            place += _numbers(value)
        elif number == 2:
            symbol = _text(value)
        elif number == 3:
            roles = _number(value)
        elif number == 7:
            enclosing += _numbers(value)
    lines, around = _lines(place), _lines(enclosing)
    if not symbol or not lines:
        return None
    return Occurrence(symbol, *lines, place[1], roles, *(around or (0, 0)))


def _numbers(value: int | bytes) -> list[int]:
    """A repeated number, which may come packed or one by one."""
    if isinstance(value, int):
        return [value]
    if value.isascii():  # No byte says that its number goes on, as in most ranges.
        return list(value)
    numbers, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        numbers.append(number)
    return numbers


def _lines(place: list[int]) -> tuple[int, int] | None:
    """First and last line, counted from 1. A range has four numbers, or three when it stays on its line."""
    if len(place) not in (3, 4) or max(place) > LINE_MAX:
        return None
    return place[0] + 1, place[2 if len(place) == 4 else 0] + 1


def _symbol_information(data: bytes) -> tuple[str, SymbolInformation]:
    symbol = ""
    kind, relationships = 0, []
    for number, value in _fields(data):
        if number == 1:
            symbol = _text(value)
        elif number == 4 and isinstance(value, bytes):
            fields = dict(_fields(value))
            relationships.append(Relationship(_text(fields.get(1, b"")), bool(fields.get(3))))
        elif number == 5:
            kind = _number(value)
    return symbol, SymbolInformation(kind, tuple(relationships))
