"""Quarantine of a fetch: objects and refs become ours when they are released, and leave no trace otherwise."""

import subprocess
from pathlib import Path

import pytest

from holloway.git.transfer import TransferFailed, run_transfer
from holloway.sharing.quarantine import Quarantine, list_refs
from tests.sharing.test_segment_files import commit

REFSPEC = "+refs/*:refs/fetched/*"


@pytest.fixture
def own(tmp_path: Path) -> str:
    """Our repository."""
    return make_bare(tmp_path / "own.git")


@pytest.fixture
def hub(tmp_path: Path) -> str:
    """The remote."""
    return make_bare(tmp_path / "hub.git")


def make_bare(path: Path) -> str:
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


def list_files(folder: str) -> list[str]:
    return sorted(str(path) for path in Path(folder).rglob("*"))


def test_what_is_released_is_ours_and_what_left_the_remote_is_gone(own: str, hub: str) -> None:
    first = commit(hub, a=b"one")
    run_transfer(hub, "update-ref", "refs/other", first)
    for wanted in ({"refs/fetched/test", "refs/fetched/other"}, {"refs/fetched/test"}):
        with Quarantine(own) as quarantine:
            refs = quarantine.fetch(hub, [REFSPEC])
            quarantine.release(refs)
        assert set(list_refs(own, "refs/")) == wanted
        assert run_transfer(own, "cat-file", "blob", "refs/fetched/test:a") == b"one"
        run_transfer(hub, "update-ref", "-d", "refs/other")
    assert run_transfer(own, "fsck", "--full") == b""


def test_a_fetched_ref_in_a_file_of_its_own_is_replaced_and_other_refs_stay(own: str, hub: str) -> None:
    old = commit(own, a=b"ours")
    run_transfer(own, "update-ref", "refs/fetched/test", old)
    run_transfer(own, "pack-refs", "--all")
    run_transfer(own, "update-ref", "refs/fetched/test", old)
    tip = commit(hub, a=b"theirs")
    with Quarantine(own) as quarantine:
        quarantine.release(quarantine.fetch(hub, [REFSPEC]))
    assert list_refs(own, "refs/") == {"refs/fetched/test": tip, "refs/test": old}


def test_what_is_not_released_leaves_no_trace(own: str, hub: str) -> None:
    commit(hub, a=b"one")
    before = list_files(own)
    with Quarantine(own) as quarantine:
        assert quarantine.fetch(hub, [REFSPEC])
        assert list_files(own) != before
    assert list_files(own) == before


def test_what_we_have_is_not_sent_again(own: str, hub: str) -> None:
    commit(hub, a=b"x" * 100)
    with Quarantine(own) as quarantine:
        quarantine.release(quarantine.fetch(hub, [REFSPEC]))
    with Quarantine(own) as quarantine:
        quarantine.fetch(hub, [REFSPEC])
        assert list(Path(quarantine.path).rglob("*.pack")) == []


def test_a_quarantine_that_a_killed_process_left_is_cleared(own: str, hub: str) -> None:
    stale = Path(own) / "incoming.git/objects/pack/tmp_pack_x"
    stale.parent.mkdir(parents=True)
    stale.touch()
    with Quarantine(own) as quarantine:
        quarantine.fetch(hub, [REFSPEC])
        assert not stale.exists()
    assert not stale.parents[2].exists()


def test_a_failed_fetch_leaves_no_trace(own: str, tmp_path: Path) -> None:
    before = list_files(own)
    with pytest.raises(TransferFailed), Quarantine(own) as quarantine:
        quarantine.fetch(str(tmp_path / "missing.git"), [REFSPEC])
    assert list_files(own) == before
