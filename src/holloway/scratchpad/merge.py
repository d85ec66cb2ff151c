"""Several agents' scratchpads as one, in whatever order they are given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.scratchpad.scratchpad import Action, Note, Scratchpad, weight

if TYPE_CHECKING:
    from collections.abc import Sequence


def merge(pads: Sequence[Scratchpad]) -> Scratchpad:
    """What all of them did, by time; each deed keeps its agent, so that conflicts and agreement can be seen."""
    ordered = sorted(pads, key=lambda pad: (_began(pad), _name(pad)))
    if not ordered:
        return Scratchpad()
    actions = [_owned(pad, action) for pad in ordered for action in pad.actions]
    notes = [_spoken(pad, note) for pad in ordered for note in pad.notes]
    places = _places([(entry.at, entry.actor, entry.step) for entry in actions])
    actions.sort(key=lambda entry: (entry.at, entry.actor, entry.step))
    notes.sort(key=lambda entry: (entry.at, entry.actor, entry.step, entry.text))
    for note in notes:
        note.step = places.get((note.actor, note.step), note.step)
    for number, action in enumerate(actions, 1):
        action.step = number
    lead = ordered[0]
    return Scratchpad(
        start=lead.start,
        last_at=max(pad.last_at for pad in ordered),
        step=len(actions),
        actions=actions,
        notes=notes,
        plan=max((pad.plan for pad in ordered), key=len),
        first_plan=max(pad.first_plan for pad in ordered),
        plan_mode=any(pad.plan_mode for pad in ordered),
        tokens_in=sum(pad.tokens_in for pad in ordered),
        tokens_out=sum(pad.tokens_out for pad in ordered),
        context_peak=max(pad.context_peak for pad in ordered),
        subtasks=[subtask for pad in ordered for subtask in pad.subtasks],
        qa_passed=_all_passed([pad.qa_passed for pad in ordered]),
        qa_findings=tuple(dict.fromkeys(text for pad in ordered for text in pad.qa_findings)),
        ended=next((pad.ended for pad in ordered if pad.ended is not None), None),
        outcome=next((pad.outcome for pad in ordered if pad.outcome is not None), None),
        events=sum(pad.events for pad in ordered),
        failed=sum(pad.failed for pad in ordered),
        slow=sum(pad.slow for pad in ordered),
        bytes=sum(map(weight, actions)) + sum(map(weight, notes)),
        evicted=tuple(dict.fromkeys(signal for pad in ordered for signal in pad.evicted)),
        _calls={action.call: action for action in actions if action.call},
    )


def _places(found: list[tuple[float, str, int]]) -> dict[tuple[str, int], int]:
    """Where each agent's step stands among everybody's."""
    return {(actor, step): number for number, (_, actor, step) in enumerate(sorted(found), 1)}


def _owned(pad: Scratchpad, action: Action) -> Action:
    return replace(action, actor=action.actor or _name(pad))


def _spoken(pad: Scratchpad, note: Note) -> Note:
    return replace(note, actor=note.actor or ("" if note.voice == "user" else _name(pad)))


def _name(pad: Scratchpad) -> str:
    return (pad.start.session or pad.start.agent) if pad.start else ""


def _began(pad: Scratchpad) -> float:
    return pad.start.at if pad.start else pad.last_at


def _all_passed(verdicts: list[bool | None]) -> bool | None:
    said = [verdict for verdict in verdicts if verdict is not None]
    return all(said) if said else None
