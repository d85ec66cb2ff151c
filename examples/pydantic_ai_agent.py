"""A pydantic-ai agent with the project's memory. Runs offline: a scripted model stands in for yours.

pip install ".[pydantic-ai]"
python examples/pydantic_ai_agent.py PROJECT
"""

import sys
from pathlib import Path

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import holloway
from holloway.sdk.pydantic_ai import HollowayCapability


def scripted(path: str) -> FunctionModel:
    """A model that reads one file and is done; in real life `Agent("anthropic:...")`."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        has_read = any(part.part_kind == "tool-return" for message in messages for part in message.parts)
        return ModelResponse([TextPart("Done.")] if has_read else [ToolCallPart("read_file", {"path": path})])

    return FunctionModel(answer)


def main(project: str, path: str = "README.md", prompt: str = "Explain this file") -> list[ModelMessage]:
    """Run the agent; returns all messages of the run."""
    with holloway.open(project) as memory, memory.session(task=prompt, agent="coder") as session:
        agent = Agent(scripted(path), capabilities=[HollowayCapability(session)])

        @agent.tool_plain
        def read_file(path: str) -> str:
            """Read a file of the project."""
            return (Path(project) / path).read_text("utf-8")

        result = agent.run_sync(prompt, usage_limits=UsageLimits(request_limit=session.step_limit(base=40)))
        return result.all_messages()


if __name__ == "__main__":
    for message in main(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(message)
