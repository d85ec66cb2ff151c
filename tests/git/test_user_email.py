"""The person's address is the one that they set for all repositories."""

from pathlib import Path

import pytest

from holloway import git
from tests.conftest import Repository


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
