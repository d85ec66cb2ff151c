"""Plain sessions as what the observer watches: each tool call an action, each word asked for its taint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.capture import tool_events
from holloway.observer.carriers import Trust
from holloway.observer.provenance import SourceTracer
from holloway.observer.scratchpad import Action
from holloway.safety.prompt_injection import find_injection
from holloway.text.commands import parse_command

if TYPE_CHECKING:
    from benchmarks.poison import Event


@dataclass(frozen=True)
class Word:
    """Something that could become a memory, and what speaks against it."""

    voice: str
    text: str
    taint: str
    reason: str

    @property
    def held(self) -> bool:
        """Whether it is quarantined or dropped."""
        return bool(self.taint or self.reason)


def words(events: Iterable[Event], taint: SourceTracer | None = None) -> Iterator[Word]:
    """All that was said, recorded and committed in a session, in order."""
    taint = SourceTracer(Trust()) if taint is None else taint
    listed: list[dict[str, Any]] = list(events)
    answers = {each["id"]: each for each in listed if each["k"] == "result"}
    step = 0
    for each in listed:
        if each["k"] in ("think", "text", "user"):
            yield _word(each["k"], each["text"], taint.observe_statement(each["text"], by_user=each["k"] == "user"))
        if each["k"] != "call":
            continue
        step += 1
        given = json.loads(each["inp"])
        for voice, text in _written(each["tool"], given):
            yield _word(voice, text, taint.observe_statement(text))
        taint.observe_action(_action(each, given, answers[each["id"]], step))


def _word(voice: str, text: str, taint: str) -> Word:
    return Word(voice, text, taint, find_injection(text))


def _written(tool: str, given: dict[str, str]) -> Iterator[tuple[str, str]]:
    if tool == "mcp__holloway__record":
        yield "record", given["content"]
    if tool == "Bash":
        yield from (("commit", each.message) for each in parse_command(given["command"]) if each.message)


def _action(call: dict[str, Any], given: dict[str, str], answer: dict[str, Any], step: int) -> Action:
    tool = call["tool"]
    path = (call["paths"] or [""])[0]
    added = given.get("new_string") or given.get("content") or ""
    return Action(
        step,
        float(step),
        tool_events.kind_of(tool),
        call["id"],
        tool,
        path,
        command=given.get("command", ""),
        url=given.get("url", ""),
        added=tuple(added.splitlines()) if tool in ("Edit", "Write") else (),
        outside=path.startswith("/"),
        ok=not answer["err"],
        text=answer["text"],
        untracked=bool(answer.get("untracked")),
    )
