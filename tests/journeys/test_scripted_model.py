"""The scripted model keeps to its script, and the real client keeps to what its hooks return."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.journeys import claude_code
from tests.journeys.client import NODE
from tests.journeys.scripted_model import OVERRUN_ANSWER, SIDE_ANSWER, ScriptedModel, ToolCall

READ = ToolCall("Read", {"file_path": "/project/calc.py"})
MESSAGES = "/v1/messages"


def step(*messages: object, **fields: object) -> dict[str, object]:
    """What an agent sends for its next step."""
    return {"model": "any", "max_tokens": 1000, "tools": [{"name": "Read"}], "messages": messages, **fields}


def send(model: ScriptedModel, body: object, path: str = MESSAGES, method: str = "POST") -> tuple[int, str]:
    content = body if isinstance(body, str) else json.dumps(body)
    with closing(HTTPConnection(urlsplit(model.url).netloc, timeout=5)) as connection:
        connection.request(method, path, content)
        response = connection.getresponse()
        return response.status, response.read().decode()


def answer(model: ScriptedModel, body: object) -> dict[str, object]:
    status, content = send(model, body)
    assert status == 200
    message = json.loads(content)
    assert isinstance(message, dict)
    return message


def events(stream: str) -> Iterator[dict[str, object]]:
    for event in stream.removesuffix("\n\n").split("\n\n"):
        kind, data = event.split("\n")
        fields = json.loads(data.removeprefix("data: "))
        assert kind == f"event: {fields['type']}"
        yield fields


def test_turns_are_played_in_the_order_of_the_script() -> None:
    with ScriptedModel([[READ], "Done."]) as model:
        first, last = answer(model, step()), answer(model, step())
    assert first["stop_reason"] == "tool_use"
    assert first["content"] == [
        {"type": "tool_use", "id": "toolu_0_0", "name": "Read", "input": {"file_path": "/project/calc.py"}}
    ]
    assert last["stop_reason"] == "end_turn"
    assert last["content"] == [{"type": "text", "text": "Done."}]


def test_a_turn_is_streamed_as_the_events_of_the_messages_api() -> None:
    with ScriptedModel([["I look first.", READ]]) as model:
        status, stream = send(model, step(stream=True))
    assert status == 200
    played = list(events(stream))
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert [event["type"] for event in played] == [
        "message_start",
        *block,
        *block,
        "message_delta",
        "message_stop",
    ]
    assert played[2]["delta"] == {"type": "text_delta", "text": "I look first."}
    assert played[4]["content_block"] == {"type": "tool_use", "id": "toolu_0_1", "name": "Read", "input": {}}
    assert played[5]["delta"] == {"type": "input_json_delta", "partial_json": json.dumps(READ.input)}
    assert played[7]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}


def test_several_calls_of_one_turn_have_their_own_ids() -> None:
    with ScriptedModel([[READ, READ]]) as model:
        content = answer(model, step())["content"]
    assert isinstance(content, list)
    assert [block["id"] for block in content] == ["toolu_0_0", "toolu_0_1"]


def test_a_request_beyond_the_script_is_answered_and_can_be_counted() -> None:
    with ScriptedModel(["Done."]) as model:
        answer(model, step())
        beyond = answer(model, step())
    assert beyond["content"] == [{"type": "text", "text": OVERRUN_ANSWER}]
    assert len(model.requests) == len(model.script) + 1


@pytest.mark.parametrize(
    "aside",
    [
        pytest.param({"max_tokens": 1000, "messages": []}, id="a title has no tools"),
        pytest.param({"max_tokens": 1000, "messages": [], "tools": []}, id="a summary has an empty list"),
        pytest.param(step(max_tokens=1), id="a warm-up has no room for an answer"),
    ],
)
def test_side_requests_use_up_no_turn(aside: Mapping[str, object]) -> None:
    with ScriptedModel(["Done."]) as model:
        side = answer(model, aside)
        main = answer(model, step())
    assert side["content"] == [{"type": "text", "text": SIDE_ANSWER}]
    assert main["content"] == [{"type": "text", "text": "Done."}]
    assert (len(model.side_requests), len(model.requests)) == (1, 1)


def test_tokens_are_counted_without_using_up_a_turn() -> None:
    with ScriptedModel(["Done."]) as model:
        status, content = send(model, step({"content": "x" * 400}), f"{MESSAGES}/count_tokens?beta=true")
    assert (status, json.loads(content)) == (200, {"input_tokens": 101})
    assert model.requests == []


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_unknown_endpoints_answer_something_harmless(method: str) -> None:
    with ScriptedModel(["Done."]) as model:
        status, content = send(model, {"any": "thing"}, "/api/anything", method)
    assert (status, content) == (200, "" if method == "HEAD" else "{}")
    assert model.requests == []


def test_a_body_that_is_not_json_is_refused_and_uses_up_no_turn() -> None:
    with ScriptedModel(["Done."]) as model:
        status, content = send(model, "{broken")
    assert status == 400
    assert json.loads(content)["error"]["message"] == "the body is not JSON"
    assert model.requests == []


def test_a_query_in_the_path_makes_no_difference() -> None:
    with ScriptedModel(["Done."]) as model:
        send(model, step(), f"{MESSAGES}?beta=true")
    assert [request.path for request in model.requests] == [MESSAGES]


def test_requests_that_come_at_once_get_a_turn_each() -> None:
    turns = [f"turn {number}" for number in range(8)]
    with ScriptedModel(turns) as model, ThreadPoolExecutor(len(turns)) as pool:
        answers = list(pool.map(lambda _: answer(model, step()), turns))
    assert sorted(json.dumps(message["content"]) for message in answers) == [
        json.dumps([{"type": "text", "text": turn}]) for turn in turns
    ]


def test_the_text_of_a_request_is_all_that_the_model_reads() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "in a result"}]}
    call = {"type": "tool_use", "name": "Read", "input": {"text": "its own call"}}
    messages = (
        {"role": "user", "content": "in a prompt"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "text", "text": "in a reminder"}]},
        {"role": "system", "content": "in a system message"},
    )
    with ScriptedModel([]) as model:
        send(model, step(*messages, system=[{"type": "text", "text": "in the system prompt"}]))
    assert model.text_of(0).split("\n") == [
        "in the system prompt",
        "in a prompt",
        "in a result",
        "in a reminder",
        "in a system message",
    ]


def test_what_the_model_saw_can_be_asked_for_by_turn() -> None:
    with ScriptedModel([[READ], "Done."]) as model:
        send(model, step({"content": "the brief"}))
        send(model, step({"content": "the trap"}))
    assert model.saw("the brief")
    assert not model.saw("the brief", after=0)
    assert model.saw("the trap", after=0)
    assert (model.first_saw("the trap"), model.first_saw("nothing")) == (1, None)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def program(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"#!{sys.executable}", "import json, os, sys", *lines]))
    path.chmod(0o755)
    return path


def test_the_client_starts_in_a_clean_environment(
    project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = program(tmp_path / "client", "print(json.dumps(dict(os.environ)))")
    monkeypatch.setenv("HOLLOWAY_CLAUDE", str(client))
    for name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CLAUDECODE", "HTTPS_PROXY", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "the person's own")
    with ScriptedModel([]) as model:
        result = claude_code.run("any", project, home, model, environment={"ADDED": "yes"})
    assert "the person's own" not in result.stdout.values()
    assert result.stdout["PATH"] == os.pathsep.join([str(NODE), os.environ["PATH"]])
    assert result.stdout["HOME"] == str(home)
    assert result.stdout["ANTHROPIC_BASE_URL"] == model.url
    assert result.stdout["ADDED"] == "yes"


def test_a_client_that_fails_is_reported_with_all_it_said(
    project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = program(tmp_path / "client", "print('no JSON')", "sys.exit('a complaint')")
    monkeypatch.setenv("HOLLOWAY_CLAUDE", str(client))
    with ScriptedModel([]) as model:
        result = claude_code.run("any", project, home, model)
    assert result == claude_code.Result(1, {}, "no JSON\n", "a complaint\n")


def test_a_client_that_hangs_is_stopped(
    project: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = program(tmp_path / "client", "import signal", "signal.pause()")
    monkeypatch.setenv("HOLLOWAY_CLAUDE", str(client))
    with ScriptedModel([]) as model, pytest.raises(TimeoutError, match="ran longer than"):
        claude_code.run("any", project, home, model, timeout_s=0.2)


def exec_form(hook: Path) -> dict[str, object]:
    return {"type": "command", "command": str(hook), "args": ["two words", "$HOME"]}


def shell_form(hook: Path) -> dict[str, object]:
    return {"type": "command", "command": shlex.join([str(hook), "two words", "$HOME"])}


@claude_code.needs_claude_code
@pytest.mark.parametrize("form", [exec_form, shell_form])
def test_the_real_client_shows_the_model_what_its_hooks_return(
    form: Callable[[Path], dict[str, object]], project: Path, home: Path, tmp_path: Path
) -> None:
    hook = program(
        tmp_path / "a folder" / "hook.py",
        "event = json.load(sys.stdin)['hook_event_name']",
        "context = f'{event} was given {sys.argv[1:]}'",
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': event, 'additionalContext': context}}))",
    )
    settings = {
        "SessionStart": [{"hooks": [form(hook)]}],
        "PostToolUse": [{"matcher": "Read", "hooks": [form(hook)]}],
    }
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": settings}))
    read = ToolCall("Read", {"file_path": str(project / "calc.py")})
    with ScriptedModel([[read], "Done."]) as model:
        result = claude_code.run("Look at calc.py", project, home, model)
    assert (result.exit_code, result.text, result.stderr) == (0, "Done.", "")
    assert len(model.requests) == 2
    assert model.first_saw("SessionStart was given ['two words', '$HOME']") == 0
    assert model.first_saw("return a - b") == 1
    assert model.first_saw("PostToolUse was given ['two words', '$HOME']") == 1
