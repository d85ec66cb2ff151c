"""Across sessions, with a language model: what the memories of a module add up to. One call, and nothing on trust.

An insight rests on at least two memories, names nothing that they do not name, and is as sure as the least sure of
them. What came from outside is not sent, so nothing of it can come back under another name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import FILES_MAX, LLM_ANSWER_CHARS_MAX
from holloway.domain import memory_details as typed
from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, Scope, Source, State, Visibility
from holloway.llm.prompts import prompt
from holloway.promotion.llm_rewrite import keeps_to, listed
from holloway.promotion.memory_text import WORDS_MAX
from holloway.retrieval.novelty import Verdict, closest
from holloway.safety.neutralize import neutral
from holloway.store import observations
from holloway.store.filter import Filter
from holloway.store.memories import OBSERVED
from holloway.store.write_gate import admit
from holloway.text.fingerprint import fingerprint
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import Places
    from holloway.store.store import Store

SYSTEM = "You find what several notes about a codebase say together, and say only that."
EVIDENCE_MIN = 3
"""Fewer memories add up to nothing, and nobody is asked."""
EVIDENCE_MAX = 24
INSIGHTS_MAX = 3
RESTS_ON_MIN = 2
ANSWER_TOKENS = 600
DEADLINE_S = 60.0
PAIR_SESSIONS_MIN = 5
"""So many sessions must have changed files of two modules for the pair to be looked at."""
_NO_EVIDENCE = frozenset({MemoryType.WORK_STATE, MemoryType.WORK_UNIT_OUTCOME})


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence, and the memories that it rests on."""

    sentence: str
    evidence: tuple[Memory, ...]


def insights(writer: Writer, store: Store, project: str, modules: Sequence[str]) -> list[Memory]:
    """Ask once what the memories of these modules add up to, and keep what stands the test; an error is raised."""
    known = evidence(store, modules)
    if len(known) < EVIDENCE_MIN:
        return []
    told = "\n".join(f"{number}. {_note(memory)}" for number, memory in enumerate(known, 1))
    named = " and ".join(modules)
    text = prompt("synthesis", project=neutral(project), modules=neutral(named), findings=told, most=str(INSIGHTS_MAX))
    done = writer.complete(text, system=SYSTEM, max_tokens=ANSWER_TOKENS, deadline_s=DEADLINE_S)
    found = [one for one in read(done.text, known) if sound(one, modules)][:INSIGHTS_MAX]
    with store.database.write():
        return [memory for one in found if (memory := _kept(store, one, modules)) is not None]


def evidence(store: Store, modules: Sequence[str]) -> list[Memory]:
    """The surest living memories of these modules; none that came from outside, and no insight of an earlier look.

    Nor one that only its person or only a branch may see: an insight is for the whole project.
    """
    found = store.memories.find(Filter(modules=tuple(modules), quarantined=False), limit=-1)
    telling = [each for each in found if each.type not in _NO_EVIDENCE and not _is_insight(each) and _is_shared(each)]
    return sorted(telling, key=lambda memory: (-memory.confidence, memory.id))[:EVIDENCE_MAX]


def read(answer: str, known: Sequence[Memory]) -> list[Insight]:
    """The insights in an answer; what is not of that form, or rests on notes that were not given, is left out."""
    found = []
    for item in listed(answer):
        if isinstance(item, dict) and isinstance(item.get("sentence"), str) and isinstance(item.get("from"), list):
            numbers = [number for number in item["from"] if type(number) is int and 0 < number <= len(known)]
            if len(numbers) == len(item["from"]):
                rests_on = tuple(known[number - 1] for number in dict.fromkeys(numbers))
                found.append(Insight(one_line(item["sentence"], LLM_ANSWER_CHARS_MAX), rests_on))
    return found


def sound(one: Insight, modules: Sequence[str]) -> bool:
    """Whether it rests on enough, on each of the modules, and on nothing that its evidence does not say."""
    said = [text for each in one.evidence for text in (each.content, *each.files, *typed.texts(each.details))]
    covered = {module for each in one.evidence for module in each.modules}
    enough = len(one.evidence) >= RESTS_ON_MIN and covered >= set(modules)
    return enough and keeps_to(one.sentence, (*said, *modules))


def pair(store: Store, places: Places) -> tuple[str, str] | None:
    """The two modules whose files most sessions changed together."""
    for one, other, _ in observations.most_together(store.database, PAIR_SESSIONS_MIN):
        first, second = places.module_of(one), places.module_of(other)
        if first and second and first != second:
            return first, second
    return None


def _kept(store: Store, one: Insight, modules: Sequence[str]) -> Memory | None:
    """Store an insight that is news: neither known in such words nor refused by a person."""
    draft = _draft(one, modules)
    if store.memories.is_rejected(draft.origin) or store.memories.is_rejected(draft.content):
        return None
    if store.memories.by_origin(draft.origin) or any(
        near.verdict is not Verdict.NEW for near in closest(store, draft.content)
    ):
        return None
    return store.memories.add(admit(draft, str(store.project.root))).memory


def _draft(one: Insight, modules: Sequence[str]) -> Draft:
    files = tuple(dict.fromkeys(path for each in one.evidence for path in each.files if path in one.sentence))
    rests_on = sorted(each.id for each in one.evidence)
    return Draft(
        content=one.sentence,
        type=MemoryType.MODULE_INSIGHT,
        files=files[:FILES_MAX],
        modules=tuple(modules),
        source=Source.SYNTHESIS,
        scope=Scope.MODULE,
        state=State.UNCONFIRMED,
        confidence=min(each.confidence for each in one.evidence),
        session=one.evidence[0].session,
        origin=f"{OBSERVED}insight:{fingerprint(' '.join(rests_on), '')[:16]}",
        relations=tuple(Relation(RelationType.DERIVED_FROM, memory=each, automatic=True) for each in rests_on),
    )


def _is_insight(memory: Memory) -> bool:
    return memory.source is Source.SYNTHESIS and memory.type is MemoryType.MODULE_INSIGHT


def _is_shared(memory: Memory) -> bool:
    return memory.visibility is not Visibility.PERSONAL and not memory.branch_only


def _note(memory: Memory) -> str:
    return neutral(one_line(f"{memory.type.label}: {memory.content}", WORDS_MAX))
