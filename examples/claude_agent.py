"""A Claude agent with the project's memory, through the hooks of the Claude Agent SDK. Needs a key to run.

pip install ".[claude-agent-sdk]"
python examples/claude_agent.py PROJECT "What does this project do?"
"""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, query

import holloway
from holloway.sdk.claude_agent import hooks
from holloway.service.session import Session


def options(session: Session) -> ClaudeAgentOptions:
    """The options with our hooks in them."""
    root = str(session.memory.project.root)
    return ClaudeAgentOptions(cwd=root, hooks=hooks(session), max_turns=session.step_limit(base=40))


async def main(project: str, prompt: str) -> None:
    """Ask once and print what comes."""
    with holloway.open(project) as memory, memory.session(task=prompt, agent="coder") as session:
        async for message in query(prompt=prompt, options=options(session)):
            print(message)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
