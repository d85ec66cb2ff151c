"""Differences between language families in name resolution; the import rules have one module per language."""

from __future__ import annotations

PACKAGE_FAMILIES = frozenset({"go", "java"})
"""Families in which the files of one folder see each other's names without an import."""

OPEN_FAMILIES = frozenset({"go", "rust", "csharp", "ruby", "java"})
"""Families in which a name may have a meaning that its file does not show: classes are extended elsewhere, or files see
the names of their siblings."""

BARE_MEMBERS = frozenset({"java", "csharp", "c", "ruby", "php"})
"""Families in which code inside a class refers to members, also inherited ones, without a prefix such as `self`."""

PACKAGE_FILE_STEMS = {"__init__": "python", "index": "javascript", "mod": "rust", "lib": "rust", "main": "rust"}
"""Files that stand for the folder that contains them, and the family that treats them so."""

CONSTRUCTOR_NAMES = {
    "python": ("__init__", "__new__"),
    "javascript": ("constructor",),
    "php": ("__construct",),
    "ruby": ("initialize",),
}
"""Names of constructors; in other families the constructor is named like its class."""
