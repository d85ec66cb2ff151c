"""Export of memories to a file, and their import on this or another computer.

Imported are archives, which the machine that wrote them signed, and files of other tools."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway.config import IMPORT_BYTES_MAX
from holloway.domain.memory_json import memory_json
from holloway.errors import HollowayError, InvalidInput
from holloway.promotion.rules_files.rules_export import render_rules
from holloway.sharing import foreign_file
from holloway.sharing.published_folder import is_published
from holloway.store import local_key, snapshot
from holloway.store.filter import EVERYTHING, Filter
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.domain.memory import Draft
    from holloway.store.store import Store

FORMATS = ("json", "markdown", "claude", "archive")
ARCHIVE_FORMAT = "holloway-archive"
ARCHIVE_VERSION = 1

ARCHIVE_BYTES_MAX = 4 * 1024**3
"""More than a million memories. An archive cannot be split without breaking its seal, so the limit is far above that
of other files. It exists because the whole file is held in memory, so that it cannot change between the check of its
seal and its loading."""

_ARCHIVE_HEAD = b'{"format":"' + ARCHIVE_FORMAT.encode() + b'"'
_ARCHIVE_HEAD_BYTES = len(_ARCHIVE_HEAD)
"""Length of the file header that identifies an archive."""

_SEAL_BYTES = len(snapshot.serialize_row({"seal": "0" * 64}))
_KEY_NAME = "archive.key"


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: restored as it was, or added for review."""

    restored: bool
    added: int = 0
    known: int = 0
    refused: int = 0
    redacted: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    altered: bool = False


def export_memories(store: Store, home: Path, form: str) -> bytes:
    """Return the project's memories as a file: `json` and `archive` are complete, the others are for reading.

    Raises InvalidInput for an unknown format.
    """
    if form == "archive":
        return write_archive(store, home)
    if form not in FORMATS:
        raise InvalidInput(f"There is no format {form!r}.", f"Formats: {', '.join(FORMATS)}.")
    if form == "markdown":
        return foreign_file.to_markdown(store.memories.find_memories(Filter(), -1), store.project.name).encode()
    if form == "claude":
        return render_rules(store.memories.find_memories(Filter(), -1), store.project.name).encode()
    return _render_json(store)


def _render_json(store: Store) -> bytes:
    now = store.clock.now()
    with store.database.read_snapshot():
        present = store.memories.find_memories(EVERYTHING, -1)
        inactive = store.memories.find_memories(Filter(deleted=True, superseded=True), -1)
    ordered = sorted([*present, *inactive], key=lambda memory: (memory.created_at, memory.uid))
    rows = [memory_json(memory, now) for memory in ordered]
    data = {"format": "holloway-export", "version": 1, "project": store.project.name, "memories": rows}
    return json.dumps(data, ensure_ascii=False, indent=2).encode() + b"\n"


def import_file(store: Store, home: Path, path: Path, *, skip_invalid: bool = False) -> Imported:
    """Restore an archive of this machine unchanged; add the memories of any other file for review.

    Of a folder, the files that `holloway publish` wrote are read. Raises InvalidInput for a file that is too large or
    has unusable entries, unless `skip_invalid` skips those.
    """
    if path.is_dir():
        return _import_folder(store, home, path, skip_invalid=skip_invalid)
    data = _read_file(path)
    if is_archive(data) and is_ours(data, home):
        new, duplicates = snapshot.load_rows(store, partial(read_rows, data))
        return Imported(restored=True, added=new, known=duplicates)
    if len(data) > IMPORT_BYTES_MAX:
        raise InvalidInput(
            f"{path} has {len(data):,} bytes and this machine did not seal it as it is.",
            f"Import it where it was written, or in parts of at most {IMPORT_BYTES_MAX:,} bytes, for review.",
        )
    imported = _add_drafts(store, foreign_file.parse_drafts(data, path.name), skip_invalid)
    return replace(imported, altered=is_archive(data))


def _import_folder(store: Store, home: Path, folder: Path, *, skip_invalid: bool) -> Imported:
    """Add the memories of published files for review."""
    paths = [path for path in sorted(folder.glob("*.md")) if not path.is_symlink() and is_published(path)]
    if not paths:
        raise InvalidInput(
            f"{folder} is not a file, and has no published ones.", "Give the file that `holloway export` wrote."
        )
    results = [import_file(store, home, path, skip_invalid=skip_invalid) for path in paths]
    return Imported(
        restored=False,
        added=sum(result.added for result in results),
        known=sum(result.known for result in results),
        refused=sum(result.refused for result in results),
        redacted=tuple(sorted({kind for result in results for kind in result.redacted})),
        skipped=tuple(line for result in results for line in result.skipped),
    )


