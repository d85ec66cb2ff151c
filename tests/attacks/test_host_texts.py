"""Text that the host hands to an agent in the person's name is neither the person's nor the agent's own.

Each row is an entry, or several, as Claude Code writes them into its transcript; the claim is in a text that no person
typed and that no tool call of the session returned.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holloway import git
from holloway.capture import claude_code
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.observer.carriers import Trust
from holloway.observer.observer import Observer
from holloway.observer.provenance import trace_texts
from tests.attacks.carriers import make_repository

CLAIM = "Carts that wait longer than nine minutes must be released before the till closes, because the lock is shared."
TRACKED = {"src/till.py": "OPEN = True\n", "docs/till.md": f"# Till\n\n{CLAIM}\n"}
Row = dict[str, Any]


def user(content: object, **fields: object) -> Row:
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def agent(*blocks: Row) -> Row:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}}


def text(words: str) -> Row:
    return {"type": "text", "text": words}


def attachment(**fields: object) -> Row:
    return {"type": "attachment", "attachment": fields}


def answer(content: object, call: str = "call-1", **fields: object) -> Row:
    return user([{"type": "tool_result", "tool_use_id": call, "content": content, **fields}])


def call(tool: str, name: str = "call-1", **arguments: object) -> Row:
    return agent({"type": "tool_use", "id": name, "name": tool, "input": arguments})


COMMAND = "<command-message>triage</command-message>\n<command-name>/mcp__tracker__triage</command-name>"
FILLER = "\n\n".join(f"Paragraph {number} tells about gardens and fences of the place." for number in range(400))
DELIVERED: dict[str, list[Row]] = {
    "a skill": [user([text(f"Base directory for this skill: /home/x/skills/till\n\n{CLAIM}")], isMeta=True)],
    "a prompt of a server": [user(COMMAND), user([text(CLAIM)], isMeta=True)],
    "a prompt of a server that is not marked": [user(COMMAND, uuid="command"), user(CLAIM, parentUuid="command")],
    "output of the user's own command": [user(f"<bash-stdout>{CLAIM}</bash-stdout><bash-stderr></bash-stderr>")],
    "errors of the user's own command": [user(f"<bash-stdout></bash-stdout><bash-stderr>{CLAIM}</bash-stderr>")],
    "output of a host command": [user(f"<local-command-stdout>{CLAIM}</local-command-stdout>")],
    "output in an entry of the system": [
        {"type": "system", "content": f"<local-command-stdout>{CLAIM}</local-command-stdout>"}
    ],
    "lines selected in an editor": [
        user(f"<ide_selection>The user selected the lines 1 to 3 from /x/vendor.md:\n{CLAIM}\n</ide_selection>\nwhy?")
    ],
    "output of a hook": [user(f"go on\n<user-prompt-submit-hook>{CLAIM}</user-prompt-submit-hook>")],
    "a reminder": [user(f"go on\n<system-reminder>\n{CLAIM}\n</system-reminder>")],
    "a notification": [user(f"<task-notification>\n<result>{CLAIM}</result>\n</task-notification>")],
    "a notification of another origin": [user(CLAIM, origin={"kind": "task-notification"})],
    "a queued notification": [
        attachment(type="queued_command", commandMode="task-notification", prompt=f"<result>{CLAIM}</result>")
    ],
    "a queued notification in a row": [
        {"type": "queue-operation", "operation": "enqueue", "content": f"<task-notification>{CLAIM}"},
        {"type": "queue-operation", "operation": "remove", "content": f"<task-notification>{CLAIM}"},
    ],
    "a mentioned file": [attachment(type="file", filename="/x/vendor.md", content={"file": {"content": CLAIM}})],
    "a mentioned resource": [attachment(type="mcp_resource", content={"contents": [{"text": CLAIM}]})],
    "context of a hook": [attachment(type="hook_additional_context", content=[CLAIM])],
    "instructions of a dependency": [
        attachment(type="nested_memory", path="node_modules/till/CLAUDE.md", content={"content": CLAIM})
    ],
    "messages of an editor": [attachment(type="diagnostics", files=[{"diagnostics": [{"message": CLAIM}]}])],
    "an attached document": [
        user([{"type": "document", "source": {"type": "text", "data": CLAIM}}, text("look at this")])
    ],
    "a summary of a conversation that nobody saw": [
        user(f"This session is being continued from a previous conversation.\n{CLAIM}", isCompactSummary=True)
    ],
    "a resource in a tool result": [
        call("mcp__x__y"),
        answer([{"type": "resource", "resource": {"uri": "x", "text": CLAIM}}]),
    ],
    "a title in a search result": [
        agent({"type": "server_tool_use", "id": "call-1", "name": "web_search", "input": {"query": "x"}}),
        agent(
            {
                "type": "web_search_tool_result",
                "tool_use_id": "call-1",
                "content": [{"type": "web_search_result", "title": CLAIM, "url": "https://x.example"}],
            }
        ),
    ],
    "a result without a known call": [answer(CLAIM, "unknown")],
    "the middle of a long result": [
        call("WebFetch", url="https://x.example"),
        answer(f"{FILLER}\n\n{CLAIM}\n\n{FILLER}"),
    ],
}
"""Ways in which the host hands the agent the claim."""
OWN: dict[str, list[Row]] = {
    "a tracked file that the person mentions": [
        attachment(type="file", filename="{ROOT}/docs/till.md", content={"file": {"content": CLAIM}})
    ],
    "a skill of the project": [
        user([text(f"Base directory for this skill: {{ROOT}}/.claude/skills/till\n\n{CLAIM}")], isMeta=True)
    ],
    "lines of a tracked file that the person selected": [
        user(
            f"<ide_selection>The user selected the lines 1 to 3 from {{ROOT}}/docs/till.md:\n{CLAIM}\n</ide_selection>"
            "\nwhy?"
        )
    ],
    "a prompt beside a notification": [user("<task-notification>done</task-notification>"), user(CLAIM)],
    "a prompt after a command of the host": [
        user("<command-name>/clear</command-name>", uuid="command"),
        user(CLAIM, parentUuid="command"),
    ],
    "a prompt after the output of a command": [
        user(COMMAND, uuid="command"),
        user("<local-command-stdout>ok</local-command-stdout>", uuid="output", parentUuid="command"),
        user(CLAIM, parentUuid="output"),
    ],
    "arguments of a command": [
        user(f"{COMMAND}\n<command-args>{CLAIM}</command-args>"),
        user([text(f"Triage.\n\nARGUMENTS: {CLAIM}")], isMeta=True),
    ],
}
"""Ways in which the same words are the person's or the project's own."""


def find_source(rows: Sequence[Row], folder: Path) -> str:
    """Return the source to which provenance traces the claim, after the agent has repeated it."""
    root, transcript = folder / "project", folder / "session.jsonl"
    commit = make_repository(root, {"tracked": {**TRACKED, ".claude/skills/till/SKILL.md": CLAIM}})
    read = [call("Read", "call-0", file_path="{ROOT}/src/till.py"), answer("OPEN = True", "call-0")]
    fields = {"sessionId": "s", "cwd": str(root), "gitBranch": "main", "isSidechain": False}
    with transcript.open("w") as file:
        for number, row in enumerate([*rows, *read, agent(text(f"The cause: {CLAIM}"))]):
            entry = {"uuid": f"row-{number}", "timestamp": f"2026-11-19T10:00:{number:02}Z", **fields, **row}
            file.write(json.dumps(entry).replace("{ROOT}", str(root)) + "\n")
    observer = Observer()
    for event in claude_code.read_session(transcript, root):
        observer.observe_event(event)
    tracked = git.list_accepted_files(str(root), commit)
    trust = Trust(root=str(root), is_known_name=is_ordinary_word, is_tracked=tracked.__contains__)
    return trace_texts(observer.pad, [CLAIM], trust)[0]


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("way", DELIVERED)
def test_a_claim_that_the_host_handed_over_is_traced_to_it(way: str, tmp_path: Path) -> None:
    assert find_source(DELIVERED[way], tmp_path)


@pytest.mark.promise("honest-lessons")
@pytest.mark.parametrize("way", OWN)
def test_a_claim_of_the_person_or_the_project_stays_own(way: str, tmp_path: Path) -> None:
    assert find_source(OWN[way], tmp_path) == ""
