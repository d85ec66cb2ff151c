"""The Responses API of the scripted model, and the real Codex that keeps to what its hooks return."""

import json
import sys
from pathlib import Path

import pytest

from tests.journeys import codex, responses_api
from tests.journeys.scripted_model import ScriptedModel, ToolCall
from tests.journeys.test_scripted_model import events, program, send

PATCH = "*** Begin Patch\n*** Update File: calc.py\n@@\n-    return a - b\n+    return a + b\n*** End Patch\n"


def step(*items: object) -> dict[str, object]:
    """What Codex sends for its next step."""
    return {"model": "any", "stream": True, "tools": [{"name": "exec_command"}], "input": items}


def test_a_turn_is_streamed_as_the_events_of_the_responses_api() -> None:
    look = ToolCall("exec_command", {"cmd": "cat calc.py"})
    with ScriptedModel([["I look first.", look, ToolCall("apply_patch", {"input": PATCH})]]) as model:
        status, stream = send(model, step(), responses_api.PATH)
    assert status == 200
    created, said, called, patched, completed = events(stream)
    assert (created["type"], completed["type"]) == ("response.created", "response.completed")
    items = [event["item"] for event in (said, called, patched)]
    assert all(isinstance(item, dict) for item in items)
    kinds = [(item["type"], item.get("call_id")) for item in items if isinstance(item, dict)]
    assert kinds == [("message", None), ("function_call", "call_0_1"), ("custom_tool_call", "call_0_2")]
    assert json.dumps({"cmd": "cat calc.py"}) in json.dumps(items[1]).replace('\\"', '"')
    assert isinstance(items[2], dict)
    assert items[2]["input"] == PATCH


def test_the_text_of_a_request_is_all_that_the_model_reads() -> None:
    items = (
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "from a hook"}]},
        {"type": "function_call", "name": "exec_command", "arguments": "its own call"},
        {"type": "function_call_output", "output": "in an output"},
        {"type": "function_call_output", "output": [{"type": "input_text", "text": "in a part of one"}]},
    )
    with ScriptedModel([]) as model:
        send(model, {**step(*items), "instructions": "the instructions"}, responses_api.PATH)
    assert model.text_of(0).split("\n") == ["the instructions", "from a hook", "in an output", "in a part of one"]


@codex.needs_codex
def test_the_real_client_shows_the_model_what_its_hooks_return(tmp_path: Path) -> None:
    project, home = tmp_path / "a project", tmp_path / "person"
    project.mkdir()
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    hook = program(
        tmp_path / "hook.py",
        "event = json.load(sys.stdin)",
        "name = event['hook_event_name']",
        "context = f'{name} of {event.get(\"tool_name\")}'",
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': name, 'additionalContext': context}}))",
    )
    entry = [{"hooks": [{"type": "command", "command": f"{sys.executable} {hook}", "timeout": 5}]}]
    (home / ".codex").mkdir(parents=True)
    (home / ".codex/hooks.json").write_text(json.dumps({"hooks": {"SessionStart": entry, "PostToolUse": entry}}))
    look = ToolCall("exec_command", {"cmd": "cat calc.py"})
    with ScriptedModel([[look], [ToolCall("apply_patch", {"input": PATCH})], "Done."]) as model:
        result = codex.run("Look at calc.py", project, home, model)
    assert (result.exit_code, result.text) == (0, "Done.")
    assert len(model.requests) == 3
    seen = [model.first_saw(f"{name}") for name in ("SessionStart of None", "return a - b", "PostToolUse of Bash")]
    assert seen == [0, 1, 1]
    assert model.first_saw("PostToolUse of apply_patch") == 2
    assert "a + b" in (project / "calc.py").read_text()


def test_a_client_that_fails_is_reported_with_all_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = program(tmp_path / "client", "print('no JSON')", "sys.exit('a complaint')")
    monkeypatch.setenv("HOLLOWAY_CODEX", str(client))
    with ScriptedModel([]) as model:
        result = codex.run("any", tmp_path, tmp_path / "person", model)
    assert (result, result.text, result.session_id) == (codex.Result(1, (), "no JSON\n", "a complaint\n"), "", "")
