"""Quarantine of a fetch: a repository for one fetch, whose objects and refs become ours once they were looked at.

What exceeds the limits is deleted with it, and our repository is as it was before.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from holloway.config import FETCH_BYTES_MAX, REPLICAS_MAX, replace_file
from holloway.git.transfer import EXCEEDED_HINT, TransferExceeded, run_transfer
from holloway.store.database import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER_NAME = "incoming.git"
FETCHED = "refs/fetched/"
"""Beginning of the refs that were fetched."""
REFS_MAX = 2 * REPLICAS_MAX
"""Each replica may have a ref in either namespace."""


class Quarantine:
    """A repository inside of ours that borrows its objects, for one fetch."""

    def __init__(self, repository: str) -> None:
        self._repository = Path(repository)
        self._folder = self._repository / FOLDER_NAME
        self.path = str(self._folder)

    def __enter__(self) -> Self:
        shutil.rmtree(self.path, ignore_errors=True)
        for name in ("objects/info", "objects/pack", "refs"):
            make_private_folder(self._folder / name)
        _write_file(self._folder / "objects/info/alternates", f"{self._repository / 'objects'}\n")
        _write_file(self._folder / "HEAD", "ref: refs/heads/none\n")
        _write_file(self._folder / "config", "[core]\n\tbare = true\n\tsharedRepository = 0600\n")
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def fetch(self, address: str, refspecs: Iterable[str]) -> dict[str, str]:
        """Fetch refs and what they need; return the commit of each. Raises TransferExceeded above the limits."""
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--force", "--stdin")
        stdin = "".join(f"{refspec}\n" for refspec in refspecs).encode()
        command = ("fetch", *options, "--", address)
        # Its refs are gone soon; the objects may stay.
        run_transfer(self.path, *command, stdin=stdin, fsync="objects", find_excess=self._find_excess)
        if excess := self._find_excess():
            raise TransferExceeded(f"git fetch was refused: {excess}.", EXCEEDED_HINT)
        return list_refs(self.path, "refs/")

    def _find_excess(self) -> str:
        if _count_bytes(self._folder / "objects") > FETCH_BYTES_MAX:
            return f"the remote sends more than {FETCH_BYTES_MAX // 2**20:,} MB"
        if _count_files(self._folder / "refs", REFS_MAX) > REFS_MAX:
            return f"the remote has refs of more than {REPLICAS_MAX:,} devices"
        return ""

    def release(self, refs: Mapping[str, str]) -> None:
        """Move the objects to our repository, then let its fetched refs be these."""
        objects = self._folder / "objects"
        # An index comes after the pack that it is for: git looks at indexes first.
        files = [path for path in sorted(objects.rglob("*")) if path.is_file() and path.parent.name != "info"]
        for file in sorted(files, key=lambda path: path.suffix == ".idx"):
            target = self._repository / "objects" / file.relative_to(objects)
            make_private_folder(target.parent)
            file.replace(target)
        _replace_refs(self._repository, refs)


def _replace_refs(repository: Path, refs: Mapping[str, str]) -> None:
    """Replace all fetched refs at once: git writes one file for each ref, and waits for the disk each time."""
    packed = repository / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.exists() else []
    rows = (line.partition(" ") for line in lines if line[:1] not in ("#", "^"))
    entries = {ref: commit for commit, _, ref in rows if not ref.startswith(FETCHED)} | {**refs}
    text = "".join(f"{entries[ref]} {ref}\n" for ref in sorted(entries))
    replace_file(str(packed), f"# pack-refs with: peeled fully-peeled sorted \n{text}".encode())
    # A ref in a file of its own hides its line in the list.
    shutil.rmtree(repository / FETCHED, ignore_errors=True)


def list_refs(repository: str, *prefixes: str) -> dict[str, str]:
    """Return the refs of a repository below some prefixes, with their commits."""
    output = run_transfer(repository, "for-each-ref", "--format=%(objectname) %(refname)", *prefixes)
    lines = (line.partition(" ") for line in output.decode("utf-8", "replace").splitlines())
    return {ref: commit for commit, _, ref in lines}


def _write_file(path: Path, text: str) -> None:
    path.touch(0o600)
    path.write_text(text, encoding="utf-8")


def _count_bytes(folder: Path) -> int:
    """Return the size of the files below a folder in which git may be at work."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += Path(parent, name).stat().st_size
    return size


def _count_files(folder: Path, maximum: int) -> int:
    """Count the files below a folder, up to some more than a maximum."""
    count = 0
    for _, _, names in os.walk(folder):
        count += len(names)
        if count > maximum:
            break
    return count
