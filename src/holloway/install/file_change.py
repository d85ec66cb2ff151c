"""One file of an agent's: what would happen to it, and making it happen."""

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
    """A file of a project is a link to somewhere else; a repository can bring such links."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file and what belongs into it. One that is not needed may be left out; one of a project must lie in it.

    One that is retired was written by an earlier setup, and goes.
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
        """The file behind links: the one that is written."""
        target = Path(os.path.realpath(self.path))
        for real in (target, Path(os.path.realpath(self.path.parent))):
            if self.inside and not real.is_relative_to(os.path.realpath(self.root)):
                raise LeadsOut(
                    f"{self.path} leads out of the project, to {real}.",
                    "Nothing was changed. Look at who made that link; --scope user does not need it.",
                )
        return target


@dataclass(frozen=True, slots=True)
class Change:
    """What would happen to a file, and for a removal to the files of ours that belong to it."""

    part: Part
    before: bytes | None
    after: bytes | None
    removes: bool = False
    leftovers: tuple[Path, ...] = ()

    @property
    def path(self) -> Path:
        """The file."""
        return self.part.path

    @property
    def rewrites(self) -> bool:
        """Whether the file itself would change."""
        return self.before != self.after

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.rewrites or bool(self.leftovers)

    @property
    def action(self) -> str:
        """What happens to the file, in a word."""
        if not self.rewrites:
            return "tidy" if self.leftovers else "keep"
        return "create" if self.before is None else "delete" if self.after is None else "change"


def setup(part: Part) -> Change:
    """The change that puts our entries into a file; nothing is written."""
    target = part.target
    before = original_files.read(part.path)
    text = decoded(part.path, before)
    made = _named(part.path, part.content.put, text)
    if made == text:
        return Change(part, before, before)
    _refuse_read_only(part.path, target)
    return Change(part, before, encoded(part.path, made))


def removal(part: Part, home: Path) -> Change:
    """The change that takes our entries out of a file: the very bytes from before, if nobody else changed it since."""
    target = part.target
    before = original_files.read(part.path)
    if before is None:
        return Change(part, None, None, removes=True, leftovers=original_files.leftovers(part.path, home))
    text = decoded(part.path, before)
    made = _named(part.path, part.content.taken, text)
    if made != text:
        _refuse_read_only(part.path, target)
    after = before if made == text else _best(part, before, made, home)
    left = _named(part.path, part.content.present, decoded(part.path, after))
    return Change(
        part, before, after, removes=True, leftovers=() if left else original_files.leftovers(part.path, home)
    )


def apply(change: Change, home: Path, made_folders: tuple[str, ...] = ()) -> None:
    """Write a change; the bytes that stood there are kept beside it, so that removal can bring them back.

    `made_folders` are those above the file that were not there before any file was written.
    """
    target = change.part.target
    if original_files.read(change.path) != change.before:
        raise HollowayError(
            f"{change.path} was changed in the meantime; nothing was written.", "Run the command again."
        )
    if not change.removes:
        _keep(change, home, made_folders)
        original_files.write(target, change.after)
        return
    if change.rewrites:
        original_files.write(target, change.after)
    if change.leftovers:
        original_files.forget(change.path, home)
    elif (known := original_files.record(change.path, home)) is not None and change.after is not None:
        original_files.save(replace(known, after=original_files.sha256(change.after)), home)


def undo(change: Change, home: Path) -> None:
    """Take a setup back that was applied a moment ago, or in part."""
    if original_files.read(change.path) == change.after:
        original_files.write(change.part.target, change.before)
    if not _has_ours(change):
        original_files.forget(change.path, home)


def decoded(path: Path, data: bytes | None) -> str:
    """The text of a file; line ends and a byte-order mark stay in it."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise HollowayError(f"{path} is not UTF-8 text (byte {error.start}).", "It was left as it is.") from None


def encoded(path: Path, text: str) -> bytes:
    """The bytes of a text."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise HollowayError(f"{path} would have to hold a name that is not UTF-8.", "It was left as it is.") from None


def _refuse_read_only(path: Path, target: Path) -> None:
    """A person, or whatever manages their files, has said that this one is not to be written."""
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise HollowayError(f"{path} is read-only; nothing was changed.", "Make it writable, then try again.")


def _best(part: Part, before: bytes, made: str, home: Path) -> bytes | None:
    known = original_files.record(part.path, home)
    can, kept = original_files.original(part.path, known, before)
    if can and not part.content.present(made):  # entries of another scope may be left in the same file
        return kept
    fresh = known is None or not known.existed
    return None if fresh and not made.strip() else encoded(part.path, made)


def _keep(change: Change, home: Path, made_folders: tuple[str, ...]) -> None:
    """Keep the bytes from before holloway came beside the file, and what is needed to trust them in the data folder."""
    part, after = change.part, original_files.sha256(change.after or b"")
    known = original_files.record(part.path, home)
    if _has_ours(change):
        # The first original stays. Where somebody has edited the file since, the old hash stays too: it no longer
        # fits the file, so that removal will not undo that edit.
        if known is not None and known.after == original_files.sha256(change.before or b""):
            original_files.save(replace(known, after=after), home)
        return
    before = None if change.before is None else original_files.sha256(change.before)
    made = made_folders or (known.made_folders if known else ())
    fields = (str(part.path), part.agent, part.scope, str(part.root))
    original_files.save(original_files.Record(*fields, before is not None, before, after, made), home)
    if change.before is not None:
        original_files.write(original_files.backup_file(part.path), change.before, like=part.target)


def _has_ours(change: Change) -> bool:
    return change.before is not None and change.part.content.present(decoded(change.path, change.before))


def _named(path: Path, act: Callable[[str], Result], text: str) -> Result:
    """What is done to a text; where it is not understood, the file is named."""
    try:
        return act(text)
    except NotUnderstood as error:
        raise HollowayError(f"{path} {error.message}", error.hint) from None
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} cannot be changed: {error}.", "It was left as it is.") from None
