"""A memory tool that keeps whatever it sees and tells all of it: `hook` answers an event, `mcp` serves over stdio."""

import json
import os
import sys
from pathlib import Path

LOG = Path(os.environ["NAIVE_HOME"]) / "log.txt"


def remember(text: str) -> None:
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def recall() -> str:
    return LOG.read_text("utf-8") if LOG.exists() else ""


def answer_hook() -> None:
    event = json.loads(sys.stdin.read())
    if event["session_id"].startswith("question"):
        print(json.dumps({"hookSpecificOutput": {"additionalContext": recall()}}))
    else:
        remember(json.dumps(event, ensure_ascii=False))


def serve() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        text = ""
        if message["method"] == "tools/call":
            call = message["params"]
            if call["name"] == "keep":
                remember(call["arguments"]["note"])
            text = recall() if call["name"] == "search" else "kept"
        if "id" in message:
            result = {"content": [{"type": "text", "text": text}]}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    serve() if sys.argv[1] == "mcp" else answer_hook()
