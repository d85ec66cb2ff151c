"""The scripted model in the Gemini API, without a real client."""

import json
from urllib.request import Request, urlopen

from tests.journeys import gemini_api
from tests.journeys.scripted_model import ScriptedModel, ToolCall

TOOLS = {"tools": [{"functionDeclarations": [{"name": "read_file"}]}]}
RESULT = {"functionResponse": {"id": "c", "name": "read_file", "response": {"output": "a result"}}}
BODY = {
    **TOOLS,
    "systemInstruction": {"parts": [{"text": "instructions"}]},
    "contents": [{"role": "user", "parts": [{"text": "a prompt"}, RESULT]}],
}


def post(url: str, body: object) -> str:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request) as response:  # noqa: S310
        return str(response.read().decode())


def test_a_turn_is_played_as_one_streamed_message() -> None:
    with ScriptedModel([[ToolCall("read_file", {"file_path": "a.py"}), "Looking."]]) as model:
        answer = post(f"{model.url}/v1beta/models/any:streamGenerateContent?alt=sse", BODY)
    message = json.loads(answer.removeprefix("data: "))
    call, text = message["candidates"][0]["content"]["parts"]
    assert (call["functionCall"]["name"], call["functionCall"]["args"]) == ("read_file", {"file_path": "a.py"})
    assert text == {"text": "Looking."}
    assert model.text_of(0) == "instructions\na prompt\na result"


def test_a_request_without_tools_is_no_step_of_the_agent() -> None:
    with ScriptedModel(["Done."]) as model:
        post(f"{model.url}/v1beta/models/any:generateContent", {"contents": [{"parts": [{"text": "a title"}]}]})
    assert model.requests == []
    assert [list(gemini_api.texts(request.body)) for request in model.side_requests] == [["a title"]]
