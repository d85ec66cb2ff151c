"""Scratchpad merge: combines the scratchpads of several agents into one, ordered by time, whatever the input order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from holloway.observer.scratchpad import Action, Note, Scratchpad, estimate_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

StepMapper = Callable[[int], int]
"""Maps a step of one scratchpad to a step of the merged one."""


def merge_scratchpads(pads: Sequence[Scratchpad]) -> Scratchpad:
    """Merge scratchpads by time; each action keeps its agent, so that conflicts and agreement can be detected."""
    ordered = sorted(pads, key=lambda pad: (_get_start_time(pad), _get_actor_name(pad)))
    if not ordered:
        return Scratchpad()
    owned_actions = [
        (_assign_actor(pad, action), pad_index) for pad_index, pad in enumerate(ordered) for action in pad.actions
    ]
    owned_actions.sort(key=lambda item: (item[0].at, item[0].actor, item[0].step))
    pads_with_maps = list(zip(ordered, _build_step_mappers(owned_actions, len(ordered)), strict=True))
    times = [action.at for action, _ in owned_actions]
    notes = [_reposition_note(pad, note, map_step, times) for pad, map_step in pads_with_maps for note in pad.notes]
    notes.sort(key=lambda entry: (entry.at, entry.actor, entry.step, entry.text))
    actions = [action for action, _ in owned_actions]
    for number, action in enumerate(actions, 1):
        action.step = number
    lead = ordered[0]
    interrupted_at, redirected = max(
        (_map_interruption(pad, map_step), pad.redirected) for pad, map_step in pads_with_maps
    )
    return Scratchpad(
        start=lead.start,
        last_at=max(pad.last_at for pad in ordered),
        step=len(actions),
        actions=actions,
        plan=max((pad.plan for pad in ordered), key=len),
        first_plan=max(pad.first_plan for pad in ordered),
        plan_mode=any(pad.plan_mode for pad in ordered),
        tokens_in=sum(pad.tokens_in for pad in ordered),
        tokens_out=sum(pad.tokens_out for pad in ordered),
        context_peak=max(pad.context_peak for pad in ordered),
        interrupted_at=interrupted_at,
        redirected=redirected,
        subtasks=[
            replace(subtask, step=map_step(subtask.step))
            for pad, map_step in pads_with_maps
            for subtask in pad.subtasks
        ],
        qa_passed=_combine_verdicts([pad.qa_passed for pad in ordered]),
        qa_verdicts=_pick_longest_verdicts([pad.qa_verdicts for pad in ordered]),
        qa_findings=tuple(dict.fromkeys(text for pad in ordered for text in pad.qa_findings)),
        ended=next((pad.ended for pad in ordered if pad.ended is not None), None),
        outcome=next((pad.outcome for pad in ordered if pad.outcome is not None), None),
        events=sum(pad.events for pad in ordered),
        failed=sum(pad.failed for pad in ordered),
        slow=sum(pad.slow for pad in ordered),
        bytes=sum(map(estimate_bytes, actions)) + sum(map(estimate_bytes, notes)),
        evicted=tuple(dict.fromkeys(signal for pad in ordered for signal in pad.evicted)),
        _notes=notes,
        _calls={action.call: action for action in actions if action.call},
    )


def _build_step_mappers(owned_actions: list[tuple[Action, int]], pad_count: int) -> list[StepMapper]:
    """Return, for each scratchpad, the function that maps its steps to the latest merged step of its actions so far."""
    steps: list[list[tuple[int, int]]] = [[] for _ in range(pad_count)]
    for number, (action, pad_index) in enumerate(owned_actions, 1):
        steps[pad_index].append((action.step, number))
    return [partial(_map_step, *_accumulate_steps(sorted(pad_steps))) for pad_steps in steps]


def _accumulate_steps(steps: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [old for old, _ in steps], list(accumulate((new for _, new in steps), max))


def _map_step(pad_steps: list[int], merged_steps: list[int], step: int) -> int:
    before = bisect_right(pad_steps, step)
    return merged_steps[before - 1] if before else 0


def _assign_actor(pad: Scratchpad, action: Action) -> Action:
    return replace(action, actor=action.actor or _get_actor_name(pad))


def _reposition_note(pad: Scratchpad, note: Note, map_step: StepMapper, times: list[float]) -> Note:
    """Place a note after the earlier actions of its scratchpad, or after those of others if it has none before."""
    actor = note.actor or ("" if note.voice == "user" else _get_actor_name(pad))
    return replace(note, actor=actor, step=map_step(note.step) or bisect_left(times, note.at))


def _map_interruption(pad: Scratchpad, map_step: StepMapper) -> int:
    return map_step(pad.interrupted_at) if pad.interrupted_at >= 0 else pad.interrupted_at


def _get_actor_name(pad: Scratchpad) -> str:
    return (pad.start.session or pad.start.agent) if pad.start else ""


def _get_start_time(pad: Scratchpad) -> float:
    return pad.start.at if pad.start else pad.last_at


def _pick_longest_verdicts(verdicts: list[tuple[bool, ...]]) -> tuple[bool, ...]:
    """Return the verdicts of the agent with the most QA checks; on a tie, those with the earliest failure."""
    return min(verdicts, key=lambda checks: (-len(checks), checks))


def _combine_verdicts(verdicts: list[bool | None]) -> bool | None:
    known_verdicts = [verdict for verdict in verdicts if verdict is not None]
    return all(known_verdicts) if known_verdicts else None
