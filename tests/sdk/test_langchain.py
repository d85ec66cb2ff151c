import asyncio

import pytest
from langchain.agents import create_agent
from langchain.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain.tools import tool

from examples.langchain_agent import Scripted, main
from holloway.config import TOOL_RESULT_MEMORIES_MAX
from holloway.sdk.langchain import HollowayMiddleware
from holloway.service.holloway import Holloway
from tests.conftest import Repository

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"
DEAD_END = "Redis for test sessions was tried; CI has none"


def asking(name: str, args: dict[str, object]) -> Scripted:
    calls = [{"name": name, "args": args, "id": "call-1"}]
    return Scripted(messages=iter([AIMessage("", tool_calls=calls), AIMessage("Done.")]))


class Listening(Scripted):
    """Keeps what it is sent."""

    heard: list[list[AnyMessage]]

    def _generate(self, messages, *rest, **options):  # type: ignore[no-untyped-def]
        self.heard.append(list(messages))
        return super()._generate(messages, *rest, **options)


@tool
def bash(command: str) -> str:
    """Run a command."""
    return "def refresh(token): ..."


def test_the_example_brings_the_trap_with_the_tools_result(memory: Holloway, repository: Repository) -> None:
    memory.remember(TRAP, files=[FILE], type="gotcha")
    messages = main(str(repository.root), FILE)
    (returned,) = [message for message in messages if isinstance(message, ToolMessage)]
    assert returned.text.startswith("def refresh(token):")
    assert f"holloway on {FILE}: {TRAP} [hw:" in returned.text


@pytest.mark.promise("sdk")
def test_brief_prompt_and_step_reach_the_model(memory: Holloway) -> None:
    memory.remember("Money is integer cents", type="decision", pin=True)
    for number in range(TOOL_RESULT_MEMORIES_MAX + 1):  # one more than the tool's result has room for
        memory.remember(f"{number}: {DEAD_END}", files=[FILE], type="dead_end")
    memory.map.update()
    session = memory.session()
    made = AIMessage("", tool_calls=[{"name": "bash", "args": {"command": f"cat {FILE}"}, "id": "c"}])
    model = Listening(messages=iter([made, AIMessage("Done.")]), heard=[])
    agent = create_agent(model, [bash], middleware=[HollowayMiddleware(session)], system_prompt="Be brief.")
    agent.invoke({"messages": [HumanMessage("Change invoice.py: total() of items")]})
    first, second = model.heard
    assert isinstance(first[0], SystemMessage)
    assert first[0].text.startswith("Be brief.")
    assert "Money is integer cents" in first[0].text
    assert "src/shop/billing/invoice.py" in first[-1].text
    assert isinstance(second[-1], HumanMessage)
    assert second[-2].text.count(DEAD_END) == TOOL_RESULT_MEMORIES_MAX
    assert second[-1].text.count(DEAD_END) == 1
    assert second[-1].name == "holloway"


def test_what_an_agent_did_is_noted_in_async_runs_too(memory: Holloway) -> None:
    session = memory.session()
    agent = create_agent(asking("bash", {"command": "pytest -q"}), [bash], middleware=[HollowayMiddleware(session)])
    asyncio.run(agent.ainvoke({"messages": [HumanMessage("Run the tests")]}))
    assert [(action.kind, action.command, action.ok) for action in session.pad.actions] == [
        ("shell", "pytest -q", True)
    ]
    assert [(note.voice, note.text) for note in session.pad.notes] == [("user", "Run the tests"), ("agent", "Done.")]


@pytest.mark.promise("loop-goes-on")
def test_a_tool_that_fails_is_noted_and_fails_as_before(memory: Holloway) -> None:
    @tool
    def broken(command: str) -> str:
        """Fail."""
        raise RuntimeError("no such thing")

    session = memory.session()
    agent = create_agent(asking("broken", {"command": "x"}), [broken], middleware=[HollowayMiddleware(session)])
    with pytest.raises(RuntimeError, match="no such thing"):
        agent.invoke({"messages": [HumanMessage("Try")]})
    assert [action.ok for action in session.pad.actions] == [False]
