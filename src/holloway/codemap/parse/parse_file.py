"""Parses one file into its facts and text chunks; pure work without side effects, for worker processes."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from holloway.codemap.parse import source_files
from holloway.codemap.parse.chunks import Chunk, split_chunks
from holloway.codemap.parse.facts import Facts
from holloway.codemap.parse.languages import language_of, role_of
from holloway.codemap.parse.parser import extract_facts
from holloway.errors import HollowayError

FATAL_ERRORS = (HollowayError, sqlite3.Error, OSError)
"""Errors of the map's database or disk, which concern the whole map and are raised."""


class ParsedFile(NamedTuple):
    """The result of parsing a file, or the reason why it was skipped."""

    path: str
    size: int
    mtime_ns: int
    hash: bytes = b""
    language: str = ""
    role: str = ""
    lines: int = 0
    interface: bytes = b""
    stored: bytes = b""
    mentions: bytes = b""
    """The facts and the references, serialised."""
    facts: Facts | None = None
    """The decoded facts; None if the file was parsed in another process."""
    chunks: tuple[Chunk, ...] = ()
    skipped: str = ""


def parse_file(root: Path, listed_file: source_files.ListedFile, known_hash: bytes = b"") -> ParsedFile:
    """Read and parse a file; if its hash equals the known one, it is not parsed again."""
    data = source_files.read_bytes(root, listed_file.path)
    if isinstance(data, str):
        return ParsedFile(*listed_file, skipped=data)
    digest = blake2b(data, digest_size=16).digest()
    if digest == known_hash:
        return ParsedFile(*listed_file, hash=digest)
    try:
        return _parse_text(listed_file, digest, source_files.to_utf8(data))
    except Exception as error:
        return ParsedFile(*listed_file, skipped=format_reason("reading", error))


def _parse_text(listed_file: source_files.ListedFile, digest: bytes, data: bytes) -> ParsedFile:
    row = language_of(listed_file.path)
    facts = extract_facts(row.name, data) if row else None
    return ParsedFile(
        *listed_file,
        hash=digest,
        language=row.name if row else "",
        role=role_of(listed_file.path),
        lines=data.count(b"\n") + 1,
        interface=(facts or Facts()).hash_interface(),
        stored=facts.encode_facts() if facts else b"",
        mentions=facts.encode_references() if facts else b"",
        facts=facts,
        chunks=tuple(split_chunks(listed_file.path, data, facts)),
    )


def parse_batch(root: str, batch: list[tuple[source_files.ListedFile, bytes]]) -> list[ParsedFile]:
    """Parse a batch in a worker process; only serialised facts are returned, because they are sent faster."""
    return [parse_file(Path(root), listed_file, known_hash)._replace(facts=None) for listed_file, known_hash in batch]


def format_reason(stage: str, error: Exception) -> str:
    """Return the recorded reason why a file was skipped or only partly read."""
    return f"{stage} failed ({type(error).__name__})"
