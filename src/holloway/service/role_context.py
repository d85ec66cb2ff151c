"""Which memories the roles around a piece of work read: by its files, its modules and its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import Calibration, WorkState, WorkUnitOutcome, without_quotes
from holloway.injection import calibration, roles
from holloway.injection import prefetch as fetching
from holloway.injection import work_state as unfinished
from holloway.injection.prompt import Said
from holloway.injection.relevance import work
from holloway.promotion import synthesis
from holloway.promotion.candidate import Places
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.work import Methodology, WorkUnit
    from holloway.injection.calibration import Figure
    from holloway.injection.prefetch import Plan
    from holloway.service.holloway import Holloway
    from holloway.service.injection_points import Points

T = MemoryType
PLANNER = (T.DEAD_END, T.CAUSAL_DEPENDENCY, T.WORKFLOW_RECIPE, T.REQUIREMENT, T.DECISION)
QA = (T.ERROR_PATTERN, T.E2E_OBSERVATION, T.REQUIREMENT)
MODULES_MAX = 6
LOCATED_MAX = 5
"""The best files of a task whose modules it counts as being in."""


class Gathering:
    """Gathers for one task of a project; `files` are those that the session has in hand."""

    def __init__(self, memory: Holloway, points: Points, task: str, files: Sequence[str] = ()) -> None:
        self.memory = memory
        self.points = points
        self.task = task
        self.files = list(files) or self._located()
        modules = [memory.map.module_of(path) for path in self.files]
        self.modules = [module for module in dict.fromkeys(modules) if module][:MODULES_MAX]

    def _located(self) -> list[str]:
        if not self.task or not self.memory.map.is_ready:
            return []
        found = self.memory.map.locate(self.task, limit=LOCATED_MAX).files
        return [file.path for file in found if file.reasons]  # A small project has too few files to fill the limit.

    def planner(self) -> Said:
        """For whoever plans: how far plans here are off, what is ruled out, what belongs to it, how it was done."""
        outcomes = self._concerning(T.WORK_UNIT_OUTCOME)
        return roles.planner([*self.points.standing(self._concerning(*PLANNER)), *outcomes], self._calibrations())

    def spec(self) -> Said:
        """For whoever specifies: rules that hold for all of the project, and those of this part of it."""
        asked = work(self.files, self.modules, self.task)
        return roles.spec(
            self.points.standing([each for each in self._here(*roles.SPEC) if not each.files or asked.concerns(each)])
        )

    def qa(self) -> Said:
        """For whoever checks: what failed before and what to look at."""
        return roles.qa(self.points.standing(self._concerning(*QA)))

    def recovery(self, unit: WorkUnit | None, way: Methodology) -> Said:
        """For a second attempt: the first one, the dead ends, and where the work stands."""
        outcomes = [each for each in self._here(T.WORK_UNIT_OUTCOME) if _failed(each) and _same(each, unit)]
        attempts = outcomes[:1] if unit is None else outcomes[:2]
        sessions, files = {each.session for each in attempts}, {path for each in attempts for path in each.files}
        tried = [each for each in self._here(T.DEAD_END) if each.session in sessions or files & set(each.files)]
        dead_ends = tried + [each for each in self._concerning(T.DEAD_END) if each not in tried]
        state = self.memory.work_state()
        text = self.resume(way)
        return roles.recovery([*attempts, *self.points.standing(dead_ends)], text, state.id if state else "")

    def relay(self, giver: str, taker: str, unit: WorkUnit | None, way: Methodology, notes: Notes) -> Said:
        """From one role to the next: what the giver's sessions in this work left, of the types that the taker needs."""
        types = way.relay(giver, taker).types
        found = [each for each in self._here(*sorted(types)) if each.agent == giver and _same(each, unit)]
        kept = [(kind, text) for kind, text in notes if not types or kind in types]
        said = roles.relay(giver, taker, self.points.standing(found[::-1]), kept)
        if way.relay_text and said.text:
            return Said(way.relay_text(giver, taker, said.text.split("\n")[1:]), said.memories)
        return said

    def resume(self, way: Methodology) -> str:
        """Where the unfinished work of this branch stands, how old it is, and what changed since."""
        state = self.memory.work_state()
        if state is None or not isinstance(state.details, WorkState):
            return ""
        text = unfinished.resume(state, self.memory.changes_since(state), self.memory.clock.now())
        return way.work_text(without_quotes(state.details), text) if way.work_text else text

    def step_limit(self, base: int) -> int:
        """How many steps to allow here."""
        return calibration.step_limit(base, self._calibrations())

    def _calibrations(self) -> list[Figure]:
        """How far plans in these modules are off: as remembered, or counted now where nobody has looked yet."""
        kept = self._figures(T.TASK_CALIBRATION)
        figures = [(each.id, each.details) for each in kept if isinstance(each.details, Calibration)]
        places = Places(self.memory.map.module_of, self.memory.map.explained)
        for module in self.modules:
            if module not in {details.module for _, details in figures}:
                draft = synthesis.calibration(self.memory.store, module, places)
                if draft and isinstance(draft.details, Calibration):
                    figures.append(("", draft.details))
        return figures

    def prefetch(self, skip: Collection[str]) -> Plan:
        """The files to give before they are asked for."""
        return fetching.plan(self._figures(T.PREFETCH_PATTERN), self.memory.project.root, skip)

    def _figures(self, kind: MemoryType) -> list[Memory]:
        """Counts over the sessions in these modules, in the order of the modules."""
        if not self.modules:
            return []
        found = self.memory.store.memories.find(self._chosen(kind, modules=tuple(self.modules)))
        return sorted(found, key=lambda each: min(map(self._place, each.modules), default=MODULES_MAX))

    def _place(self, module: str) -> int:
        return self.modules.index(module) if module in self.modules else MODULES_MAX

    def _concerning(self, *types: MemoryType) -> list[Memory]:
        asked = work(self.files, self.modules, self.task)
        return [each for each in self._here(*types) if asked.concerns(each)]

    def _here(self, *types: MemoryType) -> list[Memory]:
        return self.memory.store.memories.find(self._chosen(*types), order="telling")

    def _chosen(self, *types: MemoryType, modules: tuple[str, ...] = ()) -> Filter:
        return Filter(types=types, modules=modules, quarantined=False, branch=self.memory.branch)


Notes = list[tuple[str, str]]
"""Notes of sessions that are still at work: the type that was asked for, and the words."""


def _failed(memory: Memory) -> bool:
    return isinstance(memory.details, WorkUnitOutcome) and not memory.details.succeeded


def _same(memory: Memory, unit: WorkUnit | None) -> bool:
    """Whether a memory comes from the same piece of work, or from an outer or inner one."""
    if unit is None or memory.work_unit is None:
        return unit is None
    one, other = memory.work_unit.path, unit.path
    size = min(len(one), len(other))
    return one[:size] == other[:size]
