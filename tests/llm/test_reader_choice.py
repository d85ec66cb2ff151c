"""The reader is off until a person chooses one, and has caps of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from holloway.config import Settings, change_setting
from holloway.llm import reader_choice
from holloway.llm.providers import Anthropic, CapReached, OpenAI, Stopped, WriterFailed
from holloway.llm.reader_choice import StopWatch, choose_reader, open_reader, record_read_session
from holloway.service import project_finder
from holloway.store.llm_usage import READER_FAILED, READER_PURPOSE, READER_READ, LlmUsageLedger
from holloway.testing import FakeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from holloway import Holloway

LOCAL = {"reader.provider": "openai", "reader.base_url": "http://127.0.0.1:11434/v1"}


def settings_of(memory: Holloway, **changes: str) -> Settings:
    for key, value in changes.items():
        change_setting(key, value)
    return Settings.load_settings(memory.project.key)


@pytest.mark.promise("nothing-is-sent")
def test_there_is_no_reader_until_a_person_chooses_one(memory: Holloway) -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    choice = choose_reader(memory.settings, environment)
    assert choice.writer is None
    assert "holloway reader on" in choice.reason


def test_the_provider_of_other_calls_is_no_consent_to_a_reader(memory: Holloway) -> None:
    settings = settings_of(memory, **{"llm.provider": "openai", "llm.base_url": "http://127.0.0.1:11434/v1"})
    assert choose_reader(settings).writer is None


@pytest.mark.parametrize(
    ("changes", "environment", "reason"),
    [
        ({"reader.provider": "openai"}, {}, "openai needs a key"),
        ({"reader.provider": "anthropic", "reader.base_url": "http://127.0.0.1:1"}, {}, "anthropic needs a key"),
        ({"reader.provider": "openai", "reader.key_env": "MY_KEY"}, {}, "MY_KEY"),
        ({"reader.provider": "openai", "reader.key_env": "MY_KEY"}, {"MY_KEY": "a\nb"}, "characters that no key has"),
        (LOCAL, {}, ""),
        ({"reader.provider": "anthropic", "reader.key_env": "MY_KEY"}, {"MY_KEY": "k"}, ""),
    ],
)
def test_a_service_is_complete_or_the_reason_says_what_is_missing(
    memory: Holloway, changes: dict[str, str], environment: dict[str, str], reason: str
) -> None:
    choice = choose_reader(settings_of(memory, **changes), environment)
    assert (choice.writer is None) == bool(reason)
    assert reason in choice.reason


@pytest.mark.parametrize(("provider", "writer"), [("anthropic", Anthropic), ("openai", OpenAI)])
def test_the_chosen_service_is_called_by_its_own_api(memory: Holloway, provider: str, writer: type) -> None:
    settings = settings_of(memory, **{"reader.provider": provider, "reader.key_env": "MY_KEY"})
    assert isinstance(choose_reader(settings, {"MY_KEY": "k"}).writer, writer)


@pytest.mark.parametrize(
    ("system", "is_installed", "reason"),
    [
        ("posix", True, ""),
        ("posix", False, "`codex` is not on the PATH, so Codex cannot read sessions."),
        ("nt", True, "Codex can read sessions on Linux and macOS only."),
    ],
)
def test_an_agent_reads_where_its_program_is_and_can_be_supervised(
    memory: Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, is_installed: bool, reason: str
) -> None:
    settings = settings_of(memory, **{"reader.provider": "codex"})
    if is_installed:
        (tmp_path / "codex").touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(reader_choice, "os", SimpleNamespace(name=system))
    choice = choose_reader(settings)
    assert (choice.writer is None, choice.reason) == (bool(reason), reason)


@pytest.mark.promise("spending")
def test_the_reader_has_a_daily_cap_apart_from_that_of_other_calls(memory: Holloway) -> None:
    settings = settings_of(memory, **LOCAL, **{"reader.daily_tokens": "60", "llm.monthly_tokens": "0"})
    reader = open_reader(memory.store, settings, FakeWriter("one lesson")).reader
    assert reader is not None
    reader.complete("a b c", max_tokens=20, deadline_s=1)
    ledger = LlmUsageLedger(memory.store.database, memory.clock)
    assert ledger.total_tokens(f"{memory.clock.now():%Y-%m-%d}", READER_PURPOSE) == 3 + 2
    with pytest.raises(CapReached, match="This day's 60 tokens"):
        reader.complete("a b c", max_tokens=60, deadline_s=1)


def test_an_excluded_or_paused_project_has_no_reader(memory: Holloway) -> None:
    settings = settings_of(memory, **LOCAL)
    assert open_reader(memory.store, settings).reader is not None
    project_finder.pause(str(memory.project.root), "capture")
    assert "paused" in open_reader(memory.store, settings).reason
    project_finder.resume(str(memory.project.root))
    excluded = settings_of(memory, **{"exclude.projects": memory.project.name})
    choice = open_reader(memory.store, excluded, FakeWriter())
    assert (choice.reader, "excluded" in choice.reason) == (None, True)


def test_the_last_failure_and_the_last_session_read_are_recorded(memory: Holloway) -> None:
    reader = open_reader(memory.store, memory.settings, FakeWriter(WriterFailed("it is down"), Stopped("off"))).reader
    assert reader is not None
    ledger = LlmUsageLedger(memory.store.database, memory.clock)
    assert ledger.load_reader_event(READER_FAILED) is None
    for _ in range(2):
        with pytest.raises(WriterFailed):
            reader.complete("a", max_tokens=5, deadline_s=1)
    failure = ledger.load_reader_event(READER_FAILED)
    assert failure is not None
    assert failure.text == "it is down"
    record_read_session(memory.store, "s1")
    session = ledger.load_reader_event(READER_READ)
    assert session is not None
    assert (session.text, session.at[:4]) == ("s1", f"{memory.clock.now():%Y}")


def test_an_agent_is_chosen_where_its_program_is_installed(
    memory: Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    settings = settings_of(memory, **{"reader.provider": "codex", "reader.model": "m"})
    assert "`codex` is not on the PATH" in choose_reader(settings).reason
    (tmp_path / "codex").touch(mode=0o700)
    writer = choose_reader(settings).writer
    assert writer is not None
    assert (writer.provider, writer.model) == ("codex", "m")


def test_a_running_call_notices_that_the_reader_was_turned_off(memory: Holloway) -> None:
    watch = StopWatch(settings_of(memory, **LOCAL))
    assert not watch.is_stopped()
    change_setting("reader.model", "another")
    assert not watch.is_stopped()
    change_setting("reader.provider", "off", memory.project.key)
    assert watch.is_stopped()
