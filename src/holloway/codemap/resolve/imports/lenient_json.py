"""JSON as people write it into manifests: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from typing import Any

_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""What is never closed goes to the end: else the rest would be looked through again from every quote in it."""
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def json_object(text: str) -> dict[str, Any]:
    """The object that a text is; anything else is an empty one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        try:
            data = json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda m: m.group(1) or "", text)))
        except (ValueError, RecursionError):
            return {}
    return data if isinstance(data, dict) else {}
