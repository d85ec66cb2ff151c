"""People and devices that share one project through a bare repository on this disk."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import holloway
from holloway.sharing.incoming import fold_memories
from holloway.sharing.merge import digest_states
from holloway.sharing.participants import load_participants
from holloway.store import operation_log
from holloway.store.filter import Filter
from holloway.testing import CountedIds, FakeClock
from tests.conftest import make_repository

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.service.share import Sharing
    from holloway.sharing.sync import SyncReport


@dataclass
class Device:
    """One device: its memory of the shared project."""

    memory: holloway.Holloway
    sharing: Sharing
    home: Path
    author: str

    def sync(self) -> SyncReport:
        """Exchange once."""
        return self.sharing.membership.synchronize()

    def remember(self, text: str) -> Memory:
        """Teach a memory that may leave."""
        remembered = self.memory.remember(text, visibility="project").memory
        assert remembered is not None
        return remembered

    def texts(self) -> list[str]:
        """Return the texts of the living memories, in order."""
        return sorted(card.content for card in self.memory.store.memories.find_memories(Filter(), limit=-1))

    def digest(self) -> str:
        """Return the digest of shared state."""
        store = self.memory.store
        names = operation_log.list_all_memories(store.database)
        return digest_states(fold_memories(store, names, load_participants(store)))

    @property
    def replica(self) -> str:
        """The name of this replica."""
        return str(self.sharing.membership.settings["replica"])


Join = Callable[..., Device]


@dataclass
class Team:
    """A hub, and devices that join one after the other."""

    folder: Path
    hub: Path
    clock: FakeClock
    stack: ExitStack

    def join(
        self, author: str, device: str = "laptop", *, shares: tuple[str, ...] = (), root: Path | None = None
    ) -> Device:
        """Start a device that shares some texts, and exchange once."""
        name = f"{author}-{device}"
        home = self.folder / name
        project = root or make_repository(self.folder / "checkouts" / name / "shop").root
        memory = self.stack.enter_context(holloway.open(project, home=home, clock=self.clock, ids=CountedIds(name)))
        joined = Device(memory, memory.sharing(), home, author)
        for text in shares:
            joined.remember(text)
        joined.sharing.membership.start(str(self.hub), (), author=author, device=device)
        joined.sync()
        return joined

    def accept_all(self, *devices: Device) -> None:
        """Let every device accept every other."""
        for device in devices:
            if any(replica.standing == "unknown" for replica in device.sharing.membership.list_people()):
                device.sharing.membership.accept("all")

    def refs(self) -> list[str]:
        """Return the refs of the hub."""
        return self.git("for-each-ref", "--format=%(refname)").split()

    def git(self, *arguments: str) -> str:
        """Run git in the hub."""
        return subprocess.run(
            ["git", "-C", str(self.hub), *arguments], check=True, capture_output=True, text=True
        ).stdout


@contextmanager
def open_team(folder: Path) -> Iterator[Team]:
    """A team without anybody in it yet."""
    hub = folder / "hub.git"
    folder.mkdir(exist_ok=True, parents=True)
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    with ExitStack() as stack:
        yield Team(folder, hub, FakeClock(), stack)


def exchange(*devices: Device, rounds: int = 2) -> None:
    """Let all devices exchange, so that everybody has what everybody wrote."""
    for _ in range(rounds):
        for device in devices:
            device.sync()


def find_files(folder: Path, text: bytes) -> list[str]:
    """Return the files below a folder that contain a text; a repository of git is read unpacked."""
    files = [str(path) for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]
    return files or ["an object of git"] * (text in read_everything(folder))


def read_everything(folder: Path) -> bytes:
    """Return the bytes of all files below a folder, objects of git unpacked."""
    data = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    for repository in [path.parent for path in folder.rglob("HEAD") if (path.parent / "objects").is_dir()]:
        command = ["git", "--git-dir", str(repository), "cat-file", "--batch-all-objects", "--batch", "--unordered"]
        data += subprocess.run(command, check=True, capture_output=True).stdout
    return data
