"""Insights and purposes of modules: written by a configured language model, verified, and only then stored.

An insight cites at least two memories, names nothing that they do not name, and gets the lowest confidence among them.
Untrusted memories are not sent to the model, so an insight cannot launder them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.codemap.modules.module_names import PURPOSE_CHARS_MAX, is_description
from holloway.config import DESCRIBE_ANSWER_TOKENS, DESCRIBE_DEADLINE_S, LLM_ANSWER_CHARS_MAX, MEMORY_FILES_MAX
from holloway.domain import memory_json
from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, Scope, Source, State, Visibility
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.llm.metered_client import meter_writer, render_prompt
from holloway.llm.providers import choose_writer
from holloway.promotion.llm_rewrite import is_grounded, parse_json_list
from holloway.promotion.memory_text import MEMORY_SENTENCE_CHARS_MAX
from holloway.promotion.synthesis import THRESHOLDS
from holloway.retrieval.duplicate_detection import Verdict, find_similar_memories
from holloway.safety.neutralize import neutralize_text
from holloway.store import contributions, observations
from holloway.store.filter import Filter
from holloway.store.lookup import OBSERVED_PREFIX
from holloway.store.write_gate import sanitize_draft
from holloway.text.fingerprint import fingerprint_text
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.codemap.modules.module import Module
    from holloway.config import Settings
    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import CodeMapLookup
    from holloway.store.store import Store


INSIGHT_SYSTEM_PROMPT = "You find what several notes about a codebase say together, and say only that."
EVIDENCE_MIN = 3
"""Minimum number of memories for the model to be called."""
EVIDENCE_MAX = 24
INSIGHTS_MAX = 3
CITED_MEMORIES_MIN = 2
ANSWER_TOKENS = 600
DEADLINE_S = 60.0
MODULE_PAIR_SESSIONS_MIN = 5
"""Minimum number of sessions that changed files of both modules of a pair."""
_EXCLUDED_TYPES = frozenset({MemoryType.WORK_STATE, MemoryType.WORK_UNIT_OUTCOME})
INSIGHT_MODULES_MAX = 3
"""Modules per run, with one call each."""
AFTER_FAILURE = timedelta(days=1)
PURPOSE = "synthesis"
_FAILED = "synthesis_failed"
DESCRIBED_MODULES_MAX = 40
FILES_NAMED = 5
DESCRIBE_SYSTEM = "You describe the parts of a codebase from their file names."


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence with the memories that support it."""

    sentence: str
    evidence: tuple[Memory, ...]


def create_insights(writer: Writer, store: Store, project: str, modules: Sequence[str]) -> list[Memory]:
    """Ask the model once for insights on these modules and store the valid ones; returns the new memories.

    An error of the writer is raised.
    """
    memories = select_evidence(store, modules)
    if len(memories) < EVIDENCE_MIN:
        return []
    findings = "\n".join(f"{number}. {_render_note(memory)}" for number, memory in enumerate(memories, 1))
    module_names = " and ".join(modules)
    text = render_prompt(
        "synthesis",
        project=neutralize_text(project),
        modules=neutralize_text(module_names),
        findings=findings,
        most=str(INSIGHTS_MAX),
    )
    completion = writer.complete(text, system=INSIGHT_SYSTEM_PROMPT, max_tokens=ANSWER_TOKENS, deadline_s=DEADLINE_S)
    proposals = [insight for insight in parse_insights(completion.text, memories) if is_supported(insight, modules)][
        :INSIGHTS_MAX
    ]
    with store.database.write_transaction():
        return [memory for insight in proposals if (memory := _store_insight(store, insight, modules)) is not None]


def select_evidence(store: Store, modules: Sequence[str]) -> list[Memory]:
    """Return the most confident active memories of these modules, without quarantined ones and earlier insights.

    Personal memories and those of one branch are left out, because an insight is visible to the whole project.
    """
    memories = store.memories.find_memories(Filter(modules=tuple(modules), quarantined=False), limit=-1)
    usable = [
        memory
        for memory in memories
        if memory.type not in _EXCLUDED_TYPES and not _is_insight(memory) and _may_be_described(memory)
    ]
    return sorted(usable, key=lambda memory: (-memory.confidence, memory.id))[:EVIDENCE_MAX]


