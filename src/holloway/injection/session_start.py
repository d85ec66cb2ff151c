"""What an agent reads when a session starts: short, factual, cited, in stable order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import (
    BRIEF_DECISIONS_MAX,
    BRIEF_MODULES_MAX,
    BRIEF_TOKENS_MAX,
    BRIEF_TRAPS_MAX,
)
from holloway.injection.template import line
from holloway.injection.tool_result import labelled
from holloway.safety.neutralize import neutral
from holloway.text.citation import citation, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.codemap.modules.overview import Overview, Part
    from holloway.domain.memory import Memory

    Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Brief:
    """The text for the agent, and which memories it holds."""

    text: str
    memories: tuple[str, ...]


def brief(
    overview: Overview,
    sessions: int,
    decisions: Sequence[Memory],
    traps: Sequence[Memory],
    command: str = "holloway",
    indexing: str = "",
    work: str = "",
) -> Brief:
    """Put the brief together, leaving out what does not fit: modules first, then the least telling memories."""
    kept_decisions, kept_traps = list(decisions[:BRIEF_DECISIONS_MAX]), list(traps[:BRIEF_TRAPS_MAX])
    modules = list(overview.modules[:BRIEF_MODULES_MAX])
    while True:
        lines = _lines(overview, sessions, modules, kept_decisions, kept_traps, command, indexing, work)
        if within(lines, BRIEF_TOKENS_MAX) or not (modules or kept_decisions or kept_traps):
            return Brief("\n".join(lines), tuple(memory.id for memory in (*kept_decisions, *kept_traps)))
        (modules if len(modules) > 4 else kept_decisions or kept_traps or modules).pop()


def render_rules(rules: Sequence[Row], traps: Sequence[Row]) -> tuple[str, list[str]]:
    """The brief of a session that could not wait for the rest: rules and traps, and the ids that it holds."""
    lines = [line("session_start", "head", learned="")]
    for name, rows in (("decisions", rules), ("traps", traps)):
        if rows:
            lines.append(line("session_start", name, memories=" · ".join(map(_row, rows))))
    return "\n".join(lines), [str(row["id"]) for row in (*rules, *traps)]


def _row(row: Row) -> str:
    label = labelled(str(row["state"]), str(row["type"]))
    text, cited = neutral(str(row["summary"])), citation(str(row["id"]))
    return line("session_start", "memory", label=label, text=text, cited=cited)


def _lines(
    overview: Overview,
    sessions: int,
    modules: list[Part],
    decisions: list[Memory],
    traps: list[Memory],
    command: str,
    indexing: str,
    work: str,
) -> list[str]:
    learned = f" ({sessions} session{'s' if sessions != 1 else ''})" if sessions else ""
    steps = [*(f"build: {step}" for step in overview.build), *(f"test: {step}" for step in overview.test)]
    steps += [f"tests are written with {overview.written_with}"] if overview.written_with else []
    told = (
        ("indexing", "indexing", indexing),
        ("languages", "languages", ", ".join(f"{language} {number}" for language, number in overview.languages)),
        ("commands", "commands", " · ".join(map(neutral, steps))),
        ("modules", "modules", " · ".join(map(_module, modules))),
        ("", "", work),
        ("decisions", "memories", " · ".join(map(_memory, decisions))),
        ("traps", "memories", " · ".join(map(_memory, traps))),
    )
    lines = [line("session_start", name, **{slot: said}) if name else said for name, slot, said in told if said]
    more = line("session_start", "more", command=command)
    return [line("session_start", "head", learned=learned), *lines, more]


def _module(module: Part) -> str:
    core, tests = ", ".join(module.core[:2]), f"tests: {module.tests}" if module.tests else ""
    places = "; ".join(filter(None, (core, tests)))
    return neutral(f"{module.name} ({places})" if places else module.name)


def _memory(memory: Memory) -> str:
    label = labelled(memory.state, memory.type)
    return line("session_start", "memory", label=label, text=neutral(memory.summary), cited=citation(memory.id))
