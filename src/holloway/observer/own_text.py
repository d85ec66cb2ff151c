"""Own text: strips what holloway injected itself from prompts, results and statements, so nothing is learned from it.

Injected text is not evidence. A host may wrap, escape or truncate it, and an agent may repeat it, so it is recognised
by three marks: the way its lines begin, a citation in brackets at the end of a line, and a memory id in a sentence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.text.commands import parse_command
from holloway.text.identifiers import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN_TOOL_PREFIXES = ("mcp__holloway__", "mcp__plugin_holloway_", "mcp__plugin_holloway-mcp_")
_OWN_TOOL = re.compile(
    r"mcp_{1,2}holloway_(?:search_memory|get_memory|record_memory|memory_feedback|locate|analyze_impact"
    r"|get_workflow_recipe|update_module|session_context)"
)
"""Our tools as hosts name them that put one underscore after the server's name, which may be part of another name."""

_BREAK = re.compile(
    r"(\r?\n|(?:\\r)?\\n|</?system-reminder>|(?=\bholloway on \S)"
    r"|(?=\bholloway: (?:shared memory of this|briefed (?:with|from) \d|learned: ))"
    r"|(?<=Traps of a file arrive when it is read\.)|(?<=when an entry changes what you do, name its id\.))"
)
_HOOK = re.compile(r"\b\w+(?::\w+)? hook (?:additional context|success):\s*$")
_BRIEF_START = re.compile(
    r"\s*holloway: (?:shared memory of this|briefed (?:with|from) \d|learned: "
    r"|files for this task:|for (?:this task|(?:planning|checking|specifying) this), from )"
)
_BRIEF_END = re.compile(r"\s*More: `\S+ locate |.*Traps of a file arrive when it is read\.")
_FILE_NOTE_START = re.compile(r"\s*holloway on \S.{0,300}?: ")
_LABEL_TEXTS = (
    "Decisions and rules: ",
    "Known traps: ",
    "More: `",
    "When you learn what the next session needs, run `",
)
_OWN_LABEL = re.compile(
    r"\s*(?:Decisions and rules: |Known traps: |More: `\S+ locate |When you learn what the next session needs, run `)"
)
_BRIEF_LABEL = re.compile(
    r"\s*(?:The code map is being made \(|Source files: |Build and test: |Modules: |Decisions and rules: "
    r"|Known traps: |More: |- (?:unconfirmed |possibly out of date )?[a-z ]{4,24}: "
    r"|- [^\s:]{1,300}(?:: [^(]{0,200})? \((?:named[: ]|defines |speaks of |closest |path has |change[ds] |opened )"
    r"|- [^\s:]{1,300} \([A-Za-z_$][\w$.]{0,200}\)$|- [^\s:,]{1,300}\.\w{1,12}$"
    r"|- (?:also|tests) [^\s:,]{1,300}(?:: |, |; | \(run: |$)"
    r"|- [^\s:]{1,300}: changes together with |-   \d+\. |Done: |Open: |Not committed then: |Last failure: "
    r"|Next was to be: |Since then, on those files: |- [0-9a-f]{7,40} )"
)
_CITATION = re.compile(r"[\[(]\s*hw\s*:\s*[0-9a-f]{4,32}\b", re.IGNORECASE)
_MEMORY_ID = re.compile(r"\bhw\s*:\s*[0-9a-f]{4,32}\b", re.IGNORECASE)


def strip_own_text(text: str) -> str:
    """Return the text without the lines and sentences that holloway injected."""
    if not _may_contain_own_text(text):
        return text
    return "".join(_drop_own_lines(_BREAK.split(text))).strip()


def _may_contain_own_text(text: str) -> bool:
    """Whether a text may contain injected text: a cheap prefilter, because most texts contain none."""
    if "holloway" in text or any(label in text for label in _LABEL_TEXTS):
        return True
    return "hw" in text.lower() and bool(_MEMORY_ID.search(text))


def is_own_output(tool: str, command: str = "") -> bool:
    """Whether a tool result is entirely holloway's: from its own MCP server, or a command that only runs holloway."""
    if tool.startswith(OWN_TOOL_PREFIXES) or _OWN_TOOL.fullmatch(tool):
        return True
    steps = parse_command(command) if "holloway" in command else ()
    return bool(steps) and all(step.program.split()[0] == "holloway" for step in steps)


def _drop_own_lines(pieces: list[str]) -> Iterator[str]:
    """Yield lines (even indexes) and line breaks (odd indexes) without injected lines and their line breaks."""
    in_brief = after_own = False
    for index in range(0, len(pieces), 2):
        line = _HOOK.sub("", pieces[index])
        starts_brief = bool(_BRIEF_START.match(line))
        is_own = starts_brief or _is_own_line(line) or ((in_brief or after_own) and bool(_BRIEF_LABEL.match(line)))
        in_brief = (in_brief or starts_brief) and (is_own or not line.strip()) and not _BRIEF_END.match(line)
        if is_own:
            after_own = True
            continue
        after_own = after_own and not line.strip()
        yield _drop_citing_sentences(line)
        yield from pieces[index + 1 : index + 2]


def _is_own_line(line: str) -> bool:
    return bool(_FILE_NOTE_START.match(line) or _OWN_LABEL.match(line) or _CITATION.search(line))


def _drop_citing_sentences(line: str) -> str:
    """Return a line without the sentences that name a memory."""
    if not _MEMORY_ID.search(line):
        return line
    return "".join(sentence for sentence in split_sentences(line) if not _MEMORY_ID.search(sentence))
