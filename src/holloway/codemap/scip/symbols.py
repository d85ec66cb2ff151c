"""Parses SCIP symbols: names that describe the location of a definition step by step."""

from __future__ import annotations

import re
from typing import NamedTuple

SYMBOL_CHARS_MAX = 4_096


class Symbol(NamedTuple):
    """A parsed symbol. A descriptor is its kind and its name; a symbol that cannot be parsed has none."""

    scheme: str
    manager: str
    package: str
    version: str
    descriptors: tuple[tuple[str, str], ...]


_NAME = r"(?:`(?:[^`]|``)++`|[\w+$-]++)"
_HEAD = re.compile(r"((?:[^ ]|  )*+) " * 4)
_DESCRIPTOR = re.compile(rf"\(({_NAME})\)|\[({_NAME})\]|({_NAME})([/#.:!]|\([\w+$-]*+\)\.)")
_KINDS = {"/": "namespace", "#": "type", ".": "term", ":": "meta", "!": "macro"}


def parse_symbol(symbol: str) -> Symbol:
    """Return scheme, manager, package, version and descriptors of a symbol; never raises, whatever the text is."""
    if symbol.startswith("local "):
        return Symbol("local", "", "", "", (("local", symbol[len("local ") :]),))
    head = _HEAD.match(symbol) if len(symbol) <= SYMBOL_CHARS_MAX else None
    if not head:
        return Symbol("", "", "", "", ())
    scheme, manager, package, version = ("" if part == "." else part.replace("  ", " ") for part in head.groups())
    descriptors, position = [], head.end()
    while position < len(symbol):
        if not (match := _DESCRIPTOR.match(symbol, position)):
            return Symbol(scheme, manager, package, version, ())
        parameter, type_parameter, name, suffix = match.groups()
        kind = _KINDS.get(suffix, "method") if name else "parameter" if parameter else "type_parameter"
        descriptors.append((kind, _unescape_name(name or parameter or type_parameter)))
        position = match.end()
    return Symbol(scheme, manager, package, version, tuple(descriptors))


def _unescape_name(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def symbol_kind_and_name(symbol: str) -> tuple[str, str]:
    """Return a symbol's kind and name: local, namespace, type, term, method, macro, meta, (type_)parameter or ''.

    Modules are namespaces in most languages; scip-python writes them as the meta descriptor `__init__:` of a namespace.
    """
    descriptors = parse_symbol(symbol).descriptors
    if len(descriptors) > 1 and descriptors[-1] == ("meta", "__init__"):
        return descriptors[-2]
    return descriptors[-1] if descriptors else ("", "")


def is_augmentation(symbol: str) -> bool:
    """Whether a symbol extends another module: TypeScript's `declare module './context'` is a quoted namespace.

    scip-typescript gives the extended module's name to all of its locations, so it does not show where it is defined.
    """
    return any(kind == "namespace" and name[:1] in "\"'" for kind, name in parse_symbol(symbol).descriptors)
