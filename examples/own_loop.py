"""An agent loop of your own: where each point of a session belongs. Runs offline; the steps stand for a model's.

python examples/own_loop.py PROJECT
"""

import sys
from pathlib import Path

import holloway

STEPS: list[tuple[str, dict[str, object]]] = [
    ("read_file", {"path": "README.md"}),
    ("run", {"command": "ls"}),
]
"""What a model would ask for."""


def read_file(root: Path, path: str) -> str:
    """The agent's own tool."""
    return (root / path).read_text("utf-8")


def main(project: str) -> list[str]:
    """Run the loop; returns what the agent was told."""
    root, prompt = Path(project), "Say in the readme how to run the tests"
    with (
        holloway.open(project) as memory,
        memory.session(task=prompt, phase="implement", agent="coder", planned_steps=20) as session,
    ):
        messages: list[object] = [session.brief(), session.resume(), prompt, session.context_for(prompt)]
        for tool, args in STEPS[: session.step_limit(base=40)]:
            messages.append(session.before_step(messages))
            result = read_file(root, str(args["path"])) if tool == "read_file" else ""
            messages += [result, session.used(tool, args, result)]
        session.subtask_done("readme", validated=True)
        session.finish(outcome="success")
        return [str(message) for message in messages if message]


if __name__ == "__main__":
    print("\n\n".join(main(sys.argv[1] if len(sys.argv) > 1 else ".")))
