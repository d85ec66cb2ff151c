"""The page of the code: the files of a task, and the impact of a change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel
    from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"


@pytest.fixture
def mapped(panel: Panel, repository: Repository) -> Panel:
    """A panel on the shop with a map of its code, in which one file uses another."""
    repository.commit(
        "src/shop/auth/login.py", "from shop.auth.tokens import refresh\n\n\ndef login():\n    return refresh(1)\n"
    )
    for number in range(3):
        (repository.root / TOKENS).write_text(f"def refresh(token):\n    return {number}\n", "utf-8")
        repository.commit("limits.toml", f"age = {number}\n", "tokens expire")
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
    return panel


def test_without_a_map_it_says_how_to_make_one(client: TestClient) -> None:
    assert "Map the code" in client.get("/code?q=tokens").text


def test_a_task_gets_files_with_reasons_tests_and_memories(client: TestClient, mapped: Panel) -> None:
    teach(mapped, "Tokens live for an hour", files=[TOKENS])
    page = client.get("/code?q=refresh+the+token").text
    files = re.findall(r'<span data-open>\s*<span class="path place"><a href="/code\?place=([^"]+)"', page)
    assert files[0] == TOKENS
    assert "speaks of refresh, token" in page
    assert f'href="/code?place={TOKENS}%3Arefresh"' in page
    assert "tests/auth/test_tokens.py" in page
    assert "Tokens live for an hour" in page


def test_a_file_gets_what_uses_it_with_lines(client: TestClient, mapped: Panel) -> None:
    teach(mapped, "Tokens live for an hour", files=[TOKENS])
    page = client.get(f"/code?place={TOKENS}:refresh").text
    assert "2 places in 1 file use it." in page
    assert f"vscode://file{mapped.project.root}/src/shop/auth/login.py:5" in page
    assert "calls it" in page
    assert "Tokens live for an hour" in page
    assert re.search(r"limits\.toml.*3 commits", page, re.DOTALL)


def test_a_file_gets_what_it_depends_on(client: TestClient, mapped: Panel) -> None:
    page = client.get("/code?place=src/shop/auth/login.py&direction=forward&depth=1").text
    assert "It depends on" in page
    assert re.search(rf"data-open>\s*<span class=\"path place\"><a href=\"/code\?place={TOKENS}\"", page)
    assert "<option selected>1</option>" in page


@pytest.mark.parametrize(
    "place", ["src/shop/auth/tokns.py", "../../etc/passwd", "nothing", "src/shop/auth/tokens.py:no"]
)
def test_a_place_that_is_not_in_the_map_is_answered_in_the_form(client: TestClient, mapped: Panel, place: str) -> None:
    answer = client.get("/code", params={"place": place})
    assert answer.status_code == 404
    assert "This place is not in the map" in answer.text
    assert f'value="{place}"' in answer.text


def test_the_closest_file_is_named(client: TestClient, mapped: Panel) -> None:
    assert f"Did you mean {TOKENS}?" in client.get("/code?place=src/shop/auth/tokns.py").text


def test_a_task_without_a_match_is_not_dressed_up_as_one(client: TestClient, mapped: Panel) -> None:
    page = client.get("/code?q=zzzz").text
    assert "Nothing matches this task." in page or "No file matches" in page


def test_reasons_are_in_the_language_of_the_reader(client: TestClient, mapped: Panel) -> None:
    page = client.get("/code?q=refresh+the+token", headers={"Accept-Language": "fr"}).text
    assert "parle de refresh, token" in page
    assert "speaks of" not in page


def test_hostile_words_are_shown_as_text(client: TestClient, mapped: Panel) -> None:
    page = client.get("/code", params={"q": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
