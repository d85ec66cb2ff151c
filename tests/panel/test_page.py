"""The request of a page: its values, its language, its words for moments and sources, and where it redirects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.requests import Request

from holloway.errors import InvalidInput
from holloway.panel.flash import Flash
from holloway.panel.page import FIELDS_MAX, LOOK_COOKIE, Look, Page, check_local, get_word, parse_fields

if TYPE_CHECKING:
    from holloway.panel.panel import Panel


def make_page(
    panel: Panel, path: str = "/memories", query: str = "", *, method: str = "GET", form: str = "", **headers: str
) -> Page:
    """Return the page of a request, without an open memory."""
    raw_headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": raw_headers}
    return Page(Request(scope), panel, None, parse_fields(form))


def test_a_look_is_read_back_from_its_cookie() -> None:
    assert Look.parse(str(Look("fr", "dark"))) == Look("fr", "dark")
    assert Look.parse("fr.pink") == Look("fr", "auto")
    assert Look.parse("") == Look()
    assert len(Look.parse("x" * 100).language) == 8


def test_the_chosen_language_wins_over_that_of_the_browser(panel: Panel) -> None:
    assert make_page(panel, accept_language="fr").language.code == "fr"
    chosen = make_page(panel, accept_language="fr", cookie=f"{LOOK_COOKIE}=en.auto")
    assert chosen.language.code == "en"
    assert {language.code for language in chosen.languages} == {"en", "fr"}


def test_the_page_to_return_to_comes_from_the_form_before_the_address(panel: Panel) -> None:
    assert make_page(panel, query="next=/code").next_path == "/code"
    assert make_page(panel, query="next=/code", form="next=/teach").next_path == "/teach"
    assert make_page(panel).next_path == ""
    assert make_page(panel, form="next=//evil.example").next_path == "/"


def test_the_address_of_a_page_is_its_query_and_that_of_an_action_the_page_it_came_from(panel: Panel) -> None:
    assert make_page(panel, query="types=gotcha").address == "/memories?types=gotcha"
    assert make_page(panel, "/wrong", method="POST", form="next=/memories").address == "/memories"
    assert make_page(panel, "/wrong", method="POST").address == "/"


def test_a_query_is_changed_without_losing_its_other_values(panel: Panel) -> None:
    page = make_page(panel, query="types=gotcha&types=decision&after=7")
    assert page.with_query(after="9") == "/memories?types=gotcha&types=decision&after=9"
    assert page.with_query(after=None) == "/memories?types=gotcha&types=decision"
    assert page.with_query(after=None, types=None) == "/memories"


@pytest.mark.parametrize(
    ("path", "entry", "is_below"),
    [
        ("/memories", "/memories", True),
        ("/memories/7f3a2c", "/memories", True),
        ("/memories-old", "/memories", False),
        ("/", "/", True),
        ("/memories", "/", False),
    ],
)
def test_a_navigation_entry_is_current_on_its_page_and_below(
    panel: Panel, path: str, entry: str, is_below: bool
) -> None:
    assert make_page(panel, path).is_below(entry) is is_below


def test_the_history_names_a_source_in_the_readers_language(panel: Panel) -> None:
    assert make_page(panel).describe_detail("by user_taught, claude-code") == "taught by you, claude-code"
    assert make_page(panel).describe_detail("by user_taught") == "taught by you"
    french = make_page(panel, accept_language="fr").describe_detail("by user_taught")
    assert french not in ("", "by user_taught", "taught by you")


@pytest.mark.parametrize("detail", ["by ada, claude-code", "user_taught", "outdated", ""])
def test_another_detail_of_the_history_stays_as_it_is(panel: Panel, detail: str) -> None:
    assert make_page(panel).describe_detail(detail) == detail


def test_texts_numbers_and_moments_are_written_in_the_language_of_the_page(panel: Panel) -> None:
    page, french = make_page(panel), make_page(panel, accept_language="fr")
    assert page.percent(0.256) == "26%"
    assert page.number(12_345) == "12,345"
    assert french.number(12_345) not in ("12,345", "12345")
    assert page.moment("2026-11-15T22:17:16Z") == "2026-11-15 22:17 UTC"
    assert page.gettext("At most %(limit)s", limit=3) == "At most 3"
    assert page.ngettext("%(count)s thing of %(all)s", "%(count)s things of %(all)s", 1, all=4) == "1 thing of 4"
    assert page.ngettext("%(count)s thing of %(all)s", "%(count)s things of %(all)s", 2_000, all=4) == (
        "2,000 things of 4"
    )


def test_an_age_is_counted_from_the_clock_of_the_panel(panel: Panel) -> None:
    now = panel.clock.now()
    assert make_page(panel).ago(now.isoformat()) == "just now"
    assert make_page(panel).ago(now.replace(year=now.year - 2).isoformat()) == "2 years ago"


def test_a_message_waits_for_the_next_page_of_its_browser(panel: Panel) -> None:
    cookie = f"{panel.policy.cookie_name}=browser-1"
    make_page(panel, cookie=cookie).flash("Forgotten", undo="/undo", undo_fields={"change": "c1"}, link="/review")
    assert panel.flashes.take("browser-1") == [Flash("Forgotten", "/review", "/undo", {"change": "c1"})]
    assert panel.flashes.take("browser-1") == []


def test_only_a_browser_with_a_session_is_signed_in(panel: Panel) -> None:
    session = panel.policy.sessions.sign_in()
    assert make_page(panel, cookie=f"{panel.policy.cookie_name}={session}").is_signed_in
    assert not make_page(panel, cookie=f"{panel.policy.cookie_name}=other").is_signed_in
    assert not make_page(panel).is_signed_in


def test_a_browser_keeps_its_conversation_until_it_is_forgotten(panel: Panel) -> None:
    page = make_page(panel, cookie=f"{panel.policy.cookie_name}=browser-1")
    conversation = page.conversation
    assert page.conversation is conversation
    assert make_page(panel, cookie=f"{panel.policy.cookie_name}=browser-2").conversation is not conversation
    page.forget_conversation()
    assert page.conversation is not conversation


def test_a_page_is_answered_with_its_status(panel: Panel) -> None:
    values: dict[str, Any] = {"title": "There is no such page", "hint": "Go back.", "command": ""}
    with panel.open_memory(settle=False) as memory:
        page = Page(make_page(panel).request, panel, memory, {})
        assert page.render("error.html", **values).status_code == 200
        answer = page.render("error.html", status=404, **values)
    assert answer.status_code == 404
    assert "There is no such page" in bytes(answer.body).decode()


def test_an_action_redirects_within_the_panel(panel: Panel) -> None:
    answer = make_page(panel).redirect("/memories?types=gotcha")
    assert (answer.status_code, answer.headers["location"]) == (303, "/memories?types=gotcha")
    assert make_page(panel).redirect("https://evil.example/").headers["location"] == "/"


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "memories",
        "/a\\b",
        "/a\nb",
        "javascript:alert(1)",
        "",
    ],
)
def test_a_path_elsewhere_becomes_the_first_page(path: str) -> None:
    assert check_local(path) == "/"
    assert check_local("/memories?next=https://a.example") == "/memories?next=https://a.example"


def test_a_form_keeps_empty_and_repeated_values() -> None:
    fields = parse_fields("text=&id=a&id=b&note=+why+")
    assert fields == {"text": [""], "id": ["a", "b"], "note": [" why "]}
    assert [get_word(fields, name) for name in ("text", "id", "note", "missing")] == ["", "a", "why", ""]


@pytest.mark.parametrize("text", ["text=%ff", "&".join(f"f{number}=1" for number in range(FIELDS_MAX + 1))])
def test_a_form_that_is_not_utf_8_or_has_too_many_fields_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be read") as caught:
        parse_fields(text)
    assert caught.value.hint == "At most 2,000 fields in UTF-8."
    assert len(parse_fields("&".join(f"f{number}=1" for number in range(FIELDS_MAX)))) == FIELDS_MAX
