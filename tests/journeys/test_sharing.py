"""Two people and three devices share a project through real commands: a conflict, an outage, an erasure, a stranger."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_repository
from tests.sharing.team import find_files


@dataclass(frozen=True)
class Terminal:
    """A terminal of one device: its own clone, home and data folder."""

    home: Path
    clone: Path
    author: str
    device: str

    def run(self, *words: str) -> str:
        """Run a command and return what it printed."""
        done = self.start(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def start(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command that may fail."""
        environment = os.environ | {"HOME": str(self.home), "HOLLOWAY_HOME": str(self.home / "data")}
        command = [sys.executable, "-m", "holloway", *words]
        return subprocess.run(
            command, cwd=self.clone, env=environment, input="", capture_output=True, text=True, check=False, timeout=120
        )

    def json(self, *words: str) -> Any:
        """Run a command and return its JSON."""
        return json.loads(self.run(*words, "--json"))

    def texts(self) -> list[str]:
        """Return the texts that this device lists."""
        return sorted(row["content"] for row in self.json("list")["results"])

    def join(self) -> str:
        """Read what others share."""
        return self.run("share", "--join", "--as", self.author, "--device", self.device)


@pytest.mark.promise("shared-converges", "shared-conflicts", "shared-erased", "shared-by-choice")
def test_two_people_three_devices(tmp_path: Path) -> None:
    origin = make_repository(tmp_path / "origin")
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(origin.root), str(hub)], check=True)

    def open_terminal(author: str, device: str) -> Terminal:
        home = tmp_path / f"{author}-{device}"
        home.mkdir()
        subprocess.run(["git", "clone", "-q", str(hub), str(home / "shop")], check=True)
        return Terminal(home, home / "shop", author, device)

    laptop, desktop, bob = open_terminal("Ada", "laptop"), open_terminal("Ada", "desktop"), open_terminal("Bob", "mac")

    # Ada shares one memory and keeps another; one with a secret in it stays behind.
    shared = laptop.json("remember", "integration tests hang without REDIS_URL", "--visibility", "project")["id"]
    laptop.run("remember", "Bob reviews slowly", "--visibility", "personal")
    assert "Bob reviews" not in laptop.run("share", "--git", "--dry-run")
    assert "1 sent" in laptop.run("share", "--git", "--yes", "--as", "Ada", "--device", "laptop")

    # Bob joins: what he reads waits for him until he accepts Ada once.
    assert "Not accepted yet: Ada" in bob.join()
    assert bob.texts() == []
    bob.run("share", "--accept", "Ada")
    assert bob.texts() == ["integration tests hang without REDIS_URL"]

    # Ada's second device acts for her.
    desktop.join()
    desktop.run("share", "--accept", "laptop", "--mine")
    laptop.run("sync")
    laptop.run("share", "--accept", "desktop", "--mine")
    laptop.run("share", "--accept", "Bob")
    laptop.run("sync")
    desktop.run("sync")

    # An outage: Bob goes on, and nothing is lost.
    away = hub.rename(tmp_path / "away.git")
    bob.run("remember", "the build needs make 4", "--visibility", "project")
    failed = bob.start("sync")
    assert failed.returncode != 0
    assert "nothing is lost" in failed.stderr
    assert bob.run("share").startswith("offline")
    away.rename(hub)
    assert "1 sent" in bob.run("sync")

    # A conflict: both rewrite the same text.
    bob.run("edit", shared, "integration tests hang without REDIS_URL and Redis 7")
    laptop.run("edit", shared, "integration tests hang without REDIS_URL on port 6380")
    bob.run("sync")
    assert "1 conflict" in laptop.run("sync")
    versions = laptop.json("conflicts")["conflicts"][0]["versions"]
    assert [(side["author"], side["is_mine"]) for side in versions] == [("Ada (laptop)", True), ("Bob (mac)", False)]
    laptop.run("conflicts", shared, "--text", "integration tests hang without REDIS_URL: Redis 7 on port 6380")
    laptop.run("sync")
    bob.run("sync")
    assert bob.run("conflicts") == "No conflicts.\n"
    assert "integration tests hang without REDIS_URL: Redis 7 on port 6380" in bob.texts()

    # Ada erases it from her other device: it is in no file of anybody.
    desktop.run("sync")
    desktop.run("forget", shared, "--hard", "--yes")
    for terminal in (desktop, bob, laptop, desktop, bob):
        terminal.run("sync")
    for terminal in (laptop, desktop, bob):
        assert not [text for text in terminal.texts() if "REDIS_URL" in text]
        assert find_files(terminal.home / "data", b"REDIS_URL") == []

    # Ada leaves: her refs are gone, Bob keeps his memory.
    laptop.run("share", "--leave", "--yes")
    refs = subprocess.run(["git", "-C", str(hub), "for-each-ref", "refs/holloway"], capture_output=True, check=True)
    assert refs.stdout.count(b"\n") == 2
    assert bob.texts() == ["the build needs make 4"]
    for clone in (laptop.clone, desktop.clone, bob.clone):
        status = subprocess.run(["git", "-C", str(clone), "status", "--porcelain"], capture_output=True, check=True)
        assert status.stdout == b""
