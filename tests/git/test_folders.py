import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from holloway import git
from holloway.git import folders
from tests.conftest import Repository
from tests.outside_input import bounded_time, bytes_of, text_of


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:Acme/shop.git",
        "https://github.com/acme/shop",
        "https://user:secret@github.com/acme/shop.git/",
        "ssh://git@github.com:22/acme/shop.git",
        "git://github.com/acme/shop.git",
    ],
)
def test_the_ways_to_write_an_origin_are_one_place(url: str) -> None:
    assert git.normalise_origin(url) == "github.com/acme/shop"


def test_an_origin_never_keeps_a_password() -> None:
    for url in (
        "https://user:secret@example.com/a/b.git",
        "https://user:secret@[::1]:80/a/b.git",
        "https://example.com/a/b.git?private_token=secret",
    ):
        assert "secret" not in git.normalise_origin(url)
    assert git.normalise_origin("ssh://git@[::1]:22/a/b.git") == "::1/a/b"


def test_a_folder_as_origin_is_its_real_path(tmp_path: Path) -> None:
    assert git.normalise_origin("../other", str(tmp_path / "here")) == str(tmp_path.resolve() / "other")
    assert git.normalise_origin(f"file://{tmp_path}/x") == str(tmp_path.resolve() / "x")


def test_a_worktree_is_followed_to_its_repository(repository: Repository, tmp_path: Path) -> None:
    repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = str(tmp_path / "side")
    assert git.origin_url(side) == "example.com/acme/shop"
    assert git.current_branch(side) == "side"
    assert git.main_root(side) == str(repository.root.resolve())
    assert git.head_commit(side) == repository.git("rev-parse", "HEAD")


def test_what_no_disk_can_hold_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "cloned" / ".git").mkdir(parents=True)
    (tmp_path / "cloned" / ".git" / "HEAD").write_text("ref: refs/heads/a\0b")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: /a\0b")
    for root in (str(tmp_path / "cloned"), str(tmp_path / "linked")):
        assert git.head_commit(root) == git.origin_url(root) == ""


def make_git_folder(root: Path, **files: str) -> str:
    """A `.git` written by hand, as a hostile or a broken repository brings it."""
    for name, text in files.items():
        path = root / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return str(root)


def test_the_root_is_the_nearest_folder_with_git(tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "vendor" / "inner"
    (inner / "src").mkdir(parents=True)
    make_git_folder(outer, HEAD="x")
    (inner / ".git").write_text("gitdir: elsewhere")
    assert folders.find_root(str(inner / "src")) == str(inner.resolve())
    assert folders.find_root(str(inner)) == str(inner.resolve())
    assert folders.find_root(str(inner.parent)) == str(outer.resolve())
    assert folders.find_root(str(outer / "not" / "there" / "yet")) == str(outer.resolve())
    assert folders.find_root(str(tmp_path)) == ""


def test_a_link_is_followed_to_the_repository_it_leads_to(tmp_path: Path) -> None:
    make_git_folder(tmp_path / "real", HEAD="x")
    (tmp_path / "real/src").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real/src")
    assert folders.find_root(str(tmp_path / "link")) == str((tmp_path / "real").resolve())


def test_a_git_file_names_the_git_folder_relative_to_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../super/.git/modules/tree\n")
    assert folders.git_dir(str(tree)) == str(tmp_path / "super/.git/modules/tree")
    (tree / ".git").write_text("not a pointer\n")
    assert folders.git_dir(str(tree)) == ""
    (tree / ".git").write_text("gitdir: /absolute/place\n")
    assert folders.git_dir(str(tree)) == "/absolute/place"
    assert folders.git_dir(str(tmp_path)) == ""


def test_a_plain_repository_shares_its_own_folder(tmp_path: Path) -> None:
    root = make_git_folder(tmp_path / "plain", HEAD="x")
    assert folders.git_dir(root) == folders.common_dir(root) == str(tmp_path / "plain/.git")
    assert folders.main_root(root) == root
    assert folders.common_dir(str(tmp_path)) == ""


def test_the_common_folder_is_never_read_from_where_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "commondir").write_text("stolen\n")
    monkeypatch.chdir(tmp_path)
    assert folders.common_dir(str(tmp_path)) == ""


