"""Reads SCIP indexes (Protocol Buffers) and their symbols: which name refers to which definition.

An index is one Protocol Buffers message that may be hundreds of megabytes long. It is read one document at a time and
only the needed fields are decoded, so no Protocol Buffers package is needed. The file is untrusted: sizes, counts and
paths are bounded, and a truncated or foreign file raises an error that names it.
"""

from __future__ import annotations

import re
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
SYMBOL_CHARS_MAX = 4_096


class Occurrence(NamedTuple):
    """A symbol at a location. Lines count from 1; without an enclosing range its lines are 0."""

    symbol: str
    line: int
    roles: int
    enclosing_line: int
    enclosing_end_line: int


class Relationship(NamedTuple):
    """A relationship of a symbol to another one."""

    symbol: str
    is_implementation: bool


class SymbolInformation(NamedTuple):
    """Information about a symbol that a document defines; many indexers leave `kind` at 0."""

    kind: int
    relationships: tuple[Relationship, ...]


class Document(NamedTuple):
    """One source file of an index."""

    path: str
    language: str
    occurrences: list[Occurrence]
    symbols: dict[str, SymbolInformation]


class _Malformed(Exception):
    """The file is not a valid SCIP index."""


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of an index one by one; those whose path leaves the project (path traversal) are left out.

    Raises HollowayError if the file cannot be read or is not a complete SCIP index.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _Malformed("it is not a regular file")
        with path.open("rb") as file:
            for data in _read_document_messages(file):
                document = _parse_document(data)
                if _is_inside_project(document.path):
                    yield document
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "The map works without it.") from error
    except (_Malformed, UnicodeDecodeError) as error:
        message = f"{path} is not a complete SCIP index: {error}."
        raise HollowayError(message, "Run the indexer again to rebuild it; the map works without it.") from error


def _is_inside_project(path: str) -> bool:
    if not path or len(path) > PATH_CHARS_MAX or not path.isprintable() or "\\" in path or path[1:2] == ":":
        return False
    return not {"", ".", ".."} & set(path.split("/"))


