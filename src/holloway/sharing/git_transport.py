"""The git transport: one ref per replica in a bare repository of ours, exchanged with one remote.

Nobody else writes our ref, so no push is ever rejected. The user's own repository is not involved.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import REPLICAS_MAX, SHARING_BYTES_MAX
from holloway.git.transfer import EXCEEDED_HINT, TransferExceeded, TransferFailed, check_address, run_transfer
from holloway.sharing.operation import REPLICA_CHARS
from holloway.sharing.quarantine import FETCHED, Quarantine, list_refs
from holloway.sharing.segment_files import list_segments, read_blobs
from holloway.store.database import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from holloway.sharing.segment_files import Blob, Listing

NAMESPACE = "refs/holloway/"
BRANCH_NAMESPACE = "refs/heads/holloway/"
"""Namespace of refs on a remote that accepts branches only."""
_FETCHED = {NAMESPACE: f"{FETCHED}own/", BRANCH_NAMESPACE: f"{FETCHED}branch/"}
"""Local refs for each namespace; a ref in both must not stop the others from being fetched."""
UNKNOWN_DEVICES = f"{NAMESPACE}*"
"""Stands for the refs of all devices that were never read before."""
PACKS_MAX = 64
"""Each exchange leaves one or two packs; with more than these, they are joined."""
_HEX = frozenset("0123456789abcdef")
_COMMITTER = b"committer holloway <holloway@invalid> 0 +0000\n"
_REFUSED_WORDS = ("deny", "denied", "hook declined", "prohibited", "forbidden", "403", "not allowed", "refusing")


class Tip(NamedTuple):
    """The newest commits of a replica, as they were fetched; two if it has a ref in either namespace."""

    replica: str
    commits: tuple[str, ...]


class GitTransport:
    """Exchanges the segments of replicas with a remote repository."""

    def __init__(self, repository: Path, address: str, replica: str, namespace: str = NAMESPACE) -> None:
        self._repository = str(repository)
        self._address = check_address(address)
        self._replica = replica
        self._listings: dict[str, Listing] = {}
        """The segments of commits that were listed before: a commit never changes."""
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

    def fetch(self, excluded: Iterable[str] = ()) -> dict[str, str]:
        """Fetch the refs of all replicas but the excluded ones; refs that left the remote leave here too.

        Returns the refs that were set aside, with the reason: those that hold what no replica writes, or, as
        `UNKNOWN_DEVICES`, those of all devices that were never read before, because they exceed the limits.
        Excluded, they cost nothing. Raises TransferExceeded if the others do too, and TransferFailed if git fails.
        """
        self._drop_stale_locks()
        self._limit_size()
        before = list_refs(self._repository, *_FETCHED.values())
        excluded, set_aside = {*excluded}, dict[str, str]()
        while True:
            try:
                problems = self._fetch_once(before, excluded)
            except TransferFailed as error:
                if error.is_offline or UNKNOWN_DEVICES in excluded or not before:
                    raise
                problems = {UNKNOWN_DEVICES: error.message}
            if not problems:
                return set_aside
            set_aside |= problems
            excluded |= problems.keys()

    def _fetch_once(self, before: Mapping[str, str], excluded: Collection[str]) -> dict[str, str]:
        """Fetch into quarantine; return the problems of refs, or release everything from it if there are none."""
        with Quarantine(self._repository) as quarantine:
            fetched = quarantine.fetch(self._address, self._build_refspecs(before, excluded))
            refs = {ref: commit for ref, commit in fetched.items() if _is_replica(ref.rpartition("/")[2])}
            if len({ref.rpartition("/")[2] for ref in refs}) > REPLICAS_MAX:
                raise TransferExceeded(f"The remote has refs of more than {REPLICAS_MAX:,} devices.", EXCEEDED_HINT)
            new = sorted({commit for ref, commit in refs.items() if before.get(ref) != commit})
            self._listings |= list_segments(quarantine.path, new)
            problems = {
                _name_on_remote(ref): listing.problem
                for ref, commit in refs.items()
                if (listing := self._listings.get(commit)) and listing.problem
            }
            if not problems:
                quarantine.release(refs)
            return problems

    def _build_refspecs(self, before: Mapping[str, str], excluded: Collection[str]) -> list[str]:
        if UNKNOWN_DEVICES not in excluded:
            wanted = [f"+{namespace}*:{target}*" for namespace, target in _FETCHED.items()]
        else:
            # With a star, a ref that left the remote is no error; the remote is asked for these refs only.
            targets = {*before, *(f"{target}{self._replica}" for target in _FETCHED.values())}
            wanted = [f"+{_name_on_remote(ref)}*:{ref}*" for ref in sorted(targets)]
        return [*wanted, *(f"^{ref}" for ref in sorted(excluded) if ref != UNKNOWN_DEVICES)]

    def _limit_size(self) -> None:
        """Pack what exchanges left in many packs; refuse to go on in a repository that was flooded."""
        folder = Path(self._repository) / "objects/pack"
        packs = [path.stat().st_size for path in folder.glob("*.pack")]
        if len(packs) > PACKS_MAX or sum(packs) > SHARING_BYTES_MAX:
            self.prune()
        if sum(path.stat().st_size for path in folder.glob("*.pack")) > SHARING_BYTES_MAX:
            message = f"What was fetched has grown to more than {SHARING_BYTES_MAX // 2**20:,} MB; nothing is added."
            raise TransferExceeded(message, "`holloway share --refuse NAME` for devices that you do not know.")

    def list_tips(self) -> list[Tip]:
        """Return the fetched refs whose names can be those of replicas."""
        commits: dict[str, list[str]] = {}
        for ref, commit in list_refs(self._repository, *_FETCHED.values()).items():
            commits.setdefault(ref.rpartition("/")[2], []).append(commit)
        return [Tip(replica, tuple(sorted(own_commits))) for replica, own_commits in sorted(commits.items())]

    def list_segments(self, tips: Iterable[Tip]) -> dict[str, list[Blob]]:
        """Return the segments of replicas in the order of their names."""
        tips = list(tips)
        unread = [commit for tip in tips for commit in tip.commits if commit not in self._listings]
        self._listings |= list_segments(self._repository, unread)
        segments: dict[str, list[Blob]] = {}
        for tip in tips:
            blobs = {blob.digest: blob for commit in tip.commits for blob in self._listings[commit].blobs}
            segments[tip.replica] = sorted(blobs.values(), key=lambda blob: blob.name)
        return segments

    def read_blobs(self, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
        """Yield segments with their content."""
        return read_blobs(self._repository, blobs)

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


def _name_on_remote(ref: str) -> str:
    """Return the name that a fetched ref has on the remote."""
    return next(f"{namespace}{ref[len(target) :]}" for namespace, target in _FETCHED.items() if ref.startswith(target))


def _is_replica(name: str) -> bool:
    return len(name) == REPLICA_CHARS and _HEX.issuperset(name)


def _is_refusal(message: str) -> bool:
    return any(word in message.lower() for word in _REFUSED_WORDS)
