"""The git transport: one ref per replica in a bare repository of ours, exchanged with one remote.

Nobody else writes our ref, so no push is ever rejected. The user's own repository is not involved.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import FOREIGN_SEGMENTS_MAX, REPLICAS_MAX, SEGMENT_BYTES_MAX
from holloway.git.transfer import TransferFailed, check_address, run_transfer
from holloway.sharing.operation import REPLICA_CHARS
from holloway.store.database import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAMESPACE = "refs/holloway/"
BRANCH_NAMESPACE = "refs/heads/holloway/"
"""Namespace of refs on a remote that accepts branches only."""
_FETCHED = {NAMESPACE: "refs/fetched/own/", BRANCH_NAMESPACE: "refs/fetched/branch/"}
"""Local refs for each namespace; a ref in both must not stop the others from being fetched."""
_HEX = frozenset("0123456789abcdef")
_COMMITTER = b"committer holloway <holloway@invalid> 0 +0000\n"
_REFUSED_WORDS = ("deny", "denied", "hook declined", "prohibited", "forbidden", "403", "not allowed", "refusing")


class Tip(NamedTuple):
    """The newest commits of a replica, as they were fetched; two if it has a ref in either namespace."""

    replica: str
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blob:
    """A segment in the repository, before it is read."""

    name: str
    digest: str


class GitTransport:
    """Exchanges the segments of replicas with a remote repository."""

    def __init__(self, repository: Path, address: str, replica: str, namespace: str = NAMESPACE) -> None:
        self._repository = str(repository)
        self._address = check_address(address)
        self._replica = replica
        self.namespace = namespace

    def prepare(self) -> None:
        """Create the bare repository if it is missing; recreate an incomplete one."""
        folder = Path(self._repository)
        if (folder / "complete").exists():
            return
        shutil.rmtree(folder, ignore_errors=True)
        make_private_folder(folder)
        run_transfer(self._repository, "init", "--quiet", "--bare", "--shared=0600", "--template=")
        (folder / "complete").touch(0o600)

    def fetch(self) -> None:
        """Fetch the refs of all replicas; refs that left the remote leave here too."""
        self._drop_stale_locks()
        refspecs = [f"+{namespace}*:{target}*" for namespace, target in _FETCHED.items()]
        options = ("--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--force")
        run_transfer(self._repository, "fetch", *options, "--", self._address, *refspecs)

    def list_tips(self) -> list[Tip]:
        """Return the fetched refs whose names can be those of replicas."""
        output = self._run(
            "for-each-ref", f"--count={REPLICAS_MAX}", "--format=%(objectname) %(refname)", *_FETCHED.values()
        )
        commits: dict[str, list[str]] = {}
        for line in output.decode("utf-8", "replace").splitlines():
            commit, _, ref = line.partition(" ")
            name = ref.rpartition("/")[2]
            if _is_replica(name):
                commits.setdefault(name, []).append(commit)
        return [Tip(replica, tuple(sorted(own_commits))) for replica, own_commits in sorted(commits.items())]

    def list_segments(self, tip: Tip) -> list[Blob]:
        """Return the segments of a replica; more than the limit are left out, and so is what is no segment."""
        blobs: dict[str, Blob] = {}
        for commit in tip.commits:
            for entry in self._run("ls-tree", "-z", "-l", commit).decode("utf-8", "replace").split("\0"):
                about, _, path = entry.partition("\t")
                words = about.split()
                is_blob = len(words) == 4 and words[1] == "blob" and words[3].isdecimal()
                if is_blob and int(words[3]) <= SEGMENT_BYTES_MAX:
                    blobs[words[2]] = Blob(path, words[2])
        return sorted(blobs.values(), key=lambda blob: blob.name)[:FOREIGN_SEGMENTS_MAX]

    def read_blobs(self, blobs: Sequence[Blob]) -> Iterator[tuple[Blob, bytes]]:
        """Yield the content of segments."""
        if not blobs:
            return
        output = self._run("cat-file", "--batch", stdin="".join(f"{blob.digest}\n" for blob in blobs).encode())
        position = 0
        for blob in blobs:
            head_end = output.index(b"\n", position)
            size = int(output[position:head_end].split()[-1])
            yield blob, output[head_end + 1 : head_end + 1 + size]
            position = head_end + size + 2

    def find_own_tip(self) -> str:
        """Return the commit of our ref; empty if nothing was written yet."""
        return self._run("for-each-ref", "--format=%(objectname)", self._own_ref).decode().strip()

    def write_segments(self, segments: Sequence[bytes], *, first_number: int, replaces: bool) -> str:
        """Append segments to our ref, or replace its content by them; return its commit."""
        self._drop_stale_locks()
        parent = "" if replaces else self.find_own_tip()
        stream = [b"commit " + self._own_ref.encode() + b"\n", _COMMITTER, b"data 0\n"]
        stream += [f"from {parent}\n".encode()] if parent else []
        stream += [b"deleteall\n"] if not parent else []
        for number, segment in enumerate(segments, first_number):
            stream += [f"M 100644 inline {number:08d}\n".encode(), f"data {len(segment)}\n".encode(), segment, b"\n"]
        self._run(
            "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stdin=b"".join([*stream, b"done\n"])
        )
        return self.find_own_tip()

    def push(self, expected: str) -> None:
        """Push our ref. `expected` is the commit that the remote should have, so that a copied replica is noticed."""
        try:
            self._push(self.namespace, expected)
        except TransferFailed as error:
            if error.is_offline or self.namespace != NAMESPACE or not _is_refusal(error.message):
                raise
            self._push(BRANCH_NAMESPACE, "")
            self.namespace = BRANCH_NAMESPACE
        # As the next fetch would: what our ref had before is reachable from nothing then.
        self._run("update-ref", f"{_FETCHED[self.namespace]}{self._replica}", self.find_own_tip())

    def _push(self, namespace: str, expected: str) -> None:
        target = f"{namespace}{self._replica}"
        lease = f"--force-with-lease={target}:{expected}"
        run_transfer(
            self._repository, "push", "--quiet", "--no-verify", lease, "--", self._address, f"{self._own_ref}:{target}"
        )

    def remove_own_ref(self) -> None:
        """Remove our ref from the remote."""
        target = f"{self.namespace}{self._replica}"
        if run_transfer(self._repository, "ls-remote", "--", self._address, target).strip():
            run_transfer(self._repository, "push", "--quiet", "--no-verify", "--", self._address, f":{target}")

    def prune(self) -> None:
        """Delete the objects that no ref has any more: what was erased must not stay in a pack."""
        self._run("repack", "-a", "-d", "-q")
        self._run("prune", "--expire=now")

    def discard(self) -> None:
        """Delete the bare repository."""
        shutil.rmtree(self._repository, ignore_errors=True)

    @property
    def _own_ref(self) -> str:
        return f"{NAMESPACE}{self._replica}"

    def _drop_stale_locks(self) -> None:
        """Delete the lock files of a process that was killed; the caller holds the lock of the whole exchange."""
        for lock in Path(self._repository).rglob("*.lock"):
            lock.unlink(missing_ok=True)

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return run_transfer(self._repository, *arguments, stdin=stdin)


def parse_read_segments(text: str) -> set[str]:
    """Return the digests of the segments that were read before."""
    digests = json.loads(text)
    return {str(digest) for digest in digests} if isinstance(digests, list) else set()


def dump_read_segments(blobs: Iterable[Blob]) -> str:
    """Return the digests of read segments, to be stored."""
    return json.dumps(sorted(blob.digest for blob in blobs))


def _is_replica(name: str) -> bool:
    return len(name) == REPLICA_CHARS and _HEX.issuperset(name)


def _is_refusal(message: str) -> bool:
    return any(word in message.lower() for word in _REFUSED_WORDS)
