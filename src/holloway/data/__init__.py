"""Knowledge as data: tables written in TOML and compiled to JSON, the only form that is loaded at run time."""

from __future__ import annotations

import os

from holloway import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load_table(name: str) -> dict[str, Any]:
    """Load a compiled table: `secrets` for `secrets.json`. Light: a hook calls this."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.json"), "rb") as file:
        table: dict[str, Any] = fast_json.loads(file.read())
    return table
