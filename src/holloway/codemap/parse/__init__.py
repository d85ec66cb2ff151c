"""Parsing, one file at a time: listing source files, extracting their facts, and splitting them into text chunks."""

CLASS_KINDS = frozenset({"class", "interface", "enum", "type"})
"""Kinds of definitions that have members; kept here, so that queries of the map need not import the parser."""
