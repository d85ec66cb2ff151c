"""Sharing on the panel: states, people, the ceremony before anything leaves, and conflicts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holloway
from tests.conftest import make_repository
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.domain.memory import Memory
    from holloway.panel.panel import Panel

CHECKLIST = {"readers": "1", "quotes": "1", "copies": "1"}
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def hub(tmp_path: Path, panel: Panel) -> Path:
    """A bare repository that the project's remote `origin` names."""
    path = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    subprocess.run(["git", "-C", str(panel.project.root), "remote", "add", "origin", str(path)], check=True)
    return path


def list_refs(hub: Path) -> str:
    return subprocess.run(["git", "-C", str(hub), "for-each-ref"], check=True, capture_output=True, text=True).stdout


class Colleague:
    """Bob, with his own clone and data folder."""

    def __init__(self, tmp_path: Path, hub: Path) -> None:
        self.root = make_repository(tmp_path / "bob" / "shop").root
        self.home, self.hub = tmp_path / "bob-data", hub

    def share(self, *texts: str, edits: dict[str, str] | None = None) -> None:
        """Teach, edit and exchange."""
        with holloway.open(self.root, home=self.home) as memory:
            sharing = memory.sharing()
            for text in texts:
                memory.remember(text, visibility="project")
            if not sharing.membership.is_on:
                sharing.membership.start(str(self.hub), (), author="Bob", device="mac")
            sharing.synchronize()
            if any(person.standing == "unknown" for person in sharing.list_people()):
                sharing.accept("all")
                sharing.synchronize()
            for before, after in (edits or {}).items():
                card = next(card for card in memory.memories() if card.content == before)
                memory.edit(card.id, content=after)
            sharing.synchronize()

    def memories(self) -> list[Memory]:
        """Return what Bob has."""
        with holloway.open(self.root, home=self.home) as memory:
            memory.sharing().synchronize()
            return memory.memories()


@pytest.fixture
def bob(tmp_path: Path, hub: Path) -> Colleague:
    """A colleague who has not shared anything yet."""
    return Colleague(tmp_path, hub)


def choose(panel: Panel, text: str) -> str:
    """Teach a memory whose visibility is chosen; return its id."""
    with panel.open_memory(settle=False) as memory:
        card = memory.remember(text, visibility="project").memory
        assert card is not None
        return card.id


def share(client: TestClient, **fields: str | list[str]) -> str:
    """Share as a person who ticked the whole checklist; return the page that follows."""
    response = client.post("/sharing/offer", data={"author": "Ada", **CHECKLIST, **fields})
    return response.text if response.status_code != 303 else client.get(response.headers["location"]).text


def test_nothing_leaves_before_the_ceremony(client: TestClient, hub: Path) -> None:
    page = client.get("/sharing").text
    assert "Nothing leaves this machine" in page
    assert "See what would leave" in page


@pytest.mark.promise("shared-by-choice")
def test_the_ceremony_shares_what_was_chosen_and_the_ticked_groups(
    client: TestClient, panel: Panel, hub: Path, bob: Colleague
) -> None:
    choose(panel, "chosen by Ada")
    teach(panel, "said to herself")
    page = client.get("/sharing/offer").text
    assert "2 memories could be shared" in page
    assert "Taught by you, personal until you say otherwise" in page
    assert "3 lines that are left" in client.post("/sharing/offer", data={"author": "Ada"}).text
    assert list_refs(hub) == ""
    assert "1 memory is shared." in share(client)
    bob.share()
    assert [card.content for card in bob.memories()] == ["chosen by Ada"]
    share(client, groups=["taught"])
    assert sorted(card.content for card in bob.memories()) == ["chosen by Ada", "said to herself"]


def test_a_dry_run_shows_exactly_what_would_be_sent(client: TestClient, panel: Panel, hub: Path) -> None:
    choose(panel, "chosen by Ada")
    teach(panel, "said to herself")
    page = client.get("/sharing/offer?preview=1").text
    assert "1 memory would be sent; nothing was" in page
    assert "&#34;text&#34;: &#34;chosen by Ada&#34;" in page
    assert "2 memories would be sent" in client.get("/sharing/offer?preview=1&groups=taught").text
    assert list_refs(hub) == ""


def test_client_work_is_excluded_until_the_person_includes_it(client: TestClient, panel: Panel, hub: Path) -> None:
    choose(panel, "chosen by Ada")
    client_hub = hub.rename(hub.with_name("acme-client.git"))
    page = client.get("/sharing/offer", params={"remote": str(client_hub)}).text
    assert "looks like work for a client, so it is excluded" in page
    assert ">Share</button>" not in page
    assert "looks like work for a client" in share(client, remote=str(client_hub))
    assert list_refs(client_hub) == ""
    client.post("/sharing/include")
    assert "1 memory is shared." in share(client, remote=str(client_hub))


