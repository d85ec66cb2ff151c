"""Several projects: what each would send, and decisions by name or folder."""

import subprocess
from pathlib import Path

import pytest

import holloway
from holloway.errors import InvalidInput
from holloway.service.share_projects import decide_projects, find_projects, list_project_offers
from holloway.sharing.consent import Exclusion
from tests.conftest import Repository, make_repository


@pytest.fixture
def client_root(tmp_path: Path, home: Path) -> Path:
    """A second project, whose name looks like work for a client."""
    root = make_repository(tmp_path / "acme-client", {"client.py": "rate = 1\n"}).root
    subprocess.run(["git", "-C", str(root), "remote", "add", "origin", "git@example.com:acme/x.git"], check=True)
    with holloway.open(root, home=home) as memory:
        memory.remember("rates are per hour", visibility="project")
    return root


def test_each_project_has_its_offer_or_its_problem(memory: holloway.Holloway, client_root: Path, home: Path) -> None:
    rows = {row.name: row for row in list_project_offers(home, "origin")}
    offer = rows["acme-client"].offer
    assert offer is not None
    assert (offer.total, offer.exclusion) == (1, Exclusion.CLIENT_WORK)
    assert rows[memory.project.name].offer is None
    assert "no remote 'origin'" in rows[memory.project.name].problem


def test_projects_are_decided_by_name_and_by_folder(
    repository: Repository, memory: holloway.Holloway, client_root: Path, home: Path
) -> None:
    assert decide_projects("ACME-client", home, excludes=False) == ["acme-client"]
    offers = [row.offer for row in list_project_offers(home, "origin") if row.offer]
    assert [offer.exclusion for offer in offers] == [None]
    (repository.root / "deep").mkdir()
    assert decide_projects(str(repository.root / "deep"), home, excludes=True) == [memory.project.name]
    assert memory.sharing().describe_state().word == "excluded"


def test_an_unknown_name_lists_the_known_ones(memory: holloway.Holloway, home: Path) -> None:
    with pytest.raises(InvalidInput, match="No project is called 'nothing'") as caught:
        find_projects("nothing", home)
    assert memory.project.name in caught.value.hint
