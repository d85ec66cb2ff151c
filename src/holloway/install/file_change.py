"""Change of one agent configuration file: compute it, show its diff, apply it atomically, undo it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from holloway.errors import HollowayError
from holloway.install import original_files
from holloway.install.file_content import UnsupportedConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.install.file_content import ConfigContent


Result = TypeVar("Result")
AROUND_CHARS = 16
"""Characters shown on either side of the changed part of a long line."""


class LinkOutsideProject(HollowayError):
    """Path traversal: a file of a project is a symbolic link that points outside it."""


@dataclass(frozen=True, slots=True)
class ConfigPart:
    """A configuration file and the content that setup puts into it.

    `needed`: setup fails without it. `inside`: it must be within the project. `retired`: an earlier setup wrote it, and
    it is removed.
    """

    path: Path
    content: ConfigContent
    agent: str
    scope: str
    root: Path
    needed: bool = False
    inside: bool = False
    retired: bool = False

    @property
    def target_path(self) -> Path:
        """Return the file to write, symbolic links resolved. Raises LinkOutsideProject if it is outside the project."""
        target = Path(os.path.realpath(self.path))
        for real in (target, Path(os.path.realpath(self.path.parent))):
            if self.inside and not real.is_relative_to(os.path.realpath(self.root)):
                raise LinkOutsideProject(
                    f"{self.path} is a link out of the project, to {real}.",
                    "Nothing was changed. Check who created that link; --scope user does not need it.",
                )
        return target


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """Planned change of a file, and for a removal the leftover files (backup, record) to delete with it."""

    part: ConfigPart
    before: bytes | None
    after: bytes | None
    removes: bool = False
    leftovers: tuple[Path, ...] = ()

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.part.path

    @property
    def changes_file(self) -> bool:
        """Return whether the file itself would change."""
        return self.before != self.after

    @property
    def is_needed(self) -> bool:
        """Return whether anything would change."""
        return self.changes_file or bool(self.leftovers)

    @property
    def action(self) -> str:
        """Return the action in one word: create, change, delete, tidy or keep."""
        if not self.changes_file:
            return "tidy" if self.leftovers else "keep"
        return "create" if self.before is None else "delete" if self.after is None else "change"


def plan_setup(part: ConfigPart) -> ConfigChange:
    """Compute the change that adds our entries to a file; nothing is written. Raises HollowayError if it cannot."""
    target = part.target_path
    before = original_files.read_config(part.path)
    text = decode_file(part.path, before)
    new_text = _call_with_path(part.path, part.content.add_entries, text)
    if new_text == text:
        return ConfigChange(part, before, before)
    _refuse_read_only(part.path, target)
    return ConfigChange(part, before, encode_text(part.path, new_text))


def plan_removal(part: ConfigPart, home: Path) -> ConfigChange:
    """Compute the change that removes our entries; it restores the original bytes if nobody changed the file since."""
    target = part.target_path
    before = original_files.read_config(part.path)
    if before is None:
        return ConfigChange(part, None, None, removes=True, leftovers=original_files.list_leftovers(part.path, home))
    text = decode_file(part.path, before)
    new_text = _call_with_path(part.path, part.content.remove_entries, text)
    if new_text != text:
        _refuse_read_only(part.path, target)
    after = before if new_text == text else _restored_bytes(part, before, new_text, home)
    has_entries = _call_with_path(part.path, part.content.has_entries, decode_file(part.path, after))
    return ConfigChange(
        part,
        before,
        after,
        removes=True,
        leftovers=() if has_entries else original_files.list_leftovers(part.path, home),
    )


def apply_change(change: ConfigChange, home: Path, made_folders: tuple[str, ...] = ()) -> None:
    """Write a change atomically and back up the original bytes next to the file, so that removal can restore them.

    `made_folders` are the parent folders that did not exist before any file was written. Raises HollowayError if the
    file changed since the plan was made.
    """
    target = change.part.target_path
    if original_files.read_config(change.path) != change.before:
        raise HollowayError(
            f"{change.path} was changed by another program; nothing was written.", "Run the command again."
        )
    if not change.removes:
        _save_original(change, home, made_folders)
        original_files.write_config(target, change.after)
        return
    if change.changes_file:
        original_files.write_config(target, change.after)
    if change.leftovers:
        original_files.delete_leftovers(change.path, home)
    elif (record := original_files.load_record(change.path, home)) is not None and change.after is not None:
        original_files.save_record(replace(record, after=original_files.hash_bytes(change.after)), home)


def undo_change(change: ConfigChange, home: Path) -> None:
    """Roll back a setup that was just applied, fully or in part."""
    if original_files.read_config(change.path) == change.after:
        original_files.write_config(change.part.target_path, change.before)
    if not _had_our_entries(change):
        original_files.delete_leftovers(change.path, home)


def decode_file(path: Path, data: bytes | None) -> str:
    """Decode a file as UTF-8, keeping line endings and byte-order mark. Raises HollowayError."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise HollowayError(f"{path} is not UTF-8 text (byte {error.start}).", "The file was not changed.") from None


