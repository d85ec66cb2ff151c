import io
import os
import subprocess
from pathlib import Path

import pytest

from holloway import git
from holloway.git import runner
from tests.conftest import Repository


@pytest.mark.promise("repository-is-not-trusted")
def test_git_runs_no_program_that_the_environment_or_repository_names(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    tip = repository.commit("a.txt", "x")
    repository.git("config", "core.fsmonitor", str(trap))
    repository.git("config", "diff.external", str(trap))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    assert "a.txt" in (git.tracked_files(str(repository.root)) or ())
    assert not git.is_merged(str(repository.root), f"{tip}~1", tip, f"{tip}~1")
    assert not (tmp_path / "sprung").exists()


def test_a_missing_git_reads_as_silence(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert git.run_git(str(repository.root), "log") == ""
    assert not git.run_succeeds(str(repository.root), "log")


@pytest.mark.parametrize("command", [("status",), ("config", "user.name", "x"), ("-c", "x.y=z", "log"), ()])
def test_git_is_run_for_commands_that_only_inspect(repository: Repository, command: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"^git {''.join(command[:1])} is not one of the commands that only inspect"):
        git.run_git(str(repository.root), *command)
    with pytest.raises(ValueError, match="only inspect"):
        list(git.stream_git(str(repository.root), *command))


def test_git_sees_no_configuration_but_its_own(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("config", "diff.x.textconv", "cat")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    environment = runner._isolated_environment(str(repository.root))
    listed = subprocess.run(
        ["git", "config", "--list"], cwd=repository.root, env=environment, capture_output=True, text=True, check=True
    )
    assert listed.stdout == "core.repositoryformatversion=0\n"


def test_settings_of_the_work_tree_still_count(repository: Repository, tmp_path: Path) -> None:
    root = str(repository.root)
    (tmp_path / "mine").write_text("scratch.txt\n")
    (repository.root / "scratch.txt").write_text("x")
    repository.git("config", "core.excludesFile", str(tmp_path / "mine"))
    repository.git("config", "core.fileMode", "false")
    repository.git("config", "core.eol", "touch me")
    (repository.root / "README.md").chmod(0o755)
    assert "scratch.txt" not in (git.tracked_files(root) or ())
    assert git.changed_files(root, "HEAD") == []
    assert not any("touch" in option for option in runner.read_work_tree_options(root) or ())
    repository.git("config", "core.fileMode", "true")
    assert git.changed_files(root, "HEAD") == ["README.md"]


def test_a_repository_with_sha256_is_read(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    repository = Repository(tmp_path / "new")
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    tip = repository.commit("a.txt", "a")
    assert git.root_commits(str(repository.root)) == [tip]


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_output_and_the_exit_code_of_git_are_returned(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    assert runner.run_command(root, ("rev-list", head)) == (0, f"{head}\n")
    assert runner.run_command(root, ("rev-list", "f" * 40))[0] == 128
    assert runner.run_git(root, "rev-list", head) == f"{head}\n"
    assert runner.run_git(root, "diff", "--exit-code", head, f"{head}^{{tree}}", "--", "no") == ""
    assert runner.run_succeeds(root, "rev-list", head)
    assert not runner.run_succeeds(root, "rev-list", "f" * 40)


def test_output_of_a_command_that_fails_is_dropped(repository: Repository) -> None:
    (repository.root / "README.md").write_text("other\n")
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    code, output = runner.run_command(root, ("diff", "--exit-code", "--name-only", head))
    assert (code, output) == (1, "README.md\n")
    assert runner.run_git(root, "diff", "--exit-code", "--name-only", head) == ""


def test_text_that_is_not_unicode_survives_the_way_to_git_and_back(repository: Repository) -> None:
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    (repository.root / name).write_text("x")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "odd name")
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    assert name in runner.run_git(root, "ls-tree", "-z", "--name-only", head).split("\0")
    assert runner.run_git(root, "cat-file", "--batch-check=%(objecttype)", stdin=f"{head}:{name}\n") == "blob\n"
    assert list(runner.stream_git(root, "cat-file", "--batch-check=%(objecttype)", stdin=f"{head}:{name}\n")) == [
        b"blob\n"
    ]


def test_a_git_that_hangs_is_given_up(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "bin/git", "exec sleep 30")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert runner.run_command(str(repository.root), ("log",), timeout_s=0.05) == (-1, "")
    with pytest.raises(runner.GitInterrupted, match="git log failed in"):
        list(runner.stream_git(str(repository.root), "log", timeout_s=0.05))


def test_a_git_that_cannot_start_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert runner.run_command(str(repository.root), ("log",)) == (-1, "")
    with pytest.raises(runner.GitInterrupted, match="git cannot be started in"):
        list(runner.stream_git(str(repository.root), "log"))
    monkeypatch.undo()
    assert runner.run_command(str(repository.root), ("log", "a\0b")) == (-1, "")
    assert runner.read_work_tree_options("a\0b") is None


def test_git_is_looked_for_in_absolute_folders_as_an_executable_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder/git").mkdir(parents=True)
    write_program(tmp_path / "plain/git", "exit 0")
    (tmp_path / "plain/git").chmod(0o644)
    write_program(tmp_path / "relative/git", "exit 0")
    write_program(tmp_path / "good/git", "exit 0")
    monkeypatch.chdir(tmp_path)
    places = ["relative", "", str(tmp_path / "folder"), str(tmp_path / "plain"), str(tmp_path / "missing")]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    with pytest.raises(FileNotFoundError, match="git"):
        runner.find_git_program()
    monkeypatch.setenv("PATH", os.pathsep.join([*places, str(tmp_path / "good")]))
    assert runner.find_git_program() == str(tmp_path / "good/git")


def test_a_stream_comes_in_pieces_and_fails_as_git_does(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    names = list(runner.stream_git(root, "ls-tree", "-r", "-z", "--name-only", head))
    assert names == [name.encode() for name in repository.git("ls-tree", "-r", "--name-only", head).split()]
    lines = list(runner.stream_git(root, "ls-tree", "-r", "--name-only", head, separator=b"\n"))
    assert lines == names
    with pytest.raises(runner.GitInterrupted, match="git ls-tree failed in"):
        list(runner.stream_git(root, "ls-tree", "f" * 40))


def test_options_of_a_stream_come_before_its_command(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    arguments = ("log", "--format=%ad", "-1", head)
    (date,) = runner.stream_git(root, *arguments, options=("-c", "log.date=raw"), separator=b"\n")
    assert date == b"1767603600 +0000"


def test_a_piece_that_spans_blocks_is_joined_and_a_long_one_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_PIECE_BYTES_MAX", 4)

    def split(data: bytes) -> list[bytes]:
        return list(runner._split_stream(io.BytesIO(data), b"\0"))

    assert split(b"ab\0cdef\0g") == [b"ab", b"cdef", b"g"]
    assert split(b"ab\0") == [b"ab"]
    assert split(b"\0\0a") == [b"", b"", b"a"]
    assert split(b"abcdefghi\0jk") == [b"abcdi", b"jk"]
    assert split(b"") == []
    assert list(runner._split_stream(None, b"\0")) == []


def test_settings_of_the_work_tree_are_named_ones_with_known_values(repository: Repository) -> None:
    root = str(repository.root)
    for line in ("core.autocrlf INPUT", "core.symlinks perhaps", "core.editor vi", "core.eol lf", "core.eol crlf"):
        repository.git("config", "--add", *line.split())
    with (repository.root / ".git/config").open("a") as config:
        config.write("[core]\n\ttrustctime\n")
    options = runner.read_work_tree_options(root)
    assert options is not None
    assert options[::2] == ["-c"] * (len(options) // 2)
    assert options[1::2] == [
        "core.autocrlf=INPUT",
        "core.eol=crlf",
        "core.filemode=true",
        "core.trustctime=true",
    ]


def test_a_repository_without_such_settings_has_no_options(repository: Repository) -> None:
    (repository.root / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    assert runner.read_work_tree_options(str(repository.root)) == []
    (repository.root / ".git/config").write_text("[core\n")
    assert runner.read_work_tree_options(str(repository.root)) is None


def test_the_environment_names_the_repository_and_forbids_everything_else(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "evil")
    monkeypatch.setenv("KEPT", "yes")
    root = str(repository.root)
    environment = runner._isolated_environment(root)
    assert "GIT_SSH_COMMAND" not in environment
    assert environment["KEPT"] == "yes"
    assert environment["GIT_DIR"] == f"{root}/.git"
    assert environment["GIT_OBJECT_DIRECTORY"] == f"{root}/.git/objects"
    assert environment["GIT_COMMON_DIR"].endswith("isolated/sha1")
    assert Path(environment["GIT_COMMON_DIR"]).is_dir()
    assert environment["GIT_ALLOW_PROTOCOL"] != runner._isolated_environment(root)["GIT_ALLOW_PROTOCOL"]
    assert len(environment["GIT_ALLOW_PROTOCOL"]) == 32
    (repository.root / ".git/config").write_text("[extensions]\n\tobjectFormat = sha256\n")
    assert runner._isolated_environment(root)["GIT_COMMON_DIR"].endswith("isolated/sha256")
    assert runner._repository_environment("/nowhere")["GIT_DIR"] == "/nowhere/.git"


def test_a_ref_in_a_table_is_a_commit_or_another_ref(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    assert runner.read_table_ref(root, "HEAD", 5) == "ref: refs/heads/main"
    assert runner.read_table_ref(root, "refs/heads/main", 5) == head
    assert runner.read_table_ref(root, "refs/heads/gone", 5) == ""


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    return folder / ".gitconfig"


def test_the_address_for_all_repositories_is_read(repository: Repository, configuration: Path) -> None:
    configuration.write_text("[user]\n\temail = person@example.invalid\n", "utf-8")
    assert git.read_user_email(str(repository.root)) == "person@example.invalid"


def test_the_address_of_the_repository_does_not_count(repository: Repository, configuration: Path) -> None:
    repository.git("config", "user.email", "author@example.invalid")
    assert git.read_user_email(str(repository.root)) == ""
    configuration.write_text("[user]\n\temail = person@example.invalid\n", "utf-8")
    assert git.read_user_email(str(repository.root)) == "person@example.invalid"


def test_the_environment_of_the_process_does_not_count(
    repository: Repository, configuration: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.write_text("[user]\n\temail = other@example.invalid\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(other))
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "other@example.invalid")
    assert git.read_user_email(str(repository.root)) == ""


def test_without_a_configuration_or_with_a_broken_one_there_is_no_address(
    repository: Repository, configuration: Path
) -> None:
    assert git.read_user_email(str(repository.root)) == ""
    configuration.write_text("[user\nemail = person@example.invalid\n", "utf-8")
    assert git.read_user_email(str(repository.root)) == ""


def test_without_git_there_is_no_address(
    repository: Repository, configuration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration.write_text("[user]\n\temail = person@example.invalid\n", "utf-8")
    monkeypatch.setenv("PATH", "")
    assert git.read_user_email(str(repository.root)) == ""


def test_git_that_does_not_answer_in_time_gives_no_address(repository: Repository, configuration: Path) -> None:
    configuration.write_text("[user]\n\temail = person@example.invalid\n", "utf-8")
    assert git.read_user_email(str(repository.root), timeout_s=0.0) == ""
