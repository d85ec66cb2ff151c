"""Reading a table's TOML: fragments of patterns filled in, every row checked against its schema."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import re2

from holloway.errors import InvalidInput

DATA_FOLDER = Path(__file__).parent
Row = dict[str, Any]
Check = Callable[[Any], Any]
"""Turns the value of a field into its compiled form, or raises ValueError with the reason."""
_FRAGMENT = re.compile(r"\$\{(\w+)\}")


def check_text(value: Any) -> str:
    """Accept a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("is not a text")
    return value


def check_texts(value: Any) -> list[str]:
    """Accept a list of texts."""
    if not isinstance(value, list) or not value:
        raise ValueError("is not a list of texts")
    return [check_text(item) for item in value]


def check_words(value: Any) -> list[str]:
    """Accept words separated by spaces, none of them twice."""
    words = check_text(value).split()
    if repeated := sorted({word for word in words if words.count(word) > 1}):
        raise ValueError(f"has {', '.join(repeated)} twice")
    return words


def check_number(value: Any) -> float:
    """Accept a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("is not a number")
    return value


def check_flag(value: Any) -> bool:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise ValueError("is not true or false")
    return value


def check_pattern(value: Any) -> str:
    """Accept a pattern for Python's `re`."""
    pattern = _join_pieces(value)
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a pattern: {error}") from error
    return pattern


def check_linear_pattern(value: Any) -> str:
    """Accept a pattern for RE2."""
    pattern = _join_pieces(value)
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"is not a pattern for RE2: {error}") from error
    return pattern


def check_piece(value: Any) -> str:
    """Accept a piece of a pattern, which need not be one by itself."""
    return _join_pieces(value)


PATTERN_CHECKS = (check_pattern, check_linear_pattern, check_piece)
"""Fragments are filled in before these."""


def check_one_of(*allowed: str) -> Check:
    """Build a check that accepts one of these texts."""

    def check(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"is not one of {', '.join(allowed)}")
        return str(value)

    return check


def _join_pieces(value: Any) -> str:
    """Join a long pattern that is written as a list of pieces."""
    return "".join(check_texts(value)) if isinstance(value, list) else check_text(value)


class TableSource:
    """One TOML file. `[fragments]` and `[alternatives]` name parts of patterns, written `${name}` where they are used.

    A fragment is a pattern or a list of its pieces; alternatives are a list that is joined with `|`. A top-level
    `source` is that of every row which has none.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._tables = tomllib.loads(path.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"{self.name} is not TOML: {error}.", "Fix that line.") from error
        self._parts = {
            **{name: _join_pieces(value) for name, value in self._tables.get("fragments", {}).items()},
            **{name: "|".join(value) for name, value in self._tables.get("alternatives", {}).items()},
        }

    def _fill_fragments(self, value: Any) -> Any:
        """Fill the named parts into a pattern, or into the pieces or alternatives of one."""
        if isinstance(value, str):
            return _FRAGMENT.sub(self._find_part, value)
        return [self._fill_fragments(item) for item in value] if isinstance(value, list) else value

    def find_fragment(self, name: str) -> str:
        """Find a fragment by its name."""
        return str(self._fill_fragments(self._parts[name]))

    def _find_part(self, match: re.Match[str]) -> str:
        if match[1] not in self._parts:
            raise ValueError(f"names {match[0]}, which is not in [fragments] or [alternatives]")
        return self.find_fragment(match[1])

    def check_rows(
        self, table: str, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None
    ) -> list[Row]:
        """Check `[[table]]`; each row must have the required fields and `source`, and may have the optional ones.

        The first required field names the row; an id or a name must be unique. Raises InvalidInput that names the file,
        the row and the field.
        """
        rows = self._tables.get(table)
        if not isinstance(rows, list) or not rows:
            raise InvalidInput(f"{self.name} has no [[{table}]].", "Add its rows.")
        required = {**required, "source": check_text}
        default = {"source": self._tables["source"]} if "source" in self._tables else {}
        key = next(iter(required))
        checked = [
            self.check_fields(
                f"[[{table}]] row {number} ({row.get(key, 'unnamed')})", default | row, required, optional
            )
            for number, row in enumerate(rows, 1)
        ]
        if key in ("id", "name", "program", "command"):
            self.check_unique(f"[[{table}]]", key, [row[key] for row in checked])
        return checked

    def check_unique(self, place: str, field: str, values: list[str]) -> None:
        """Check that no value is repeated; raises InvalidInput that names the file, the field and the value."""
        if repeated := sorted({value for value in values if values.count(value) > 1}):
            raise self._error(place, field, f"has {', '.join(repeated)} twice")

    def check_table(self, table: str, required: Mapping[str, Check]) -> Row:
        """Check `[table]`, which has exactly these fields; raises InvalidInput that names the file and the field."""
        return self.check_fields(f"[{table}]", self._tables.get(table, {}), required)

    def check_entries(self, table: str, check: Check) -> Row:
        """Check every value of `[table]`, whatever its keys; raises InvalidInput that names the file and the key."""
        entries = self._tables.get(table, {})
        return self.check_fields(f"[{table}]", entries, dict.fromkeys(entries, check))

    def check_fields(
        self, place: str, row: Row, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None
    ) -> Row:
        """Check the fields of one row or table and return their compiled form."""
        checks = {**required, **(optional or {})}
        for field in [*required, *row]:
            if field not in row:
                raise self._error(place, field, "is missing")
            if field not in checks:
                raise self._error(place, field, f"is not known; known are {', '.join(checks)}")
        compiled = {}
        for field, value in row.items():
            try:
                check = checks[field]
                compiled[field] = check(self._fill_fragments(value) if check in PATTERN_CHECKS else value)
            except ValueError as error:
                raise self._error(place, field, str(error)) from error
        return compiled

    def _error(self, place: str, field: str, reason: str) -> InvalidInput:
        return InvalidInput(f"{self.name}, {place}: {field} {reason}.", "Fix the row and run `make data` again.")