def _read_file(path: Path) -> bytes:
    """Return the bytes of a file without the byte order mark that some editors add; raise if it is unreadable."""
    try:
        if not path.is_file():
            raise InvalidInput(f"{path} is not a file.", "Give the file that `holloway export` wrote.")
        with path.open("rb") as file:
            head = file.read(len(BOM_UTF8) + _ARCHIVE_HEAD_BYTES).removeprefix(BOM_UTF8)
            size = file.seek(0, os.SEEK_END)
            _check_size(path, size, sealed=is_archive(head))
            file.seek(0)
            return file.read(size).removeprefix(BOM_UTF8)
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check the path and its permissions.") from error


def _check_size(path: Path, size: int, *, sealed: bool) -> None:
    if sealed and size > ARCHIVE_BYTES_MAX:
        hint = f"An archive has at most {ARCHIVE_BYTES_MAX:,}; `holloway backup` copies a store of any size."
        raise InvalidInput(f"{path} has {size:,} bytes.", hint)
    if not sealed and size > IMPORT_BYTES_MAX:
        raise InvalidInput(f"{path} has {size:,} bytes.", f"At most {IMPORT_BYTES_MAX:,}: split the file.")


def _add_drafts(store: Store, rows: list[tuple[str, Draft | HollowayError]], skip_invalid: bool) -> Imported:
    admitted, skipped = [], []
    for place, draft in rows:
        try:
            if isinstance(draft, HollowayError):
                raise draft
            admitted.append(sanitize_draft(draft))
        except HollowayError as error:
            skipped.append(f"{place}: {error.message}")
    if skipped and not skip_invalid:
        reasons = "\n".join(f"  {line}" for line in skipped[:5]) + (
            f"\n  and {len(skipped) - 5} more" if skipped[5:] else ""
        )
        raise InvalidInput(
            f"{len(skipped)} of {len(rows)} entries cannot be used, so nothing was imported:\n{reasons}",
            "Fix them, or import the rest with --skip-invalid.",
        )
    with store.database.write_transaction():
        results = [store.memories.add_memory(draft) for draft in admitted]
    return Imported(
        restored=False,
        added=sum(result.outcome == "added" for result in results),
        known=sum(result.outcome in ("known", "reinforced") for result in results),
        refused=sum(result.outcome == "refused" for result in results),
        redacted=tuple(sorted({kind for result in results for kind in result.redacted})),
        skipped=tuple(skipped),
    )


def write_archive(store: Store, home: Path) -> bytes:
    """Return the store as an archive; the same store always gives the same bytes."""
    head = {"format": ARCHIVE_FORMAT, "version": ARCHIVE_VERSION, "name": store.project.name}
    body = snapshot.serialize_row(head) + b"".join(snapshot.serialize_row(row) for row in snapshot.dump_rows(store))
    return body + snapshot.serialize_row({"seal": _sign_body(body, local_key.load_or_create_key(home, _KEY_NAME))})


def is_archive(data: bytes) -> bool:
    """Return whether a file has the header of an archive."""
    return data.startswith(_ARCHIVE_HEAD)


def is_ours(data: bytes, home: Path) -> bool:
    """Return whether an archive was written on this machine and is unchanged since; nothing in it is parsed."""
    key = local_key.load_key(home, _KEY_NAME)
    if key is None:
        return False
    expected = snapshot.serialize_row({"seal": _sign_body(memoryview(data)[:-_SEAL_BYTES], key)})
    return hmac.compare_digest(data[-_SEAL_BYTES:], expected)


def read_rows(data: bytes) -> Iterator[dict[str, Any]]:
    """Return an iterator over the rows of an archive that is ours; raise HollowayError if its version is too new."""
    lines = io.BytesIO(data)
    head = json.loads(lines.readline())
    if head["version"] > ARCHIVE_VERSION:
        raise HollowayError(
            f"The archive has format {head['version']}; this holloway reads up to {ARCHIVE_VERSION}.",
            "Upgrade holloway first.",
        )
    return (json.loads(line) for line in iter(lines.readline, data[-_SEAL_BYTES:]))


def _sign_body(body: bytes | memoryview, key: bytes) -> str:
    return hmac.new(key, body, hashlib.sha256).hexdigest()
