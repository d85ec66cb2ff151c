"""Access to a running panel: one-time links, browser sessions, the API token, and where the panel listens.

A one-time link is a file named by the hash of its token, so any process of the same user can make one and exactly one
request can use it. A panel that runs holds a lock; the file with its address counts only while the lock is held.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from filelock import FileLock

from holloway.service.panel_address import PANEL_FOLDER, find_panel, panel_lock_file, write_panel_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINK_VALID_S = 600
TOKEN_BYTES = 32
SIGNED_IN_MAX = 32
"""Browsers that are signed in at the same time; the oldest is signed out first."""
COOKIE_PREFIX = "holloway-panel-"
"""Cookies are shared by all ports of a host, so the name has the port."""


class PanelFolder:
    """The files of a project's panel: its lock, its address, its API token and its one-time links."""

    def __init__(self, project_folder: Path) -> None:
        self._project_folder = project_folder
        self._folder = project_folder / PANEL_FOLDER
        self._links = self._folder / "links"

    def lock(self) -> FileLock:
        """Return the lock that a running panel holds."""
        self._make_folders()
        return FileLock(panel_lock_file(str(self._project_folder)), mode=0o600)

    def publish(self, port: int) -> str:
        """Publish the port on which the panel listens; returns its address."""
        self._make_folders()
        write_panel_port(str(self._project_folder), port)
        return f"http://127.0.0.1:{port}"

    def find_panel(self) -> str:
        """Return the address of the running panel; empty if none runs."""
        return find_panel(str(self._project_folder))

    def make_link(self, address: str, path: str = "/") -> str:
        """Return an address that signs one browser in, once, and then shows a page."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._write_private(self._links / _hash_token(token), "")
        values = {"token": token} if path == "/" else {"token": token, "next": path}
        return f"{address}/enter?{urlencode(values)}"

    def redeem(self, token: str) -> bool:
        """Use up a one-time token; returns whether it was valid. Expired ones are deleted."""
        for link in self._list_expired():
            link.unlink(missing_ok=True)
        try:
            (self._links / _hash_token(token)).unlink()
        except FileNotFoundError:
            return False
        return True

    def load_api_token(self) -> str:
        """Return the token of the HTTP API, which stays the same; it is made at the first use."""
        path = self._folder / "api-token"
        if not path.exists():
            self._write_private(path, secrets.token_urlsafe(TOKEN_BYTES))
        return path.read_text("utf-8").strip()

    def _list_expired(self) -> Iterator[Path]:
        oldest = time.time() - LINK_VALID_S
        for link in self._links.glob("*"):
            try:
                if link.stat().st_mtime < oldest:
                    yield link
            except FileNotFoundError:  # another request used it up
                continue

    def _make_folders(self) -> None:
        for folder in (self._folder, self._links):
            folder.mkdir(mode=0o700, exist_ok=True)

    def _write_private(self, path: Path, text: str) -> None:
        self._make_folders()
        partial = path.with_suffix(f".{os.getpid()}.partial")
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        partial.replace(path)


class BrowserSessions:
    """The browsers that are signed in to this panel, kept in memory as hashes of their cookies."""

    def __init__(self) -> None:
        self._hashes: dict[str, None] = {}

    def sign_in(self) -> str:
        """Return the cookie value of a new session."""
        value = secrets.token_urlsafe(TOKEN_BYTES)
        self._hashes[_hash_token(value)] = None
        while len(self._hashes) > SIGNED_IN_MAX:
            del self._hashes[next(iter(self._hashes))]
        return value

    def has(self, value: str) -> bool:
        """Return whether a cookie value belongs to a session."""
        return bool(value) and _hash_token(value) in self._hashes


def has_same_text(first: str, second: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(first.encode(), second.encode())


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
