"""The address of a running panel, for links in messages. Light: hooks load this.

A panel that runs holds a lock, and the file with its port counts only while the lock is held: a panel that was killed
leaves no address.
"""

from __future__ import annotations

import os

from holloway import fast_json
from holloway.config import replace_file
from holloway.store.process_lock import is_locked

PANEL_FOLDER = "panel"
REVIEW_PAGE = "review"


def panel_lock_file(folder: str) -> str:
    """Return the path of the file that a panel locks while it runs."""
    return os.path.join(folder, PANEL_FOLDER, "panel.lock")


def write_panel_port(folder: str, port: int) -> None:
    """Publish the port on which the panel of the project with this data folder listens."""
    replace_file(_address_file(folder), fast_json.dumps({"port": port}).encode())


def find_panel(folder: str) -> str:
    """Return the address of the panel that runs for the project with this data folder; empty if none runs."""
    if not is_locked(panel_lock_file(folder)):
        return ""
    try:
        with open(_address_file(folder), encoding="utf-8") as file:
            return f"http://127.0.0.1:{int(fast_json.load(file)['port'])}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # it is starting


def find_page(folder: str, page: str) -> str:
    """Return the link to a page of the running panel, which any program may open; empty if none runs."""
    address = find_panel(folder)
    return f"{address}/go/{page}" if address else ""


def _address_file(folder: str) -> str:
    return os.path.join(folder, PANEL_FOLDER, "address.json")
