"""One file read whole: its facts and its pieces. Pure work for a process of its own; nothing is written."""

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
    """What was read, or why it was not."""

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
    """The facts as they are kept, and the references."""
    facts: Facts | None = None
    """The same, where they need not come from another process."""
    chunks: tuple[Chunk, ...] = ()
    skipped: str = ""


def read_file(root: Path, one: source_files.Listed, known_hash: bytes = b"") -> ReadFile:
    """Read a file; with the hash that is known already, nothing more is done for it."""
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
    """A batch, for a worker process: what is kept is sent, because it is sent faster than the facts themselves."""
    return [read_file(Path(root), one, known)._replace(facts=None) for one, known in batch]
