"""Memories for tests of what is done with them."""

from __future__ import annotations

from holloway.domain.memory import Memory, MemoryType, Scope, Source, State, Visibility

AT = "2026-10-01T00:00:00.000Z"


def made(
    number: int,
    type: MemoryType = MemoryType.GOTCHA,  # noqa: A002  (the field's name)
    summary: str = "the cache is shared between tests",
    *,
    source: Source = Source.USER_TAUGHT,
    state: State = State.CONFIRMED,
    files: tuple[str, ...] = (),
) -> Memory:
    """A memory with that number."""
    return Memory(
        id=f"{number:06x}",
        uid=f"{number:032x}",
        type=type,
        content=summary,
        summary=summary,
        state=state,
        confidence=0.9,
        source=source,
        scope=Scope.GLOBAL,
        visibility=Visibility.PROJECT,
        created_at=AT,
        updated_at=AT,
        last_used_at=AT,
        files=files,
    )
