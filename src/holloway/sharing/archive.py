"""The archive format: every row of a store as JSON Lines, signed with a key of this machine."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway.errors import HollowayError
from holloway.store import local_key, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.store.store import Store

FORMAT = "holloway-archive"
ARCHIVE_VERSION = 1

ARCHIVE_BYTES_MAX = 4 * 1024**3
"""More than a million memories. An archive cannot be split without breaking its seal, so the limit is far above that
of other files. It exists because the whole file is held in memory, so that it cannot change between the check of its
seal and its loading."""

_HEAD = b'{"format":"' + FORMAT.encode() + b'"'
HEAD_BYTES = len(_HEAD)
"""Length of the file header that identifies an archive."""

_SEAL_BYTES = len(snapshot.serialize_row({"seal": "0" * 64}))
_KEY_NAME = "archive.key"


def write_archive(store: Store, home: Path) -> bytes:
    """Return the store as an archive; the same store always gives the same bytes."""
    head = {"format": FORMAT, "version": ARCHIVE_VERSION, "name": store.project.name}
    body = snapshot.serialize_row(head) + b"".join(snapshot.serialize_row(row) for row in snapshot.dump_rows(store))
    return body + snapshot.serialize_row({"seal": _sign_body(body, local_key.load_or_create_key(home, _KEY_NAME))})


def is_archive(data: bytes) -> bool:
    """Return whether a file has the header of an archive."""
    return data.startswith(_HEAD)


def is_ours(data: bytes, home: Path) -> bool:
    """Return whether an archive was written on this machine and is unchanged since; nothing in it is parsed."""
    key = local_key.load_key(home, _KEY_NAME)
    if key is None:
        return False
    expected = snapshot.serialize_row({"seal": _sign_body(memoryview(data)[:-_SEAL_BYTES], key)})
    return hmac.compare_digest(data[-_SEAL_BYTES:], expected)


def read_rows(data: bytes) -> Iterator[dict[str, Any]]:
    """Return an iterator over the rows of an archive that is ours; raise HollowayError if its version is too new."""
    lines = io.BytesIO(data)
    head = json.loads(lines.readline())
    if head["version"] > ARCHIVE_VERSION:
        raise HollowayError(
            f"The archive has format {head['version']}; this holloway reads up to {ARCHIVE_VERSION}.",
            "Upgrade holloway first.",
        )
    return (json.loads(line) for line in iter(lines.readline, data[-_SEAL_BYTES:]))


def _sign_body(body: bytes | memoryview, key: bytes) -> str:
    return hmac.new(key, body, hashlib.sha256).hexdigest()
