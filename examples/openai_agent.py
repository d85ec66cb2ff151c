"""An agent of the OpenAI Agents SDK with the project's memory. Runs offline: a scripted model stands in for yours.

pip install ".[openai-agents]"
python examples/openai_agent.py PROJECT
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import holloway
from holloway.sdk.openai_agents import HollowayHooks


class Scripted(Model):
    """A model that reads one file and is done; `seen` holds what it was sent."""

    def __init__(self, arguments: str) -> None:
        self.arguments = arguments
        self.seen: list[tuple[str, list[Any]]] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **more: Any) -> ModelResponse:  # noqa: A002  (as the SDK calls it)
        """The next turn."""
        items = input if isinstance(input, list) else [input]
        self.seen.append((str(system_instructions or ""), items))
        if any(isinstance(item, dict) and item.get("type") == "function_call_output" for item in items):
            text = ResponseOutputText(text="Done.", type="output_text", annotations=[])
            said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            return ModelResponse(output=[said], usage=Usage(), response_id=None)
        call = ResponseFunctionToolCall(
            arguments=self.arguments, call_id="c1", name="read_file", type="function_call", id="f1"
        )
        return ModelResponse(output=[call], usage=Usage(input_tokens=10, output_tokens=2), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        """Not needed here."""
        raise NotImplementedError


def main(project: str, path: str = "README.md", prompt: str = "Explain this file") -> list[tuple[str, list[Any]]]:
    """Run the agent; returns what the model was sent in each turn."""

    @function_tool
    def read_file(path: str) -> str:
        """Read a file of the project."""
        return (Path(project) / path).read_text("utf-8")

    model = Scripted(f'{{"path": "{path}"}}')
    with holloway.open(project) as opened, opened.session(task=prompt, agent="coder") as session:
        memory = HollowayHooks(session)
        agent = Agent(name="coder", instructions="You explain code.", model=model, tools=[read_file])
        config = RunConfig(call_model_input_filter=memory.before_model, tracing_disabled=True)
        run = Runner.run(agent, prompt, hooks=memory, run_config=config, max_turns=session.step_limit(base=40))
        asyncio.run(run)
    return model.seen


if __name__ == "__main__":
    for instructions, items in main(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(instructions, *items, sep="\n")
