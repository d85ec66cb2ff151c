"""The Chat Completions API of the scripted model, and the real Copilot CLI that keeps to what its hooks return."""

import json
from pathlib import Path

import pytest

from tests.journeys import chat_api, copilot
from tests.journeys.scripted_model import ScriptedModel, ToolCall
from tests.journeys.test_scripted_model import program, send

LOOK = ToolCall("view", {"path": "calc.py"})


def step(*messages: object, stream: bool = True) -> dict[str, object]:
    """What Copilot sends for its next step."""
    tool = {"type": "function", "function": {"name": "view"}}
    return {"model": "any", "stream": stream, "tools": [tool], "messages": messages}


def test_a_turn_is_streamed_as_chunks_that_end_with_done() -> None:
    with ScriptedModel([["I look first.", LOOK]]) as model:
        status, stream = send(model, step(), chat_api.PATH)
    *chunks, last = [line.removeprefix("data: ") for line in stream.split("\n\n") if line]
    assert (status, last) == (200, "[DONE]")
    said, ended = (json.loads(chunk)["choices"][0] for chunk in chunks)
    assert (said["delta"]["content"], said["finish_reason"]) == ("I look first.", None)
    (call,) = said["delta"]["tool_calls"]
    assert (call["index"], call["id"], call["function"]["name"]) == (0, "call_0_1", "view")
    assert json.loads(call["function"]["arguments"]) == LOOK.input
    assert (ended["delta"], ended["finish_reason"]) == ({}, "tool_calls")


def test_a_turn_that_is_not_streamed_is_one_completion() -> None:
    with ScriptedModel(["Done."]) as model:
        _, answer = send(model, step(stream=False), chat_api.PATH)
    (choice,) = json.loads(answer)["choices"]
    assert choice == {"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}


def test_the_text_of_a_request_is_all_that_the_model_reads() -> None:
    messages = (
        {"role": "system", "content": "the instructions"},
        {"role": "user", "content": [{"type": "text", "text": "in a part"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"arguments": "its own call"}}]},
        {"role": "tool", "content": "in a result"},
    )
    with ScriptedModel([]) as model:
        send(model, step(*messages), chat_api.PATH)
    assert model.text_of(0).split("\n") == ["the instructions", "in a part", "in a result"]


@copilot.needs_copilot
def test_the_real_client_runs_the_hooks_of_claude_code_and_reads_flat_answers_alone(tmp_path: Path) -> None:
    project, home = tmp_path / "a project", tmp_path / "person"
    (project / ".claude").mkdir(parents=True)
    home.mkdir()
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    hook = program(
        tmp_path / "hook",
        "event = json.load(sys.stdin)",
        "name = event['hook_event_name']",
        "said = f'{name} with {len(sys.argv) - 1} arguments'",
        "nested = {'hookEventName': name, 'additionalContext': f'nested {said}'}",
        "print(json.dumps({'additionalContext': f'flat {said}', 'hookSpecificOutput': nested}))",
    )
    entry = [{"hooks": [{"type": "command", "command": f"'{hook}'", "args": ["one"], "timeout": 5}]}]
    settings = {"hooks": {"SessionStart": entry, "PostToolUse": entry}}
    (project / ".claude/settings.local.json").write_text(json.dumps(settings))
    with ScriptedModel([[ToolCall("view", {"path": str(project / "calc.py")})], "Done."]) as model:
        result = copilot.run("Look at calc.py", project, home, model)
    assert (result.exit_code, result.text) == (0, "Done.")
    assert model.first_saw("flat SessionStart with 0 arguments") == 0
    assert model.first_saw("return a - b") == model.first_saw("flat PostToolUse with 0 arguments") == 1
    assert not model.saw("nested")


def test_a_client_that_fails_is_reported_with_all_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = program(tmp_path / "client", "print('no JSON')", "sys.exit('a complaint')")
    monkeypatch.setenv("HOLLOWAY_COPILOT", str(client))
    with ScriptedModel([]) as model:
        result = copilot.run("any", tmp_path, tmp_path / "person", model)
    assert result == copilot.Result(1, (), "no JSON\n", "a complaint\n")
    assert (result.text, result.session_id) == ("", "")
