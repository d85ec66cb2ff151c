"""Injection for the roles around a piece of work: which memories each reads, and how they are rendered."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import CALIBRATION_SAMPLES_MIN, RELAY_TOKENS_MAX, STEP_LIMIT_FACTOR_MAX, STEP_LIMIT_MAX
from holloway.domain import memory_details, memory_json
from holloway.domain.memory import Memory, MemoryType
from holloway.domain.memory_details import (
    Calibration,
    CausalDependency,
    E2EKind,
    E2EObservation,
    ErrorFix,
    Recipe,
    WorkState,
    WorkUnitOutcome,
    details_summary,
)
from holloway.domain.work import Phase
from holloway.injection import known_facts, session_start
from holloway.injection import prefetch as prefetching
from holloway.injection.prompt_text import Rendered, label_doubt
from holloway.injection.relevance import describe_work
from holloway.injection.session_start import load_open_work
from holloway.injection.template import line
from holloway.promotion import synthesis
from holloway.promotion.candidate import CodeMapLookup
from holloway.retrieval.pack import BUDGET_TOKENS
from holloway.safety.neutralize import neutralize_text
from holloway.store.filter import Filter
from holloway.text.tokens import fits_budget, render_citation

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.domain.methodology import Methodology
    from holloway.domain.work import WorkUnit
    from holloway.injection.prefetch import PrefetchPlan
    from holloway.injection.project_map import ProjectMap
    from holloway.injection.reader import Reader
    from holloway.store.store import Store

    Notes = list[tuple[str, str]]
    """Notes of running sessions: type and text."""
    from collections.abc import Iterable

    Line = tuple[str, str]
    """The id of a memory, or an empty string, and its text."""
    Figure = tuple[str, Calibration]
    """The id of the memory that holds a calibration, or an empty string if it was counted just now."""


T = MemoryType
PLANNER = (T.DEAD_END, T.CAUSAL_DEPENDENCY, T.WORKFLOW_RECIPE, T.REQUIREMENT, T.DECISION)
QA = (T.ERROR_PATTERN, T.E2E_OBSERVATION, T.REQUIREMENT)
RECOVERY = (T.DEAD_END, T.ERROR_PATTERN)
ROLE_MODULES_MAX = 6
LOCATED_MAX = 5
"""The best files of a task; their modules count as the modules of the task."""
SPEC = (MemoryType.REQUIREMENT, MemoryType.DECISION, MemoryType.PREFERENCE, MemoryType.PATTERN)
_KINDS = {kind: place for place, kind in enumerate(E2EKind)}


class RoleContext:
    """Chooses the memories of each role for one task of a project; `files` are those that the session works on."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        project_map: ProjectMap,
        now: datetime,
        task: str,
        files: Sequence[str] = (),
        modules: Sequence[str] = (),
    ) -> None:
        self._store = store
        self._reader = reader
        self._map = project_map
        self._now = now
        self._branch = git.current_branch(reader.root)
        self._task = task
        self._files = list(files) or self._locate()
        self._modules = list(modules) or [name for name in dict.fromkeys(project_map.find_modules(self._files)) if name]

    def _locate(self) -> list[str]:
        connection = self._store.database.connection
        located = self._map.locate(connection, self._task, self._now, LOCATED_MAX) if self._task else None
        # A small project has too few files to fill the limit with files of the task.
        return [file.path for file in located.files if file.reasons] if located else []

    @property
    def _task_modules(self) -> list[str]:
        return self._modules[:ROLE_MODULES_MAX]

    def render_planner(self) -> Rendered:
        """Render for a planner: calibration, constraints, scope, recipes, rules, outcomes."""
        outcomes = self._find_relevant(T.WORK_UNIT_OUTCOME)
        return render_planner([*self.keep_showable(self._find_relevant(*PLANNER)), *outcomes], self._calibrations)

    def render_spec(self) -> Rendered:
        """Render for the author of a specification: rules of the full project, and those of this part of it."""
        work = describe_work(self._files, self._task_modules, self._task)
        rules = [rule for rule in self._find(*SPEC) if not rule.files or work.concerns(rule)]
        return render_spec(self.keep_showable(rules))

    def render_qa(self) -> Rendered:
        """Render for a check: known failures, observations and requirements."""
        return render_qa(self.keep_showable(self._find_relevant(*QA)))

    def render_recovery(self, unit: WorkUnit | None, methodology: Methodology) -> Rendered:
        """Render for another attempt: the latest ones, their dead ends and errors, and the unfinished work."""
        outcomes = [outcome for outcome in self._find(T.WORK_UNIT_OUTCOME) if _failed(outcome) and _same(outcome, unit)]
        outcomes.sort(key=lambda outcome: outcome.created_at, reverse=True)
        attempts = outcomes[:1] if unit is None else outcomes[:2]
        sessions = {attempt.session for attempt in attempts}
        files = {path for attempt in attempts for path in attempt.files}
        attempted = [
            memory for memory in self._find(*RECOVERY) if memory.session in sessions or files & set(memory.files)
        ]
        warnings = attempted + [memory for memory in self._find_relevant(*RECOVERY) if memory not in attempted]
        text, state = self.render_resume(methodology)
        return render_recovery([*attempts, *self.keep_showable(warnings)], text, state)

    def render_relay(
        self, giver: str, taker: str, unit: WorkUnit | None, methodology: Methodology, notes: Notes
    ) -> Rendered:
        """Render what the giver's sessions in this work left, of the types that the taker needs."""
        types = methodology.relay(giver, taker).types
        memories = [memory for memory in self._find(*sorted(types)) if memory.agent == giver and _same(memory, unit)]
        notes = [(kind, text) for kind, text in notes if not types or kind in types]
        rendered = render_relay(giver, taker, self.keep_showable(memories[::-1]), notes)
        if methodology.relay_text and rendered.text:
            text = methodology.relay_text(giver, taker, rendered.text.split("\n")[1:])
            return Rendered(text, rendered.memories)
        return rendered

    def render_resume(self, methodology: Methodology) -> tuple[str, str]:
        """Render the unfinished work of this branch, with its age and the commits since; the second value is its id."""
        state = load_open_work(self._store.database.connection, self._branch, self._now)
        details = memory_json.parse_details(T.WORK_STATE, state["details"]) if state else None  # type: ignore[arg-type]
        if state is None or not isinstance(details, WorkState):
            return "", ""
        files = state["files"] if isinstance(state["files"], list) else []
        commits = git.changes_since(self._reader.root, str(state["updated_at"]), files) if files else []
        text = session_start.render_lines(state, commits, self._now)
        if methodology.work_text:
            text = methodology.work_text(memory_details.without_quotes(details), text)
        return text, str(state["id"])

    def limit_steps(self, base: int) -> int:
        """Return the steps to allow: as many more as the most underestimated module took, at most twice and 500."""
        ratios = [details.ratio for _, details in keep_significant(self._calibrations)]
        factor = min(max([1.0, *ratios]), STEP_LIMIT_FACTOR_MAX)
        return min(math.ceil(base * factor), STEP_LIMIT_MAX)

    def plan_prefetch(self, skip: Collection[str]) -> PrefetchPlan:
        """Choose the files to hand over before they are asked for."""
        return prefetching.plan(self._find_counts(T.PREFETCH_PATTERN), self._reader.root, skip)

    @cached_property
    def _calibrations(self) -> list[Figure]:
        """Return how far plans in these modules are off: as stored, or counted now if nothing is stored yet."""
        stored = self._find_counts(T.TASK_CALIBRATION)
        figures = [(memory.id, memory.details) for memory in stored if isinstance(memory.details, Calibration)]
        for module in self._task_modules:
            if module not in {details.module for _, details in figures}:
                draft = synthesis.draft_calibration(self._store, module, CodeMapLookup())
                if draft and isinstance(draft.details, Calibration):
                    figures.append(("", draft.details))
        return figures

    def _find_counts(self, kind: MemoryType) -> list[Memory]:
        """Find counts over the sessions in these modules, in the order of the modules."""
        modules = self._task_modules
        if not modules:
            return []
        order = {module: position for position, module in enumerate(modules)}
        memories = self._store.memories.find_memories(self._filter(kind, modules=tuple(modules)))
        return sorted(
            memories,
            key=lambda memory: min(
                (order.get(name, ROLE_MODULES_MAX) for name in memory.modules), default=ROLE_MODULES_MAX
            ),
        )

    def keep_showable(self, memories: Sequence[Memory]) -> list[Memory]:
        """Keep the memories that may be shown when somebody asks, have not been, and still hold."""
        view = self._reader.open(is_asked=True)
        if view is None:
            return []
        with view:
            ids = [memory.id for memory in memories]
            showable = {row["id"] for row in known_facts.find_unseen(view, ids, len(ids))}
        return [memory for memory in memories if memory.id in showable]

    def _find_relevant(self, *types: MemoryType) -> list[Memory]:
        work = describe_work(self._files, self._task_modules, self._task)
        return [memory for memory in self._find(*types) if work.concerns(memory)]

    def _find(self, *types: MemoryType) -> list[Memory]:
        return self._store.memories.find_memories(self._filter(*types), order="telling")

    def _filter(self, *types: MemoryType, modules: tuple[str, ...] = ()) -> Filter:
        return Filter(types=types, modules=modules, quarantined=False, branch=self._branch)


