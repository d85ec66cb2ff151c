"""The timeline of a session: one entry for each prompt, statement and tool call, without secrets."""

from dataclasses import replace
from pathlib import Path

import pytest

from holloway import config
from holloway.capture import session_timeline
from holloway.capture.session_timeline import EntryKind, TimelineEntry, TranscriptState
from holloway.domain.event import Call, Interrupted, Plan, Prompt, Result, Said, Summarized, ToolKind
from holloway.domain.work import SessionSummary
from holloway.service.holloway import Holloway
from holloway.service.past_sessions import open_session_files
from holloway.store import hook_settings
from tests.capture.test_session_files import opened
from tests.conftest import Repository
from tests.service.on_disk import transcript, watched

AT = "2026-01-05T09:00:00.000Z"


def session(name: str = "s1", agent: str = "claude-code") -> SessionSummary:
    return SessionSummary(name, agent, AT, AT)


def test_a_tool_call_on_several_files_is_one_entry_with_its_result() -> None:
    entries = session_timeline.build_entries(
        [
            Prompt(1.0, "Fix the login"),
            Call(2.0, "c1", ToolKind.READ, "Read", "a.py"),
            Call(2.0, "c1#2", ToolKind.READ, "Read", "b.py"),
            Call(2.0, "c1#3", ToolKind.READ, "Read", "b.py"),
            Result(3.0, "c1", ok=True, text="one"),
            Result(3.0, "c1#2", ok=False, text="two"),
            Call(4.0, "c2", ToolKind.SEARCH, "Grep", pattern="token"),
            Result(5.0, "gone", ok=False),
            Call(6.0, "c3", ToolKind.READ, "Read", "a.py"),
            Call(6.0, "c3#2", ToolKind.READ, "Read", "b.py"),
            Result(7.0, "c3", ok=False),
            Result(7.0, "c3#2", ok=True),
        ]
    )
    assert [entry.kind for entry in entries] == [EntryKind.PROMPT, EntryKind.TOOL, EntryKind.TOOL, EntryKind.TOOL]
    assert entries[3].succeeded is False
    assert (entries[1].paths, entries[1].succeeded, entries[1].result) == (("a.py", "b.py"), False, "one")
    assert (entries[2].text, entries[2].succeeded, entries[2].action) == ("token", None, "search")


def test_a_session_is_read_to_one_entry_more_than_a_timeline_holds() -> None:
    prompts = (Prompt(float(at), f"Step {at}") for at in range(config.TIMELINE_ENTRIES_MAX + 10))
    assert len(session_timeline.build_entries(prompts)) == config.TIMELINE_ENTRIES_MAX + 1
    assert next(prompts).at == config.TIMELINE_ENTRIES_MAX + 1


def test_statements_have_their_citations_and_other_events_no_entry() -> None:
    entries = session_timeline.build_entries(
        [
            Said(1.0, "As [hw:7f3a2c] says, and [hw:7f3a2c] again", thinking=True, actor="helper"),
            Said(2.0, "Done"),
            Summarized(3.0, "So far"),
            Interrupted(4.0),
            Plan(5.0),
        ]
    )
    assert [entry.kind for entry in entries] == [
        EntryKind.THOUGHT,
        EntryKind.SAID,
        EntryKind.SUMMARIZED,
        EntryKind.INTERRUPTED,
    ]
    assert (entries[0].cited, entries[0].actor) == (("7f3a2c",), "helper")


def test_a_timeline_is_bounded_and_says_so(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(memory, "s1", told=str(transcript(repository.root, "s1")))
    whole = session_timeline.load_timeline(memory.store, session())
    assert (whole.state, whole.is_complete, len(whole.entries)) == (TranscriptState.READ, True, 4)
    monkeypatch.setattr(session_timeline, "TIMELINE_ENTRIES_MAX", 2)
    part = session_timeline.load_timeline(memory.store, session())
    assert (part.is_complete, part.entries) == (False, whole.entries[:2])
    monkeypatch.setattr(session_timeline, "TIMELINE_TRANSCRIPT_BYTES_MAX", 10)
    assert session_timeline.load_timeline(memory.store, session()).state is TranscriptState.TOO_LARGE


def test_a_session_is_read_from_the_transcript_that_it_was_learned_from(
    memory: Holloway, repository: Repository
) -> None:
    path = transcript(repository.root, "s1")
    open_session_files(memory).learn(opened(path))
    timeline = session_timeline.load_timeline(memory.store, session())
    assert [entry.tool for entry in timeline.entries] == ["", "Edit", "Bash", "Bash"]
    assert timeline.entries[0].text == "Fix the login, part 0"
    path.unlink()
    assert session_timeline.load_timeline(memory.store, session()).state is TranscriptState.GONE


def test_a_session_without_transcript_is_read_from_its_journal_while_there_is_one(memory: Holloway) -> None:
    path = watched(memory, "s1")
    timeline = session_timeline.load_timeline(memory.store, session())
    assert [entry.kind for entry in timeline.entries][:2] == [EntryKind.PROMPT, EntryKind.TOOL]
    path.unlink()
    assert session_timeline.load_timeline(memory.store, session()).state is TranscriptState.GONE


def test_a_program_of_a_person_has_no_transcript(memory: Holloway) -> None:
    timeline = session_timeline.load_timeline(memory.store, session(agent="my-agent"))
    assert (timeline.state, timeline.entries) == (TranscriptState.NONE, ())


def test_what_is_excluded_from_capture_is_not_shown_either(memory: Holloway, repository: Repository) -> None:
    watched(memory, "s1", told=str(transcript(repository.root, "s1")))
    config.change_setting("exclude.commands", "pytest *", folder=str(memory.home))
    hook_settings.save_hook_settings(memory.project, memory.settings.reload())
    entries = session_timeline.load_timeline(memory.store, session()).entries
    assert [entry.tool for entry in entries] == ["", "Edit"]


def test_entries_are_shown_without_secrets_and_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_timeline, "TIMELINE_TEXT_CHARS_MAX", 60)
    token = "ghp_" + "x7Kq2mN9" * 4 + "abcd"
    entry = TimelineEntry(
        EntryKind.TOOL, 1.0, "say \x1b[31mred", command=f"curl -H 'token: {token}'", result=f"got {token}"
    )
    (shown,) = session_timeline.redact_entries([entry])
    assert token not in shown.command + shown.result
    assert "\x1b" not in shown.text
    (long,) = session_timeline.redact_entries([replace(entry, text="long " * 50)])
    assert len(long.text) == 61
    assert long.text.endswith("…")


def test_a_file_that_is_no_transcript_any_more_leaves_an_empty_timeline(
    memory: Holloway, repository: Repository
) -> None:
    path = transcript(repository.root, "s1")
    open_session_files(memory).learn(opened(path))
    Path(path).write_text("\0\0 not json\n")
    timeline = session_timeline.load_timeline(memory.store, session())
    assert (timeline.state, timeline.entries) == (TranscriptState.READ, ())
