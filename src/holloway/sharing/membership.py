"""Whether and with whom a store is shared: switching it on, pausing, leaving, and which people are accepted."""

from __future__ import annotations

import getpass
import hashlib
import platform
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from holloway.config import AUTHOR_CHARS_MAX, SYNC_LOCK_WAIT_S
from holloway.domain.memory import Visibility
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.git import read_user_name
from holloway.git.transfer import check_address, read_remote_address
from holloway.sharing.git_transport import NAMESPACE, GitTransport
from holloway.sharing.incoming import apply_waiting
from holloway.sharing.participants import accept_replica
from holloway.sharing.recorder import Recorder
from holloway.sharing.segment import ReplicaProfile
from holloway.sharing.shared_fields import explain_refusal
from holloway.sharing.signature import ReplicaKey
from holloway.sharing.sync import Synchronizer
from holloway.store import local_key, operation_log
from holloway.store.filter import SHARED_ORIGIN, Filter
from holloway.store.operation_log import OWN, REFUSED, STRANGER, Replica
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory import Memory
    from holloway.sharing.sync import SyncReport
    from holloway.store.store import Store

REPLICA_KEY_NAME = "replica.key"
REPOSITORY_NAME = "sharing.git"
LOCK_NAME = "sharing.lock"
USER_SPACE = "user"
"""Name of what one person's devices share of the memories for all projects."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The memories that may leave this machine, and the reasons why the others may not."""

    ready: tuple[Memory, ...]
    """Their visibility was chosen."""
    unchosen: tuple[Memory, ...]
    """They may leave once the person chooses so."""
    refused: tuple[tuple[Memory, str], ...]


class SyncBusy(HollowayError):
    """Another process exchanges operations of the same store."""


