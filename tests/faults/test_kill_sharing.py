"""kill -9 at random moments of an exchange: nothing acknowledged is lost, nothing is half applied, the rest goes on."""

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import NIGHTLY
from tests.faults.figures import record
from tests.sharing.team import Device, Team, exchange, open_team

SHARER = Path(__file__).with_name("sharer.py")
KILLS = 200 if NIGHTLY else 8
EXCHANGE_S = 1.5
"""Longest time between the first word of a device and its death: opening, recording, fetching, applying, pushing."""


def share_until_killed(device: Device, seed: int) -> list[str]:
    """Run a device until it is killed; return the texts that it acknowledged."""
    rng = random.Random(seed)
    command = [sys.executable, str(SHARER), str(device.memory.project.root), str(device.home), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sharer:
        assert sharer.stdout is not None
        acknowledged = [sharer.stdout.readline().strip()]
        with suppress(subprocess.TimeoutExpired):
            sharer.wait(rng.uniform(0, EXCHANGE_S))
        assert sharer.poll() is None, sharer.stderr and sharer.stderr.read()
        sharer.kill()
        acknowledged += [line.strip() for line in sharer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    return [text for text in acknowledged if text]


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file of a checkout: work tree, index, refs, objects and configuration."""
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.promise("shared-converges")
@pytest.mark.promise("shared-leaves-your-repository-alone")
def test_killed_at_any_moment_an_exchange_loses_nothing_and_the_next_one_finishes_it(tmp_path: Path) -> None:
    with open_team(tmp_path / "team") as team:
        ada, bob = team.join("Ada"), team.join("Bob")
        exchange(ada, bob)
        team.accept_all(ada, bob)
        acknowledged: list[str] = []
        checkouts = {device.author: snapshot(device.memory.project.root) for device in (ada, bob)}
        for number in range(KILLS):
            acknowledged += share_until_killed((ada, bob)[number % 2], number)
        finish(team, ada, bob)
        for device in (ada, bob):
            assert snapshot(device.memory.project.root) == checkouts[device.author]
            missing = set(acknowledged) - set(device.texts())
            assert missing == set()
            assert device.memory.store.database.check_integrity() == []
        assert ada.texts() == bob.texts()
        assert ada.digest() == bob.digest()
        newcomer = team.join("Cyd")
        newcomer.sharing.membership.accept("all")
        assert newcomer.texts() == ada.texts()
    record("kills_of_exchanges", kills=KILLS)


def finish(team: Team, *devices: Device) -> None:
    """Exchange undisturbed, as the background worker does once a minute."""
    exchange(*devices, rounds=2)
