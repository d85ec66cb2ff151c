"""Front matter of a rules file, between `---` lines. The parser is lenient, as those of the hosts are."""

from __future__ import annotations

import re

LINES_MAX = 60
VALUES_MAX = 50
_KEY = re.compile(r"^([A-Za-z_][\w-]{0,40}):\s*(.*)$")
_ENTRY = re.compile(r"^\s*-\s+(.+)$")
_PART = re.compile(r"(?:\{(?:[^{}]++|\{[^{}]*+\})*+\}|[^,])+")


def split_front_matter(text: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the values by key, and the body with its line numbers kept; malformed front matter is body text."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return {}, text
    ends = (number for number, line in enumerate(lines[1:LINES_MAX], 1) if line.strip() in ("---", "..."))
    if (end := next(ends, 0)) == 0:
        return {}, text
    return _parse_values(lines[1:end]), "\n" * (end + 1) + "\n".join(lines[end + 1 :])


def _parse_values(lines: list[str]) -> dict[str, tuple[str, ...]]:
    values_by_key: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if match := _KEY.match(line):
            key = match[1].lower()
            values_by_key[key] = _split_list(match[2])
        elif key and (entry := _ENTRY.match(line)):
            values_by_key[key].append(_strip_quotes(entry[1]))
    return {name: tuple(value for value in values if value)[:VALUES_MAX] for name, values in values_by_key.items()}


def _split_list(value: str) -> list[str]:
    """Split a list in brackets or separated by commas; a comma inside braces belongs to the glob."""
    parts = _PART.findall(value.split(" #")[0].strip().strip("[]"))
    return [_strip_quotes(part) for part in parts if part.strip()]


def _strip_quotes(value: str) -> str:
    return value.split(" #")[0].strip().strip("\"'").strip()
