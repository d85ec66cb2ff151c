"""The pages of sessions: the list, and the story of one session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from holloway.panel import labels
from holloway.panel.locale import load_languages
from holloway.service.past_sessions import open_session_files
from holloway.store import told_log
from tests.capture.test_session_files import opened
from tests.panel.views.test_memories import teach
from tests.service.learned import learn, solved
from tests.service.on_disk import transcript
from tests.service.test_session_pages import tell
from tests.service.test_session_report import began, set_record

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel

STARTED = "2026-01-05T10:00:00.000Z"


def test_without_sessions_it_says_how_to_connect_an_agent(client: TestClient) -> None:
    page = client.get("/sessions").text
    assert "No sessions yet" in page
    assert "holloway setup claude-code" in page


def test_the_list_shows_what_each_session_was_told_and_left(client: TestClient, panel: Panel) -> None:
    memory_id = teach(panel, "Money is integer cents")[0]
    with panel.open_memory(settle=False) as memory:
        learn(memory, solved("s1"))
        tell(memory, "s1", memory_id)
        set_record(memory, "s1", saved_tokens=40, injected_tokens=100)
    page = client.get("/sessions").text
    assert 'href="/sessions/s1"' in page
    assert "told 1" in page
    assert re.search(r"learned [1-9]", page)
    assert re.search("[-\u2212]60 tokens net", page), "a session that cost more than it saved says so"


def test_a_long_list_is_read_in_pages(client: TestClient, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        for number in range(60):
            began(memory, f"s{number:02}", hour=10 + number % 14)
    first = client.get("/sessions").text
    link = re.search(r'href="([^"]*after=[^"]*)" rel="next"', first)
    assert link
    second = client.get(link[1].replace("&amp;", "&")).text
    listed = re.findall(r'href="/sessions/(s\d\d)"', first + second)
    assert (len(listed), len(set(listed))) == (60, 60)
    assert client.get("/sessions?after=../etc").status_code == 400


def test_a_session_that_does_not_exist_has_no_page(client: TestClient, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        began(memory, "s1")
    assert client.get("/sessions/nothing").status_code == 404
    assert client.get("/sessions/..%2f..%2fetc").status_code == 404


def test_a_session_shows_what_the_agent_was_told_word_for_word_and_what_became_of_it(
    client: TestClient, panel: Panel
) -> None:
    ids = teach(panel, "Money is integer cents", "Login needs <b>REDIS_URL</b>", "Tokens expire")
    with panel.open_memory(settle=False) as memory:
        learn(memory, solved("s1"))
        for memory_id in ids:
            tell(memory, "s1", memory_id)
        set_record(memory, "s1", cited=[ids[0]], acted_on=[ids[1]])
        text = f"- Money is integer <cents> [hw:{ids[0]}] [hw:{ids[1]}] [hw:{ids[2]}]"
        told_log.append_told(str(memory.project.folder), at=STARTED, session="s1", point="prompt", text=text)
        memory.forget([ids[2]], hard=True)
    page = client.get("/sessions/s1").text
    assert "holloway told the agent" in page
    assert "with a prompt" in page
    assert "- Money is integer &lt;cents&gt;" in page
    assert re.search(r'class="badge cited">cited</span> <a href="/memories/' + ids[0], page)
    assert re.search(r'class="badge acted_on">acted on</span> <a href="/memories/' + ids[1], page)
    assert f"erased: {ids[2]}" in page


def test_prompts_and_tool_calls_come_from_the_transcript_and_its_absence_is_said(
    client: TestClient, panel: Panel
) -> None:
    path = transcript(panel.project.root, "s7")
    with panel.open_memory(settle=False) as memory:
        open_session_files(memory).learn(opened(path))
    page = client.get("/sessions/s7").text
    assert '<div class="said">Fix the login, part 0</div>' in page
    assert "KeyError" in page
    assert '<span class="badge failure">failed</span>' in page
    assert "The transcript is gone" not in page
    path.unlink()
    assert "The transcript is gone" in client.get("/sessions/s7").text


def test_an_entry_of_a_long_session_is_on_a_later_page(
    client: TestClient, panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holloway.service.session_pages.TIMELINE_ROWS", 2)
    path = transcript(panel.project.root, "s7")
    with panel.open_memory(settle=False) as memory:
        open_session_files(memory).learn(opened(path))
    first = client.get("/sessions/s7").text
    assert 'href="/sessions/s7?first=2" rel="next"' in first
    last = client.get("/sessions/s7?first=2").text
    assert 'href="/sessions/s7" rel="prev"' in last
    assert 'rel="next"' not in last
    assert "Fix the login" in first
    for broken in ("-1", "x", "99999999999999"):
        assert client.get(f"/sessions/s7?first={broken}").status_code == 200


def test_a_session_says_what_was_held_and_dropped_and_why(client: TestClient, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        learn(memory, solved("s1").records("worth nothing at all", "gotcha").red())
    page = client.get("/sessions/s1").text
    assert "Held" in page or "Dropped" in page
    assert '<ul class="candidates">' in page


def test_hostile_text_of_a_transcript_is_shown_as_text(client: TestClient, panel: Panel) -> None:
    path = transcript(panel.project.root, "s7")
    path.write_text(path.read_text().replace("Fix the login", "<script>alert(1)</script>"))
    with panel.open_memory(settle=False) as memory:
        open_session_files(memory).learn(opened(path))
    page = client.get("/sessions/s7").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_reason_for_which_a_candidate_was_dropped_is_in_the_language_of_the_reader() -> None:
    french = load_languages()["fr"]
    assert labels.describe_drop("a person rejected it", french) == "une personne l’a rejeté"
    assert labels.describe_drop("its score is 0.31", french) == "sa note est trop basse\N{NO-BREAK SPACE}: 0.31"
    assert labels.describe_drop("a reason of tomorrow", french) == "a reason of tomorrow"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (7_200, "2 hours")],
)
def test_a_duration_has_its_largest_unit(seconds: int, text: str) -> None:
    assert labels.format_duration(seconds, load_languages()["en"]) == text
