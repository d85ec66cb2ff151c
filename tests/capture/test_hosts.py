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


def test_copilot_is_recognised_by_its_environment_before_the_configured_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    assert hosts.detect_host({"hook_event_name": "Stop"}, "claude-code") == "copilot"
    assert hosts.detect_host({"hook_event_name": "Stop", "turn_id": "t1"}, "claude-code") == "codex"


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
        ("claude-code", {"hook_event_name": "AfterAgent"}, "gemini"),
        ("gemini", {"hook_event_name": "PreCompress"}, "gemini"),
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


@pytest.mark.parametrize("configured", ["gemini", "qwen", "droid", "opencode", "kilo", "pi"])
def test_an_agent_that_copilot_started_is_recognised_by_its_own_configuration(
    configured: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CURSOR_VERSION", raising=False)
    monkeypatch.setenv("COPILOT_CLI", "1")
    assert hosts.detect_host({"hook_event_name": "SessionStart", "source": "startup"}, configured) == configured


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


PROMPT = "Why does login hang?"
RETURNED = f"<hook_context>holloway: shared memory of this repository</hook_context>\n\n{PROMPT}"
"""A first prompt of Gemini, with the response to the start of the session."""


def read_journal(memory: holloway.Holloway) -> list[dict[str, Any]]:
    """The entries of the one journal."""
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.promise("own-words")
def test_the_context_that_gemini_hands_back_is_no_word_of_the_user(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    gemini = ask.under("gemini")
    gemini(event(repository, "BeforeAgent", prompt=RETURNED))
    gemini(event(repository, "AfterAgent", prompt=RETURNED, prompt_response="Done."))
    prompt, stop = read_journal(memory)
    assert (prompt["event"], prompt["prompt"]) == ("UserPromptSubmit", PROMPT)
    assert (stop["event"], stop["prompt"], stop["last_assistant_message"]) == ("Stop", PROMPT, "Done.")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("<hook_context>a</hook_context>b<hook_context>c</hook_context>", "b"),
        ("<hook_context>never closed", "<hook_context>never closed"),
        ("</hook_context>a<hook_context>b", "</hook_context>a<hook_context>b"),
    ],
)
def test_only_whole_returned_contexts_are_removed(prompt: str, expected: str) -> None:
    assert hosts.normalise_event({"hook_event_name": "BeforeAgent", "prompt": prompt})["prompt"] == expected


def test_compression_of_gemini_is_no_compaction() -> None:
    event: dict[str, object] = {"hook_event_name": "PreCompress", "trigger": "auto"}
    assert hosts.normalise_event(event) == event


GEMINI_FAILED = {"llmContent": "Output: ls: /nowhere: No such file\nExit Code: 2\nProcess Group PGID: 7\n"}
COPILOT_FAILED = {
    "result_type": "success",
    "text_result_for_llm": "ls: /nowhere\n<shellId: 1 completed with exit code 2>",
}


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ({"hook_event_name": "AfterTool", "tool_response": GEMINI_FAILED}, "PostToolUseFailure"),
        ({"hook_event_name": "PostToolUse", "tool_result": COPILOT_FAILED}, "PostToolUseFailure"),
        ({"hook_event_name": "AfterTool", "tool_response": {"llmContent": "Exit Code: 0"}}, "PostToolUse"),
        ({"hook_event_name": "AfterTool", "tool_response": {"llmContent": "Output: fine"}}, "PostToolUse"),
        ({"hook_event_name": "AfterTool", "tool_response": {"llmContent": "Exit Code: 2" + "\n" * 300}}, "PostToolUse"),
        ({"hook_event_name": "PostToolUse", "tool_response": {"llmContent": "Exit Code: 2"}}, "PostToolUse"),
    ],
)
def test_a_command_that_failed_is_a_failure_though_its_host_says_success(event: dict[str, Any], name: str) -> None:
    tool = {"tool_name": "run_shell_command", "tool_input": {"command": "ls /nowhere"}}
    normalised = hosts.normalise_event(event | tool)
    assert normalised["hook_event_name"] == name
    assert ("error" in normalised) == (name == "PostToolUseFailure")
    read = {"tool_name": "read_file", "tool_input": {"file_path": "log.txt"}}
    assert hosts.normalise_event(event | read)["hook_event_name"] == "PostToolUse"


