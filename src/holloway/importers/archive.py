"""Our own archive: every row of a store, one JSON object a line, sealed with a key of this machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway.errors import HollowayError
from holloway.store import snapshot

if TYPE_CHECKING:
    from holloway.store.store import Store

FORMAT = "holloway-archive"
VERSION = 1


def write(store: Store, home: Path) -> bytes:
    """The store as an archive; the same store always gives the same bytes."""
    head = {"format": FORMAT, "version": VERSION, "name": store.project.name}
    body = snapshot.to_line(head) + b"".join(snapshot.to_line(row) for row in snapshot.dump(store))
    return body + snapshot.to_line({"seal": _seal(body, _key(home))})


def is_archive(data: bytes) -> bool:
    """Whether a file claims to be an archive."""
    return data.startswith(b'{"format":"' + FORMAT.encode() + b'"')


def is_ours(data: bytes, home: Path) -> bool:
    """Whether an archive was written on this machine and nobody changed a byte since."""
    body, newline, last = data.rstrip(b"\n").rpartition(b"\n")
    try:
        seal = json.loads(last)["seal"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    key = _existing_key(home)
    return key is not None and isinstance(seal, str) and hmac.compare_digest(seal, _seal(body + newline, key))


def rows(data: bytes) -> list[dict[str, Any]]:
    """The rows between head and seal."""
    lines = data.rstrip(b"\n").split(b"\n")
    head = json.loads(lines[0])
    if head["version"] > VERSION:
        raise HollowayError(
            f"The archive has format {head['version']}; this holloway reads up to {VERSION}.", "Upgrade holloway first."
        )
    return [json.loads(line) for line in lines[1:-1]]


def _seal(body: bytes, key: bytes) -> str:
    return hmac.new(key, body, hashlib.sha256).hexdigest()


def _existing_key(home: Path) -> bytes | None:
    path = home / "archive.key"
    return bytes.fromhex(path.read_text("ascii").strip()) if path.exists() else None


def _key(home: Path) -> bytes:
    if (key := _existing_key(home)) is not None:
        return key
    made = secrets.token_bytes(32)
    try:
        descriptor = os.open(home / "archive.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _key(home)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(made.hex())
    return made
