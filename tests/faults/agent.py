"""An agent at work: plays sessions in a project and runs the hooks that setup installs, as a host does.

Usage: agent.py SETTINGS PROJECT SESSIONS ROUNDS; prints what it saw of the hooks as one line of JSON. It stays smaller
than a hook, because a child's peak of memory begins at its parent's.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator

FILES = ("src/shop/auth/tokens.py", "src/shop/auth/session.py", "src/shop/billing/invoice.py", "README.md")
ERRORS = ("KeyError: 'SHOP_URL'", "ConnectionError: Error 111 connecting to localhost:6379", "ValueError: no currency")
IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")

Fields = dict[str, object]
Told = tuple[str, Fields]


def session(root: str, name: str, rounds: int) -> Iterator[Told]:
    """All that a host tells of one session: a task, work on files with a failure and its fix, an end."""
    rng = random.Random(name)
    yield "SessionStart", {"source": "startup"}
    yield (
        "UserPromptSubmit",
        {"prompt": f"Invoices of {name} are rounded twice when a token is refreshed, please fix it"},
    )
    for number in range(rounds):
        yield from work(root, rng, f"{name}-{number}")
    yield "Stop", {}
    yield "SessionEnd", {"reason": "exit"}


def work(root: str, rng: random.Random, name: str) -> Iterator[Told]:
    """Look, change a file, fail, mend it, pass, commit."""
    path = os.path.join(root, rng.choice(FILES))  # noqa: PTH118  (pathlib is a third of a hook)
    error = rng.choice(ERRORS)
    yield tool("Grep", {"pattern": f"rounded{rng.randrange(9)}"}, {"filenames": [path]})
    yield tool("Read", {"file_path": path}, {"file": {"filePath": path}})
    change(path, name)
    yield tool("Edit", {"file_path": path, "old_string": "a", "new_string": name}, {"filePath": path})
    failed: Fields = {
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "error": f"E   {error}\n1 failed in 0.2s",
    }
    yield "PostToolUseFailure", failed
    mended = f"SHOP_{error[:3].upper()}=1 pytest -q"
    yield tool("Bash", {"command": mended}, {"stdout": "3 passed in 0.12s", "stderr": ""})
    subprocess.run(["git", *IDENTITY, "commit", "-qam", f"Round once: {name}"], cwd=root, check=True)
    yield tool("Bash", {"command": f"git commit -qam 'Round once: {name}'"}, {"stdout": "", "stderr": ""})


def tool(name: str, given: Fields, answered: Fields) -> Told:
    return "PostToolUse", {"tool_name": name, "tool_input": given, "tool_response": answered}


def change(path: str, name: str) -> None:
    with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(f"# {name}\n")


def installed(settings: str) -> dict[str, list[str]]:
    """The command of each event, as the host's settings have it."""
    with open(settings, encoding="utf-8") as file:  # noqa: PTH123
        found = json.load(file)["hooks"]
    first = {event: entries[0]["hooks"][0] for event, entries in found.items()}
    return {event: ["/bin/sh", "-c", entry["command"]] for event, entry in first.items()}


def hook(command: list[str], payload: Fields) -> tuple[bool, bool, int]:
    """Run a hook; returns whether it behaved, whether it said something, and its peak of memory in KB."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        said, complained = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    fine = process.returncode == 0 and not complained and (not said or isinstance(json.loads(said), dict))
    return fine, bool(said), usage.ru_maxrss


def main(settings: str, root: str, sessions: str, rounds: str) -> None:
    commands = installed(settings)
    events, broken, answered = 0, 0, 0
    peaks_kb: list[int] = []
    for number in range(int(sessions)):
        name = f"{os.path.basename(root)}-{number}"  # noqa: PTH119
        for call, (event, fields) in enumerate(session(root, name, int(rounds))):
            about = {"session_id": name, "cwd": root, "hook_event_name": event, "transcript_path": "/nowhere.jsonl"}
            fine, said, peak_kb = hook(commands[event], {**about, "tool_use_id": f"{name}-{call}", **fields})
            events, broken, answered = events + 1, broken + (not fine), answered + said
            if event == "PostToolUse":
                peaks_kb.append(peak_kb)
    print(json.dumps({"events": events, "broken": broken, "answered": answered, "peaks_kb": peaks_kb}))


if __name__ == "__main__":
    main(*sys.argv[1:])
