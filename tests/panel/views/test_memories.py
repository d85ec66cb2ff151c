"""The page of the list: filters, search, pages, empty states."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel


def teach(panel: Panel, *texts: str, **options: object) -> list[str]:
    """Teach memories and return their ids."""
    with panel.open_memory(settle=False) as memory:
        results = [memory.remember(text, **options).memory for text in texts]  # type: ignore[arg-type]
    return [result.id for result in results if result]


def test_an_empty_project_says_what_to_do_next(client: TestClient) -> None:
    assert "No memories yet" in client.get("/memories").text


def test_the_list_shows_memories_and_how_many_there_are(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents", "tests/auth hangs without REDIS_URL")
    page = client.get("/memories").text
    assert "2 memories" in page
    assert page.index("REDIS_URL") < page.index("integer cents")


def test_a_filter_selects_and_names_what_another_choice_would_select(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents", type="decision")
    teach(panel, "Login needs REDIS_URL", type="gotcha")
    page = client.get("/memories?types=decision").text
    assert "integer cents" in page
    assert "REDIS_URL" not in page
    assert re.search(r'value="gotcha">gotcha \(1\)', page)


def test_a_long_list_is_read_in_pages_without_gap_or_repetition(client: TestClient, panel: Panel) -> None:
    ids = teach(
        panel, *(f"case {number} needs a seeded database of its own number {number * 7919}" for number in range(60))
    )
    first = client.get("/memories").text
    link = re.search(r'href="([^"]*after=[^"]*)" rel="next"', first)
    assert link
    second = client.get(link[1].replace("&amp;", "&")).text
    listed = re.findall(r'name="id" value="(\w+)"', first) + re.findall(r'name="id" value="(\w+)"', second)
    assert listed == ids[::-1]


def test_a_search_ranks_and_says_why(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents", "Login needs REDIS_URL")
    page = client.get("/memories?q=how+is+money+stored").text
    assert page.index("integer cents") < page.index("Why is this here?")
    assert "Score, best = 1" in page


def test_a_search_without_a_match_says_so(client: TestClient, panel: Panel) -> None:
    teach(panel, "Money is integer cents")
    assert "Nothing found" in client.get("/memories?q=zebra&types=pattern").text


def test_a_choice_that_does_not_exist_is_named_and_not_an_error_of_the_server(client: TestClient) -> None:
    answer = client.get("/memories?types=nonsense")
    assert answer.status_code == 400
    assert "nonsense" in answer.text
    assert client.get("/memories?after=../../etc").status_code == 400
    assert client.get("/memories?files=../../etc/passwd").status_code == 400


def test_hostile_text_is_shown_as_text(client: TestClient, panel: Panel) -> None:
    teach(panel, "<script>alert(1)</script> <img src=x onerror=alert(2)> \u202egnp.exe")
    page = client.get("/memories").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)" in page