def _read_document_messages(file: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of the documents, in file order. The metadata must come first."""
    documents = bytes_read = 0
    for at in range(TOP_FIELDS_MAX):
        tag = _read_varint(file, may_end=at > 0)
        if tag is None:
            return
        if tag & 7 != 2 or (at == 0 and tag >> 3 != 1):
            raise _Malformed(f"top-level field {at} has another format")
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


def _parse_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field: an integer, or the bytes of a string, message or packed list."""
    at, end = 0, len(data)
    while at < end:
        tag, at = (data[at], at + 1) if data[at] < 0x80 else _parse_varint(data, at)
        value: int | bytes = 0
        wire = tag & 7
        if wire == 2:
            size, start = _parse_varint(data, at)
            at = start + size
            value = data[start:at]
        elif wire == 0:
            value, at = _parse_varint(data, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        else:
            raise _Malformed(f"a field in it has the unknown wire type {wire}")
        if at > end:
            raise _Malformed("a field in it is longer than its message")
        yield tag >> 3, value


def _parse_varint(data: bytes, at: int) -> tuple[int, int]:
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
        raise _Malformed("a field in it is truncated") from None
    raise _Malformed("a number in it has more than ten bytes")


def _decode_text(value: int | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else ""


def _to_int(value: int | bytes) -> int:
    return value if isinstance(value, int) else 0


def _parse_document(data: bytes) -> Document:
    path = language = ""
    occurrences: list[Occurrence] = []
    symbols: dict[str, SymbolInformation] = {}
    for number, value in _parse_fields(data):
        if number == 2 and isinstance(value, bytes):
            if occurrence := _parse_occurrence(value):
                occurrences.append(occurrence)
                if len(occurrences) > OCCURRENCES_MAX:
                    raise _Malformed(f"a document in it has more than {OCCURRENCES_MAX:,} occurrences")
        elif number == 3 and isinstance(value, bytes):
            name, information = _parse_symbol_information(value)
            symbols[name] = information
        elif number == 1:
            path = _decode_text(value)
        elif number == 4:
            language = _decode_text(value)
    return Document(path, language, occurrences, symbols)


def _parse_occurrence(data: bytes) -> Occurrence | None:
    """Parse an occurrence; None for syntax highlighting, which names no symbol."""
    symbol, roles = "", 0
    source_range: list[int] = []
    enclosing_range: list[int] = []
    for number, value in _parse_fields(data):
        if number == 1:
            source_range += _parse_numbers(value)
        elif number == 2:
            symbol = _decode_text(value)
        elif number == 3:
            roles = _to_int(value)
        elif number == 7:
            enclosing_range += _parse_numbers(value)
    lines, enclosing_lines = _parse_lines(source_range), _parse_lines(enclosing_range)
    if not symbol or not lines:
        return None
    return Occurrence(symbol, lines[0], roles, *(enclosing_lines or (0, 0)))


def _parse_numbers(value: int | bytes) -> list[int]:
    """Return a repeated number, which may be packed or not."""
    if isinstance(value, int):
        return [value]
    if value.isascii():  # All numbers fit in one byte, as in most ranges.
        return list(value)
    numbers, at = [], 0
    while at < len(value):
        number, at = _parse_varint(value, at)
        numbers.append(number)
    return numbers


def _parse_lines(source_range: list[int]) -> tuple[int, int] | None:
    """Return first and last line, counted from 1. A range has four numbers, or three if it is on one line."""
    if len(source_range) not in (3, 4) or max(source_range) > LINE_MAX:
        return None
    return source_range[0] + 1, source_range[2 if len(source_range) == 4 else 0] + 1


def _parse_symbol_information(data: bytes) -> tuple[str, SymbolInformation]:
    symbol = ""
    kind, relationships = 0, []
    for number, value in _parse_fields(data):
        if number == 1:
            symbol = _decode_text(value)
        elif number == 4 and isinstance(value, bytes):
            fields = dict(_parse_fields(value))
            relationships.append(Relationship(_decode_text(fields.get(1, b"")), bool(fields.get(3))))
        elif number == 5:
            kind = _to_int(value)
    return symbol, SymbolInformation(kind, tuple(relationships))


class Symbol(NamedTuple):
    """A parsed symbol. A descriptor is its kind and its name; a symbol that cannot be parsed has none."""

    scheme: str
    manager: str
    package: str
    version: str
    descriptors: tuple[tuple[str, str], ...]


_NAME = r"(?:`(?:[^`]|``)++`|[\w+$-]++)"
_HEAD = re.compile(r"((?:[^ ]|  )*+) " * 4)
_DESCRIPTOR = re.compile(rf"\(({_NAME})\)|\[({_NAME})\]|({_NAME})([/#.:!]|\([\w+$-]*+\)\.)")
_KINDS = {"/": "namespace", "#": "type", ".": "term", ":": "meta", "!": "macro"}


def parse_symbol(symbol: str) -> Symbol:
    """Return scheme, manager, package, version and descriptors of a symbol; never raises, whatever the text is."""
    if symbol.startswith("local "):
        return Symbol("local", "", "", "", (("local", symbol[len("local ") :]),))
    head = _HEAD.match(symbol) if len(symbol) <= SYMBOL_CHARS_MAX else None
    if not head:
        return Symbol("", "", "", "", ())
    scheme, manager, package, version = ("" if part == "." else part.replace("  ", " ") for part in head.groups())
    descriptors, position = [], head.end()
    while position < len(symbol):
        if not (match := _DESCRIPTOR.match(symbol, position)):
            return Symbol(scheme, manager, package, version, ())
        parameter, type_parameter, name, suffix = match.groups()
        kind = _KINDS.get(suffix, "method") if name else "parameter" if parameter else "type_parameter"
        descriptors.append((kind, _unescape_name(name or parameter or type_parameter)))
        position = match.end()
    return Symbol(scheme, manager, package, version, tuple(descriptors))


def _unescape_name(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def symbol_kind_and_name(symbol: str) -> tuple[str, str]:
    """Return a symbol's kind and name: local, namespace, type, term, method, macro, meta, (type_)parameter or ''.

    Modules are namespaces in most languages; scip-python writes them as the meta descriptor `__init__:` of a namespace.
    """
    descriptors = parse_symbol(symbol).descriptors
    if len(descriptors) > 1 and descriptors[-1] == ("meta", "__init__"):
        return descriptors[-2]
    return descriptors[-1] if descriptors else ("", "")


def is_augmentation(symbol: str) -> bool:
    """Whether a symbol extends another module: TypeScript's `declare module './context'` is a quoted namespace.

    scip-typescript gives the extended module's name to all of its locations, so it does not show where it is defined.
    """
    return any(kind == "namespace" and name[:1] in "\"'" for kind, name in parse_symbol(symbol).descriptors)