def test_a_submodule_has_itself_as_its_main_tree(tmp_path: Path) -> None:
    tree, modules = tmp_path / "tree", tmp_path / "super/.git/modules/tree"
    tree.mkdir()
    modules.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {modules}\n")
    assert folders.common_dir(str(tree)) == str(modules)
    assert folders.main_root(str(tree)) == str(tree)


def test_a_history_is_that_of_the_folder_only_if_its_git_folder_is(tmp_path: Path) -> None:
    root = make_git_folder(tmp_path / "plain", HEAD="ref: refs/heads/main\n")
    assert folders.has_own_history(root)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").symlink_to(tmp_path / "plain/.git")
    assert not folders.has_own_history(str(tmp_path / "linked"))
    assert not folders.has_own_history(str(tmp_path))


@pytest.mark.parametrize(
    ("worktree", "is_own"), [("../../../../tree", True), ("../../../../other", False), ("", False)]
)
def test_a_submodule_has_its_own_history_if_its_git_folder_names_it(
    tmp_path: Path, worktree: str, is_own: bool
) -> None:
    tree, modules = tmp_path / "tree", tmp_path / "super/.git/modules/tree"
    tree.mkdir()
    modules.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {modules}\n")
    (modules / "HEAD").write_text("ref: refs/heads/main\n")
    (modules / "config").write_text(f"[core]\n\tworktree = {worktree}\n" if worktree else "[core]\n")
    assert folders.has_own_history(str(tree)) is is_own


@pytest.mark.parametrize("name", ["HEAD", "packed-refs", "refs", "refs/heads", "refs/heads/main"])
def test_a_history_that_leads_through_a_link_is_not_own(tmp_path: Path, name: str) -> None:
    root = make_git_folder(tmp_path / "plain", **{"HEAD": "ref: refs/heads/main\n", "refs/heads/main": "a" * 40})
    assert folders.has_own_history(root)
    part = tmp_path / "plain/.git" / name
    part.rename(tmp_path / "moved") if part.exists() else (tmp_path / "moved").write_text("")
    part.symlink_to(tmp_path / "moved")
    assert not folders.has_own_history(root)


def test_only_a_regular_file_is_read_and_only_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"caf\xe9\n")
    assert folders.read_file(str(file)) == "caf\udce9\n"
    monkeypatch.setattr(folders, "_READ_MAX", 3)
    assert folders.read_file(str(file)) == "caf"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing", "a\0b"):
        assert folders.read_file(str(tmp_path / name)) == ""
    assert folders.read_file("/dev/zero") == ""


def test_the_origin_is_the_url_of_the_section_origin(tmp_path: Path) -> None:
    config = """[core]
\turl = https://example.com/not/this
[remote "fork"]
\turl = https://example.com/nor/this
[remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
\tpushurl = https://example.com/nor/that
\turl = "https://example.com/Acme/shop.git?a=b"
\turl = https://example.com/second/url
"""
    assert folders.origin_url(make_git_folder(tmp_path / "a", config=config)) == "example.com/acme/shop"
    spaceless = '[remote "origin"]\nurl=../b=c=d\n'
    assert folders.origin_url(make_git_folder(tmp_path / "a", config=spaceless)) == str(tmp_path.resolve() / "b=c=d")
    ended = '[remote "origin"]\nfetch = x\n[branch "main"]\nurl = https://example.com/a/b\n'
    assert folders.origin_url(make_git_folder(tmp_path / "a", config=ended)) == ""


