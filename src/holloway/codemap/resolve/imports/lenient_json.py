"""Parses JSON as people write it in manifests: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from typing import Any

_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""Unclosed strings and comments match to the end of the text: otherwise the tail would be scanned again from every
quote (quadratic time)."""
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def parse_json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object; anything else gives an empty one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        try:
            data = json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda m: m.group(1) or "", text)))
        except (ValueError, RecursionError):
            return {}
    return data if isinstance(data, dict) else {}
