"""Change of one agent configuration file: compute it, apply it atomically, undo it, keep the original bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from holloway.errors import HollowayError
from holloway.install import original_files
from holloway.install.file_content import NotUnderstood

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.install.file_content import Content

Result = TypeVar("Result")


class LeadsOut(HollowayError):
    """Path traversal: a file of a project is a symbolic link that points outside it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A configuration file and the content that setup puts into it.

    `needed`: setup fails without it. `inside`: it must be within the project. `retired`: an earlier setup wrote it, and
    it is removed.
    """

    path: Path
    content: Content
    agent: str
    scope: str
    root: Path
    needed: bool = False
    inside: bool = False
    retired: bool = False

    @property
    def target(self) -> Path:
        """Return the file behind symbolic links, which is written. Raises LeadsOut if it leaves the project."""
        target = Path(os.path.realpath(self.path))
        for real in (target, Path(os.path.realpath(self.path.parent))):
            if self.inside and not real.is_relative_to(os.path.realpath(self.root)):
                raise LeadsOut(
                    f"{self.path} is a link out of the project, to {real}.",
                    "Nothing was changed. Check who created that link; --scope user does not need it.",
                )
        return target


@dataclass(frozen=True, slots=True)
class Change:
    """Planned change of a file, and for a removal the leftover files (backup, record) to delete with it."""

    part: Part
    before: bytes | None
    after: bytes | None
    removes: bool = False
    leftovers: tuple[Path, ...] = ()

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.part.path

    @property
    def rewrites(self) -> bool:
        """Return whether the file itself would change."""
        return self.before != self.after

    @property
    def needed(self) -> bool:
        """Return whether anything would change."""
        return self.rewrites or bool(self.leftovers)

    @property
    def action(self) -> str:
        """Return the action in one word: create, change, delete, tidy or keep."""
        if not self.rewrites:
            return "tidy" if self.leftovers else "keep"
        return "create" if self.before is None else "delete" if self.after is None else "change"


def setup(part: Part) -> Change:
    """Compute the change that adds our entries to a file; nothing is written. Raises HollowayError if it cannot."""
    target = part.target
    before = original_files.read(part.path)
    text = decoded(part.path, before)
    new_text = _named(part.path, part.content.put, text)
    if new_text == text:
        return Change(part, before, before)
    _refuse_read_only(part.path, target)
    return Change(part, before, encoded(part.path, new_text))


def removal(part: Part, home: Path) -> Change:
    """Compute the change that removes our entries; it restores the original bytes if nobody changed the file since."""
    target = part.target
    before = original_files.read(part.path)
    if before is None:
        return Change(part, None, None, removes=True, leftovers=original_files.leftovers(part.path, home))
    text = decoded(part.path, before)
    new_text = _named(part.path, part.content.taken, text)
    if new_text != text:
        _refuse_read_only(part.path, target)
    after = before if new_text == text else _best(part, before, new_text, home)
    has_entries = _named(part.path, part.content.present, decoded(part.path, after))
    return Change(
        part, before, after, removes=True, leftovers=() if has_entries else original_files.leftovers(part.path, home)
    )


def apply(change: Change, home: Path, made_folders: tuple[str, ...] = ()) -> None:
    """Write a change atomically and back up the original bytes next to the file, so that removal can restore them.

    `made_folders` are the parent folders that did not exist before any file was written. Raises HollowayError if the
    file changed since the plan was made.
    """
    target = change.part.target
    if original_files.read(change.path) != change.before:
        raise HollowayError(
            f"{change.path} was changed by another program; nothing was written.", "Run the command again."
        )
    if not change.removes:
        _keep(change, home, made_folders)
        original_files.write(target, change.after)
        return
    if change.rewrites:
        original_files.write(target, change.after)
    if change.leftovers:
        original_files.forget(change.path, home)
    elif (record := original_files.record(change.path, home)) is not None and change.after is not None:
        original_files.save(replace(record, after=original_files.sha256(change.after)), home)


def undo(change: Change, home: Path) -> None:
    """Roll back a setup that was just applied, fully or in part."""
    if original_files.read(change.path) == change.after:
        original_files.write(change.part.target, change.before)
    if not _has_ours(change):
        original_files.forget(change.path, home)


def decoded(path: Path, data: bytes | None) -> str:
    """Decode a file as UTF-8, keeping line endings and byte-order mark. Raises HollowayError."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise HollowayError(f"{path} is not UTF-8 text (byte {error.start}).", "The file was not changed.") from None


def encoded(path: Path, text: str) -> bytes:
    """Encode a text as UTF-8. Raises HollowayError if it has a surrogate."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise HollowayError(
            f"{path} would have to hold a name that is not UTF-8.", "The file was not changed."
        ) from None


def _refuse_read_only(path: Path, target: Path) -> None:
    """Raise HollowayError if a file is read-only: its owner does not want it changed."""
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise HollowayError(f"{path} is read-only; nothing was changed.", "Make it writable, then try again.")


def _best(part: Part, before: bytes, made: str, home: Path) -> bytes | None:
    record = original_files.record(part.path, home)
    is_restorable, original_bytes = original_files.original(part.path, record, before)
    if is_restorable and not part.content.present(made):  # entries of another scope may be left in the same file
        return original_bytes
    is_created = record is None or not record.existed
    return None if is_created and not made.strip() else encoded(part.path, made)


def _keep(change: Change, home: Path, made_folders: tuple[str, ...]) -> None:
    """Back up the original bytes next to the file, and their hashes in the data folder."""
    part, after = change.part, original_files.sha256(change.after or b"")
    record = original_files.record(part.path, home)
    if _has_ours(change):
        # The first backup stays. If somebody edited the file since, the old hash stays too: it no longer matches the
        # file, so removal will not undo that edit.
        if record is not None and record.after == original_files.sha256(change.before or b""):
            original_files.save(replace(record, after=after), home)
        return
    before = None if change.before is None else original_files.sha256(change.before)
    folders = made_folders or (record.made_folders if record else ())
    fields = (str(part.path), part.agent, part.scope, str(part.root))
    original_files.save(original_files.Record(*fields, before is not None, before, after, folders), home)
    if change.before is not None:
        original_files.write(original_files.backup_file(part.path), change.before, like=part.target)


def _has_ours(change: Change) -> bool:
    return change.before is not None and change.part.content.present(decoded(change.path, change.before))


def _named(path: Path, act: Callable[[str], Result], text: str) -> Result:
    """Call `act` on a text; raise HollowayError with the file's name if the text is not understood."""
    try:
        return act(text)
    except NotUnderstood as error:
        raise HollowayError(f"{path} {error.message}", error.hint) from None
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} cannot be changed: {error}.", "The file was not changed.") from None
