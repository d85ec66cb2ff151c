"""Figures of a session for comparing groups: numbers and names of kinds only, so that they may leave the machine."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

from holloway.errors import InvalidInput
from holloway.injection.experiment import GROUPS
from holloway.text.fingerprint import fingerprint_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Figures = dict[str, Any]

IDENTITY = ("session", "day", "group")
CONDITIONS = ("agent", "type", "phase", "trust_level", "methodology")
"""Properties of a session that memory does not choose; groups that differ in one are not comparable."""
NUMBERS = (
    "tool_calls",
    "known_files_read_again",
    "discovery_calls",
    "steps_until_green",
    "qa_first_pass",
    "tokens",
    "injected_tokens",
    "answers_dropped",
    "dead_ends_entered",
    "flagged",
)
COLUMNS = (*IDENTITY, *CONDITIONS, *NUMBERS)
CSV_BYTES_MAX = 64 * 1024 * 1024
CELL_CHARS_MAX = 200
SESSION_DIGEST_BYTES = 8


def extract_figures(session: str, started_at: str, record: Mapping[str, Any]) -> Figures:
    """Return the figures of one session record; None stands for an unknown one. The id is hashed."""
    return {
        "session": fingerprint_text(session, "proof", SESSION_DIGEST_BYTES),
        "day": started_at[:10],
        "group": record.get("group"),
        **{name: record.get(name) for name in CONDITIONS},
        **{name: record.get(name) for name in NUMBERS},
        "steps_until_green": _average_steps_until_green(record),
        "tokens": _count_tokens(record),
    }


def is_randomised(record: Mapping[str, Any]) -> bool:
    """Return whether chance assigned a session to its group."""
    return bool(record.get("randomised")) and record.get("group") in GROUPS


def _average_steps_until_green(record: Mapping[str, Any]) -> float | None:
    """Return the mean number of steps until an error of the session was gone; None if none went away."""
    steps = [run[2] for run in record.get("error_runs") or () if run[2] is not None]
    return sum(steps) / len(steps) if steps else None


def _count_tokens(record: Mapping[str, Any]) -> int | None:
    tokens_in, tokens_out = record.get("tokens_in"), record.get("tokens_out")
    return None if tokens_in is None or tokens_out is None else int(tokens_in) + int(tokens_out)


def dump_csv(rows: Iterable[Figures]) -> str:
    """Return sessions as CSV with a header; an unknown figure is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _format_cell(row[name]) for name in COLUMNS} for row in rows)
    return text.getvalue()


def _format_cell(value: object) -> object:
    return "" if value is None else int(value) if isinstance(value, bool) else value


def parse_csv(text: str, name: str) -> list[Figures]:
    """Parse sessions that `dump_csv` wrote, perhaps elsewhere. Raises InvalidInput with the line that is wrong."""
    lines = csv.DictReader(io.StringIO(text))
    if tuple(lines.fieldnames or ()) != COLUMNS:
        raise InvalidInput(f"{name} is not an export of `holloway proof --csv`.", "Its first line names other columns.")
    rows = []
    try:
        for line in lines:
            rows.append(_parse_line(line))
    except (ValueError, csv.Error) as error:
        raise InvalidInput(f"{name}, line {lines.line_num}: {error}", "Export it again; nothing was changed.") from None
    return rows


def _parse_line(line: Mapping[str | None, Any]) -> Figures:
    if set(line) != set(COLUMNS) or any(value is None or len(value) > CELL_CHARS_MAX for value in line.values()):
        raise ValueError("the number of cells or the length of one is wrong.")
    if line["group"] not in GROUPS:
        raise ValueError(f"there is no group {line['group']!r}.")
    return {
        **{name: line[name] for name in IDENTITY},
        **{name: line[name] or None for name in CONDITIONS},
        **{name: _parse_number(line[name]) for name in NUMBERS},
    }


def _parse_number(cell: str) -> float | None:
    """Parse a cell; None if it is empty. Raises ValueError for anything but a finite number."""
    if not cell:
        return None
    if not math.isfinite(number := float(cell)):
        raise ValueError(f"{cell} is not a number.")
    return number


def pool_figures(tables: Sequence[Sequence[Figures]]) -> list[Figures]:
    """Merge the sessions of several machines; a session that several have counts once."""
    return list({row["session"]: row for table in tables for row in table}.values())