@pytest.mark.parametrize(
    ("url", "normalised"),
    [
        ("host:path", "host/path"),
        ("me:path", "me/path"),
        ("git@host:~user/x.git", "host/~user/x"),
        ("a@b@host.example:x", "host.example/x"),
        ("https://host/a/b#part", "host/a/b"),
        ("https://host/a/b?part", "host/a/b"),
        ("https://host:8443//a/b//", "host/a/b"),
        ("https://HOST", "host/"),
        ("ssh://[fe80::1]/a", "fe80::1/a"),
        ("C:/repos/shop", "/srv/base/C:/repos/shop"),
        ("./a:b", "/srv/base/a:b"),
        ("/srv/git/shop.git", "/srv/git/shop.git"),
        ("file:///srv/git/shop.git", "/srv/git/shop.git"),
    ],
)
def test_each_form_of_an_origin_has_one_spelling(url: str, normalised: str) -> None:
    assert folders.normalise_origin(url, "/srv/base") == normalised


def test_a_folder_of_the_user_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nobody")
    assert folders.normalise_origin("~/shop") == folders.normalise_origin("file://~/shop") == "/nobody/shop"


def test_the_boundary_of_a_shallow_clone_is_read(tmp_path: Path) -> None:
    root = make_git_folder(tmp_path / "a", HEAD="x")
    assert not folders.is_shallow(root)
    assert folders.shallow_commits(root) == frozenset()
    make_git_folder(tmp_path / "a", shallow=f"{'a' * 40}\n{'b' * 40}\n")
    assert folders.is_shallow(root)
    assert folders.shallow_commits(root) == {"a" * 40, "b" * 40}


CONFIG = bytes_of(
    '[remote "origin"]\n', "url = ", "https://a:b@c/d.git\n", "[core]\n", "worktree = ", "../x", "=", '"', "git@h:"
)


@given(CONFIG, CONFIG)
def test_any_bytes_in_the_configuration_are_an_origin_or_none(config: bytes, shallow: bytes) -> None:
    with TemporaryDirectory() as folder, bounded_time():
        root = make_git_folder(Path(folder, "a"), HEAD="ref: refs/heads/main")
        Path(root, ".git", "config").write_bytes(config)
        Path(root, ".git", "shallow").write_bytes(shallow)
        assert "\n" not in folders.origin_url(root)
        folders.shallow_commits(root)
        folders.main_root(root)


@given(text_of("https://", "git@", ":", "/", "user:secret@", "~", "..", ".git", "file://", "[", "]", "%2e", "ext::"))
def test_any_address_has_one_spelling_and_no_password(url: str) -> None:
    with bounded_time():
        normalised = folders.normalise_origin(url, "/srv/base")
    assert "user:secret@" not in normalised or not url.startswith("https://user:secret@")


@pytest.mark.parametrize("url", ["a\0b", "~a\0b", "file://a\0b"])
def test_a_local_address_with_a_null_byte_is_none(url: str) -> None:
    assert folders.normalise_origin(url, "/srv/base") == ""


@given(bytes_of("gitdir:", " ", "../", ".git/worktrees/x", "/", "\n"), bytes_of("../..", "/", ".git"))
def test_any_bytes_in_a_git_file_lead_to_no_history_of_its_own(dot_git: bytes, common: bytes) -> None:
    with TemporaryDirectory() as folder, bounded_time():
        root = Path(folder, "a")
        root.mkdir()
        (root / ".git").write_bytes(dot_git)
        (root / "commondir").write_bytes(common)
        (root / "gitdir").write_bytes(dot_git)
        assert not folders.has_own_history(str(root))
        assert folders.main_root(str(root)) == str(root)


def test_only_a_folder_among_the_worktrees_of_a_repository_lists_one(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    assert git.is_linked_worktree(str(tmp_path / "tree"))
    posing, listing = tmp_path / "posing", repository.root / ".git/modules/posing"
    posing.mkdir()
    listing.mkdir(parents=True)
    (posing / ".git").write_text(f"gitdir: {listing}\n", "utf-8")
    (listing / "gitdir").write_text(f"{posing}/.git\n", "utf-8")
    (listing / "commondir").write_text("../..\n", "utf-8")
    assert not git.is_linked_worktree(str(posing))
