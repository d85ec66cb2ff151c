"""Edit one value in a JSON text (JSONC: with comments or trailing commas) without changing any other character.

A user's file has its own formatting. It is never serialised again: text is inserted or cut at the positions that a
scan found.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway.config import JSON_DEPTH_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

Path = tuple[str | int, ...]
"""Path to a value: keys of objects and indexes of arrays."""

_SPACE = re.compile(r"[ \t\r\n\ufeff]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_INDENT = re.compile(r"\n([ \t]+)\S")

SHORTCUTS_MAX = 64
"""Failed attempts to parse a value with the fast JSON decoder before only the slow parser is used."""


@dataclass(slots=True, eq=False)
class Node:
    """A value in the text with its position, and for an object or array its children.

    A value in plain JSON is decoded at once and stays closed: its children are parsed only on request.
    """

    start: int
    end: int
    value: object
    keys: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Start of each element; in an object that is the key."""
    children: list[Node] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)
    tail: int = 0
    """End of the last token before the closing bracket, comments included."""
    closed: bool = False


@dataclass(slots=True)
class Scan:
    """A parsed text, with the first construct that strict JSON parsers would reject."""

    root: Node
    lenient: str
    reader: _Reader

    def find(self, path: Path) -> Node | None:
        """Return the value at a path, or None; of duplicate keys the last one counts, as in every JSON parser."""
        node = self.root
        self.reader.open(node)
        for step in path:
            matching_children = [child for child, name in zip(node.children, _names(node), strict=True) if name == step]
            if not matching_children:
                return None
            node = matching_children[-1]
            self.reader.open(node)
        return node


def scan(text: str) -> Scan:
    """Parse a text. Raises ValueError with the line of the error."""
    reader = _Reader(text)
    at = reader.skip(0)
    if at == len(text):
        return Scan(Node(at, at, None), reader.lenient, reader)
    root, at = reader.value(at, 0)
    if reader.skip(at) != len(text):
        raise reader.error(at, "more than one value")
    return Scan(root, reader.lenient, reader)


def added(text: str, path: Path, key: str, value: object) -> str:
    """Return the text with a new member at the end of the object at `path`."""
    name = json.dumps(key, ensure_ascii=False)
    return _inserted(text, path, lambda indent: f"{name}: {_written(value, text, indent)}")


def appended(text: str, path: Path, value: object) -> str:
    """Return the text with a new item at the end of the array at `path`."""
    return _inserted(text, path, lambda indent: _written(value, text, indent))


def replaced(text: str, path: Path, value: object) -> str:
    """Return the text with the value at `path` replaced, in one line."""
    node = _there(scan(text), path)
    return text[: node.start] + _one_line(value) + text[node.end :]


def removed(text: str, path: Path) -> str:
    """Return the text without the value at `path`, its key, its comma and the space before it."""
    scanned = scan(text)
    parent, node = _there(scanned, path[:-1]), _there(scanned, path)
    index = parent.children.index(node)
    surroundings = text[parent.start + 1 : parent.starts[index]] + text[node.end : parent.end - 1]
    if not surroundings.strip(" \t\r\n,"):
        return text[: parent.start + 1] + text[parent.end - 1 :]
    cuts = [(_gap(text, parent, index), node.end)]
    after = [comma for comma in parent.commas if comma >= node.end][:1]
    before = [comma for comma in parent.commas if comma < parent.starts[index]][-1:]
    cuts += [(comma, comma + 1) for comma in after or before]
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _refused(name: str) -> object:
    raise ValueError(name)


_PLAIN = json.JSONDecoder(parse_constant=_refused)


