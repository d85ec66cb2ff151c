"""Own text: strips the text that holloway injected from prompts, results and statements before they are observed.

Injected text is no evidence. A host may wrap, escape or truncate it, and an agent may repeat it, so it is recognised
by three marks: the way its lines begin, a citation in brackets at the end of a line, and a memory id anywhere in a
sentence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.text.commands import understand
from holloway.text.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = ("mcp__holloway__", "mcp__plugin_holloway_", "mcp__plugin_holloway-mcp_")

_BREAK = re.compile(
    r"(\r?\n|(?:\\r)?\\n|</?system-reminder>|(?=\bholloway on \S)"
    r"|(?=\bholloway: (?:shared memory of this|briefed (?:with|from) \d|learned: ))"
    r"|(?<=Traps of a file arrive when it is read\.))"
)
_HOOK = re.compile(r"\b\w+(?::\w+)? hook (?:additional context|success):\s*$")
_FIRST = re.compile(
    r"\s*holloway: (?:shared memory of this|briefed (?:with|from) \d|learned: "
    r"|for (?:this task|(?:planning|checking|specifying) this), from )"
)
_LAST = re.compile(r"\s*More: `\S+ locate |.*Traps of a file arrive when it is read\.")
_OPENS = re.compile(r"\s*holloway on \S.{0,300}?: ")
_LABELLED = ("Decisions and rules: ", "Known traps: ", "More: `")
_ALWAYS = re.compile(r"\s*(?:Decisions and rules: |Known traps: |More: `\S+ locate )")
_LABELS = re.compile(
    r"\s*(?:The code map is being made \(|Source files: |Build and test: |Modules: |Decisions and rules: "
    r"|Known traps: |More: |- (?:unconfirmed |possibly out of date )?[a-z ]{4,24}: "
    r"|- [^\s:]{1,300}(?:: [^(]{0,200})? \((?:named[: ]|defines |speaks of |closest |path has |change[ds] |opened )"
    r"|- [^\s:]{1,300}: changes together with |-   \d+\. |Done: |Open: |Not committed then: |Last failure: "
    r"|Next was to be: |Since then, on those files: |- [0-9a-f]{7,40} )"
)
_CITED = re.compile(r"[\[(]\s*hw\s*:\s*[0-9a-f]{4,32}\b", re.IGNORECASE)
_NAMED = re.compile(r"\bhw\s*:\s*[0-9a-f]{4,32}\b", re.IGNORECASE)


def strip(text: str) -> str:
    """Return the text without the lines and sentences that holloway injected."""
    if not _may_hold(text):
        return text
    return "".join(_kept(_BREAK.split(text))).strip()


def _may_hold(text: str) -> bool:
    """Whether a text may contain injected text: a cheap prefilter, because most texts contain none."""
    if "holloway" in text or any(label in text for label in _LABELLED):
        return True
    return "hw" in text.lower() and bool(_NAMED.search(text))


def ours(tool: str, command: str = "") -> bool:
    """Whether a tool result is entirely holloway's: from its own MCP server, or a command that only runs holloway."""
    if tool.startswith(TOOLS):
        return True
    steps = understand(command) if "holloway" in command else ()
    return bool(steps) and all(step.program.split()[0] == "holloway" for step in steps)


def _kept(pieces: list[str]) -> Iterator[str]:
    """Yield lines (even indexes) and line breaks (odd indexes) without injected lines and their line breaks."""
    in_brief = after_own = False
    for index in range(0, len(pieces), 2):
        line = _HOOK.sub("", pieces[index])
        starts_brief = bool(_FIRST.match(line))
        is_own = starts_brief or _ours(line) or ((in_brief or after_own) and bool(_LABELS.match(line)))
        in_brief = (in_brief or starts_brief) and (is_own or not line.strip()) and not _LAST.match(line)
        if is_own:
            after_own = True
            continue
        after_own = after_own and not line.strip()
        yield _without_citations(line)
        yield from pieces[index + 1 : index + 2]


def _ours(line: str) -> bool:
    return bool(_OPENS.match(line) or _ALWAYS.match(line) or _CITED.search(line))


def _without_citations(line: str) -> str:
    """Return a line without the sentences that name a memory."""
    if not _NAMED.search(line):
        return line
    return "".join(sentence for sentence in split_sentences(line) if not _NAMED.search(sentence))
