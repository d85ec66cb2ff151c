"""Memories out to files and in from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import IMPORT_BYTES_MAX
from holloway.errors import HollowayError, InvalidInput
from holloway.importers import archive, exchange
from holloway.service.plain import memory_json
from holloway.store import snapshot
from holloway.store.filter import Filter
from holloway.store.intake import admit

if TYPE_CHECKING:
    from holloway.domain.memory import Draft, Memory
    from holloway.service.holloway import Holloway

FORMATS = ("json", "markdown", "claude", "archive")


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: restored as it was, or taken in for review."""

    restored: bool
    added: int = 0
    known: int = 0
    refused: int = 0
    redacted: tuple[str, ...] = ()
    skipped: tuple[str, ...] = field(default=())


def export(memory: Holloway, form: str) -> bytes:
    """The project's memories as a file: `json` and `archive` are complete, the others are for reading."""
    if form == "archive":
        return archive.write(memory.store, memory.home)
    if form not in FORMATS:
        raise InvalidInput(f"There is no format {form!r}.", f"Formats: {', '.join(FORMATS)}.")
    kept = memory.memories(Filter(), limit=-1)
    if form == "markdown":
        return exchange.to_markdown(kept, memory.project.name).encode()
    if form == "claude":
        return exchange.to_rules(kept, memory.project.name).encode()
    gone = memory.memories(Filter(deleted=True, superseded=True), limit=-1)
    replaced = [old for old in memory.memories(Filter(superseded=True), limit=-1) if not old.alive]
    return _json([*kept, *replaced, *gone], memory)


def _json(memories: list[Memory], memory: Holloway) -> bytes:
    now = memory.clock.now()
    rows = [memory_json(each, now) for each in sorted(memories, key=lambda each: (each.created_at, each.uid))]
    data = {"format": "holloway-export", "version": 1, "project": memory.project.name, "memories": rows}
    return json.dumps(data, ensure_ascii=False, indent=2).encode() + b"\n"


def import_file(memory: Holloway, path: Path, *, skip_invalid: bool = False) -> Imported:
    """Restore our own archive byte for byte; take anything else in as foreign, for review."""
    data = _read(path)
    if archive.is_archive(data) and archive.is_ours(data, memory.home):
        new, known = snapshot.load(memory.store, archive.rows(data))
        return Imported(restored=True, added=new, known=known)
    return _take_in(memory, exchange.drafts(data, path.name), skip_invalid)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise InvalidInput(f"{path} is not a file.", "Give the file that `holloway export` wrote.")
        if (size := path.stat().st_size) > IMPORT_BYTES_MAX:
            raise InvalidInput(f"{path} has {size:,} bytes.", f"At most {IMPORT_BYTES_MAX:,}: split the file.")
        return path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check the path and its permissions.") from error


def _take_in(memory: Holloway, rows: list[tuple[str, Draft | HollowayError]], skip_invalid: bool) -> Imported:
    admitted, skipped = [], []
    for place, draft in rows:
        try:
            if isinstance(draft, HollowayError):
                raise draft
            admitted.append(admit(draft))
        except HollowayError as error:
            skipped.append(f"{place}: {error.message}")
    if skipped and not skip_invalid:
        shown = "\n".join(f"  {line}" for line in skipped[:5]) + (
            f"\n  and {len(skipped) - 5} more" if skipped[5:] else ""
        )
        raise InvalidInput(
            f"{len(skipped)} of {len(rows)} entries cannot be used, so nothing was imported:\n{shown}",
            "Mend them, or import the rest with --skip-invalid.",
        )
    with memory.store.database.write():
        outcomes = [memory.store.memories.add(each) for each in admitted]
    return Imported(
        restored=False,
        added=sum(each.outcome == "added" for each in outcomes),
        known=sum(each.outcome in ("known", "reinforced") for each in outcomes),
        refused=sum(each.outcome == "refused" for each in outcomes),
        redacted=tuple(sorted({kind for each in outcomes for kind in each.redacted})),
        skipped=tuple(skipped),
    )