class _Reader:
    """Recursive-descent parser for one text, bounded in depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lenient = ""
        self.seen = 0
        self.shortcuts = SHORTCUTS_MAX

    def open(self, node: Node) -> None:
        """Parse the children of a closed value."""
        if node.closed:
            node.closed = False
            read = self.object if isinstance(node.value, dict) else self.array
            inner, _ = read(node.start, 0)
            node.keys, node.starts, node.children = inner.keys, inner.starts, inner.children
            node.commas, node.tail = inner.commas, inner.tail

    def error(self, at: int, what: str) -> ValueError:
        return ValueError(f"{what} in line {self.line(at)}")

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def tell(self, at: int, what: str) -> None:
        self.lenient = self.lenient or f"{what} in line {self.line(at)}"

    def skip(self, at: int) -> int:
        """Skip space and comments and return the position; `seen` is the end of the last comment."""
        while match := _SPACE.match(self.text, at) or _COMMENT.match(self.text, at):
            if self.text[at] == "/":
                self.tell(at, "a comment")
                self.seen = match.end()
            at = match.end()
        return at

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        if depth > JSON_DEPTH_MAX:
            raise self.error(at, "too many levels")
        first = self.text[at : at + 1]
        if first in ("{", "["):
            plain = self.plain(at)
            if plain is not None:
                return plain, plain.end
            return self.object(at, depth) if first == "{" else self.array(at, depth)
        match = _STRING.match(self.text, at) if first == '"' else _SCALAR.match(self.text, at)
        if match is None:
            raise self.error(at, "no value")
        try:
            return Node(at, match.end(), json.loads(match.group())), match.end()
        except ValueError:
            raise self.error(at, "no value") from None

    def plain(self, at: int) -> Node | None:
        """Decode an object or array of plain JSON with the fast decoder; return None if it is not plain."""
        if not self.shortcuts:
            return None
        try:
            value, end = _PLAIN.raw_decode(self.text, at)
        except (ValueError, RecursionError):
            self.shortcuts -= 1
            return None
        return Node(at, end, value, closed=True)

    def object(self, at: int, depth: int) -> tuple[Node, int]:
        node = Node(at, at, None)
        at = self.skip(at + 1)
        self.seen = max(self.seen, node.start + 1)
        while self.text[at : at + 1] != "}":
            match = _STRING.match(self.text, at)
            if match is None:
                raise self.error(at, "no key")
            node.keys.append(json.loads(match.group()))
            node.starts.append(at)
            at = self.skip(match.end())
            if self.text[at : at + 1] != ":":
                raise self.error(at, "no colon")
            at = self.element(node, self.skip(at + 1), depth, "}")
        node.value = dict(zip(node.keys, (child.value for child in node.children), strict=True))
        return self.closed(node, at)

    def array(self, at: int, depth: int) -> tuple[Node, int]:
        node = Node(at, at, None)
        at = self.skip(at + 1)
        self.seen = max(self.seen, node.start + 1)
        while self.text[at : at + 1] != "]":
            node.starts.append(at)
            at = self.element(node, at, depth, "]")
        node.value = [child.value for child in node.children]
        return self.closed(node, at)

    def element(self, node: Node, at: int, depth: int, closing: str) -> int:
        """Parse a value and the separator after it; return the start of the next one."""
        child, at = self.value(at, depth + 1)
        node.children.append(child)
        self.seen = at
        at = self.skip(at)
        if self.text[at : at + 1] == ",":
            node.commas.append(at)
            self.seen = at + 1
            at = self.skip(at + 1)
            if self.text[at : at + 1] == closing:
                self.tell(node.commas[-1], "a trailing comma")
        elif self.text[at : at + 1] != closing:
            raise self.error(at, "no comma")
        return at

    def closed(self, node: Node, at: int) -> tuple[Node, int]:
        node.tail, node.end = self.seen, at + 1
        return node, at + 1


def _inserted(text: str, path: Path, made: Callable[[str], str]) -> str:
    node = _there(scan(text), path)
    if not node.children:
        return _filled(text, node, made)
    end, inline = node.children[-1].end, _space_before_last(text, node)
    indent = inline.rpartition("\n")[2] if "\n" in inline else ""
    if "\n" not in inline and "//" in text[end : node.tail]:
        inline = line_end(text)
    if len(node.commas) == len(node.children):
        return text[: node.tail] + inline + made(indent) + "," + text[node.tail :]
    return text[:end] + "," + text[end : node.tail] + inline + made(indent) + text[node.tail :]


def _space_before_last(text: str, node: Node) -> str:
    """Return the whitespace that separates elements here; a single space if there is only one element."""
    start = node.starts[-1]
    space = text[len(text[:start].rstrip(" \t\r\n")) : start]
    if "\n" in space:
        return line_end(text) + space.rpartition("\n")[2]
    return space if len(node.children) > 1 else " "


def _filled(text: str, node: Node, made: Callable[[str], str]) -> str:
    """Insert the first element into an empty object or array."""
    line = line_end(text)
    base = re.match(r"[ \t]*", text[text.rfind("\n", 0, node.start) + 1 : node.start].lstrip("\ufeff"))
    outer = base.group() if base else ""
    indent = outer + _unit(text)
    if text[node.start + 1 : node.end - 1].strip():
        return text[: node.tail] + line + indent + made(indent) + text[node.tail :]
    if _is_one_line(text):
        return text[: node.start + 1] + made("") + text[node.end - 1 :]
    return text[: node.start + 1] + line + indent + made(indent) + line + outer + text[node.end - 1 :]


def _written(value: object, text: str, indent: str) -> str:
    """Serialise a value in the style of the text: an object's members on separate lines, unless all is on one line."""
    if not isinstance(value, dict) or _is_one_line(text) or not indent:
        return _one_line(value)
    inner = line_end(text) + indent + _unit(text)
    members = (f"{_one_line(key)}: {_one_line(member)}" for key, member in value.items())
    return "{" + inner + f",{inner}".join(members) + line_end(text) + indent + "}"


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_one_line(text: str) -> bool:
    body = text.strip("\ufeff \t\r\n")
    return "\n" not in body and body.replace(" ", "") not in ("", "{}")


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match.group(1) if match else "  "


def line_end(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"


def _gap(text: str, parent: Node, place: int) -> int:
    """Return the start of the cut for an element: before its whitespace, unless a comment would swallow the rest."""
    start = parent.starts[place]
    gap = len(text[:start].rstrip(" \t\r\n"))
    before = parent.commas[place - 1] + 1 if place else parent.start + 1
    following_text = text[parent.children[place].end :].lstrip(" \t,")
    return gap if gap <= before or following_text[:1] in "\r\n" else start


def _names(node: Node) -> list[str | int]:
    return [*node.keys] if isinstance(node.value, dict) else [*range(len(node.children))]


def _there(found: Scan, path: Path) -> Node:
    node = found.find(path)
    if node is None:
        raise KeyError(path)
    return node