def parse_insights(answer: str, memories: Sequence[Memory]) -> list[Insight]:
    """Parse the insights in a model's answer; a malformed item, or one that cites an unknown number, is skipped."""
    valid_insights = []
    for item in parse_json_list(answer):
        if isinstance(item, dict) and isinstance(item.get("sentence"), str) and isinstance(item.get("from"), list):
            numbers = [number for number in item["from"] if type(number) is int and 0 < number <= len(memories)]
            if len(numbers) == len(item["from"]):
                rests_on = tuple(memories[number - 1] for number in dict.fromkeys(numbers))
                valid_insights.append(Insight(one_line(item["sentence"], LLM_ANSWER_CHARS_MAX), rests_on))
    return valid_insights


def is_supported(insight: Insight, modules: Sequence[str]) -> bool:
    """Whether an insight cites enough memories, covers each module, and names only what its evidence names."""
    texts = [
        text
        for memory in insight.evidence
        for text in (memory.content, *memory.files, *memory_json.details_texts(memory.details))
    ]
    covered = {module for memory in insight.evidence for module in memory.modules}
    enough = len(insight.evidence) >= CITED_MEMORIES_MIN and covered >= set(modules)
    return enough and is_grounded(insight.sentence, (*texts, *modules))


def find_module_pair(store: Store, places: CodeMapLookup) -> tuple[str, str] | None:
    """Return the two modules whose files are most often changed together, or None."""
    for path, other_path, _ in observations.list_co_changed_pairs(store.database, MODULE_PAIR_SESSIONS_MIN):
        first, second = places.module_of(path), places.module_of(other_path)
        if first and second and first != second:
            return first, second
    return None


def _store_insight(store: Store, insight: Insight, modules: Sequence[str]) -> Memory | None:
    """Store an insight unless it is a duplicate or was rejected by a person; returns the memory or None."""
    draft = _build_draft(insight, modules)
    if store.memories.is_rejected(draft.origin) or store.memories.is_rejected(draft.content):
        return None
    if store.memories.find_by_origin(draft.origin) or any(
        near.verdict is not Verdict.NEW for near in find_similar_memories(store, draft.content)
    ):
        return None
    return store.memories.add_memory(sanitize_draft(draft, str(store.project.root))).memory


def _build_draft(insight: Insight, modules: Sequence[str]) -> Draft:
    files = tuple(
        dict.fromkeys(path for memory in insight.evidence for path in memory.files if path in insight.sentence)
    )
    rests_on = sorted(memory.id for memory in insight.evidence)
    return Draft(
        content=insight.sentence,
        type=MemoryType.MODULE_INSIGHT,
        files=files[:MEMORY_FILES_MAX],
        modules=tuple(modules),
        source=Source.SYNTHESIS,
        scope=Scope.MODULE,
        state=State.UNCONFIRMED,
        confidence=min(memory.confidence for memory in insight.evidence),
        session=insight.evidence[0].session,
        origin=f"{OBSERVED_PREFIX}insight:{fingerprint_text(' '.join(rests_on), '')[:16]}",
        relations=tuple(
            Relation(RelationType.DERIVED_FROM, memory=memory_id, automatic=True) for memory_id in rests_on
        ),
    )


def _is_insight(memory: Memory) -> bool:
    return memory.source is Source.SYNTHESIS and memory.type is MemoryType.MODULE_INSIGHT


def _may_be_described(memory: Memory) -> bool:
    is_private = memory.visibility is Visibility.PERSONAL and memory.chosen
    return not is_private and not memory.branch_only


def _render_note(memory: Memory) -> str:
    return neutralize_text(one_line(f"{memory.type.label}: {memory.content}", MEMORY_SENTENCE_CHARS_MAX))


