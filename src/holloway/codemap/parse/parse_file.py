"""Parses one file into its facts and text chunks; pure work without side effects, for worker processes."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from holloway.codemap import file_errors
from holloway.codemap.parse import source_files
from holloway.codemap.parse.chunks import Chunk, chunks
from holloway.codemap.parse.facts import Facts
from holloway.codemap.parse.languages import language_of, role_of
from holloway.codemap.parse.parser import extract


class ReadFile(NamedTuple):
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


def read_file(root: Path, one: source_files.Listed, known_hash: bytes = b"") -> ReadFile:
    """Read and parse a file; if its hash equals the known one, it is not parsed again."""
    data = source_files.read(root, one.path)
    if isinstance(data, str):
        return ReadFile(*one, skipped=data)
    digest = blake2b(data, digest_size=16).digest()
    if digest == known_hash:
        return ReadFile(*one, hash=digest)
    try:
        return _understood(one, digest, source_files.text_of(data))
    except Exception as error:
        return ReadFile(*one, skipped=file_errors.reason("reading", error))


def _understood(one: source_files.Listed, digest: bytes, data: bytes) -> ReadFile:
    row = language_of(one.path)
    facts = extract(row.name, data) if row else None
    return ReadFile(
        *one,
        hash=digest,
        language=row.name if row else "",
        role=role_of(one.path),
        lines=data.count(b"\n") + 1,
        interface=(facts or Facts()).interface(),
        stored=facts.encode() if facts else b"",
        mentions=facts.encode_references() if facts else b"",
        facts=facts,
        chunks=tuple(chunks(one.path, data, facts)),
    )


def read_many(root: str, batch: list[tuple[source_files.Listed, bytes]]) -> list[ReadFile]:
    """Parse a batch in a worker process; only serialised facts are returned, because they are sent faster."""
    return [read_file(Path(root), listed_file, known_hash)._replace(facts=None) for listed_file, known_hash in batch]
