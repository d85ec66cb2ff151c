"""Memories under a namespace and a key, for programs that keep things by name; the project's own are there by id."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.domain.memory import Draft, Memory, MemoryType, Source, State
from holloway.domain.ports import stamp
from holloway.errors import InvalidInput
from holloway.store.filter import Filter
from holloway.store.memories import Unknown
from holloway.store.write_gate import admit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.service.holloway import Holloway

Namespace = tuple[str, ...]
PROJECT: Namespace = ("holloway",)
"""Where all memories of the project are found, each by its id; read only, and empty while injection is paused."""
_TAG, _KEY = "kv:", "#"


@dataclass(frozen=True, slots=True)
class Entry:
    """A value under its name."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    memory: Memory
    score: float | None = None


class Keyed:
    """Reads and writes by namespace and key."""

    def __init__(self, memory: Holloway) -> None:
        self.memory = memory

    def get(self, namespace: Namespace, key: str) -> Entry | None:
        """What stands under a name."""
        if namespace == PROJECT:
            if self.memory.paused("injection"):
                return None
            try:
                memory = self.memory.get(key)
            except Unknown:
                return None
            return _own(memory) if memory.alive and memory.state is not State.QUARANTINED else None
        found = self.memory.memories(self._chosen(_name(namespace, key)), limit=1)
        return Entry(namespace, key, _value(found[0]), found[0]) if found else None

    def put(self, namespace: Namespace, key: str, value: dict[str, Any]) -> None:
        """Keep a value under a name, in the place of what stood there."""
        if namespace[:1] == PROJECT:
            hint = "Choose another namespace, or teach it with `remember`."
            raise InvalidInput("What lies under 'holloway' is the project's own memory.", hint)
        tags = (*_above(namespace), _name(namespace, key))
        content = _content(value)
        known = self.get(namespace, key)
        if known is not None and known.memory.content == content:
            return
        draft = Draft(content=content, type=MemoryType.MODULE_INSIGHT, tags=tags, source=Source.AGENT_EXPLICIT)
        admitted = admit(draft, str(self.memory.project.root))
        with self.memory.store.database.write():
            if known is not None:
                self.delete(namespace, key)
            added = self.memory.store.memories.add(admitted).memory
            if added is None:
                hint = "A person may teach it: `holloway remember`."
                raise InvalidInput("A person has rejected this before, so it is not kept.", hint)
            if not set(tags) <= set(added.tags):
                self._tagged(added, tuple(dict.fromkeys((*added.tags, *tags))))

    def delete(self, namespace: Namespace, key: str) -> None:
        """Let go of a name; the memory goes when no other name leads to it."""
        known = self.get(namespace, key)
        if known is None or namespace == PROJECT:
            return
        left = tuple(tag for tag in known.memory.tags if tag != _name(namespace, key))
        persons = known.memory.source is not Source.AGENT_EXPLICIT or known.memory.state is State.CONFIRMED
        if any(tag.startswith(_TAG) and _KEY in tag for tag in left):
            self._tagged(known.memory, left)
        elif persons:
            # The words are more than the program's: they stay without its name.
            self._tagged(known.memory, tuple(tag for tag in left if not tag.startswith(_TAG)))
        else:
            # Nobody judged it wrong: unlike what a person forgets, it may be put again.
            gone = {"deleted_at": stamp(self.memory.clock.now()), "deleted_reason": "deleted by its program"}
            self.memory.store.memories.change(known.memory, "deleted", **gone)

    def _tagged(self, memory: Memory, tags: tuple[str, ...]) -> None:
        self.memory.store.memories.change(memory, "edited", "tags", tags=tags)

    def find(self, prefix: Namespace, query: str = "", limit: int = 100) -> Iterator[Entry]:
        """What stands below a namespace, the best answers to a query first, else the newest."""
        if prefix == PROJECT and self.memory.paused("injection"):
            return
        if prefix == PROJECT:
            here = Filter(quarantined=False, branch=self.memory.branch)
            yield from (_own(memory, score) for memory, score in self._asked(here, query, limit))
            return
        chosen = self._chosen(_TAG + "/".join(map(_part, prefix))) if prefix else Filter(quarantined=False)
        for memory, score in self._asked(chosen, query, limit):
            for namespace, key in _names(memory):
                if namespace[: len(prefix)] == prefix:
                    yield Entry(namespace, key, _value(memory), memory, score)

    def _asked(self, chosen: Filter, query: str, limit: int) -> Iterator[tuple[Memory, float | None]]:
        if query:
            yield from ((each.memory, each.score) for each in self.memory.recall(query, chosen=chosen, limit=limit))
        else:
            yield from ((memory, None) for memory in self.memory.memories(chosen, limit=limit))

    def namespaces(self) -> list[Namespace]:
        """Every namespace that holds something."""
        named = self.memory.memories(Filter(quarantined=False), limit=-1)
        found = {namespace for memory in named for namespace, _ in _names(memory)}
        return sorted(found | {PROJECT})

    def _chosen(self, tag: str) -> Filter:
        return Filter(tags=(tag,), quarantined=False)


def _part(text: str) -> str:
    """A part of a name, with the signs that separate parts written otherwise."""
    return text.replace("%", "%25").replace("/", "%2F").replace(_KEY, "%23")


def _whole(text: str) -> str:
    return text.replace("%23", _KEY).replace("%2F", "/").replace("%25", "%")


def _name(namespace: Namespace, key: str) -> str:
    return f"{_TAG}{'/'.join(map(_part, namespace))}{_KEY}{_part(key)}"


def _above(namespace: Namespace) -> list[str]:
    """A tag for the namespace and each one around it."""
    parts = [_part(part) for part in namespace]
    return [_TAG + "/".join(parts[:size]) for size in range(1, len(parts) + 1)]


def _names(memory: Memory) -> Iterator[tuple[Namespace, str]]:
    for tag in memory.tags:
        if tag.startswith(_TAG) and _KEY in tag:
            namespace, _, key = tag.removeprefix(_TAG).partition(_KEY)
            yield tuple(_whole(part) for part in namespace.split("/")), _whole(key)


def _content(value: dict[str, Any]) -> str:
    """A value as a memory: its sentence if it has nothing else, so that agents and people read it as one."""
    if set(value) == {"content"} and isinstance(value["content"], str) and not value["content"].startswith("{"):
        return str(value["content"])
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _value(memory: Memory) -> dict[str, Any]:
    if memory.content.startswith("{"):
        try:
            found = json.loads(memory.content)
        except ValueError:
            found = None
        if isinstance(found, dict):
            return found
    return {"content": memory.content}


def _own(memory: Memory, score: float | None = None) -> Entry:
    value = {"content": memory.content, "type": str(memory.type), "files": list(memory.files)}
    return Entry(PROJECT, memory.id, value, memory, score)
