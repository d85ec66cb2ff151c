"""Secret keys of this machine, one file each in the user's data folder; they never leave it."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from holloway.config import replace_file

if TYPE_CHECKING:
    from pathlib import Path

LOCAL_KEY_BYTES = 32


def load_key(home: Path, name: str) -> bytes | None:
    """Return a key of this machine; None if its file is missing or incomplete."""
    try:
        key = bytes.fromhex((home / name).read_text("ascii"))
    except (FileNotFoundError, ValueError):
        return None
    return key if len(key) == LOCAL_KEY_BYTES else None


def load_or_create_key(home: Path, name: str) -> bytes:
    """Return a key of this machine, created if missing; two processes that create it at once get the same key."""
    if (key := load_key(home, name)) is not None:
        return key
    new_key, path = secrets.token_bytes(LOCAL_KEY_BYTES), home / name
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    replace_file(str(fresh), new_key.hex().encode())
    try:
        os.link(fresh, path)
    except OSError:  # The file exists and may be damaged, or the file system has no links.
        if (key := load_key(home, name)) is not None:
            return key
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return new_key
