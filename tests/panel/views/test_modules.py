"""The page of the modules: the map, the cards, and edits that stick."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.panel.views.test_memories import teach
from tests.service.test_module_map import grow

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel
    from tests.conftest import Repository


@pytest.fixture
def mapped(panel: Panel, repository: Repository) -> Panel:
    """A panel on a project with the modules auth and billing."""
    grow(repository)
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
    return panel


def names(panel: Panel) -> list[str]:
    with panel.open_memory(settle=False) as memory:
        return [module.name for module in memory.map.modules()]


def test_without_a_map_it_says_how_to_make_one(client: TestClient) -> None:
    page = client.get("/modules").text
    assert "No modules yet" in page
    assert "Map the code" in page


def test_while_the_map_is_made_it_shows_how_far_it_is(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holloway.service.code_map.CodeMap.progress", lambda _: "12 of 40 files read")
    page = client.get("/modules").text
    assert "The code is being mapped" in page
    assert "12 of 40 files read" in page


def test_the_map_links_each_module_and_says_how_well_it_is_known(client: TestClient, mapped: Panel) -> None:
    page = client.get("/modules").text
    assert re.search(
        r'<a class="node shallow" href="/modules\?open=auth#map" aria-label="auth, 4 files, shallow">', page
    )
    assert 'role="group"' in page
    assert 'role="img"' not in page
    assert page.count('class="link imports"') == 2, "one on the map and one in the legend"
    assert "uv run pytest" in page or "pytest" in page


def test_a_click_expands_a_module_to_files_and_its_card(client: TestClient, mapped: Panel) -> None:
    teach(mapped, "Models are frozen", files=["src/auth/model.py"])
    page = client.get("/modules?open=auth").text
    assert 'href="/code?place=src/auth/model.py" aria-label="src/auth/model.py"' in page
    assert 'aria-label="billing, 4 files, shallow"' in page
    assert 'aria-label="auth, 4 files' not in page
    card = page[page.index('id="opened"') : page.index("</article>")]
    assert "Core files" in card
    assert "tests/auth/test_tokens.py" in card or "Tests" in card
    assert re.search(r'href="/memories\?modules=auth">1 memory<', card)
    assert f"vscode://file{mapped.project.root}/src/auth/model.py:1" in card


def test_a_module_that_does_not_exist_is_named_with_the_closest_one(client: TestClient, mapped: Panel) -> None:
    answer = client.get("/modules?open=aut")
    assert answer.status_code == 400
    assert "Did you mean auth?" in answer.text


def test_name_and_purpose_stick(client: TestClient, mapped: Panel) -> None:
    data = {"module": "auth", "rename": "login", "purpose": "Who you are <b>"}
    answer = client.post("/modules/edit", data=data)
    assert (answer.status_code, answer.headers["location"]) == (303, "/modules?open=login")
    with mapped.open_memory(settle=False) as memory:
        memory.map.update()
    page = client.get("/modules?open=login").text
    assert "Who you are &lt;b&gt;" in page
    assert "Saved." in page
    client.post("/modules/reset", data={"module": "login"})
    assert names(mapped) == ["auth", "billing"]


def test_what_was_not_changed_in_the_form_is_not_kept_as_an_edit(client: TestClient, mapped: Panel) -> None:
    with mapped.open_memory(settle=False) as memory:
        purpose = memory.map.module("auth").purpose
    client.post("/modules/edit", data={"module": "auth", "rename": "auth", "purpose": purpose, "add": ""})
    with mapped.open_memory(settle=False) as memory:
        assert memory.map.reset_module("auth") == 0


def test_files_move_to_a_module_by_file_folder_or_pattern(client: TestClient, mapped: Panel) -> None:
    add = "src/billing/forms.py\n\n src/billing/v*.py \n"
    client.post("/modules/edit", data={"module": "auth", "rename": "auth", "add": add})
    with mapped.open_memory(settle=False) as memory:
        assert {"src/billing/forms.py", "src/billing/views.py"} <= set(memory.map.module("auth").files)


def test_a_hidden_module_leaves_the_lists_and_comes_back(client: TestClient, mapped: Panel) -> None:
    client.post("/modules/hide", data={"module": "auth", "on": "1"})
    page = client.get("/modules").text
    assert "open=auth" not in page
    assert 'action="/modules/hide"' in page, "the message has an undo"
    assert "open=auth" in client.get("/modules?all=1").text
    client.post("/modules/hide", data={"module": "auth", "on": ""})
    assert "open=auth" in client.get("/modules").text


def test_merging_asks_first_and_can_be_undone(client: TestClient, mapped: Panel) -> None:
    question = client.get("/modules/merge?module=billing&into=auth").text
    assert "Merge billing into auth?" in question
    assert "Its 4 files become part of auth" in question
    assert names(mapped) == ["auth", "billing"]
    answer = client.post("/modules/merge", data={"module": "billing", "into": "auth"})
    assert names(mapped) == ["auth"]
    assert 'action="/modules/reset"' in client.get(answer.headers["location"]).text
    client.post("/modules/reset", data={"module": "auth"})
    assert names(mapped) == ["auth", "billing"]


def test_a_name_that_another_module_has_asks_whether_to_merge(client: TestClient, mapped: Panel) -> None:
    answer = client.post("/modules/edit", data={"module": "auth", "rename": "billing"})
    assert answer.headers["location"] == "/modules/merge?module=auth&into=billing"
    assert names(mapped) == ["auth", "billing"]


@pytest.mark.parametrize("into", ["auth", "nowhere"])
def test_a_merge_needs_another_module(client: TestClient, mapped: Panel, into: str) -> None:
    assert client.get(f"/modules/merge?module=auth&into={into}").status_code == 400
    assert client.post("/modules/merge", data={"module": "billing", "into": "nowhere"}).status_code == 400
