"""A LangChain agent with the project's memory, and a LangGraph store over it. Runs offline with a scripted model.

pip install ".[langchain]"
python examples/langchain_agent.py PROJECT
"""

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.messages import AIMessage, AnyMessage
from langchain.tools import tool
from langchain_core.language_models import GenericFakeChatModel

import holloway
from holloway.sdk.langchain import HollowayMiddleware
from holloway.sdk.langgraph import MemoryStore


class Scripted(GenericFakeChatModel):
    """A model whose answers are given; in real life `create_agent("anthropic:...")`."""

    def bind_tools(self, tools: Any, **options: Any) -> "Scripted":
        """It needs no tools to be described."""
        return self


def scripted(path: str) -> Scripted:
    """Reads one file and is done."""
    asked = AIMessage("", tool_calls=[{"name": "read_file", "args": {"path": path}, "id": "call-1"}])
    return Scripted(messages=iter([asked, AIMessage("Done.")]))


def main(project: str, path: str = "README.md", prompt: str = "Explain this file") -> list[AnyMessage]:
    """Run the agent; returns all messages of the run."""

    @tool
    def read_file(path: str) -> str:
        """Read a file of the project."""
        return (Path(project) / path).read_text("utf-8")

    with holloway.open(project) as memory, memory.session(task=prompt, agent="coder") as session:
        agent = create_agent(
            scripted(path), [read_file], middleware=[HollowayMiddleware(session)], store=MemoryStore(project)
        )
        said: list[AnyMessage] = agent.invoke({"messages": [{"role": "user", "content": prompt}]})["messages"]
        return said


if __name__ == "__main__":
    for message in main(sys.argv[1] if len(sys.argv) > 1 else "."):
        message.pretty_print()
