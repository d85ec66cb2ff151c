"""Web addresses as agents write them, which may be malformed."""

from __future__ import annotations

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """The host that an address names; nothing where it is no address."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
