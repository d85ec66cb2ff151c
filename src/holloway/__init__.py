"""holloway: the memory that coding agents wear into a codebase.

>>> import holloway
>>> with holloway.open(".") as memory:
...     memory.remember("tests/auth hangs without REDIS_URL", files=["tests/auth"])
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.domain.memory import Memory, MemoryType
    from holloway.errors import HollowayError, InvalidInput
    from holloway.service.holloway import Holloway
    from holloway.service.project_finder import open_project as open  # noqa: A004  (reads as holloway.open)
    from holloway.store.filter import Filter

__version__ = "0.1.0"
__all__ = ["Filter", "Holloway", "HollowayError", "InvalidInput", "Memory", "MemoryType", "__version__", "open"]

_WHERE = {
    "Filter": ("holloway.store.filter", "Filter"),
    "Holloway": ("holloway.service.holloway", "Holloway"),
    "HollowayError": ("holloway.errors", "HollowayError"),
    "InvalidInput": ("holloway.errors", "InvalidInput"),
    "Memory": ("holloway.domain.memory", "Memory"),
    "MemoryType": ("holloway.domain.memory", "MemoryType"),
    "open": ("holloway.service.project_finder", "open_project"),
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use, so that a hook which needs none of them starts fast."""
    if name not in _WHERE:
        raise AttributeError(f"module 'holloway' has no attribute {name!r}")
    from importlib import import_module  # importlib is loaded by then; the names stay lazy

    module, attribute = _WHERE[name]
    return getattr(import_module(module), attribute)
