"""Memories by namespace and key, for programs that store values by name; the project's own are keyed by id."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.config import KEY_NAME_CHARS_MAX, MEMORY_TAGS_MAX, TAG_CHARS_MAX
from holloway.domain.memory import Draft, Memory, MemoryType, ReviewReason, Source, State
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.safety.secrets import redact_secrets
from holloway.store.filter import Filter
from holloway.store.memories import UnknownMemory
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.service.holloway import Holloway

Namespace = tuple[str, ...]
PROJECT: Namespace = ("holloway",)
"""The namespace of all memories of the project, each by its id; read only, and empty while injection is paused."""
_TAG, _KEY = "kv:", "#"


@dataclass(frozen=True, slots=True)
class KeyValueEntry:
    """A value with its name."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    memory: Memory
    score: float | None = None


class KeyValueStore:
    """Reads and writes by namespace and key."""

    def __init__(self, memory: Holloway) -> None:
        self.memory = memory

    def get(self, namespace: Namespace, key: str) -> KeyValueEntry | None:
        """Return the value under a name; None if there is no value."""
        if namespace == PROJECT:
            if self.memory.paused("injection"):
                return None
            try:
                memory = self.memory.get(key)
            except UnknownMemory:
                return None
            return _project_entry(memory) if memory.is_alive and memory.state is not State.QUARANTINED else None
        named = self.memory.memories(Filter(tags=(_name_tag(namespace, key),)), limit=-1)
        memories = [memory for memory in named if _is_readable(memory)]
        return KeyValueEntry(namespace, key, _parse_value(memories[0]), memories[0]) if memories else None

    def put(self, namespace: Namespace, key: str, value: dict[str, Any]) -> None:
        """Store a value under a name, in place of the old one.

        Raises InvalidInput for the project's own namespace, a name that is too long, and one with a secret.
        """
        if namespace[:1] == PROJECT:
            hint = "Choose another namespace, or teach it with `remember`."
            raise InvalidInput("The namespace 'holloway' is the project's own memory; it is read-only.", hint)
        tags = (*_namespace_tags(namespace), _name_tag(namespace, key))
        _check_name(tags)
        content = _render_content(value)
        stored = self.get(namespace, key)
        if stored is not None and stored.memory.content == content:
            return
        # The program reads its values by their names; agents are told of them once a person approves.
        draft = Draft(
            content=content,
            type=MemoryType.MODULE_INSIGHT,
            tags=tags if all(len(tag) <= TAG_CHARS_MAX for tag in tags) else (),  # a longer name is set below
            source=Source.AGENT_EXPLICIT,
            state=State.QUARANTINED,
            review=ReviewReason.TAINTED,
        )
        admitted = sanitize_draft(draft, str(self.memory.project.root))
        with self.memory.store.database.write_transaction():
            if stored is not None:
                self.delete(namespace, key)
            added = self.memory.store.memories.add_memory(admitted).memory
            if added is None:
                hint = "A person may teach it: `holloway remember`."
                raise InvalidInput("A person has rejected this before, so it is not kept.", hint)
            if not set(tags) <= set(added.tags):
                self._set_tags(added, tuple(dict.fromkeys((*added.tags, *tags))))

    def delete(self, namespace: Namespace, key: str) -> None:
        """Delete a name; the memory is deleted if it has no other name."""
        stored = self.get(namespace, key)
        if stored is None or namespace == PROJECT:
            return
        left = tuple(tag for tag in stored.memory.tags if tag != _name_tag(namespace, key))
        persons = stored.memory.source is not Source.AGENT_EXPLICIT or stored.memory.state is State.CONFIRMED
        if any(tag.startswith(_TAG) and _KEY in tag for tag in left):
            self._set_tags(stored.memory, left)
        elif persons:
            # A person wrote or confirmed it, so it stays, without the program's name.
            self._set_tags(stored.memory, tuple(tag for tag in left if not tag.startswith(_TAG)))
        else:
            # Nobody judged it wrong, so unlike a memory that a person forgot it may be stored again.
            fields = {"deleted_at": format_stamp(self.memory.clock.now()), "deleted_reason": "deleted by its program"}
            self.memory.store.memories.update_memory(stored.memory, "deleted", **fields)

    def _set_tags(self, memory: Memory, tags: tuple[str, ...]) -> None:
        self.memory.store.memories.update_memory(memory, "edited", "tags", tags=tags)

    def find(self, prefix: Namespace, query: str = "", limit: int = 100) -> Iterator[KeyValueEntry]:
        """Find the values below a namespace: the best matches of a query first, else the newest."""
        if prefix == PROJECT and self.memory.paused("injection"):
            return
        if prefix == PROJECT:
            branch_filter = Filter(quarantined=False, branch=self.memory.branch)
            yield from (_project_entry(memory, score) for memory, score in self._search(branch_filter, query, limit))
            return
        chosen = Filter(tags=(_TAG + "/".join(map(_escape, prefix)),) if prefix else ())
        for memory, score in self._search(chosen, query, limit):
            for namespace, key in _parse_names(memory) if _is_readable(memory) else ():
                if namespace[: len(prefix)] == prefix:
                    yield KeyValueEntry(namespace, key, _parse_value(memory), memory, score)

    def _search(self, chosen: Filter, query: str, limit: int) -> Iterator[tuple[Memory, float | None]]:
        if query:
            yield from (
                (result.memory, result.score) for result in self.memory.recall(query, chosen=chosen, limit=limit)
            )
        else:
            yield from ((memory, None) for memory in self.memory.memories(chosen, limit=limit))

    def namespaces(self) -> list[Namespace]:
        """Return every namespace that has values."""
        named = filter(_is_readable, self.memory.memories(Filter(), limit=-1))
        namespaces = {namespace for memory in named for namespace, _ in _parse_names(memory)}
        return sorted(namespaces | {PROJECT})


