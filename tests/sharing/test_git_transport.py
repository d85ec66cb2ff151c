"""The git transport: one ref per replica, written by nobody else, in a repository of ours."""

import os
import subprocess
from pathlib import Path

import pytest

from holloway.git.transfer import TransferExceeded
from holloway.sharing import git_transport, quarantine
from holloway.sharing.git_transport import BRANCH_NAMESPACE, UNKNOWN_DEVICES, GitTransport
from tests.sharing.team import Team, exchange

REPLICA = "a" * 32


def read_all(transport: GitTransport) -> dict[str, list[bytes]]:
    return {
        replica: [data for _, data in transport.read_blobs(blobs)]
        for replica, blobs in transport.list_segments(transport.list_tips()).items()
    }


@pytest.fixture
def transport(team: Team, tmp_path: Path) -> GitTransport:
    opened = GitTransport(tmp_path / "own.git", str(team.hub), REPLICA)
    opened.prepare()
    return opened


def test_segments_are_added_and_read_back(transport: GitTransport) -> None:
    transport.write_segments([b"one\n"], first_number=0, replaces=True)
    transport.write_segments([b"two\0\n", b""], first_number=1, replaces=False)
    transport.push("")
    transport.fetch()
    assert read_all(transport) == {REPLICA: [b"one\n", b"two\0\n", b""]}


def test_a_ref_that_is_written_anew_has_no_past(team: Team, transport: GitTransport) -> None:
    transport.write_segments([b"SENTINEL\n"], first_number=0, replaces=True)
    transport.push("")
    first = transport.find_own_tip()
    transport.write_segments([b"clean\n"], first_number=0, replaces=True)
    transport.push(first)
    assert team.git("rev-list", "--count", f"refs/holloway/{REPLICA}").strip() == "1"
    transport.fetch()
    transport.prune()
    assert read_all(transport) == {REPLICA: [b"clean\n"]}


def test_a_remote_that_takes_branches_only_gets_branches(team: Team, transport: GitTransport) -> None:
    hook = team.hub / "hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/*) exit 0;; esac\necho "refusing $1" >&2\nexit 1\n')
    hook.chmod(0o755)
    transport.write_segments([b"one\n"], first_number=0, replaces=True)
    transport.push("")
    assert transport.namespace == BRANCH_NAMESPACE
    assert team.refs() == [f"refs/heads/holloway/{REPLICA}"]
    transport.fetch()
    assert read_all(transport) == {REPLICA: [b"one\n"]}


def test_refs_with_other_names_are_passed_over(team: Team, transport: GitTransport) -> None:
    transport.write_segments([b"small\n"], first_number=0, replaces=True)
    transport.push("")
    team.git("update-ref", "refs/holloway/not-a-replica", f"refs/holloway/{REPLICA}")
    team.git("update-ref", f"refs/heads/holloway/{REPLICA}", f"refs/holloway/{REPLICA}")
    assert transport.fetch() == {}
    assert read_all(transport) == {REPLICA: [b"small\n"]}


def push_as(team: Team, replica: str, *segments: bytes) -> None:
    """Put segments under the name of another replica on the hub."""
    GitTransport(team.hub, str(team.hub), replica).write_segments(segments, first_number=0, replaces=True)


def count_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.promise("shared-fetch-is-bounded")
def test_a_ref_with_a_file_that_is_no_segment_is_set_aside_and_the_others_come(
    team: Team, transport: GitTransport, tmp_path: Path
) -> None:
    push_as(team, "c" * 32, b"good\n")
    push_as(team, "b" * 32, os.urandom(1024 * 1024 + 1))
    problems = transport.fetch()
    assert list(problems) == [f"refs/holloway/{'b' * 32}"]
    assert "1,048,577 bytes" in problems[f"refs/holloway/{'b' * 32}"]
    assert read_all(transport) == {"c" * 32: [b"good\n"]}
    assert count_bytes(tmp_path / "own.git") < 64 * 1024, "nothing of it is stored"
    assert transport.fetch(problems) == {}


@pytest.mark.promise("shared-fetch-is-bounded")
def test_a_zip_bomb_is_set_aside_without_being_stored(team: Team, transport: GitTransport, tmp_path: Path) -> None:
    push_as(team, "b" * 32, bytes(300 * 1024 * 1024))
    assert count_bytes(team.hub) < 1024 * 1024, "it is small on the remote"
    problems = transport.fetch()
    assert "314,572,800 bytes" in problems[f"refs/holloway/{'b' * 32}"]
    assert read_all(transport) == {}
    assert count_bytes(tmp_path / "own.git") < 64 * 1024


