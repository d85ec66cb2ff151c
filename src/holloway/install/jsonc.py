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
class JsonNode:
    """A value in the text with its position, and for an object or array its children.

    A value in plain JSON is decoded at once and stays closed: its children are parsed only on request.
    """

    start: int
    end: int
    value: object
    keys: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Start of each element; in an object that is the key."""
    children: list[JsonNode] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)
    tail: int = 0
    """End of the last token before the closing bracket, comments included."""
    closed: bool = False


@dataclass(slots=True)
class ScannedText:
    """A parsed text, with the first construct that strict JSON parsers would reject."""

    root: JsonNode
    lenient: str
    reader: _Reader

    def find_node(self, path: Path) -> JsonNode | None:
        """Return the value at a path, or None; of duplicate keys the last one counts, as in every JSON parser."""
        node = self.root
        self.reader.open_node(node)
        for step in path:
            matching_children = [
                child for child, name in zip(node.children, _child_names(node), strict=True) if name == step
            ]
            if not matching_children:
                return None
            node = matching_children[-1]
            self.reader.open_node(node)
        return node


def scan_text(text: str) -> ScannedText:
    """Parse a text. Raises ValueError with the line of the error."""
    reader = _Reader(text)
    at = reader.skip_space(0)
    if at == len(text):
        return ScannedText(JsonNode(at, at, None), reader.lenient, reader)
    root, at = reader.read_value(at, 0)
    if reader.skip_space(at) != len(text):
        raise reader.make_error(at, "more than one value")
    return ScannedText(root, reader.lenient, reader)


def add_member(text: str, path: Path, key: str, value: object) -> str:
    """Return the text with a new member at the end of the object at `path`."""
    name = json.dumps(key, ensure_ascii=False)
    return _insert_element(text, path, lambda indent: f"{name}: {_serialise_value(value, text, indent)}")


def append_item(text: str, path: Path, value: object) -> str:
    """Return the text with a new item at the end of the array at `path`."""
    return _insert_element(text, path, lambda indent: _serialise_value(value, text, indent))


def replace_value(text: str, path: Path, value: object) -> str:
    """Return the text with the value at `path` replaced, in one line."""
    node = _require_node(scan_text(text), path)
    return text[: node.start] + _one_line(value) + text[node.end :]


def remove_value(text: str, path: Path) -> str:
    """Return the text without the value at `path`, its key, its comma and the space before it."""
    scanned = scan_text(text)
    parent, node = _require_node(scanned, path[:-1]), _require_node(scanned, path)
    index = parent.children.index(node)
    surroundings = text[parent.start + 1 : parent.starts[index]] + text[node.end : parent.end - 1]
    if not surroundings.strip(" \t\r\n,"):
        return text[: parent.start + 1] + text[parent.end - 1 :]
    cuts = [(_cut_start(text, parent, index), node.end)]
    after = [comma for comma in parent.commas if comma >= node.end][:1]
    before = [comma for comma in parent.commas if comma < parent.starts[index]][-1:]
    cuts += [(comma, comma + 1) for comma in after or before]
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


_PLAIN = json.JSONDecoder(parse_constant=_refuse_constant)


class _Reader:
    """Recursive-descent parser for one text, bounded in depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lenient = ""
        self.seen = 0
        self.shortcuts = SHORTCUTS_MAX

    def open_node(self, node: JsonNode) -> None:
        """Parse the children of a closed value."""
        if node.closed:
            node.closed = False
            read = self.read_object if isinstance(node.value, dict) else self.read_array
            inner, _ = read(node.start, 0)
            node.keys, node.starts, node.children = inner.keys, inner.starts, inner.children
            node.commas, node.tail = inner.commas, inner.tail

    def make_error(self, at: int, problem: str) -> ValueError:
        return ValueError(f"{problem} in line {self.line_number(at)}")

    def line_number(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def note_lenient(self, at: int, construct: str) -> None:
        self.lenient = self.lenient or f"{construct} in line {self.line_number(at)}"

    def skip_space(self, at: int) -> int:
        """Skip space and comments and return the position; `seen` is the end of the last comment."""
        while match := _SPACE.match(self.text, at) or _COMMENT.match(self.text, at):
            if self.text[at] == "/":
                self.note_lenient(at, "a comment")
                self.seen = match.end()
            at = match.end()
        return at

    def read_value(self, at: int, depth: int) -> tuple[JsonNode, int]:
        if depth > JSON_DEPTH_MAX:
            raise self.make_error(at, "too many levels")
        first = self.text[at : at + 1]
        if first in ("{", "["):
            plain = self.read_plain(at)
            if plain is not None:
                return plain, plain.end
            return self.read_object(at, depth) if first == "{" else self.read_array(at, depth)
        match = _STRING.match(self.text, at) if first == '"' else _SCALAR.match(self.text, at)
        if match is None:
            raise self.make_error(at, "no value")
        try:
            return JsonNode(at, match.end(), json.loads(match.group())), match.end()
        except ValueError:
            raise self.make_error(at, "no value") from None

    def read_plain(self, at: int) -> JsonNode | None:
        """Decode an object or array of plain JSON with the fast decoder; return None if it is not plain."""
        if not self.shortcuts:
            return None
        try:
            value, end = _PLAIN.raw_decode(self.text, at)
        except (ValueError, RecursionError):
            self.shortcuts -= 1
            return None
        return JsonNode(at, end, value, closed=True)

    def read_object(self, at: int, depth: int) -> tuple[JsonNode, int]:
        node = JsonNode(at, at, None)
        at = self.skip_space(at + 1)
        self.seen = max(self.seen, node.start + 1)
        while self.text[at : at + 1] != "}":
            match = _STRING.match(self.text, at)
            if match is None:
                raise self.make_error(at, "no key")
            node.keys.append(json.loads(match.group()))
            node.starts.append(at)
            at = self.skip_space(match.end())
            if self.text[at : at + 1] != ":":
                raise self.make_error(at, "no colon")
            at = self.read_element(node, self.skip_space(at + 1), depth, "}")
        node.value = dict(zip(node.keys, (child.value for child in node.children), strict=True))
        return self.finish_node(node, at)

    def read_array(self, at: int, depth: int) -> tuple[JsonNode, int]:
        node = JsonNode(at, at, None)
        at = self.skip_space(at + 1)
        self.seen = max(self.seen, node.start + 1)
        while self.text[at : at + 1] != "]":
            node.starts.append(at)
            at = self.read_element(node, at, depth, "]")
        node.value = [child.value for child in node.children]
        return self.finish_node(node, at)

    def read_element(self, node: JsonNode, at: int, depth: int, closing: str) -> int:
        """Parse a value and the separator after it; return the start of the next one."""
        child, at = self.read_value(at, depth + 1)
        node.children.append(child)
        self.seen = at
        at = self.skip_space(at)
        if self.text[at : at + 1] == ",":
            node.commas.append(at)
            self.seen = at + 1
            at = self.skip_space(at + 1)
            if self.text[at : at + 1] == closing:
                self.note_lenient(node.commas[-1], "a trailing comma")
        elif self.text[at : at + 1] != closing:
            raise self.make_error(at, "no comma")
        return at

    def finish_node(self, node: JsonNode, at: int) -> tuple[JsonNode, int]:
        node.tail, node.end = self.seen, at + 1
        return node, at + 1


def _insert_element(text: str, path: Path, render: Callable[[str], str]) -> str:
    node = _require_node(scan_text(text), path)
    if not node.children:
        return _fill_empty(text, node, render)
    end, inline = node.children[-1].end, _space_before_last(text, node)
    indent = inline.rpartition("\n")[2] if "\n" in inline else ""
    if "\n" not in inline and "//" in text[end : node.tail]:
        inline = detect_line_ending(text)
    if len(node.commas) == len(node.children):
        return text[: node.tail] + inline + render(indent) + "," + text[node.tail :]
    return text[:end] + "," + text[end : node.tail] + inline + render(indent) + text[node.tail :]


def _space_before_last(text: str, node: JsonNode) -> str:
    """Return the whitespace that separates elements here; a single space if there is only one element."""
    start = node.starts[-1]
    space = text[len(text[:start].rstrip(" \t\r\n")) : start]
    if "\n" in space:
        return detect_line_ending(text) + space.rpartition("\n")[2]
    return space if len(node.children) > 1 else " "


def _fill_empty(text: str, node: JsonNode, render: Callable[[str], str]) -> str:
    """Insert the first element into an empty object or array."""
    line = detect_line_ending(text)
    base = re.match(r"[ \t]*", text[text.rfind("\n", 0, node.start) + 1 : node.start].lstrip("\ufeff"))
    outer = base.group() if base else ""
    indent = outer + _indent_unit(text)
    if text[node.start + 1 : node.end - 1].strip():
        return text[: node.tail] + line + indent + render(indent) + text[node.tail :]
    if _is_one_line(text):
        return text[: node.start + 1] + render("") + text[node.end - 1 :]
    return text[: node.start + 1] + line + indent + render(indent) + line + outer + text[node.end - 1 :]


def _serialise_value(value: object, text: str, indent: str) -> str:
    """Serialise a value in the style of the text: an object's members on separate lines, unless all is on one line."""
    if not isinstance(value, dict) or _is_one_line(text) or not indent:
        return _one_line(value)
    inner = detect_line_ending(text) + indent + _indent_unit(text)
    members = (f"{_one_line(key)}: {_one_line(member)}" for key, member in value.items())
    return "{" + inner + f",{inner}".join(members) + detect_line_ending(text) + indent + "}"


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_one_line(text: str) -> bool:
    body = text.strip("\ufeff \t\r\n")
    return "\n" not in body and body.replace(" ", "") not in ("", "{}")


def _indent_unit(text: str) -> str:
    match = _INDENT.search(text)
    return match.group(1) if match else "  "


def detect_line_ending(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"


def _cut_start(text: str, parent: JsonNode, place: int) -> int:
    """Return the start of the cut for an element: before its whitespace, unless a comment would swallow the rest."""
    start = parent.starts[place]
    gap = len(text[:start].rstrip(" \t\r\n"))
    before = parent.commas[place - 1] + 1 if place else parent.start + 1
    following_text = text[parent.children[place].end :].lstrip(" \t,")
    return gap if gap <= before or following_text[:1] in "\r\n" else start


def _child_names(node: JsonNode) -> list[str | int]:
    return [*node.keys] if isinstance(node.value, dict) else [*range(len(node.children))]


def _require_node(scanned: ScannedText, path: Path) -> JsonNode:
    node = scanned.find_node(path)
    if node is None:
        raise KeyError(path)
    return node
