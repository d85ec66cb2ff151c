"""Reads the files of replicas out of a bare repository: many commits with a few processes of git."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import FOREIGN_SEGMENTS_MAX, SEGMENT_BYTES_MAX
from holloway.git.transfer import run_transfer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

TREE_BYTES_MAX = FOREIGN_SEGMENTS_MAX * 64
"""Size of the largest folder that is listed: each segment has a mode, a name of eight digits and a digest in it."""
SEGMENT_BATCH_BYTES = 16 * SEGMENT_BYTES_MAX
"""Bytes of segments that are read at once."""
_DIGEST_BYTES = 20
_FILE_MODE = b"100"


@dataclass(frozen=True, slots=True)
class Blob:
    """A segment in the repository, before it is read."""

    name: str
    digest: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """The segments of one commit by their digest, or why nothing of it is read."""

    blobs: tuple[Blob, ...] = ()
    problem: str = ""


def list_segments(repository: str, commits: Sequence[str]) -> dict[str, Listing]:
    """Return the segments of commits in the order of their names; files in folders and links are no segments.

    A commit with a file, or with more files, than the limits allow is not read at all: holloway writes no such.
    """
    listings: dict[str, Listing] = {}
    trees = _read_trees(repository, commits, listings)
    entries = {commit: _parse_tree(tree) for commit, tree in trees.items()}
    sizes = _read_sizes(repository, [digest for blobs in entries.values() for _, digest in blobs])
    for commit, blobs in entries.items():
        problem = _find_problem([sizes[digest] for _, digest in blobs])
        segments = tuple(sorted((Blob(name, digest, sizes[digest]) for name, digest in blobs), key=lambda b: b.name))
        listings[commit] = Listing(problem=problem) if problem else Listing(segments)
    return listings


def read_blobs(repository: str, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
    """Yield segments with their content, a bounded number of bytes at a time."""
    for batch in _split_batches(blobs):
        output = run_transfer(repository, "cat-file", "--batch", stdin=_join_lines(blob.digest for blob in batch))
        for blob, (_, content) in zip(batch, _split_objects(output), strict=True):
            yield blob, content


def parse_read_segments(text: str) -> set[str]:
    """Return the digests of the segments that were read before."""
    digests = json.loads(text)
    return {str(digest) for digest in digests} if isinstance(digests, list) else set()


def dump_read_segments(blobs: Iterable[Blob]) -> str:
    """Return the digests of read segments, to be stored."""
    return json.dumps(sorted(blob.digest for blob in blobs))


def _read_trees(repository: str, commits: Sequence[str], listings: dict[str, Listing]) -> dict[str, bytes]:
    """Return the root folders of commits; those that cannot be listed get their problem."""
    roots = [f"{commit}^{{tree}}" for commit in commits]
    readable: list[str] = []
    for commit, root in zip(commits, _read_headers(repository, roots), strict=True):
        if root[-2:-1] != ["tree"]:
            listings[commit] = Listing(problem="it is no commit")
        elif int(root[-1]) > TREE_BYTES_MAX:
            listings[commit] = Listing(problem=f"it has more than {FOREIGN_SEGMENTS_MAX:,} files")
        else:
            readable.append(commit)
    if not readable:
        return {}
    stdin = _join_lines(f"{commit}^{{tree}}" for commit in readable)
    objects = _split_objects(run_transfer(repository, "cat-file", "--batch", stdin=stdin))
    return {commit: content for commit, (_, content) in zip(readable, objects, strict=True)}


def _parse_tree(tree: bytes) -> list[tuple[str, str]]:
    """Return name and digest of the files in a folder, as git stores it: mode, space, name, zero byte, digest."""
    entries: list[tuple[str, str]] = []
    position = 0
    while position < len(tree):
        name_end = tree.index(b"\0", position)
        mode, _, name = tree[position:name_end].partition(b" ")
        position = name_end + 1 + _DIGEST_BYTES
        if mode.startswith(_FILE_MODE):
            entries.append((name.decode("utf-8", "replace"), tree[name_end + 1 : position].hex()))
    return entries


def _find_problem(sizes: Sequence[int]) -> str:
    if len(sizes) > FOREIGN_SEGMENTS_MAX:
        return f"it has more than {FOREIGN_SEGMENTS_MAX:,} files"
    largest = max(sizes, default=0)
    if largest > SEGMENT_BYTES_MAX:
        return f"a file of it has {largest:,} bytes, and a segment has at most {SEGMENT_BYTES_MAX:,}"
    return "a file of it is missing" if min(sizes, default=0) < 0 else ""


def _read_sizes(repository: str, digests: Sequence[str]) -> dict[str, int]:
    """Return the size of each file; -1 for one that is missing."""
    unique = list(dict.fromkeys(digests))
    headers = _read_headers(repository, unique)
    return {
        digest: int(header[-1]) if header[-2:-1] == ["blob"] else -1
        for digest, header in zip(unique, headers, strict=True)
    }


def _read_headers(repository: str, names: Sequence[str]) -> list[list[str]]:
    """Return digest, kind and size of each object, or what git says of a missing one, without reading them."""
    if not names:
        return []
    output = run_transfer(repository, "cat-file", "--batch-check", stdin=_join_lines(names))
    return [line.split() for line in output.decode("utf-8", "replace").splitlines()]


def _split_objects(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield kind and content of the objects that `cat-file --batch` wrote; none of them may be missing."""
    position = 0
    while position < len(output):
        head_end = output.index(b"\n", position)
        _, kind, size = output[position:head_end].decode().split()
        content_end = head_end + 1 + int(size)
        yield kind, output[head_end + 1 : content_end]
        position = content_end + 1


def _split_batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    batch: list[Blob] = []
    size = 0
    for blob in blobs:
        if batch and size + blob.size > SEGMENT_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(blob)
        size += blob.size
    if batch:
        yield batch


def _join_lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