def _is_readable(memory: Memory) -> bool:
    """Return whether a program may read a memory by its name: its own words, or what is not in quarantine."""
    return memory.state is not State.QUARANTINED or memory.source is Source.AGENT_EXPLICIT


def _escape(text: str) -> str:
    """Escape the separators in a part of a name."""
    return text.replace("%", "%25").replace("/", "%2F").replace(_KEY, "%23")


def _unescape(text: str) -> str:
    return text.replace("%23", _KEY).replace("%2F", "/").replace("%25", "%")


def _name_tag(namespace: Namespace, key: str) -> str:
    return f"{_TAG}{'/'.join(map(_escape, namespace))}{_KEY}{_escape(key)}"


def _namespace_tags(namespace: Namespace) -> list[str]:
    """Return the tags of a namespace and of those that contain it."""
    parts = [_escape(part) for part in namespace]
    return [_TAG + "/".join(parts[:size]) for size in range(1, len(parts) + 1)]


def _check_name(tags: tuple[str, ...]) -> None:
    """Raise InvalidInput for a name that is too long or looks like a secret; it is stored unchanged."""
    name = tags[-1].removeprefix(_TAG)
    if len(name) > KEY_NAME_CHARS_MAX or len(tags) > MEMORY_TAGS_MAX:
        limits = f"At most {KEY_NAME_CHARS_MAX} characters, and {MEMORY_TAGS_MAX - 1} parts in the namespace."
        raise InvalidInput(f"The name {name[:80]!r} has {len(name):,} characters in {len(tags)} parts.", limits)
    if kinds := redact_secrets(name)[1]:
        raise InvalidInput(
            f"A name looks like a secret ({', '.join(kinds)}).", "Names are stored unchanged; change it."
        )


def _parse_names(memory: Memory) -> Iterator[tuple[Namespace, str]]:
    for tag in memory.tags:
        if tag.startswith(_TAG) and _KEY in tag:
            namespace, _, key = tag.removeprefix(_TAG).partition(_KEY)
            yield tuple(_unescape(part) for part in namespace.split("/")), _unescape(key)


def _render_content(value: dict[str, Any]) -> str:
    """Return the content of a value: its sentence if it has nothing else, so that people can read it, else JSON."""
    if set(value) == {"content"} and isinstance(value["content"], str) and not value["content"].startswith("{"):
        return str(value["content"])
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _parse_value(memory: Memory) -> dict[str, Any]:
    if memory.content.startswith("{"):
        try:
            value = json.loads(memory.content)
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
    return {"content": memory.content}


def _project_entry(memory: Memory, score: float | None = None) -> KeyValueEntry:
    value = {"content": memory.content, "type": str(memory.type), "files": list(memory.files)}
    return KeyValueEntry(PROJECT, memory.id, value, memory, score)
