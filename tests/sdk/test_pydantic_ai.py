import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from examples.pydantic_ai_agent import main
from holloway.sdk.pydantic_ai import HollowayCapability
from holloway.service.holloway import Holloway
from tests.conftest import Repository

pytestmark = pytest.mark.usefixtures("event_loop_of_its_own")

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."


def sent(messages: list[ModelMessage]) -> str:
    """All that the model was sent but its instructions."""
    return "\n".join(
        str(getattr(part, "content", ""))
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
    )


def calling(name: str, args: dict[str, object], times: int = 1) -> tuple[FunctionModel, list[list[ModelMessage]]]:
    """A model that calls one tool so often, and what it was sent each time."""
    seen: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(list(messages))
        return ModelResponse([ToolCallPart(name, args)] if len(seen) <= times else [TextPart("Done.")])

    return FunctionModel(answer), seen


def read_file(path: str) -> str:
    """Read a file."""
    return "text"


def counted(path: str) -> dict[str, int]:
    """Count the lines of a file."""
    return {"lines": 2}


def bash(command: str) -> str:
    """Run a command."""
    return "def refresh(token): ..."


def test_the_example_brings_brief_and_trap_to_the_model(memory: Holloway, repository: Repository) -> None:
    memory.remember(TRAP, files=[FILE], type="gotcha")
    memory.remember("Money is integer cents", type="decision", pin=True)
    messages = main(str(repository.root), FILE)
    first = messages[0]
    assert isinstance(first, ModelRequest)
    assert "Money is integer cents" in (first.instructions or "")
    (returned,) = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert str(returned.content).startswith("def refresh(token):")
    assert f"holloway on {FILE}: {TRAP} [hw:" in str(returned.content)


def test_what_an_agent_did_is_noted(memory: Holloway) -> None:
    session = memory.session(agent="coder")
    model, _ = calling("read_file", {"path": FILE})
    agent = Agent(model, capabilities=[HollowayCapability(session)])
    agent.tool_plain(read_file)
    agent.run_sync("Rotate the tokens")
    assert [(action.kind, action.path, action.ok) for action in session.pad.actions] == [("read", FILE, True)]
    assert [(note.voice, note.text) for note in session.pad.notes] == [
        ("user", "Rotate the tokens"),
        ("agent", "Done."),
    ]
    assert session.pad.tokens_in > 0


def solved(memory: Holloway) -> None:
    with memory.session("before") as before:
        before.used("edit", {"path": FILE, "old_string": "a", "new_string": "b"}, "ok")
        before.used("bash", {"command": "pytest -q"}, REFUSED, ok=False)
        before.used("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "12 passed in 0.3s")


def test_the_fix_of_a_failure_comes_with_the_next_request(memory: Holloway) -> None:
    solved(memory)
    session = memory.session("now")
    model, seen = calling("bash", {"command": "pytest -q"})
    agent = Agent(model, capabilities=[HollowayCapability(session)], retries=2)

    @agent.tool_plain
    def bash(command: str) -> str:
        raise ModelRetry(REFUSED)

    agent.run_sync("Run the tests")
    assert "this error was solved before" not in sent(seen[0])
    assert "-> set REDIS_URL" in sent(seen[1])
    assert session.pad.actions[0].ok is False


def test_a_result_that_is_no_text_stays_what_it_is(memory: Holloway) -> None:
    memory.remember(TRAP, files=[FILE], type="gotcha")
    session = memory.session()
    model, seen = calling("read_file", {"path": FILE})
    agent = Agent(model, capabilities=[HollowayCapability(session)])
    agent.tool_plain(name="read_file")(counted)
    messages = agent.run_sync("Look").all_messages()
    (returned,) = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert returned.content == {"lines": 2}
    assert TRAP in sent(seen[1])


@pytest.mark.promise("sdk")
def test_a_dead_end_comes_between_two_steps(memory: Holloway) -> None:
    memory.remember("Redis for test sessions was tried; CI has none", files=[FILE], type="dead_end")
    session = memory.session()
    model, seen = calling("bash", {"command": f"cat {FILE}"})
    agent = Agent(model, capabilities=[HollowayCapability(session)])
    agent.tool_plain(bash)
    agent.run_sync("Speed up the tests")
    assert "dead end: Redis for test sessions" in sent(seen[1])
