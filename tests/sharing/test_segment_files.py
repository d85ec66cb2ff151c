"""Files of replicas in a bare repository: read in batches, and not at all beyond the limits."""

import subprocess
from pathlib import Path

import pytest

from holloway.git.transfer import run_transfer
from holloway.sharing import segment_files
from holloway.sharing.segment_files import (
    Blob,
    dump_read_segments,
    list_segments,
    parse_read_segments,
    read_blobs,
)


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """A bare repository without anything in it."""
    path = tmp_path / "own.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


def commit(repository: str, **files: bytes) -> str:
    lines = [b"commit refs/test", b"committer h <h@invalid> 0 +0000", b"data 0", b"deleteall"]
    for name, content in files.items():
        mode, path = (b"120000", b"link") if name == "link" else (b"100644", name.replace("__", "/").encode())
        lines += [b"M %b inline %b" % (mode, path), b"data %d" % len(content), content]
    stream = b"\n".join([*lines, b"done\n"])
    run_transfer(repository, "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stdin=stream)
    return run_transfer(repository, "rev-parse", "refs/test").decode().strip()


def read(repository: str, tip: str) -> dict[str, bytes]:
    return {blob.name: content for blob, content in read_blobs(repository, list_segments(repository, [tip])[tip].blobs)}


def test_files_come_in_the_order_of_their_names_with_all_their_bytes(repository: str) -> None:
    tip = commit(repository, b=b"two\0\n\n", a=b"", c=b"\xff")
    assert list(read(repository, tip).items()) == [("a", b""), ("b", b"two\0\n\n"), ("c", b"\xff")]


def test_folders_and_links_are_no_segments(repository: str) -> None:
    assert read(repository, commit(repository, a=b"one", folder__b=b"two", link=b"/etc/passwd")) == {"a": b"one"}


def test_a_file_above_the_limit_spoils_its_commit_and_no_other(
    repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_files, "SEGMENT_BYTES_MAX", 10)
    large, small = commit(repository, a=b"x" * 11, b=b"ok"), commit(repository, a=b"x" * 10)
    listings = list_segments(repository, [large, small])
    assert "has 11 bytes" in listings[large].problem
    assert listings[large].blobs == ()
    assert [blob.size for blob in listings[small].blobs] == [10]


def test_more_files_than_the_limit_are_not_listed(repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tip = commit(repository, a=b"1", b=b"2", c=b"3")
    monkeypatch.setattr(segment_files, "FOREIGN_SEGMENTS_MAX", 2)
    assert "more than 2 files" in list_segments(repository, [tip])[tip].problem
    monkeypatch.setattr(segment_files, "TREE_BYTES_MAX", 20)
    assert "more than 2 files" in list_segments(repository, [tip])[tip].problem


def test_a_ref_of_a_file_and_a_missing_commit_are_no_commits(repository: str) -> None:
    file = run_transfer(repository, "hash-object", "-w", "--stdin", stdin=b"no commit").decode().strip()
    listings = list_segments(repository, [file, "0" * 40])
    assert {listing.problem for listing in listings.values()} == {"it is no commit"}


def test_many_files_are_read_a_few_at_a_time(repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_files, "SEGMENT_BATCH_BYTES", 25)
    files = {f"f{number}": b"x" * 9 + b"%d" % number for number in range(5)}
    assert read(repository, commit(repository, **files)) == files


def test_digests_of_read_segments_survive_storage() -> None:
    assert parse_read_segments(dump_read_segments([Blob("a", "2"), Blob("b", "1")])) == {"1", "2"}
    assert parse_read_segments("{}") == set()
