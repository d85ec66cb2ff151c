"""Which memories may leave this machine, with which fields, and what changed in them since they were last compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.domain.memory import MemoryType, RelationType, Source, State, Visibility
from holloway.domain.memory_json import details_json, details_texts
from holloway.safety.secrets import redact_secrets
from holloway.sharing.merge import CONFIRMED, FORGOTTEN, LIFTED, REJECTED
from holloway.sharing.operation import ITEMS, MERGE_RULES, VERSIONS, serialize_value

if TYPE_CHECKING:
    from holloway.domain.memory import Memory

NameMemory = Callable[[str], str]
"""Returns the shared name of a memory, from its local id; empty if it is not shared."""

LOCAL_TYPES = frozenset(
    (
        MemoryType.WORK_STATE,
        MemoryType.CONTEXT_COST,
        MemoryType.PREFETCH_PATTERN,
        MemoryType.TASK_CALIBRATION,
    )
)
"""Types that say something of this machine's sessions only."""
SHARED_BY = "shared: "
"""Beginning of the reason of a memory that somebody else set aside."""
RELATION_SEPARATOR = " "
_DIGEST_CHARS = 16
_ALWAYS_SENT = frozenset(("judgement", "visibility"))
"""Fields that a memory which may no longer leave still sends: that it ended, or is the person's own now."""


def explain_refusal(memory: Memory, *, personal: bool = False) -> str:
    """Return why a memory stays on this machine; empty if it may leave.

    With `personal`, for a person's own devices, visibility does not matter.
    """
    if not memory.is_alive:
        return "it is set aside"
    if memory.type in LOCAL_TYPES:
        return "it is about sessions of this machine"
    if memory.state in (State.QUARANTINED, State.STALE):
        return f"it is {memory.state}"
    if not memory.chosen and not personal:
        return "its visibility was not chosen"
    if not personal and memory.visibility is Visibility.PERSONAL:
        return "it is personal"
    if memory.branch_only:
        return f"its branch {memory.branch_only} is not merged"
    return explain_secrets(memory)


class SecretPlace(NamedTuple):
    """A field of a memory in which the scanner finds a secret, and its text with the secret redacted."""

    field: str
    kinds: tuple[str, ...]
    redacted: str


def explain_secrets(memory: Memory) -> str:
    """Return which field of a memory looks like a secret, scanned again at the door; empty if none does."""
    place = find_secret(memory)
    return f"its {place.field} may contain a secret ({', '.join(place.kinds)})" if place else ""


def find_secret(memory: Memory) -> SecretPlace | None:
    """Return the first place of a memory that looks like a secret; None if none does."""
    fields = {
        "content": [memory.content],
        "summary": [memory.summary],
        "details": details_texts(memory.details) if memory.details else [],
        "tags": [*memory.tags, *memory.modules],
        "files": list(memory.files),
    }
    for name, texts in fields.items():
        for text in texts:
            redacted, kinds = redact_secrets(text)
            if kinds:
                return SecretPlace(name, tuple(kinds), redacted)
    return None


def describe_memory(memory: Memory, name_memory: NameMemory, flags: int = 0) -> dict[str, Any]:
    """Return the shared fields of a memory; evidence, sessions and branches are not among them.

    `flags` counts how often it was called wrong here.
    """
    relations = [
        RELATION_SEPARATOR.join((relation.type, name))
        for relation in memory.relations
        if relation.memory and relation.type is not RelationType.NAMES and (name := name_memory(relation.memory))
    ]
    values: dict[str, Any] = {
        "content": {
            "text": memory.content,
            **({"details": details_json(memory.details)} if memory.details else {}),
        },
        "summary": memory.summary,
        "type": str(memory.type),
        "scope": str(memory.scope),
        "visibility": str(memory.visibility),
        "pinned": memory.pinned,
        "tags": sorted(memory.tags),
        "files": sorted(memory.files),
        "modules": sorted(memory.modules),
        "relations": sorted(relations),
        "uses": memory.use_count,
        "proofs": len(memory.sessions),
        "flags": flags,
    }
    if memory.source is not Source.COLLEAGUE:
        values |= {
            "source": str(memory.source),
            "created_at": memory.created_at,
            "stated_at": memory.stated_at,
            "commit": memory.commit,
        }
    judgement = _judge(memory)
    return values if judgement is None else values | {"judgement": judgement}


def _judge(memory: Memory) -> str | None:
    """Return what the person here says of a memory; None if the machine set it aside, or somebody else."""
    if memory.superseded_by:
        return REJECTED
    if memory.deleted_at:
        reason = memory.deleted_reason
        return FORGOTTEN if reason.startswith("forgotten") else REJECTED if reason.startswith("wrong") else None
    if memory.state in (State.STALE, State.QUARANTINED):
        return None
    return CONFIRMED if memory.state is State.CONFIRMED else LIFTED


def compress_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as they are remembered for comparison: long texts as digests, sets as they are."""
    return {
        name: value if MERGE_RULES[name] == ITEMS or not isinstance(value, str | dict) else digest_value(value)
        for name, value in values.items()
    }


def digest_value(value: object) -> str:
    """Return a short digest of a value."""
    return hashlib.sha256(serialize_value(value).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]


def compare_values(
    before: dict[str, Any], now: dict[str, Any], heads: dict[str, list[str]], *, only_ending: bool = False
) -> dict[str, Any]:
    """Return the changes from remembered values to current ones, in the form of an operation.

    A version replaces the versions that the person had seen. With `only_ending`, only that a memory ended is said.
    """
    compressed = compress_values(now)
    changes: dict[str, Any] = {}
    for name, value in now.items():
        if compressed[name] == before.get(name) or (only_ending and name not in _ALWAYS_SENT):
            continue
        if MERGE_RULES[name] == VERSIONS:
            if name in before or value:
                changes[name] = {"value": value, "seen": sorted(heads.get(name, ()))}
        elif MERGE_RULES[name] == ITEMS:
            if items := _compare_items(before.get(name, ()), value):
                changes[name] = items
        elif name in before or value:
            changes[name] = value
    return changes


def _compare_items(before: Any, now: list[str]) -> dict[str, bool]:
    added, removed = set(now) - set(before), set(before) - set(now)
    return {**dict.fromkeys(sorted(added), True), **dict.fromkeys(sorted(removed), False)}