class Reflection:
    """Asks a language model to summarise a module's memories, once at each threshold of the synthesis."""

    def __init__(self, store: Store, settings: Settings, writer: Writer | None = None) -> None:
        self.store = store
        self.settings = settings
        self.writer = writer or choose_writer(settings).writer
        self.trouble = ""
        """The error of the last call, if it failed."""

    def due(self) -> list[tuple[str, int]]:
        """Return the modules that have reached a threshold since the last call; empty without a model."""
        if self.writer is None or self._has_failed_lately():
            return []
        due_modules = []
        for module, sessions in observations.count_module_sessions(self.store.database).items():
            reached = max((threshold for threshold in THRESHOLDS if threshold <= sessions), default=0)
            if reached > int(self.store.get_meta(_key(module)) or 0):
                due_modules.append((module, reached))
        return due_modules

    def reflect(self) -> list[Memory]:
        """Reflect on the modules that are due, a few at a time; a failed call is retried a day later."""
        insights: list[Memory] = []
        for module, reached in self.due()[:INSIGHT_MODULES_MAX]:
            module_insights = self._ask_model([module])
            if module_insights is None:
                break
            insights += module_insights
            self.store.set_meta(_key(module), str(reached))
        return insights

    def across(self, places: CodeMapLookup) -> list[Memory]:
        """Reflect on the two modules that are most often changed together."""
        chosen = find_module_pair(self.store, places) if self.writer and not self._has_failed_lately() else None
        return (self._ask_model(chosen) or []) if chosen else []

    def _ask_model(self, modules: Sequence[str]) -> list[Memory] | None:
        """Return the memories that one call yielded; None if it failed."""
        if self.writer is None:
            return None
        model = meter_writer(self.store, self.settings, self.writer, PURPOSE)
        try:
            return create_insights(model, self.store, self.store.project.name, modules)
        except HollowayError as error:
            self.trouble = error.message
            self.store.set_meta(_FAILED, format_stamp(self.store.clock.now()))
            return None

    def _has_failed_lately(self) -> bool:
        failed = self.store.get_meta(_FAILED)
        return bool(failed) and timedelta(0) <= self.store.clock.now() - parse_stamp(failed) < AFTER_FAILURE


def _key(module: str) -> str:
    return f"reflected:{module}"


def describe_modules(
    store: Store, settings: Settings, modules: Callable[[], Sequence[Module]], writer: Writer | None = None
) -> list[tuple[str, str]]:
    """Ask a model to describe the modules that no person has described; returns the names and purposes it stored.

    Raises InvalidInput if no language model is configured.
    """
    chosen = choose_writer(settings)
    writer = writer or chosen.writer
    if writer is None:
        raise InvalidInput("No language model is configured.", f"{chosen.reason} See `holloway config list`.")
    described_keys = {
        module for kind, module, _ in contributions.list_module_edits(store.database) if kind == "purpose"
    }
    undescribed_modules = [module for module in modules() if module.key not in described_keys and not module.support][
        :DESCRIBED_MODULES_MAX
    ]
    if not undescribed_modules:
        return []
    model = meter_writer(store, settings, writer, "modules")
    text = render_prompt(
        "modules", project=store.project.name, modules="\n".join(_line(module) for module in undescribed_modules)
    )
    completion = model.complete(
        text, system=DESCRIBE_SYSTEM, max_tokens=DESCRIBE_ANSWER_TOKENS, deadline_s=DESCRIBE_DEADLINE_S
    )
    purposes = _read(completion.text, undescribed_modules)
    at = format_stamp(store.clock.now())
    for key, purpose in purposes.items():
        contributions.edit_module(store.database, "purpose", key, purpose, at)
    names = {module.key: module.name for module in undescribed_modules}
    return [(names[key], purpose) for key, purpose in purposes.items()]


def _line(module: Module) -> str:
    uses = ", ".join(name for name, _ in module.uses[:FILES_NAMED])
    return neutralize_text(
        f"- {module.name}: {', '.join(module.core[:FILES_NAMED])}" + (f"; uses {uses}" if uses else "")
    )


def _read(answer: str, modules: Sequence[Module]) -> dict[str, str]:
    """Parse the purposes in an answer; skips unknown modules and texts that are no description."""
    keys = {module.name.casefold(): module.key for module in modules}
    purposes: dict[str, str] = {}
    for line in answer.splitlines():
        name, colon, purpose = line.strip().lstrip("-*• ").partition(":")
        key = keys.get(name.strip("`* ").casefold())
        purpose = one_line(neutralize_text(purpose), PURPOSE_CHARS_MAX).strip().rstrip(".")
        if colon and key and purpose and is_description(purpose):
            purposes.setdefault(key, purpose)
    return purposes
