"""Notes that an agent records itself: their text, and the shell command `holloway note` that records one. Light.

The server and the command that take a note, and the hook and the transcript that see it taken, build the same text, so
that the same note is recognised.
"""

from __future__ import annotations

from holloway.config import LESSON_CHARS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LAUNCHERS = ("python", "uv", "poetry", "pipx")
_OPTIONS = {
    "--why": "reason",
    "-w": "reason",
    "--quote": "quote",
    "-q": "quote",
    "--kind": "type",
    "-k": "type",
    "--file": "files",
    "-f": "files",
    "--project": "project",
    "-p": "project",
}
"""Options of `holloway note` that take a value, and the argument of the tool `record_memory` that it stands for."""


def compose_note(text: str, reason: str = "", quote: str = "") -> str:
    """Return the text of a note with its reason, and the words that it rests on."""
    parts = [text.strip()]
    if reason.strip():
        parts[0] += "" if parts[0].endswith((".", "!", "?")) else "."
        parts.append(f"Why: {reason.strip()[:LESSON_CHARS_MAX]}")
    if quote.strip():
        parts.append(f'Quote: "{quote.strip()[:LESSON_CHARS_MAX]}"')
    return " ".join(parts)


def find_note(tool_arguments: Mapping[str, object], *, is_record_tool: bool) -> dict[str, object] | None:
    """Return the fields of the note that a tool call records: the tool for notes, or `holloway note`."""
    if not is_record_tool:
        command = tool_arguments.get("command") or tool_arguments.get("cmd")
        return parse_note_command(command) if isinstance(command, str) else None
    note_fields = {name: str(tool_arguments.get(name) or "") for name in ("text", "reason", "quote", "type")}
    text = compose_note(note_fields["text"], note_fields["reason"], note_fields["quote"])
    other_arguments = {name: value for name, value in tool_arguments.items() if name not in note_fields}
    return {**other_arguments, "text": text, "type": note_fields["type"]}


def parse_note_command(command: str) -> dict[str, object] | None:
    """Return the note in a command line with `holloway note "..."`; None if there is none."""
    if "holloway" not in command or " note " not in command:
        return None
    from holloway.text.shell import split_commands  # few commands get here

    for simple in split_commands(command):
        words = [word for word in simple.words if word]
        names = [word.rpartition("/")[2] for word in words[:4]]
        at = names.index("holloway") if "holloway" in names else -1
        is_run = at == 0 or (at > 0 and names[0].startswith(_LAUNCHERS))
        if is_run and words[at + 1 : at + 2] == ["note"]:
            return _parse_words(words[at + 2 :])
    return None


def _parse_words(words: list[str]) -> dict[str, object] | None:
    values: dict[str, str] = {}
    files, text = [], []
    remaining = iter(words)
    for word in remaining:
        name, has_value, value = word.partition("=")
        option = _OPTIONS.get(name if word.startswith("--") else word)
        if option is None:
            text += [word] if not word.startswith("--") else []
            continue
        value = value if has_value and word.startswith("--") else next(remaining, "")
        if option == "files":
            files.append(value)
        else:
            values[option] = value
    if not text:
        return None
    note = compose_note(" ".join(text), values.get("reason", ""), values.get("quote", ""))
    return {"text": note, "type": values.get("type", ""), "files": files}
