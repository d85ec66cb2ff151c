"""The managed block in a rules file: inserted, updated, removed; every other byte stays unchanged."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from holloway.errors import InvalidInput

BEGIN = b"<!-- holloway:begin"
END = b"<!-- holloway:end -->"
NEW = "new"
"""In the place of the gap where the file was made for the block."""

_HEAD = re.compile(rb"<!-- holloway:begin gap=(new|\d{1,2}) sum=([0-9a-f]{12})[^\r\n]*-->(?:\r\n|\n|\r)")
_NOTE = "written by `holloway export --to`, renewed by it"
_BLOCK = re.compile(r"<!-- holloway:begin\b.*?(?:<!-- holloway:end -->|\Z)", re.DOTALL)
_BREAK = re.compile(rb"\r\n|\n")


@dataclass(frozen=True, slots=True)
class FileParts:
    """A file split at its block: the bytes before and after it, its body, and the metadata of its first line."""

    before: bytes
    after: bytes
    body: bytes = b""
    gap: str = ""
    edited: bool = False

    @property
    def original_bytes(self) -> bytes:
        """The file without the block, as it was before the insertion."""
        return self.before + self.after


def split_file(data: bytes) -> FileParts:
    """Split a file at its block; raises InvalidInput if the marks of the block are damaged."""
    begins, ends = data.count(BEGIN), data.count(END)
    if (begins, ends) == (0, 0):
        return FileParts(data, b"")
    head = _HEAD.search(data)
    if (begins, ends) != (1, 1) or head is None or data.index(END) < head.end():
        raise InvalidInput(
            f"The marks of holloway's block are damaged ({begins} begin, {ends} end).",
            "Bring both lines back as they were, or take both out; nothing was changed.",
        )
    body = data[head.end() : data.index(END)]
    before, after = data[: head.start()], data[data.index(END) + len(END) :]
    gap = head[1].decode()
    added = 0 if gap == NEW else int(gap)
    if added and not before[-added:].strip():
        before = before[:-added]
    if following := _BREAK.match(after):
        after = after[following.end() :]
    return FileParts(before, after, body, gap, _hash_body(body) != head[2])


def insert_block(data: bytes, lines: list[str], *, new: bool = False) -> bytes:
    """Return the file with these lines in its block, which is replaced or appended."""
    old = split_file(data)
    newline = b"\r\n" if b"\r\n" in old.original_bytes else b"\n"
    # The break that a last line lacks is part of what was added, so that taking it out gives the same bytes back.
    ending = newline if old.before.endswith(b"\n") else newline * 2
    added = b"" if new or not old.before else ending
    body = b"".join(escape_marks(line).encode("utf-8", "replace") + newline for line in lines)
    gap = NEW if new or old.gap == NEW else str(len(added))
    head = f"{BEGIN.decode()} gap={gap} sum={_hash_body(body).decode()} ({_NOTE}) -->".encode() + newline
    return old.before + added + head + body + END + newline + old.after


def strip_block(text: str) -> str:
    """Return a text without the block, for reading; line numbers are kept."""
    return _BLOCK.sub(lambda match: "\n" * match.group().count("\n"), text)


def escape_marks(line: str) -> str:
    """A line that can neither end the block nor begin another."""
    return " ".join(line.split("\n")).replace("<!--", "&lt;!--").replace("-->", "--&gt;").replace("\r", " ")


def _hash_body(body: bytes) -> bytes:
    """Hash the body independently of line endings, which git and editors change."""
    plain = body.replace(b"\r\n", b"\n")
    return hashlib.blake2b(plain, digest_size=6).hexdigest().encode()