def test_a_project_can_be_excluded_and_not_now_is_remembered(client: TestClient, panel: Panel, hub: Path) -> None:
    client.post("/sharing/later")
    with panel.open_memory(settle=False) as memory:
        assert memory.sharing().is_snoozed
    client.post("/sharing/exclude")
    assert "This project is excluded" in client.get("/sharing").text
    client.post("/sharing/include")
    assert "Nothing leaves this machine" in client.get("/sharing").text


def test_an_unknown_person_is_accepted_on_the_page_and_their_cards_name_them(
    client: TestClient, panel: Panel, bob: Colleague
) -> None:
    bob.share("from Bob with care")
    client.post("/sharing/join")
    page = client.get("/sharing").text
    assert "not accepted yet" in page
    assert "1 device that you did not accept yet" in client.get("/").text
    with panel.open_memory(settle=False) as memory:
        key = next(person.replica for person in memory.sharing().list_people() if person.standing == "unknown")
    client.post("/sharing/people", data={"replica": key, "decision": "accept"})
    page = client.get("/sharing").text
    assert "Accepted: Bob (mac)." in page
    assert "Read these first" in page
    assert "from Bob with care" in page
    listing = client.get("/memories?authors=Bob").text
    assert "from Bob</span>" in listing
    with panel.open_memory(settle=False) as memory:
        card = memory.memories()[0].id
    assert '<a href="/memories?authors=Bob">Bob</a> (mac)' in client.get(f"/memories/{card}").text
    client.post("/sharing/read")
    assert "Read these first" not in client.get("/sharing").text
    client.post("/sharing/people", data={"replica": key, "decision": "refuse"})
    assert "from Bob with care" not in client.get("/memories").text


def start_conflict(client: TestClient, panel: Panel, bob: Colleague) -> str:
    """Have Ada and Bob rewrite the same text; return the id of the memory."""
    card = choose(panel, "tests need Redis")
    share(client)
    bob.share()
    with panel.open_memory(settle=False) as memory:
        memory.sharing().synchronize()
        memory.sharing().accept("Bob")
        memory.edit(card, content="tests need Redis 7")
        bob.share(edits={"tests need Redis": "tests need Redis 6"})
        memory.sharing().synchronize()
    return card


@pytest.mark.promise("shared-conflicts")
@pytest.mark.parametrize(
    ("decision", "text"),
    [
        ({"keep": "a"}, "tests need Redis 7"),
        ({"keep": "b"}, "tests need Redis 6"),
        ({"text": "tests need Redis 6 or 7"}, "tests need Redis 6 or 7"),
    ],
)
def test_a_conflict_shows_both_versions_and_a_person_decides(
    client: TestClient, panel: Panel, bob: Colleague, decision: dict[str, str], text: str
) -> None:
    card = start_conflict(client, panel, bob)
    assert "1 memory was changed by two people at once" in client.get("/").text
    assert "in conflict" in client.get("/sharing").text
    page = client.get("/sharing/conflicts").text
    for part in ("A: Ada", "B: Bob (mac)", "tests need Redis 7", "tests need Redis 6", "agents get this"):
        assert part in page
    assert client.post(f"/sharing/conflicts/{card}", data={}).status_code == 422
    client.post(f"/sharing/conflicts/{card}", data=decision)
    assert "No conflicts" in client.get("/sharing/conflicts").text
    with panel.open_memory(settle=False) as memory:
        assert memory.get(card).content == text


def test_an_outage_is_shown_and_nothing_is_lost(client: TestClient, panel: Panel, hub: Path) -> None:
    choose(panel, "chosen by Ada")
    share(client)
    away = hub.rename(hub.with_name("away.git"))
    choose(panel, "taught while offline")
    response = client.post("/sharing/sync")
    assert response.status_code == 422
    assert "offline" in client.get("/sharing").text
    away.rename(hub)
    client.post("/sharing/sync")
    page = client.get("/sharing").text
    assert "Exchanged: 1 sent, 0 new." in page
    assert "synced" in page


def test_pause_and_leave(client: TestClient, panel: Panel, hub: Path) -> None:
    choose(panel, "chosen by Ada")
    share(client)
    client.post("/sharing/pause")
    assert "Go on" in client.get("/sharing").text
    client.post("/sharing/resume")
    assert "Exchange now" in client.get("/sharing").text
    client.post("/sharing/leave")
    assert "Nothing leaves this machine" in client.get("/sharing").text
    assert list_refs(hub) == ""


def test_without_a_remote_the_ceremony_says_so(client: TestClient, panel: Panel) -> None:
    response = client.get("/sharing/offer")
    assert response.status_code == 422
    assert "The repository has no remote" in response.text


def test_an_unknown_action_is_refused(client: TestClient) -> None:
    assert client.post("/sharing/nothing").status_code == 400
    assert client.post("/sharing/people", data={"replica": "nobody"}).status_code == 422
