"""The git transport: one ref per replica, written by nobody else, in a repository of ours."""

import os
import subprocess
from pathlib import Path

import pytest

from holloway.sharing.git_transport import BRANCH_NAMESPACE, GitTransport
from tests.sharing.team import Team, exchange

REPLICA = "a" * 32


def read_all(transport: GitTransport) -> dict[str, list[bytes]]:
    return {
        tip.replica: [data for _, data in transport.read_blobs(transport.list_segments(tip))]
        for tip in transport.list_tips()
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


def test_refs_with_other_names_and_files_that_are_no_segments_are_passed_over(
    team: Team, transport: GitTransport
) -> None:
    transport.write_segments([b"x" * (1024 * 1024 + 1), b"small\n"], first_number=0, replaces=True)
    transport.push("")
    team.git("update-ref", "refs/holloway/not-a-replica", f"refs/holloway/{REPLICA}")
    team.git("update-ref", f"refs/heads/holloway/{REPLICA}", f"refs/holloway/{REPLICA}")
    transport.fetch()
    assert read_all(transport) == {REPLICA: [b"small\n"]}


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
