"""The host is recognised by what it says, and an event that two hosts tell counts once."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holloway
from holloway.capture import hosts
from holloway.capture import journal_reader as reader
from tests.conftest import Repository
from tests.hooks.asking import TRAP, TRAP_FILE, Asking, command, event
from tests.outside_input import JSON

ROLLOUT = "/home/ann/.codex/sessions/2026/11/15/rollout-2026-11-15T21-08-57-01a1.jsonl"


@pytest.mark.promise("told-once")
@pytest.mark.parametrize(
    ("given", "payload", "host"),
    [
        (
            "claude-code",
            {"hook_event_name": "PostToolUse", "transcript_path": "/home/ann/.claude/t.jsonl"},
            "claude-code",
        ),
        ("", {"hook_event_name": "Stop"}, "claude-code"),
        ("\x1b[31m", {"hook_event_name": "Stop"}, "claude-code"),
        ("claude-code", {"hook_event_name": "SessionStart", "transcript_path": ROLLOUT}, "codex"),
        ("claude-code", {"hook_event_name": "PostToolUse", "turn_id": "t1", "model": "m"}, "codex"),
        ("codex", {"hook_event_name": "SessionEnd"}, "codex"),
        ("claude-code", {"hook_event_name": "PostToolUse", "tool_result": {"result_type": "success"}}, "copilot"),
        ("claude-code", {"hook_event_name": "Stop", "cursor_version": "2.1"}, "cursor"),
        ("claude-code", {"hook_event_name": "AfterTool"}, "gemini"),
        ("opencode", {"hook_event_name": "PostToolUse"}, "opencode"),
    ],
)
def test_what_an_event_says_counts_more_than_the_configuration(
    given: str, payload: dict[str, object], host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CURSOR_VERSION", raising=False)
    monkeypatch.delenv("COPILOT_CLI", raising=False)
    assert hosts.detect_host(payload, given) == host
    monkeypatch.setenv("CURSOR_VERSION", "2.1")
    assert hosts.detect_host(payload, given) == "cursor"


def test_copilot_reads_the_words_where_it_looks_for_them(repository: Repository, trap: str, ask: Asking) -> None:
    answer = ask(event(repository, tool_result={"result_type": "success", "text_result_for_llm": "x"}))
    assert TRAP in answer.context
    assert answer.said["additionalContext"] == answer.context
    assert "additionalContext" not in ask(event(repository, session="s2")).said


COPILOT_EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "new", "initial_prompt": "Why does login hang?"},
    "UserPromptSubmit": {"prompt": "Why does login hang?"},
    "PostToolUse": {
        "tool_name": "Edit",
        "tool_input": {"path": TRAP_FILE, "old_str": "return token", "new_str": "return None"},
        "tool_result": {"result_type": "success", "text_result_for_llm": "File updated with changes."},
    },
    "Stop": {"stop_reason": "end_turn", "stop_hook_active": False},
    "SessionEnd": {"reason": "complete"},
}
"""What Copilot CLI tells of each event beside the name, the session, the time and the folder."""


@pytest.mark.parametrize("name", COPILOT_EVENTS)
def test_copilot_is_recognised_on_every_event_by_its_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CURSOR_VERSION", raising=False)
    monkeypatch.setenv("COPILOT_CLI", "1")
    event = {"hook_event_name": name, "timestamp": "2026-11-17T14:43:31.041Z", **COPILOT_EVENTS[name]}
    assert hosts.detect_host(event, "claude-code") == "copilot"


def test_an_agent_that_copilot_started_is_recognised_by_its_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    assert hosts.detect_host({"hook_event_name": "PostToolUse", "turn_id": "t1"}, "codex") == "codex"


def test_a_session_of_copilot_starts_with_the_brief_where_copilot_looks_for_it(
    repository: Repository, memory: holloway.Holloway, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    answer = ask(event(repository, "SessionStart", "s1", transcript_path=None, **COPILOT_EVENTS["SessionStart"]))
    assert "shared memory" in str(answer.said["additionalContext"])
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    started = json.loads(log.read_text().splitlines()[0])
    assert (started["source"], started["host"]) == ("startup", "copilot")


def test_an_edit_of_copilot_brings_the_trap_and_leaves_its_digests(
    repository: Repository, trap: str, memory: holloway.Holloway, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    answer = ask(event(repository, transcript_path=None, **COPILOT_EVENTS["PostToolUse"]))
    assert TRAP in str(answer.said["additionalContext"])
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    edit = json.loads(log.read_text().splitlines()[0])
    assert (edit["path"], len(edit["removed"]), len(edit["added"])) == (TRAP_FILE, 1, 1)


def test_gemini_is_answered_under_its_own_name_of_the_event(repository: Repository, trap: str, ask: Asking) -> None:
    given: dict[str, Any] = {
        "tool_name": "read_file",
        "tool_input": {"absolute_path": str(repository.root / TRAP_FILE)},
    }
    answer = ask.under("gemini")(event(repository, "AfterTool", **given))
    assert TRAP in answer.context
    assert answer.said["hookSpecificOutput"]["hookEventName"] == "AfterTool"


def test_the_ledger_names_the_host_that_spoke(repository: Repository, memory: holloway.Holloway, ask: Asking) -> None:
    ask(event(repository, "SessionStart", "s1", source="startup", transcript_path=ROLLOUT))
    (seen,) = memory.store.database.fetch_rows("SELECT agent FROM sessions WHERE id = 's1'")
    assert seen["agent"] == "codex"


@pytest.mark.promise("told-once")
def test_an_event_that_two_hosts_tell_is_answered_and_learned_once(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    start = {"source": "startup"}
    assert "shared memory" in ask(event(repository, "SessionStart", **start)).context
    assert ask.under("copilot")(event(repository, "SessionStart", transcript_path=None, **start)).printed == b""
    read: dict[str, Any] = {"tool_use_id": "t1", "tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    ask(event(repository, tool_response={"stdout": "3 passed"}, **read))
    ask(event(repository, **read, tool_result={"text_result_for_llm": "3 passed in Copilot's words"}))
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    told = [each for each in reader.read_session(log, repository.root) if type(each).__name__ in ("Started", "Call")]
    assert [type(each).__name__ for each in told] == ["Started", "Call"]


def test_of_two_hosts_at_the_same_moment_one_is_answered(repository: Repository, memory: holloway.Holloway) -> None:
    start = event(repository, "SessionStart", source="startup")
    running = [
        subprocess.Popen(command(host), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for host in ("claude-code", "copilot", "cursor")
    ]
    printed = [process.communicate(start, timeout=20)[0] for process in running]
    assert sum(b"shared memory" in each for each in printed) == 1


def test_a_session_that_begins_anew_is_no_repetition(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    assert "shared memory" in ask(event(repository, "SessionStart", source="startup")).context
    assert "shared memory" in ask(event(repository, "SessionStart", source="compact")).context


def test_the_same_words_minutes_later_are_told_anew(tmp_path: Path) -> None:
    from holloway.capture import journal

    def note(at: str) -> bool:
        said: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "prompt": "go on"}
        return journal.append_entry(str(tmp_path), "s1", journal.entry_of(said, f"2026-03-01T{at}.000Z"))

    assert [note(at) for at in ("10:00:00", "10:00:01", "10:05:00", "10:05:02")] == [True, False, True, False]
    assert len(json.dumps(journal.last_prompt(str(tmp_path), "s1"))) > 2


FIELDS = ("hook_event_name", "transcript_path", "source", "tool_result", "tool_response", "timestamp", "session_id")


@given(
    st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from(["BeforeTool", "SessionStart", "new"])), st.text()
)
def test_any_event_is_of_one_host_and_is_normalised(payload: dict[str, object], given_name: str) -> None:
    host = hosts.detect_host(payload, given_name)
    normalised = hosts.normalise_event(payload)
    assert host
    assert set(payload) <= set(normalised)
    assert json.dumps(hosts.format_response(host, "Stop", "context", "line"))
