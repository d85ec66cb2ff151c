"""Kinds of definitions; a separate module, so that readers of the map need not import the parser."""

from __future__ import annotations

CLASS_KINDS = frozenset({"class", "interface", "enum", "type"})
"""Kinds that have members."""