class Membership:
    """The part that a store has in sharing."""

    def __init__(self, store: Store, *, is_user: bool = False) -> None:
        self._store = store
        self._database = store.database
        self._is_user = is_user

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of sharing; empty if it was never switched on."""
        return operation_log.read_settings(self._database)

    @property
    def is_on(self) -> bool:
        """Whether sharing is on, paused or not."""
        return bool(self.settings.get("replica"))

    def change_settings(self, **changes: Any) -> None:
        """Change some settings."""
        with self._database.write_transaction():
            operation_log.write_settings(self._database, self.settings | changes)

    def survey(self) -> Survey:
        """Return which living memories of this device may leave this machine, each scanned for secrets."""
        ready: list[Memory] = []
        unchosen: list[Memory] = []
        refused: list[tuple[Memory, str]] = []
        for memory in self._store.memories.find_memories(Filter(), -1):
            if memory.origin.startswith(SHARED_ORIGIN):
                continue  # it came from another device, which sends it
            # Asked as if it were chosen: whether to choose it is the question.
            if reason := explain_refusal(_widen_unchosen(memory), personal=self._is_user):
                refused.append((memory, reason))
            elif memory.chosen or self._is_user:
                ready.append(memory)
            else:
                unchosen.append(memory)
        return Survey(tuple(ready), tuple(unchosen), tuple(refused))

    def find_address(self, remote: str) -> str:
        """Return the address of a remote, given by its name or as an address. Raises InvalidInput without one."""
        address = read_remote_address(str(self._store.project.root), remote)
        if not address and not any(mark in remote for mark in ":/"):
            hint = "Name another with --remote, or give an address; `git remote -v` lists them."
            raise InvalidInput(f"The repository has no remote {remote!r}.", hint)
        return check_address(address or remote)

    def start(self, address: str, memories: Sequence[Memory], *, author: str = "", device: str = "") -> int:
        """Switch sharing on with these memories and record each of them; return how many are shared.

        Nothing leaves before the first exchange.
        """
        space = self._name_space()
        key = self._load_key()
        at = format_stamp(self._store.clock.now())
        person = author or read_user_name(str(self._store.project.root)) or getpass.getuser()
        name, machine = (one_line(text, AUTHOR_CHARS_MAX) for text in (person, device or platform.node()))
        settings = {
            "replica": key.replica,
            "address": address,
            "namespace": NAMESPACE,
            "space": space,
            "author": name,
            "device": machine,
            "personal": self._is_user,
            "paused": False,
            "since": at,
        }
        with self._database.write_transaction():
            operation_log.write_settings(self._database, self.settings | settings)
            operation_log.save_replica(self._database, Replica(key.replica, name, machine, OWN, first_seen_at=at))
            self.choose(memories)
            recorder = Recorder(self._store)
            if not operation_log.list_written_by(self._database, key.replica):
                # Makes itself known, so that the others can accept it before it says anything.
                recorder.add_operation(key.replica, f"{key.replica}/", {"devices": {key.replica: True}})
            recorder.record_everything()
            return len(operation_log.list_shared(self._database))

    def choose(self, memories: Iterable[Memory]) -> None:
        """Record that the person chose that these memories may leave; one that nobody made wider is the project's."""
        with self._database.write_transaction():
            for memory in memories:
                if not memory.chosen:
                    visibility = memory.visibility if self._is_user else _widen_unchosen(memory).visibility
                    note = f"to share: {visibility}"
                    self._store.memories.update_memory(memory, "chosen", note, chosen=True, visibility=visibility)

    def synchronize(self, *, wait_s: float = SYNC_LOCK_WAIT_S) -> SyncReport:
        """Exchange operations with the remote now. Raises SyncBusy or TransferFailed; nothing is lost then."""
        settings = self._require_on()
        try:
            with FileLock(str(self._store.project.folder / LOCK_NAME), timeout=wait_s, mode=0o600):
                return self._exchange(settings)
        except Timeout as error:
            raise SyncBusy("Another process is exchanging memories.", "Wait for it, or try again later.") from error

    def _exchange(self, settings: dict[str, Any]) -> SyncReport:
        self.change_settings(attempted_at=format_stamp(self._store.clock.now()))
        key = self._load_key()
        if key.replica != settings["replica"]:
            hint = "`holloway share --leave`, then `holloway share --git` starts with a new one."
            raise HollowayError("The key of this replica is missing or another one.", hint)
        transport = self._open_transport(settings)
        profile = ReplicaProfile(key.replica, key.public_key.hex(), settings["author"], settings["device"])
        try:
            report = Synchronizer(self._store, transport, key, profile, settings["space"]).synchronize()
        except HollowayError as error:
            is_offline = bool(getattr(error, "is_offline", False))
            self.change_settings(problem=error.message, is_offline=is_offline)
            raise
        at = format_stamp(self._store.clock.now())
        refused = report.refused[:20]
        self.change_settings(synced_at=at, problem="", is_offline=False, namespace=transport.namespace, refused=refused)
        return report

    def is_due(self, seconds: float) -> bool:
        """Return whether the last exchange began at least that long ago, or at a time that is still to come."""
        settings = self.settings
        if not settings.get("replica") or settings.get("paused"):
            return False
        attempted_at = settings.get("attempted_at")
        if not attempted_at:
            return True
        passed_s = (self._store.clock.now() - parse_stamp(attempted_at)).total_seconds()
        return not 0 <= passed_s < seconds

    def set_paused(self, *, is_paused: bool) -> None:
        """Stop exchanging, or go on; changes are recorded meanwhile."""
        self._require_on()
        self.change_settings(paused=is_paused)

    def leave(self) -> None:
        """Remove our ref from the remote and end sharing; the memories stay, also those of other people.

        Raises TransferFailed if the remote cannot be reached: what was shared would stay there.
        """
        settings = self._require_on()
        with FileLock(str(self._store.project.folder / LOCK_NAME), timeout=SYNC_LOCK_WAIT_S, mode=0o600):
            transport = self._open_transport(settings)
            transport.prepare()
            transport.remove_own_ref()
            with self._database.write_transaction():
                operation_log.clear_log(self._database)
            transport.discard()
            (self._store.project.folder / REPLICA_KEY_NAME).unlink(missing_ok=True)

    def list_people(self) -> list[Replica]:
        """Return the replicas that were seen, this one first."""
        return operation_log.list_replicas(self._database)

    def accept(self, name: str, *, is_mine: bool = False) -> list[Replica]:
        """Accept the replicas that a name means: an author, a device or the beginning of a replica.

        Their memories are released from quarantine. With `is_mine`, they act for the person here. Raises InvalidInput
        if the name means nobody.
        """
        replicas = self._find_people(name)
        recorder = Recorder(self._store)
        with self._database.write_transaction():
            for replica in replicas:
                accept_replica(self._store, replica)
                if is_mine:
                    record = f"{self.settings['replica']}/"
                    recorder.add_operation(self.settings["replica"], record, {"devices": {replica.replica: True}})
        apply_waiting(self._store)
        return replicas

    def refuse(self, name: str) -> list[Replica]:
        """Refuse replicas: their memories are set aside, and nothing more of them is read."""
        replicas = self._find_people(name)
        with self._database.write_transaction():
            for replica in replicas:
                operation_log.save_replica(self._database, replica._replace(standing=REFUSED))
        apply_waiting(self._store)
        return replicas

    def _find_people(self, name: str) -> list[Replica]:
        wanted = name.strip().casefold()
        others = [replica for replica in self.list_people() if replica.standing != OWN]
        replicas = [
            replica
            for replica in others
            if wanted in (replica.author.casefold(), replica.device.casefold(), "all")
            or (len(wanted) >= 6 and replica.replica.startswith(wanted))
        ]
        # `all` accepts those that nobody decided on, and nobody who was refused.
        replicas = [replica for replica in replicas if wanted != "all" or replica.standing == STRANGER]
        if not replicas:
            known_names = ", ".join(sorted({replica.author for replica in others})) or "nobody yet"
            raise InvalidInput(f"Nobody called {name[:80]!r} has shared with you.", f"Seen: {known_names}.")
        return replicas

    def _require_on(self) -> dict[str, Any]:
        settings = self.settings
        if not settings.get("replica"):
            raise InvalidInput(
                "Nothing is shared here.", "`holloway share --git` starts it; it shows what would leave."
            )
        return settings

    def _open_transport(self, settings: dict[str, Any]) -> GitTransport:
        repository = self._store.project.folder / REPOSITORY_NAME
        return GitTransport(repository, settings["address"], settings["replica"], settings["namespace"])

    def _load_key(self) -> ReplicaKey:
        return ReplicaKey(local_key.load_or_create_key(self._store.project.folder, REPLICA_KEY_NAME))

    def _name_space(self) -> str:
        """Return the name by which replicas of the same project know each other, from their first commit."""
        if self._is_user:
            return USER_SPACE
        commits = sorted(name for name in self._store.project.identities if name.startswith("root:"))
        if not commits:
            hint = "A shallow clone can be completed with `git fetch --unshallow`."
            raise InvalidInput("The first commit of this project is not known, so nobody could join it.", hint)
        return hashlib.sha256(commits[0].encode()).hexdigest()[:32]


def _widen_unchosen(memory: Memory) -> Memory:
    """Return a memory as it is once the person chose to share it: one that was personal by default is the project's."""
    if memory.chosen:
        return memory
    is_narrow = memory.visibility is Visibility.PERSONAL
    return replace(memory, chosen=True, visibility=Visibility.PROJECT if is_narrow else memory.visibility)
