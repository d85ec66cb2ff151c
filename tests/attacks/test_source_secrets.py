"""A key that somebody wrote into the source stands in the map; nothing that the map says repeats it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import holloway
from holloway.mcp.tools import Tools
from holloway.service.ask import ask
from holloway.testing import FakeWriter
from tests.conftest import make_repository

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
DEPLOY = "src/shop/deploy.py"
TASK = "Rotate the deploy token of the shop, deploying fails with the old token"
FILES = {
    "README.md": f"# shop {TOKEN}\n\nThe shop has a deploy token.\n\n## Deploying with {TOKEN}\n\nRotate the token.\n",
    ".github/workflows/ci.yml": f"jobs:\n  t:\n    steps:\n      - run: pytest --token={TOKEN} tests\n",
    "src/shop/__init__.py": f'"""Deploys the shop with {TOKEN} to its machines."""\n',
    DEPLOY: f'def deploy_token():\n    """The deploy token."""\n    return "{TOKEN}"\n',
    "src/shop/run.py": "from shop.deploy import deploy_token\n\n\ndef run():\n    return deploy_token()\n",
    "tests/test_deploy.py": "def test_deploy_token():\n    assert True\n",
}


@pytest.fixture
def leaking(tmp_path: Path) -> Iterator[holloway.Holloway]:
    """A project with a key in its headings, docstrings, commands and subjects of commits."""
    repository = make_repository(tmp_path / "shop", FILES)
    repository.commit("src/shop/run.py", FILES["src/shop/run.py"] + "\n", f"Throttle the parcels, as {TOKEN} is slow")
    with holloway.open(repository.root) as memory:
        memory.map.update()
        yield memory


def is_silent(said: str) -> bool:
    return TOKEN[:20] not in said


@pytest.mark.promise("source-secrets")
def test_no_agent_is_shown_a_key_that_stands_in_the_source(leaking: holloway.Holloway) -> None:
    said = leaking.session().context_for(TASK)
    assert DEPLOY in said
    assert "README.md" in said
    assert is_silent(said + leaking.brief().text)
    tools = Tools(leaking.project.root)
    answers = [
        tools.locate(TASK),
        tools.locate("Throttle the parcels"),
        tools.analyze_impact(DEPLOY),
        tools.get_workflow_recipe(TASK),
        tools.update_module("shop"),
        tools.session_context(),
    ]
    told = str(answers)
    assert DEPLOY in told
    assert is_silent(told)


@pytest.mark.promise("source-secrets")
def test_no_model_is_sent_a_key_that_stands_in_the_source(leaking: holloway.Holloway) -> None:
    writer = FakeWriter("It is rotated by hand.")
    ask(leaking, TASK, writer=writer)
    [prompt] = writer.asked
    assert DEPLOY in prompt
    assert is_silent(prompt)


@pytest.mark.promise("no-secret")
def test_a_key_in_a_word_on_a_module_is_not_kept(leaking: holloway.Holloway) -> None:
    leaking.map.edit_module("shop", purpose=f"Deploys with {TOKEN}\u202e")
    assert leaking.map.module("shop").purpose.startswith("Deploys with [REDACTED: ")
    assert all(TOKEN.encode() not in file.read_bytes() for file in leaking.project.folder.glob("memory.db*"))
