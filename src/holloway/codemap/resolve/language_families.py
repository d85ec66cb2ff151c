"""What differs between families of languages when names are followed. The rules of imports have a file per language."""

from __future__ import annotations

PACKAGE_FAMILIES = frozenset({"go", "java"})
"""The files of one folder see each other's names without an import."""

OPEN_FAMILIES = frozenset({"go", "rust", "csharp", "ruby", "java"})
"""A name may mean something that its file does not say: classes are added to in other places, and files see what lies
beside them."""

BARE_MEMBERS = frozenset({"java", "csharp", "c", "ruby", "php"})
"""Code inside a class names its members, and those of its bases, without saying whose they are."""

FACES = {"__init__": "python", "index": "javascript", "mod": "rust", "lib": "rust", "main": "rust"}
"""Files that stand for the folder that they lie in, and the family that reads them so."""

MAKERS = {
    "python": ("__init__", "__new__"),
    "javascript": ("constructor",),
    "php": ("__construct",),
    "ruby": ("initialize",),
}
"""What runs when a thing is made; elsewhere it has the name of its class."""
