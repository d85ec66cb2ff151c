"""What holloway itself handed to an agent is no evidence: it is taken out of a text before anything is observed.

A host may wrap what it was given, escape it or cut it short, and an agent repeats it in its own words. So ours is
known by three marks: how its lines begin, the citation in brackets, which stands at the end of what it cites, and an
id anywhere, which makes a sentence ours.
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
    """The text without what holloway injected into it; what the agent or the tool said beside it stays."""
    if not _may_hold(text):
        return text
    return "".join(_kept(_BREAK.split(text))).strip()


def _may_hold(text: str) -> bool:
    """Whether a text can hold anything of ours: a first look at plain letters, as most texts hold none."""
    if "holloway" in text or any(label in text for label in _LABELLED):
        return True
    return "hw" in text.lower() and bool(_NAMED.search(text))


def ours(tool: str, command: str = "") -> bool:
    """Whether all that a tool answered is holloway's: its own MCP server, or a command that does nothing else."""
    if tool.startswith(TOOLS):
        return True
    steps = understand(command) if "holloway" in command else ()
    return bool(steps) and all(step.program.split()[0] == "holloway" for step in steps)


def _kept(pieces: list[str]) -> Iterator[str]:
    """Lines at even places and the breaks after them, as they are given; a line of ours goes with its break."""
    brief = after_ours = False
    for at in range(0, len(pieces), 2):
        line = _HOOK.sub("", pieces[at])
        starts = bool(_FIRST.match(line))
        mine = starts or _ours(line) or ((brief or after_ours) and bool(_LABELS.match(line)))
        brief = (brief or starts) and (mine or not line.strip()) and not _LAST.match(line)
        if mine:
            after_ours = True
            continue
        after_ours = after_ours and not line.strip()
        yield _without_citations(line)
        yield from pieces[at + 1 : at + 2]


def _ours(line: str) -> bool:
    return bool(_OPENS.match(line) or _ALWAYS.match(line) or _CITED.search(line))


def _without_citations(line: str) -> str:
    """Return a line without the sentences that name a memory."""
    if not _NAMED.search(line):
        return line
    return "".join(sentence for sentence in split_sentences(line) if not _NAMED.search(sentence))