@pytest.mark.promise("shared-fetch-is-bounded")
def test_of_a_remote_that_sends_too_much_only_known_devices_are_read(
    team: Team, transport: GitTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_as(team, "c" * 32, b"good\n")
    transport.fetch()
    push_as(team, "b" * 32, *(os.urandom(900_000) for _ in range(3)))
    monkeypatch.setattr(quarantine, "FETCH_BYTES_MAX", 1_000_000)
    problems = transport.fetch()
    assert list(problems) == [UNKNOWN_DEVICES]
    assert "sends more than" in problems[UNKNOWN_DEVICES]
    assert read_all(transport) == {"c" * 32: [b"good\n"]}
    assert not (tmp_path / "own.git/incoming.git").exists()
    assert count_bytes(tmp_path / "own.git") < 64 * 1024
    assert transport.fetch(problems) == {}


@pytest.mark.promise("shared-fetch-is-bounded")
def test_a_newcomer_refuses_a_remote_that_sends_too_much_and_stores_nothing(
    team: Team, transport: GitTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_as(team, "b" * 32, *(os.urandom(900_000) for _ in range(3)))
    monkeypatch.setattr(quarantine, "FETCH_BYTES_MAX", 1_000_000)
    before = snapshot(tmp_path / "own.git")
    with pytest.raises(TransferExceeded) as refused:
        transport.fetch()
    assert "more than 0 MB" in refused.value.message
    assert snapshot(tmp_path / "own.git") == before


@pytest.mark.promise("shared-fetch-is-bounded")
def test_a_remote_with_too_many_refs_is_refused(
    team: Team, transport: GitTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_as(team, "b" * 32, b"good\n")
    commit = team.git("for-each-ref", "--format=%(objectname)", "refs/holloway/").strip()
    updates = "".join(f"create refs/holloway/{number:032x} {commit}\n" for number in range(100))
    subprocess.run(["git", "-C", str(team.hub), "update-ref", "--stdin"], input=updates.encode(), check=True)
    monkeypatch.setattr(quarantine, "REFS_MAX", 50)
    before = snapshot(tmp_path / "own.git")
    with pytest.raises(TransferExceeded, match="devices"):
        transport.fetch()
    assert snapshot(tmp_path / "own.git") == before


def test_a_repository_that_was_flooded_takes_nothing_more(
    team: Team, transport: GitTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_as(team, "b" * 32, os.urandom(100_000))
    transport.fetch()
    monkeypatch.setattr(git_transport, "SHARING_BYTES_MAX", 50_000)
    with pytest.raises(TransferExceeded, match="grown"):
        transport.fetch()


def test_many_packs_are_joined(transport: GitTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_transport, "PACKS_MAX", 3)
    pushed = ""
    for number in range(6):
        transport.write_segments([b"x%d\n" % number], first_number=number, replaces=not number)
        transport.push(pushed)
        pushed = transport.find_own_tip()
        transport.fetch()
    assert len(list((tmp_path / "own.git/objects/pack").glob("*.pack"))) <= 5
    assert read_all(transport) == {REPLICA: [b"x%d\n" % number for number in range(6)]}


def test_a_ref_that_left_the_remote_leaves_here_too(team: Team, transport: GitTransport) -> None:
    push_as(team, "b" * 32, b"good\n")
    push_as(team, "c" * 32, b"stays\n")
    transport.fetch()
    team.git("update-ref", "-d", f"refs/holloway/{'b' * 32}")
    transport.fetch()
    assert read_all(transport) == {"c" * 32: [b"stays\n"]}
    assert transport.fetch([UNKNOWN_DEVICES]) == {}, "a known ref that left is no error"


def test_a_repository_that_was_not_completed_is_made_again(team: Team, tmp_path: Path) -> None:
    (tmp_path / "half.git/objects").mkdir(parents=True)
    transport = GitTransport(tmp_path / "half.git", str(team.hub), REPLICA)
    transport.prepare()
    transport.write_segments([b"one\n"], first_number=0, replaces=True)
    assert transport.find_own_tip()


def test_a_lock_that_a_killed_process_left_does_not_stop_the_next_exchange(
    transport: GitTransport, tmp_path: Path
) -> None:
    transport.write_segments([b"one\n"], first_number=0, replaces=True)
    lock = tmp_path / f"own.git/refs/holloway/{REPLICA}.lock"
    lock.touch()
    transport.write_segments([b"two\n"], first_number=1, replaces=False)
    assert not lock.exists()


def test_every_file_of_the_repository_is_the_owners_alone(transport: GitTransport, tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        transport.write_segments([b"one\n"], first_number=0, replaces=True)
        transport.prune()
    finally:
        os.umask(previous)
    modes = {path.stat().st_mode & 0o077 for path in [tmp_path / "own.git", *(tmp_path / "own.git").rglob("*")]}
    assert modes == {0}


@pytest.mark.promise("shared-leaves-your-repository-alone")
def test_the_users_repository_is_byte_for_byte_as_before(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("first",)), team.join("Bob")
    root = ada.memory.project.root
    before = snapshot(root)
    ada.remember("second")
    exchange(ada, bob)
    ada.memory.forget([ada.memory.memories()[0].id], hard=True)
    exchange(ada, bob)
    assert snapshot(root) == before
    assert (
        subprocess.run(["git", "-C", str(root), "status", "--porcelain"], capture_output=True, check=True).stdout == b""
    )


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file() and path.name != "index"}
