"""Files from elsewhere: JSON and Markdown exports, foreign archives. Their memories wait for review."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from holloway.config import CONTENT_BYTES_MAX, IMPORT_ROWS_MAX
from holloway.domain import memory_json
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Scope, Source, State
from holloway.errors import HollowayError, InvalidInput
from holloway.promotion.rules_files.markup import escape_markup, unescape_markup
from holloway.promotion.rules_files.rules_export import heading_of, name_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory

_BULLET = re.compile(r"^[-*] (?P<text>.+?)(?: \((?P<files>`[^`]+`(?:, `[^`]+`)*)\))?(?: \[hw:[0-9a-f]+\])?$")

_BY_HEADING = {
    name.lower(): MemoryType.MODULE_INSIGHT if memory_type in memory_json.NEEDED else memory_type
    for memory_type in MemoryType
    for name in (memory_type.label, heading_of(memory_type))
}
"""Memory type of each Markdown heading. A type that needs details becomes an insight, as Markdown has only text."""


def parse_drafts(data: bytes, origin: str) -> list[tuple[str, Draft | HollowayError]]:
    """Return each row of a foreign file as a draft for review or as an error, together with its place in the file.

    Raises InvalidInput for a file that is not UTF-8, has no memories or has too many.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{origin} is not UTF-8 text (byte {error.start}).", "Export it again as UTF-8.") from None
    rows = _json_rows(text, origin) if text.lstrip()[:1] in ("{", "[") else _markdown_rows(text)
    rows = [(place, row) for place, row in rows if not _is_gone(row)]
    if not rows:
        raise InvalidInput(f"There are no memories in {origin}.", "It takes holloway's JSON, Markdown or archive.")
    if len(rows) > IMPORT_ROWS_MAX:
        raise InvalidInput(f"{origin} has {len(rows):,} rows.", f"At most {IMPORT_ROWS_MAX:,}: split the file.")
    return [(place, _parse_draft(row, origin)) for place, row in rows]


def _json_rows(text: str, origin: str) -> list[tuple[str, Any]]:
    try:
        data = json.loads(text)
        rows = data.get("memories", data.get("results")) if isinstance(data, dict) else data
        if isinstance(rows, list):
            return [(f"entry {number}", row) for number, row in enumerate(rows, 1)]
    except RecursionError:
        raise InvalidInput(
            f"{origin} is nested too deeply.", "It takes holloway's JSON, Markdown or archive."
        ) from None
    except ValueError as error:
        if "\n" not in text.strip():
            raise InvalidInput(f"{origin} is not valid JSON: {error}.", "Fix it, or export it again.") from None
    return _parse_lines(text)


def _parse_lines(text: str) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else {"table": ""}
        except (ValueError, RecursionError):
            rows.append((f"line {number}", line))
            continue
        if not isinstance(row, dict) or row.get("table", "memories") == "memories":
            rows.append((f"line {number}", row))
    return [(place, row) for place, row in rows if not (isinstance(row, dict) and ({"format", "seal"} & set(row)))]


def _markdown_rows(text: str) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    kind: MemoryType | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            kind = _BY_HEADING.get(line.lstrip("# ").strip().lower().replace("_", " "))
        elif match := _BULLET.match(line):
            files = re.findall(r"`([^`]+)`", match["files"] or "")
            rows.append((f"line {number}", {"content": unescape_markup(match["text"]), "files": files, "type": kind}))
    return rows


def parse_bullet(text: str) -> str:
    """Return the content of a memory from its line in a Markdown file, without the bullet and the citation."""
    match = _BULLET.match(f"- {text}")
    return unescape_markup(match["text"]) if match else text


def _is_gone(row: Any) -> bool:
    """Return whether a row was deleted or superseded: a complete export has those too, but they no longer hold."""
    return isinstance(row, dict) and bool(row.get("deleted_at") or row.get("superseded_by"))


def _parse_draft(row: Any, origin: str) -> Draft | HollowayError:
    """Return a row as a draft, or the error in it. No foreign row can make itself trusted, pinned or confirmed.

    Its summary is ignored: agents would see it, while a person reviews only the content.
    """
    if not isinstance(row, dict):
        return InvalidInput(f"{str(row)[:60]!r} is not a memory.", "A memory is an object with at least `content`.")
    try:
        content = _row_content(row)
        memory_type = MemoryType(str(row.get("type") or "gotcha"))
        details = row.get("details")
        return Draft(
            content=content,
            type=memory_type,
            details=memory_json.parse_details(memory_type, _as_mapping(details)),
            files=_row_strings(row, "files"),
            modules=_row_strings(row, "modules"),
            tags=_row_strings(row, "tags"),
            scope=Scope(str(row.get("scope") or "global")),
            source=Source.FOREIGN_FILE,
            state=State.QUARANTINED,
            review=ReviewReason.IMPORTED,
            origin=origin,
        )
    except HollowayError as error:
        return error
    except ValueError as error:
        return InvalidInput(f"{error}.", f"Types: {', '.join(MemoryType)}.")


def _as_mapping(value: Any) -> dict[str, Any] | None:
    value = _decode_value(value)
    if value and not isinstance(value, dict):
        raise InvalidInput(f"details cannot be {str(value)[:40]!r}.", "It is an object.")
    return value or None


def _row_content(row: dict[str, Any]) -> str:
    value = row.get("content")
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput("content is missing or not text.", "A memory is an object with at least `content`.")
    if len(value) > CONTENT_BYTES_MAX:
        raise InvalidInput(f"content has {len(value):,} characters.", f"At most {CONTENT_BYTES_MAX:,} bytes.")
    return value


def _row_strings(row: dict[str, Any], name: str) -> tuple[str, ...]:
    value = _decode_value(row.get(name)) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput(f"{name} is not a list of texts: {str(value)[:40]!r}.", 'For example ["src/auth.py"].')
    return tuple(value)


def _decode_value(value: Any) -> Any:
    """Return the value, decoded if it is a JSON string, which is how an archive stores lists and objects."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def to_markdown(memories: Sequence[Memory], title: str) -> str:
    """Return memories as Markdown that import can read: a heading per type, a bullet per memory.

    Agents read such files too, so quarantined memories are left out.
    """
    lines = [f"# What holloway knows of {escape_markup(' '.join(title.split()))}", ""]
    for memory_type in MemoryType:
        chosen = [memory for memory in memories if memory.type is memory_type and memory.state is not State.QUARANTINED]
        if chosen:
            lines += [f"## {heading_of(memory_type)}", "", *(_render_bullet(memory) for memory in chosen), ""]
    return "\n".join(lines)


def _render_bullet(memory: Memory) -> str:
    return f"- {escape_markup(' '.join(memory.content.split()))}{name_files(memory)} [hw:{memory.id}]"