@pytest.mark.parametrize(
    ("report", "output"),
    [
        ("<untrusted_context>\nOutput: a\nb\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>", "a\nb"),
        ("Command: x\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: (none)", "a"),
        ("Output: Error: b is not defined\nError: (none)\nExit Code: 1", "Error: b is not defined"),
        ("Output: Error: a real one", "Error: a real one"),
        ("a\nOutput: b", "a\nOutput: b"),
        ("no report", "no report"),
    ],
)
def test_of_a_report_on_a_command_only_the_output_remains(report: str, output: str) -> None:
    shell = {"hook_event_name": "PostToolUseFailure", "tool_name": "run_shell_command"}
    assert hosts.normalise_event({**shell, "error": report})["error"] == output
    response = hosts.normalise_event({**shell, "tool_response": {"llmContent": report}})["tool_response"]
    assert response == output


def test_a_prompt_without_text_is_the_host_s_own_and_is_neither_noted_nor_answered(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    qwen = ask.under("qwen")
    qwen(event(repository, "UserPromptSubmit", prompt=PROMPT))
    assert qwen(event(repository, "UserPromptSubmit", prompt="")).printed == b""
    assert [entry["prompt"] for entry in read_journal(memory)] == [PROMPT]


EDITS: dict[str, tuple[str, dict[str, Any]]] = {
    "copilot": ("Edit", {"path": TRAP_FILE, "old_str": "return token", "new_str": "return None"}),
    "gemini": ("replace", {"file_path": TRAP_FILE, "old_string": "return token", "new_string": "return None"}),
    "qwen": ("edit", {"file_path": TRAP_FILE, "old_string": "return token", "new_string": "return None"}),
    "droid": ("Edit", {"file_path": TRAP_FILE, "old_str": "return token", "new_str": "return None"}),
    "opencode": ("edit", {"filePath": TRAP_FILE, "oldString": "return token", "newString": "return None"}),
    "kilo": ("edit", {"filePath": TRAP_FILE, "oldString": "return token", "newString": "return None"}),
    "pi": ("edit", {"path": TRAP_FILE, "edits": [{"oldText": "return token", "newText": "return None"}]}),
}
"""How each host names an edit and its texts."""
SHELLS = {"copilot": "Bash", "gemini": "run_shell_command", "qwen": "run_shell_command", "droid": "Execute"}


@pytest.mark.parametrize("host", EDITS)
def test_an_edit_of_any_host_leaves_the_digests_of_its_lines(
    host: str, repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    tool, arguments = EDITS[host]
    ask.under(host)(event(repository, tool_name=tool, tool_input=arguments, tool_response="updated"))
    (entry,) = read_journal(memory)
    assert (entry["path"], len(entry["removed"]), len(entry["added"])) == (TRAP_FILE, 1, 1)


@pytest.mark.parametrize("host", SHELLS)
def test_the_output_of_any_host_s_shell_is_noted(
    host: str, repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    called: dict[str, Any] = {"tool_name": SHELLS[host], "tool_input": {"command": "make test"}}
    ask.under(host)(event(repository, **called, tool_response="3 passed"))
    (entry,) = read_journal(memory)
    assert (entry["command"], entry["text"]) == ("make test", "3 passed")


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


@pytest.mark.parametrize(
    ("host", "output", "status"),
    [
        ("gemini", "boom\nExit Code: 2\nProcess Group PGID: 7", 2),
        ("gemini", "Exit Code: 1\nExit Code: -9", -9),
        ("gemini", "it says Exit Code: 2", 0),
        ("gemini", "Exit Code: 2 or so", 0),
        ("gemini", "Exit Code: 99999999999999999999", 0),
        ("gemini", "Exit Code: --2\nExit Code: ", 0),
        ("gemini", "Exit Code: 2\n" + "x" * 300, 0),
        ("copilot", "boom\n<shellId: 3 completed with exit code 127>", 127),
        ("copilot", "boom\n3 completed with exit code 127>", 0),
        ("claude-code", "Exit Code: 2", 0),
    ],
)
def test_the_exit_status_is_the_last_that_the_host_appended(host: str, output: str, status: int) -> None:
    assert hosts.parse_exit_status(output, hosts.HOSTS[host]) == status
