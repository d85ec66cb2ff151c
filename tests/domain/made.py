"""A memory made by hand, for tests of the domain."""

from __future__ import annotations

from dataclasses import replace

from holloway.domain import confidence
from holloway.domain.memory import Memory, MemoryType, Scope, Source, State, Visibility
from holloway.domain.ports import format_stamp
from holloway.testing import FakeClock

NOW = FakeClock().now()


def a_memory(memory_type: MemoryType = MemoryType.GOTCHA, **fields: object) -> Memory:
    """A confirmed memory that was made now."""
    made = Memory(
        id="abcdef",
        uid="abcdef" + "0" * 26,
        type=memory_type,
        content="x",
        summary="x",
        state=State.CONFIRMED,
        confidence=0.8,
        source=Source.USER_TAUGHT,
        scope=Scope.GLOBAL,
        visibility=Visibility.PROJECT,
        created_at=format_stamp(NOW),
        updated_at=format_stamp(NOW),
        last_used_at=format_stamp(NOW),
        half_life_days=confidence.HALF_LIFE_DAYS[memory_type],
    )
    return replace(made, **fields)  # type: ignore[arg-type]