def encode_text(path: Path, text: str) -> bytes:
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


def _restored_bytes(part: ConfigPart, before: bytes, new_text: str, home: Path) -> bytes | None:
    record = original_files.load_record(part.path, home)
    is_restorable, original_bytes = original_files.find_original(part.path, record, before)
    if is_restorable and not part.content.has_entries(
        new_text
    ):  # entries of another scope may be left in the same file
        return original_bytes
    is_created = record is None or not record.existed
    return None if is_created and not new_text.strip() else encode_text(part.path, new_text)


def _save_original(change: ConfigChange, home: Path, made_folders: tuple[str, ...]) -> None:
    """Back up the original bytes next to the file, and their hashes in the data folder."""
    part, after = change.part, original_files.hash_bytes(change.after or b"")
    record = original_files.load_record(part.path, home)
    if _had_our_entries(change):
        # The first backup stays. If somebody edited the file since, the old hash stays too: it no longer matches the
        # file, so removal will not undo that edit.
        if record is not None and record.after == original_files.hash_bytes(change.before or b""):
            original_files.save_record(replace(record, after=after), home)
        return
    before = None if change.before is None else original_files.hash_bytes(change.before)
    folders = made_folders or (record.made_folders if record else ())
    fields = (str(part.path), part.agent, part.scope, str(part.root))
    original_files.save_record(original_files.InstallRecord(*fields, before is not None, before, after, folders), home)
    if change.before is not None:
        original_files.write_config(original_files.backup_path(part.path), change.before, like=part.target_path)


def _had_our_entries(change: ConfigChange) -> bool:
    return change.before is not None and change.part.content.has_entries(decode_file(change.path, change.before))


def _call_with_path(path: Path, act: Callable[[str], Result], text: str) -> Result:
    """Call `act` on a text; raise HollowayError with the file's name if the text is not understood."""
    try:
        return act(text)
    except UnsupportedConfig as error:
        raise HollowayError(f"{path} {error.message}", error.hint) from None
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} cannot be changed: {error}.", "The file was not changed.") from None


def render_diff(change: ConfigChange) -> str:
    """Return the removed and added lines below the file's name; an empty string if nothing changes.

    Only the lines from the first change to the last are compared: agents keep megabytes in such a file.
    """
    if not change.changes_file:
        return ""
    old, new = _split_lines(change.before), _split_lines(change.after)
    head = _common_prefix_length(old, new)
    tail = _common_prefix_length(old[head:][::-1], new[head:][::-1])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    lines = [f"--- {change.path if change.before is not None else '(no file)'}"]
    lines.append(f"+++ {change.path if change.after is not None else '(no file)'}")
    for kind, start, end, first, last in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            lines.append(f"@@ line {head + start + 1} @@")
            lines += _render_hunk(old[start:end], new[first:last])
    return "\n".join(lines) + "\n"


def _render_hunk(old: list[str], new: list[str]) -> list[str]:
    if old and len(old) <= len(new):
        pairs = [_shorten_pair(removed_line, added_line) for removed_line, added_line in zip(old, new, strict=False)]
        additional_lines = [f"+{line}" for line in new[len(old) :]]
        return (
            [f"-{removed_line}" for removed_line, _ in pairs]
            + [f"+{added_line}" for _, added_line in pairs]
            + additional_lines
        )
    return [f"-{line}" for line in old] + [f"+{line}" for line in new]


def _shorten_pair(removed_line: str, added_line: str) -> tuple[str, str]:
    """Shorten two lines to their differing part with a little context."""
    start = _common_prefix_length(removed_line, added_line)
    room = min(len(removed_line), len(added_line)) - start
    end = min(room, _common_prefix_length(removed_line[::-1], added_line[::-1]))
    head = removed_line[:start] if start <= AROUND_CHARS * 2 else f"…{removed_line[start - AROUND_CHARS : start]}"
    tail = (
        removed_line[len(removed_line) - end :]
        if end <= AROUND_CHARS * 2
        else f"{removed_line[len(removed_line) - end :][:AROUND_CHARS]}…"
    )
    return head + removed_line[start : len(removed_line) - end] + tail, head + added_line[
        start : len(added_line) - end
    ] + tail


def _common_prefix_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the common prefix of two lines, or of two lists of lines."""
    return next(
        (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _split_lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()
