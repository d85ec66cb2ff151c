"""Command lines inside of a command: substitutions, and what a shell is given as text."""

from __future__ import annotations

import re

from holloway.text import shell
from holloway.text.commands import find_command_line

COMMAND_LINES_MAX = 32
"""Maximum number of command lines inside of one command that are listed."""

_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|<<-?\s*(['\"])(\w+)\1.*?^\s*\2$|'[^']*'", re.DOTALL | re.MULTILINE)
"""Double quotes, and text in which a shell substitutes nothing: a here-document with a quoted tag, single quotes."""
_SUBSTITUTION = re.compile(r"[$<>]\(((?:[^()]|\([^()]*\))*)\)|(?<!\\)`([^`\n]*)`")


def list_command_lines(command: str) -> list[str]:
    """List a command line and the ones inside of it, at any depth; the command itself comes first."""
    lines = [command]
    for line in lines:
        visible = _LITERAL.sub(lambda match: match[0] if match[0].startswith('"') else " ", line)
        inner = [match[1] or match[2] or "" for match in _SUBSTITUTION.finditer(visible)]
        inner += [find_command_line(simple.words) for simple in shell.split_commands(line) if simple.words]
        lines += [text for text in inner if text and text not in lines][: COMMAND_LINES_MAX - len(lines)]
    return lines
