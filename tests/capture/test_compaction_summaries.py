"""The summary of a compacted conversation is kept as a summary, and never as words of the person."""

import json
from pathlib import Path

import pytest

from holloway.capture import claude_code
from holloway.config import SCRATCHPAD_TEXT_CHARS_MAX
from holloway.domain.event import Event, Prompt, Summarized
from holloway.observer.observer import Observer

SUMMARY = (
    "This session is being continued from a previous conversation.\n\n"
    "1. Errors and fixes:\n   - The cache must not be shared."
)


def read(tmp_path: Path, content: object = SUMMARY, **fields: object) -> list[Event]:
    """Read a transcript with a prompt and one more entry of the user."""
    entry = {
        "type": "user",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "sessionId": "s1",
        "cwd": str(tmp_path),
        "isSidechain": False,
    }
    rows = [
        {**entry, "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "Fix the tokens"}},
        {**entry, "uuid": "b", "parentUuid": "a", "message": {"role": "user", "content": content}, **fields},
    ]
    path = tmp_path / "s1.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [event for event in claude_code.read_session(path, tmp_path) if isinstance(event, Prompt | Summarized)]


@pytest.mark.parametrize("content", [SUMMARY, [{"type": "text", "text": SUMMARY}]])
def test_a_summary_of_the_host_is_an_event_of_its_own(tmp_path: Path, content: object) -> None:
    at = 1772359200.0
    told = read(tmp_path, content, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    assert told == [Prompt(at, "Fix the tokens"), Summarized(at, SUMMARY)]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"isCompactSummary": "yes"},
        {"isVisibleInTranscriptOnly": True},
        {"isMeta": True},
        {"isCompactSummary": True, "isSidechain": True, "agentId": "sub"},
    ],
)
def test_only_the_mark_of_the_host_on_an_entry_of_the_main_agent_makes_a_summary(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    assert read(tmp_path, **fields) == [Prompt(1772359200.0, "Fix the tokens")]


def test_words_of_a_person_that_quote_a_summary_are_a_prompt(tmp_path: Path) -> None:
    quoted = f"Look: {SUMMARY}"
    assert [type(event) for event in read(tmp_path, quoted)] == [Prompt, Prompt]


def test_the_scratchpad_notes_a_summary_with_its_voice(tmp_path: Path) -> None:
    observer = Observer()
    for event in read(tmp_path, isCompactSummary=True):
        observer.observe_event(event)
    assert [(note.voice, note.text) for note in observer.pad.notes] == [
        ("user", "Fix the tokens"),
        ("summary", SUMMARY),
    ]


def test_a_long_summary_is_cut(tmp_path: Path) -> None:
    observer = Observer()
    for event in read(tmp_path, SUMMARY + " x" * SCRATCHPAD_TEXT_CHARS_MAX, isCompactSummary=True):
        observer.observe_event(event)
    assert len(observer.pad.notes[-1].text) <= SCRATCHPAD_TEXT_CHARS_MAX
    assert observer.pad.notes[-1].text.startswith(SUMMARY)
