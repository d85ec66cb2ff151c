"""The transfer runner: which addresses it takes, and that nothing of a repository or a remote runs."""

import os
import subprocess
from pathlib import Path

import pytest

from holloway.errors import InvalidInput
from holloway.git.transfer import (
    TransferExceeded,
    TransferFailed,
    check_address,
    hide_credentials,
    read_remote_address,
    run_transfer,
)
from tests.conftest import Repository


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/ada/shop.git",
        "https://ada:token@example.com/shop",
        "ssh://git@example.com:22/shop.git",
        "git@example.com:ada/shop.git",
        "example.com:shop",
        "file:///srv/shop.git",
        "/srv/shop.git",
    ],
)
def test_addresses_of_remotes_are_taken(address: str) -> None:
    assert check_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "-oProxyCommand=touch /tmp/x",
        "--upload-pack=touch /tmp/x",
        "-u@example.com:shop",
        "ext::sh -c touch% /tmp/x",
        "fd::17",
        "https::x",
        "http://example.com/shop.git",
        "git://example.com/shop.git",
        "ftp://example.com/shop",
        "ssh://-oProxyCommand=touch/x",
        "https://-x/shop",
        "host:-x",
        "relative/path",
        "../up",
        "git@example.com:a\nb",
        "/srv/a\x00b",
        "transport-helper::anything",
    ],
)
def test_options_programs_and_open_protocols_are_refused(address: str) -> None:
    with pytest.raises(InvalidInput):
        check_address(address)


def test_an_address_is_shown_without_its_password() -> None:
    assert hide_credentials("https://ada:token@example.com/shop") == "https://example.com/shop"


def test_the_address_of_a_remote_is_read_without_git(repository: Repository) -> None:
    repository.git("remote", "add", "origin", "https://example.com/shop.git")
    assert read_remote_address(str(repository.root), "origin") == "https://example.com/shop.git"
    assert read_remote_address(str(repository.root), "other") == ""


def make_bare(path: Path) -> str:
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


def test_a_failure_names_the_command_and_hides_credentials(tmp_path: Path) -> None:
    own = make_bare(tmp_path / "own.git")
    with pytest.raises(TransferFailed, match="git fetch failed") as failed:
        run_transfer(own, "fetch", "--", str(tmp_path / "missing.git"))
    assert failed.value.is_offline


def test_a_command_that_takes_too_long_counts_as_offline(tmp_path: Path) -> None:
    own = make_bare(tmp_path / "own.git")
    with pytest.raises(TransferFailed) as failed:
        run_transfer(own, "fetch", "--", str(tmp_path / "missing.git"), timeout_s=0)
    assert failed.value.is_offline


@pytest.mark.promise("shared-fetch-is-bounded")
def test_what_takes_more_than_it_may_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    own, mark = make_bare(tmp_path / "own.git"), tmp_path / "mark"
    program = f"!(echo begun > {mark}; sleep 60; rm {mark}) & wait"
    with pytest.raises(TransferExceeded, match="enough"):
        run_transfer(own, "-c", f"alias.wait={program}", "wait", find_excess=lambda: "enough" * mark.exists())
    assert subprocess.run(["pgrep", "-f", f"rm {mark}"], capture_output=True, check=False).stdout == b""


@pytest.mark.promise("shared-fetch-is-bounded")
def test_endless_messages_of_a_remote_are_cut_off(tmp_path: Path) -> None:
    own = make_bare(tmp_path / "own.git")
    with pytest.raises(TransferExceeded, match="bytes of messages"):
        run_transfer(own, "-c", "alias.flood=!yes >&2", "flood", timeout_s=60)


@pytest.mark.promise("shared-fetch-is-bounded")
def test_git_may_ask_for_so_much_memory_only(tmp_path: Path) -> None:
    own = make_bare(tmp_path / "own.git")
    digest = run_transfer(own, "hash-object", "-w", "--stdin", stdin=bytes(70_000_000)).decode().strip()
    with pytest.raises(TransferExceeded, match="too much memory"):
        run_transfer(own, "-c", "core.bigFileThreshold=1g", "cat-file", "--batch", stdin=f"{digest}\n".encode())


def test_long_input_is_passed_on_whole(tmp_path: Path) -> None:
    own = make_bare(tmp_path / "own.git")
    digest = run_transfer(own, "hash-object", "-w", "--stdin", stdin=b"x" * 3_000_000).decode().strip()
    assert len(run_transfer(own, "cat-file", "blob", digest)) == 3_000_000


@pytest.mark.promise("shared-runs-nothing")
def test_no_hook_and_no_helper_of_a_hostile_environment_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, hub, mark = make_bare(tmp_path / "own.git"), make_bare(tmp_path / "hub.git"), tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    for name in ("pre-push", "post-update", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (Path(own) / "hooks").mkdir(exist_ok=True)
        (Path(own) / "hooks" / name).symlink_to(program)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(Path(own) / "hooks"))
    stream = b"commit refs/holloway/a\ncommitter h <h@invalid> 0 +0000\ndata 0\ndeleteall\ndone\n"
    run_transfer(own, "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stdin=stream)
    run_transfer(own, "push", "--quiet", "--", hub, "refs/holloway/a:refs/holloway/a")
    run_transfer(own, "fetch", "--quiet", "--", hub, "+refs/holloway/*:refs/fetched/*")
    assert not mark.exists()
    with pytest.raises(TransferFailed):
        run_transfer(own, "fetch", "--", f"ext::{program}")
    assert not mark.exists()
    assert os.environ["GIT_ASKPASS"] == str(program)
