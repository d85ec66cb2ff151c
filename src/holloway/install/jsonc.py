"""Changing one value in a JSON text without touching any other character of it.

A person's file has its own spacing, sometimes comments and commas too many. It is never written anew: text is put in
or cut out at the places that a scan found.
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
"""The way to a value: keys of objects and places in arrays."""

_SPACE = re.compile(r"[ \t\r\n\ufeff]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_INDENT = re.compile(r"\n([ \t]+)\S")

SHORTCUTS_MAX = 64
"""So many values with comments in them are tried in one stroke before the reader goes on sign by sign."""


@dataclass(slots=True, eq=False)
class Node:
    """A value in the text: where it stands, what it is, and for an object or an array what it holds.

    A value in plain JSON is read in one stroke and stays closed: what it holds is looked at when somebody asks.
    """

    start: int
    end: int
    value: object
    keys: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each element begins: an object's at its key."""
    children: list[Node] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)
    tail: int = 0
    """Where the last thing before the closing bracket ends, comments included."""
    closed: bool = False


@dataclass(slots=True)
class Scan:
    """A text that was understood, with the first thing that strict readers would not take."""

    root: Node
    lenient: str
    reader: _Reader

    def find(self, path: Path) -> Node | None:
        """The value at the end of a path; of two equal keys the last counts, as for every reader of JSON."""
        node = self.root
        self.reader.open(node)
        for step in path:
            found = [child for child, name in zip(node.children, _names(node), strict=True) if name == step]
            if not found:
                return None
            node = found[-1]
            self.reader.open(node)
        return node


def scan(text: str) -> Scan:
    """Understand a text; ValueError says in which line that ended."""
    reader = _Reader(text)
    at = reader.skip(0)
    if at == len(text):
        return Scan(Node(at, at, None), reader.lenient, reader)
    root, at = reader.value(at, 0)
    if reader.skip(at) != len(text):
        raise reader.error(at, "more than one value")
    return Scan(root, reader.lenient, reader)


def added(text: str, path: Path, key: str, value: object) -> str:
    """The text with a new member at the end of the object at `path`."""
    name = json.dumps(key, ensure_ascii=False)
    return _inserted(text, path, lambda indent: f"{name}: {_written(value, text, indent)}")


def appended(text: str, path: Path, value: object) -> str:
    """The text with a new item at the end of the array at `path`."""
    return _inserted(text, path, lambda indent: _written(value, text, indent))


def replaced(text: str, path: Path, value: object) -> str:
    """The text with another value at `path`, in one line."""
    node = _there(scan(text), path)
    return text[: node.start] + _one_line(value) + text[node.end :]


def removed(text: str, path: Path) -> str:
    """The text without the value at `path`, its key, its comma and the space before it."""
    found = scan(text)
    parent, node = _there(found, path[:-1]), _there(found, path)
    place = parent.children.index(node)
    around = text[parent.start + 1 : parent.starts[place]] + text[node.end : parent.end - 1]
    if not around.strip(" \t\r\n,"):
        return text[: parent.start + 1] + text[parent.end - 1 :]
    cuts = [(_gap(text, parent, place), node.end)]
    after = [comma for comma in parent.commas if comma >= node.end][:1]
    before = [comma for comma in parent.commas if comma < parent.starts[place]][-1:]
    cuts += [(comma, comma + 1) for comma in after or before]
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _refused(name: str) -> object:
    raise ValueError(name)


_PLAIN = json.JSONDecoder(parse_constant=_refused)


class _Reader:
    """One pass over a text, bounded in depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lenient = ""
        self.seen = 0
        self.shortcuts = SHORTCUTS_MAX

    def open(self, node: Node) -> None:
        """Look at what a closed value holds."""
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
        """Past space and comments; `seen` is where the last comment ended."""
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
        """An object or array in plain JSON, in one stroke; None where it is something else."""
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
        """Read a value and what separates it from the next; returns where that begins."""
        child, at = self.value(at, depth + 1)
        node.children.append(child)
        self.seen = at
        at = self.skip(at)
        if self.text[at : at + 1] == ",":
            node.commas.append(at)
            self.seen = at + 1
            at = self.skip(at + 1)
            if self.text[at : at + 1] == closing:
                self.tell(node.commas[-1], "a comma too many")
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
    """The space that separates elements here; one space where there is none to see."""
    start = node.starts[-1]
    space = text[len(text[:start].rstrip(" \t\r\n")) : start]
    if "\n" in space:
        return line_end(text) + space.rpartition("\n")[2]
    return space if len(node.children) > 1 else " "


def _filled(text: str, node: Node, made: Callable[[str], str]) -> str:
    """An object or array that was empty, with its first element."""
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
    """A value in the manner of the text: an object's members on lines of their own, unless all is on one line."""
    if not isinstance(value, dict) or _is_one_line(text) or not indent:
        return _one_line(value)
    inner = line_end(text) + indent + _unit(text)
    members = (f"{_one_line(key)}: {_one_line(each)}" for key, each in value.items())
    return "{" + inner + f",{inner}".join(members) + line_end(text) + indent + "}"


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_one_line(text: str) -> bool:
    body = text.strip("\ufeff \t\r\n")
    return "\n" not in body and body.replace(" ", "") not in ("", "{}")


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found.group(1) if found else "  "


def line_end(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _gap(text: str, parent: Node, place: int) -> int:
    """Where the cut for an element begins: before its space, but never so that a comment swallows what follows."""
    start = parent.starts[place]
    gap = len(text[:start].rstrip(" \t\r\n"))
    before = parent.commas[place - 1] + 1 if place else parent.start + 1
    rest = text[parent.children[place].end :].lstrip(" \t,")
    return gap if gap <= before or rest[:1] in "\r\n" else start


def _names(node: Node) -> list[str | int]:
    return [*node.keys] if isinstance(node.value, dict) else [*range(len(node.children))]


def _there(found: Scan, path: Path) -> Node:
    node = found.find(path)
    if node is None:
        raise KeyError(path)
    return node
