"""Splits a file into text chunks for full-text search: one per function or class; prose is split at its headings."""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.facts import MODULE_SCOPE
from holloway.codemap.parse.languages import PROSE_SUFFIXES, suffix_of
from holloway.text.identifiers import split_identifier

if TYPE_CHECKING:
    from holloway.codemap.parse.facts import Definition, Facts

CHUNK_LINES_MAX = 120
"""Longer functions are split between statements, longer classes between members."""
BLOCK_LINES = 60
"""Lines per chunk of text without any structure."""
FILE_CHUNKS_MAX = 4_000
EXPANSIONS_CACHED_MAX = 80_000
"""Cached words with their parts: about 20 MB. A full cache is cleared, so that common words return first."""
CHUNK_BYTES_MAX = 60_000
"""Only the beginning of a chunk with absurdly long lines is searched."""

WORD_CHARS_MIN = 2

_WORD = re.compile(r"\w+")
_GAPS = bytes(code if code < 128 and _WORD.match(chr(code)) else ord(" ") for code in range(256))
_HEADING = re.compile(rb"#{1,6} \S|={3,}\s*$|-{3,}\s*$")
_ATTACHED = re.compile(rb"\s*(?:@|#\[|///|//|/\*|\*|#(?!include|define|if|endif|pragma))")


class Chunk(NamedTuple):
    """Lines `line` to `end_line` of a file; `head` and `body` are the searched text."""

    kind: str
    name: str
    line: int
    end_line: int
    hash: bytes
    head: str
    body: str


class _Span(NamedTuple):
    first: int
    last: int
    kind: str
    name: str


def split_chunks(path: str, data: bytes, facts: Facts | None) -> list[Chunk]:
    """Return the chunks of a file in UTF-8, in order; together they cover the complete file."""
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if facts is not None and facts.definitions:
        spans = _split_code(lines, facts)
    elif suffix_of(path) in PROSE_SUFFIXES:
        spans = _split_prose(lines)
    else:
        spans = _split_blocks(0, len(lines), "text", "")
    path_terms = build_search_terms(path)
    return [_build_chunk(path_terms, lines, span) for span in spans[:FILE_CHUNKS_MAX]]


def _build_chunk(path_terms: str, lines: list[bytes], span: _Span) -> Chunk:
    first, last, kind, name = span
    content = b"\n".join(lines[first:last])[:CHUNK_BYTES_MAX]
    digest = blake2b(content, digest_size=12).digest()
    head = f"{path_terms} {build_search_terms(name)}".strip() if name else path_terms
    return Chunk(kind, name, first + 1, last, digest, head, _index_terms(content))


def _split_code(lines: list[bytes], facts: Facts) -> list[_Span]:
    children: dict[int, list[tuple[int, Definition]]] = {}
    for index, definition in enumerate(facts.definitions):
        children.setdefault(definition.parent, []).append((index, definition))
    spans: list[_Span] = []
    position = 0
    for index, definition in children.get(MODULE_SCOPE, ()):
        if definition.kind == "variable":
            continue
        first = _include_attached_lines(lines, definition.line - 1, position)
        last = min(definition.end_line, len(lines))
        if last <= position:
            continue
        spans += _split_blocks(position, first, "module", "")
        spans += _split_definition(lines, children, index, definition, max(first, position), last)
        position = last
    return spans + _split_blocks(position, len(lines), "module", "")


def _split_definition(
    lines: list[bytes],
    inside: dict[int, list[tuple[int, Definition]]],
    index: int,
    definition: Definition,
    first: int,
    last: int,
) -> list[_Span]:
    kind, name = definition.kind, definition.qualified
    if last - first <= CHUNK_LINES_MAX:
        return [_Span(first, last, kind, name)]
    if kind not in CLASS_KINDS:
        return _split_statements(lines, first, last, kind, name)
    spans: list[_Span] = []
    position = first
    for child_index, member in inside.get(index, ()):
        start = _include_attached_lines(lines, member.line - 1, position)
        end = min(member.end_line, last)
        if end <= position or member.line - 1 < first:
            continue
        spans += _split_blocks(position, start, kind, name)
        spans += _split_definition(lines, inside, child_index, member, max(start, position), end)
        position = end
    return spans + _split_blocks(position, last, kind, name)


def _split_statements(lines: list[bytes], first: int, last: int, kind: str, name: str) -> list[_Span]:
    """Split a function at lines that are indented no deeper than its body."""
    margin = min(
        (_indent_width(line) for line in lines[first + 1 : last - 1] if line.strip() and _indent_width(line)), default=0
    )
    spans: list[_Span] = []
    start = first
    cut = first
    for number in range(first + 1, last):
        if number - start >= CHUNK_LINES_MAX and cut > start:
            spans.append(_Span(start, cut, kind, name))
            start = cut
        if lines[number].strip() and _indent_width(lines[number]) <= margin:
            cut = number
    if last - start > CHUNK_LINES_MAX and cut > start:
        spans.append(_Span(start, cut, kind, name))
        start = cut
    return [*spans, _Span(start, last, kind, name)]


def _include_attached_lines(lines: list[bytes], line: int, floor: int) -> int:
    """Return the first line of a definition, including its decorators and the comment right above it."""
    while line > floor and _ATTACHED.match(lines[line - 1]):
        line -= 1
    return line


def _split_prose(lines: list[bytes]) -> list[_Span]:
    starts = [0]
    for number, line in enumerate(lines):
        if _HEADING.match(line):
            underlined = line[:1] in b"=-" and number > 0 and bool(lines[number - 1].strip())
            start = number - 1 if underlined else number
            if line[:1] == b"#" or underlined:
                starts.append(start)
    spans: list[_Span] = []
    bounds = [*sorted(set(starts)), len(lines)]
    for first, last in pairwise(bounds):
        title = lines[first].decode("utf-8").strip("# ").strip()[:80] if first < len(lines) else ""
        spans += _split_blocks(first, last, "prose", title)
    return spans


def _split_blocks(first: int, last: int, kind: str, name: str) -> list[_Span]:
    return [_Span(start, min(start + BLOCK_LINES, last), kind, name) for start in range(first, last, BLOCK_LINES)]


def _indent_width(line: bytes) -> int:
    return len(line) - len(line.lstrip())


class _Expansions(dict[bytes, str]):
    """Cache of the search terms of each word, at the speed of a dictionary lookup."""

    def __missing__(self, word: bytes) -> str:
        expansion = _expand_word(word.decode("utf-8", "replace"))
        if len(self) >= EXPANSIONS_CACHED_MAX:
            self.clear()
        self[word] = expansion
        return expansion


def _expand_word(word: str) -> str:
    if len(word) < WORD_CHARS_MIN:
        return ""
    joined = word.replace("_", "").casefold()
    if joined == word and word.isascii() and word.isalpha():
        return joined
    word_parts = split_identifier(word)
    return " ".join([joined, *word_parts]) if len(word_parts) > 1 else joined


_EXPANSIONS = _Expansions()


def clear_word_cache() -> None:
    """Clear the word cache, once no more files are parsed."""
    _EXPANSIONS.clear()


def build_search_terms(text: str) -> str:
    """Return the words of a text for the index: identifiers both complete and split into parts."""
    return _index_terms(text.encode("utf-8", "replace"))


def _index_terms(content: bytes) -> str:
    if content.isascii():
        # Splitting at non-word bytes takes a third of the time of matching words.
        words = content.translate(_GAPS).split()
    else:
        words = [word.encode() for word in _WORD.findall(content.decode("utf-8", "ignore"))]
    return " ".join(filter(None, map(_EXPANSIONS.__getitem__, words)))
