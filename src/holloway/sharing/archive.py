"""Our own archive: every row of a store, one JSON object a line, sealed with a key of this machine."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway.config import replace_file
from holloway.errors import HollowayError
from holloway.store import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.store.store import Store

FORMAT = "holloway-archive"
VERSION = 1

ARCHIVE_BYTES_MAX = 4 * 1024**3
"""More than a million memories. An archive cannot be split without breaking its seal, so the limit lies far above
that of other files; there is one because the file is in memory as a whole, where nobody can change it between the
check of its seal and its loading."""

_HEAD = b'{"format":"' + FORMAT.encode() + b'"'
HEAD_BYTES = len(_HEAD)
"""How much of a file shows whether it claims to be an archive."""

_SEAL_BYTES = len(snapshot.serialize_row({"seal": "0" * 64}))
_KEY_BYTES = 32


def write_archive(store: Store, home: Path) -> bytes:
    """The store as an archive; the same store always gives the same bytes."""
    head = {"format": FORMAT, "version": VERSION, "name": store.project.name}
    body = snapshot.serialize_row(head) + b"".join(snapshot.serialize_row(row) for row in snapshot.dump_rows(store))
    return body + snapshot.serialize_row({"seal": _sign_body(body, _signing_key(home))})


def is_archive(data: bytes) -> bool:
    """Whether a file claims to be an archive."""
    return data.startswith(_HEAD)


def is_ours(data: bytes, home: Path) -> bool:
    """Whether an archive was written on this machine and nobody changed a byte since. Nothing of it is parsed."""
    key = _existing_key(home)
    if key is None:
        return False
    expected = snapshot.serialize_row({"seal": _sign_body(memoryview(data)[:-_SEAL_BYTES], key)})
    return hmac.compare_digest(data[-_SEAL_BYTES:], expected)


def read_rows(data: bytes) -> Iterator[dict[str, Any]]:
    """The rows between head and seal of an archive that is ours, one at a time."""
    lines = io.BytesIO(data)
    head = json.loads(lines.readline())
    if head["version"] > VERSION:
        raise HollowayError(
            f"The archive has format {head['version']}; this holloway reads up to {VERSION}.", "Upgrade holloway first."
        )
    return (json.loads(line) for line in iter(lines.readline, data[-_SEAL_BYTES:]))


def _sign_body(body: bytes | memoryview, key: bytes) -> str:
    return hmac.new(key, body, hashlib.sha256).hexdigest()


def _existing_key(home: Path) -> bytes | None:
    """The key of this machine; none where there is no file yet, or one that was never written to its end."""
    try:
        key = bytes.fromhex((home / "archive.key").read_text("ascii"))
    except (FileNotFoundError, ValueError):
        return None
    return key if len(key) == _KEY_BYTES else None


def _signing_key(home: Path) -> bytes:
    """The key of this machine, made where there is none; of two who make one at once, both have the first one's."""
    if (key := _existing_key(home)) is not None:
        return key
    made, path = secrets.token_bytes(_KEY_BYTES), home / "archive.key"
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    replace_file(str(fresh), made.hex().encode())
    try:
        os.link(fresh, path)
    except OSError:  # There is one, which may be damaged, or the disk knows no links.
        if (key := _existing_key(home)) is not None:
            return key
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return made