def show_rendered(reader: Reader, rendered: Rendered, point: str) -> str:
    """Record the memories of a rendered text as shown, and return the text; empty while injection is paused."""
    view = reader.open(is_asked=True)
    if view is None:
        return ""
    with view:
        view.claim(list(rendered.memories), point)
    return rendered.text


def _failed(memory: Memory) -> bool:
    return isinstance(memory.details, WorkUnitOutcome) and not memory.details.succeeded


def _same(memory: Memory, unit: WorkUnit | None) -> bool:
    """Tell whether a memory comes from the same piece of work, or from an outer or inner one."""
    if unit is None or memory.work_unit is None:
        return unit is None
    path, other = memory.work_unit.path, unit.path
    size = min(len(path), len(other))
    return path[:size] == other[:size]


def render_planner(memories: Sequence[Memory], figures: Sequence[Figure] = ()) -> Rendered:
    """Render calibration first, then dead ends as constraints, dependencies, recipes, rules and outcomes."""
    lines = [(memory, _render_calibration(memory, details)) for memory, details in keep_significant(figures)]
    lines += [(memory.id, _render_memory("constraint", memory)) for memory in _select(memories, MemoryType.DEAD_END)]
    lines += [(memory.id, _render_scope(memory)) for memory in _select(memories, MemoryType.CAUSAL_DEPENDENCY)]
    lines += [(memory.id, _render_recipe(memory)) for memory in _select(memories, MemoryType.WORKFLOW_RECIPE)]
    lines += [
        (memory.id, _render_memory("rule", memory))
        for memory in _select(memories, MemoryType.REQUIREMENT, MemoryType.DECISION)
    ]
    lines += [
        (memory.id, _render_memory("outcome", memory)) for memory in _select(memories, MemoryType.WORK_UNIT_OUTCOME)
    ]
    return _fit(line("roles", "planner"), lines, BUDGET_TOKENS[Phase.DEFINE])


