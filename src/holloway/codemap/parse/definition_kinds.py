"""Kinds of definitions, for those who ask the map and need nothing of how code is read."""

from __future__ import annotations

CLASS_KINDS = frozenset({"class", "interface", "enum", "type"})
"""Those that have members."""
