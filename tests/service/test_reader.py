"""A person turns the reader on and off, at once and everywhere, and sees what it used."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

import holloway
from holloway.config import Settings
from holloway.errors import InvalidInput
from holloway.llm.providers import WriterFailed
from holloway.llm.reader_choice import get_lock_file, open_reader, record_read_session
from holloway.service import reader
from holloway.store import readings
from holloway.testing import FakeWriter
from tests.observer.story import Story
from tests.promotion.reader.reading import lesson, read_and_store

if TYPE_CHECKING:
    from pathlib import Path

    from holloway import Holloway
    from holloway.testing import FakeClock

LOCAL = {"base_url": "http://127.0.0.1:11434/v1"}


def provider_of(memory: Holloway) -> str:
    return Settings.load_settings(memory.project.key).get_text("reader.provider")


def figures_of(memory: Holloway) -> dict[str, object]:
    return reader.describe_reader(Settings.load_settings(memory.project.key), memory.store.database, memory.clock)


def test_a_reader_is_turned_on_for_every_project_and_off_again(memory: Holloway) -> None:
    assert not reader.was_asked()
    assert reader.turn_on("openai", LOCAL) == ""
    assert (provider_of(memory), reader.was_asked()) == ("openai", True)
    assert reader.turn_off() == 0
    assert provider_of(memory) == "off"


def test_a_project_may_have_a_choice_of_its_own_and_off_ends_that_too(memory: Holloway, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with holloway.open(tmp_path / "other") as other:
        reader.turn_on("openai", LOCAL, memory.project.key)
        assert (provider_of(memory), provider_of(other)) == ("openai", "off")
        reader.turn_off(other.project.key)
        reader.turn_on("openai", LOCAL)
        assert (provider_of(memory), provider_of(other)) == ("openai", "off")
        reader.turn_off()
        assert (provider_of(memory), provider_of(other)) == ("off", "off")


def test_a_choice_replaces_the_model_and_the_address_of_the_one_before(memory: Holloway) -> None:
    reader.turn_on("openai", {**LOCAL, "model": "a"})
    reason = reader.turn_on("anthropic", {"model": "", "base_url": ""})
    assert "needs a key" in reason
    settings = reader.load_settings()
    assert (settings.get_text("reader.model"), settings.get_text("reader.base_url")) == ("", "")


def test_an_agent_that_is_not_installed_cannot_be_chosen(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert reader.list_offers() == []
    with pytest.raises(InvalidInput, match="`codex` is not on the PATH"):
        reader.turn_on("codex", {})
    assert provider_of(memory) == "off"


def test_only_agents_that_are_here_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "codex").touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [offer.provider for offer in reader.list_offers()] == ["codex"]


def test_turning_it_off_ends_a_running_call_and_waits_for_its_end(memory: Holloway) -> None:
    from filelock import FileLock

    reader.turn_on("openai", LOCAL)
    is_held, is_off = threading.Event(), threading.Event()

    def run() -> None:
        with FileLock(get_lock_file(memory.project)):
            is_held.set()
            is_off.wait(20)

    running = threading.Thread(target=run)
    running.start()
    assert is_held.wait(20)
    threading.Timer(0.5, is_off.set).start()
    assert reader.turn_off() == 1
    running.join()
    assert reader.turn_off() == 0


def test_no_call_begins_after_the_reader_was_turned_off(memory: Holloway) -> None:
    reader.turn_on("openai", LOCAL)
    writer = FakeWriter("[]", "[]")
    opened = open_reader(memory.store, Settings.load_settings(memory.project.key), writer).reader
    assert opened is not None
    opened.complete("a", max_tokens=5, deadline_s=5)
    reader.turn_off()
    for _ in range(2):
        with pytest.raises(WriterFailed, match="turned off"):
            opened.complete("a", max_tokens=5, deadline_s=5)
    assert len(writer.asked) == 1


def test_the_figures_tell_usage_the_last_session_and_the_last_failure(memory: Holloway, clock: FakeClock) -> None:
    reader.turn_on("openai", {**LOCAL, "model": "small"})
    opened = open_reader(memory.store, reader.load_settings(), FakeWriter("one two", WriterFailed("down"))).reader
    assert opened is not None
    opened.complete("a b c", max_tokens=5, deadline_s=5)
    record_read_session(memory.store, "s1")
    figures = figures_of(memory)
    assert (figures["provider"], figures["model"], figures["problem"]) == ("openai", "small", None)
    assert (figures["tokens_today"], figures["tokens_this_month"]) == (5, 5)
    assert not reader.has_failed_last(figures)
    assert "openai (small): 5 of 200,000 tokens today, 5 of 3,000,000 this month; session s1 read" in (
        reader.describe_in_words(figures)
    )
    clock.advance(hours=1)
    with pytest.raises(WriterFailed):
        opened.complete("a", max_tokens=5, deadline_s=5)
    failed = figures_of(memory)
    assert reader.has_failed_last(failed)
    clock.advance(days=1)
    assert figures_of(memory)["tokens_today"] == 0


def test_the_figures_tell_what_became_of_proposals_and_how_many_sessions_wait(memory: Holloway) -> None:
    assert reader.describe_proposals(figures_of(memory)) == ""
    said = "The login fails because the cache of the tokens is empty at start."
    known = lesson("The cache of the tokens is empty at start", said)
    read_and_store(memory, Story("s1").says(said, thinking=False), known, lesson("The cache of tokens is cold", "no"))
    readings.queue_reading(memory.store.database, "s2", "/s2", "", 10, "2026-01-05T09:00:00.000Z")
    figures = figures_of(memory)
    assert (figures["proposals"], figures["waiting"]) == ({"promoted": 1, "dropped": 1}, 1)
    words = "of 2 lessons proposed 1 stored, 1 refused; sessions that wait to be read: 1"
    assert reader.describe_proposals(figures) == words


def test_consent_names_what_is_sent_what_it_costs_and_how_it_ends(memory: Holloway) -> None:
    text = "\n".join(reader.describe_consent(reader.load_settings()))
    for words in ("prompts", "secrets", "10,000 tokens", "200,000 tokens a day", "3,000,000 a month", "reader off"):
        assert words in text


USED = {"tokens_today": 1_200, "daily_cap": 200_000, "tokens_this_month": 3_400, "monthly_cap": 3_000_000}
USAGE = "1,200 of 200,000 tokens today, 3,400 of 3,000,000 this month"


@pytest.mark.parametrize(
    ("figures", "line"),
    [
        ({"provider": "off", "tokens_this_month": 0}, "off; `holloway reader on` turns it on"),
        ({"provider": "off"}, f"off ({USAGE})"),
        ({"provider": "codex", "model": None, "last_read": None}, f"codex: {USAGE}; no session read yet"),
        (
            {"provider": "openai", "model": "m", "last_read": {"session": "s1", "at": "2026-01-05T09:00:30.000Z"}},
            f"openai (m): {USAGE}; session s1 read 2026-01-05T09:00",
        ),
    ],
)
def test_the_figures_of_the_reader_fit_in_a_line(figures: dict[str, object], line: str) -> None:
    assert reader.describe_in_words({**USED, **figures}) == line