def render_spec(memories: Sequence[Memory]) -> Rendered:
    """Render requirements, decisions, preferences and patterns."""
    lines = [(memory.id, _render_memory("rule", memory)) for kind in SPEC for memory in _select(memories, kind)]
    return _fit(line("roles", "spec"), lines, BUDGET_TOKENS[Phase.DEFINE])


def render_qa(memories: Sequence[Memory]) -> Rendered:
    """Render known failures, observations in the application (preconditions first) and requirements."""
    lines = [(memory.id, _render_failure(memory)) for memory in _select(memories, MemoryType.ERROR_PATTERN)]
    observations = sorted(_select(memories, MemoryType.E2E_OBSERVATION), key=_observation_order)
    lines += [(memory.id, _render_observation(memory)) for memory in observations]
    lines += [(memory.id, _render_memory("rule", memory)) for memory in _select(memories, MemoryType.REQUIREMENT)]
    return _fit(line("roles", "qa"), lines, BUDGET_TOKENS[Phase.VALIDATE])


def render_recovery(memories: Sequence[Memory], work: str, work_id: str) -> Rendered:
    """Render the attempt that failed, the dead ends, the known failures, and the unfinished work."""
    lines = [
        (memory.id, _render_memory("attempt", memory)) for memory in _select(memories, MemoryType.WORK_UNIT_OUTCOME)
    ]
    lines += [(memory.id, _render_memory("constraint", memory)) for memory in _select(memories, MemoryType.DEAD_END)]
    lines += [(memory.id, _render_failure(memory)) for memory in _select(memories, MemoryType.ERROR_PATTERN)]
    lines += [(work_id, work)] if work else []
    return _fit(line("roles", "recovery"), lines, BUDGET_TOKENS[Phase.REFINE])


def render_relay(giver: str, taker: str, memories: Sequence[Memory], notes: Sequence[tuple[str, str]]) -> Rendered:
    """Render what one role hands to the next: stored memories, and notes of running sessions."""
    lines = [(memory.id, _render_memory("memory", memory)) for memory in memories]
    for kind, text in notes:
        lines.append(
            ("", line("roles", "note", kind=f" ({neutralize_text(kind)})" if kind else "", text=neutralize_text(text)))
        )
    head = line("roles", "relay", giver=neutralize_text(giver), taker=neutralize_text(taker))
    return _fit(head, lines, RELAY_TOKENS_MAX)


def _fit(head: str, lines: Iterable[Line], tokens: int) -> Rendered:
    """Keep the lines that fit, in order; an empty text if none does."""
    chosen: list[Line] = []
    for entry in dict.fromkeys(lines):
        if fits_budget([head, *(text for _, text in chosen), entry[1]], tokens):
            chosen.append(entry)
    if not chosen:
        return Rendered()
    return Rendered("\n".join([head, *(text for _, text in chosen)]), tuple(memory for memory, _ in chosen if memory))


def keep_significant(figures: Iterable[Figure]) -> list[Figure]:
    """Keep the calibrations that have enough samples."""
    return [(memory, details) for memory, details in figures if details.samples >= CALIBRATION_SAMPLES_MIN]


def _select(memories: Sequence[Memory], *types: MemoryType) -> list[Memory]:
    return [memory for memory in memories if memory.type in types]


def _render_memory(name: str, memory: Memory) -> str:
    more = details_summary(memory.details, memory.content)
    text = neutralize_text(memory.summary) + (
        f"; {neutralize_text(more)}" if more and more not in memory.summary else ""
    )
    slots = {"doubt": _label_doubt(memory), "kind": memory.type.label.capitalize(), "text": text}
    return line("roles", name, **slots, cited=render_citation(memory.id))


def _render_calibration(memory: str, details: Calibration) -> str:
    slots = {
        "module": neutralize_text(details.module),
        "ratio": f"{details.ratio:.1f}",
        "samples": str(details.samples),
    }
    return line("roles", "calibration", **slots, cited=f" {render_citation(memory)}" if memory else "")


def _render_scope(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, CausalDependency):
        return _render_memory("rule", memory)
    return line(
        "roles",
        "scope",
        doubt=_label_doubt(memory),
        when=neutralize_text(details.when),
        then=neutralize_text(details.then),
        reason=f" ({neutralize_text(details.reason)})" if details.reason else "",
        cited=render_citation(memory.id),
    )


def _render_recipe(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, Recipe):
        return _render_memory("rule", memory)
    count = details.success_count or len(memory.sessions)
    steps = " -> ".join(neutralize_text(step.description) for step in details.steps)
    times = f"{count} times" if count > 1 else "once"
    return line(
        "roles",
        "recipe",
        times=times,
        task=neutralize_text(details.task),
        steps=steps,
        cited=render_citation(memory.id),
    )


def _render_failure(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, ErrorFix):
        return _render_memory("pattern", memory)
    slots = {"doubt": _label_doubt(memory), "text": neutralize_text(details.error), "fix": neutralize_text(details.fix)}
    return line("roles", "verify", **slots, cited=render_citation(memory.id))


def _render_observation(memory: Memory) -> str:
    kind = _observation_kind(memory)
    label = kind.replace("_", " ") if kind else "behaviour"
    text, cited = neutralize_text(memory.summary), render_citation(memory.id)
    return line("roles", "e2e", kind=label, doubt=_label_doubt(memory), text=text, cited=cited)


def _observation_order(memory: Memory) -> int:
    kind = _observation_kind(memory)
    return _KINDS[kind] if kind else len(_KINDS)


def _observation_kind(memory: Memory) -> E2EKind | None:
    return memory.details.kind if isinstance(memory.details, E2EObservation) else None


def _label_doubt(memory: Memory) -> str:
    return label_doubt({name: getattr(memory, name) for name in ("state", "source", "stated_at", "origin")})
