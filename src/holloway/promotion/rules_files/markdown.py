"""Markdown parser for rules: paragraphs, list items and code blocks under their headings, rule blocks, front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.text.fingerprint import fingerprint_text

if TYPE_CHECKING:
    from holloway.domain.memory import MemoryType


PARAGRAPH, ITEM, CODE = "paragraph", "item", "code"

ELEMENT_CHARS_MAX = 8_000
"""Maximum length of an element; a longer one is not a rule, and its end is not read."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+.-]*)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(\S.*)$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|(\d{1,3})[.)])\s+(.*)$")
_BOX = re.compile(r"^\[[ xX]\]\s+")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_TABLE = re.compile(r"^\s*\|")
_MARKUP = re.compile(r"</?[A-Za-z][\w:-]*(?:\s[^<>]{0,300})?/?>")
_CALLOUT = re.compile(r"^ {0,3}(?:!!!|\?\?\?\+?) ?[a-z][\w -]{0,60}?(?: +\"([^\"]{0,300})\")?$")
"""First line of a MkDocs note or warning, with an optional title."""
_QUOTE = re.compile(r"^\s*>\s?(?:\[![A-Z]+\]\s*$)?")
ORIGIN = "rules:"
"""Prefix of the origin of a rule; the path and the hash of the block follow."""

FRONT_MATTER_LINES_MAX = 60
FRONT_MATTER_VALUES_MAX = 50
_KEY = re.compile(r"^([A-Za-z_][\w-]{0,40}):\s*(.*)$")
_ENTRY = re.compile(r"^\s*-\s+(.+)$")
_PART = re.compile(r"(?:\{(?:[^{}]++|\{[^{}]*+\})*+\}|[^,])+")

_HASH_BYTES = 8


@dataclass(frozen=True, slots=True)
class MarkdownElement:
    """A paragraph, an item or a piece of code, and where it stands."""

    kind: str
    text: str
    line: int
    headings: tuple[str, ...]
    depth: int = 0
    ordered: int = 0
    """Its number in a list of steps."""
    language: str = ""


def parse_elements(text: str) -> list[MarkdownElement]:
    """Return the elements of a text in order, without tables, comments, rulers and bare markup."""
    return _ElementReader().read_lines(strip_comments(text).split("\n"))


def strip_comments(text: str) -> str:
    """Return the text without HTML comments; line numbers are kept."""
    return _COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)


class _ElementReader:
    """Line-by-line parser; an open element (paragraph, item, code) ends where the next one begins."""

    def __init__(self) -> None:
        self.elements: list[MarkdownElement] = []
        self.headings: list[tuple[int, str]] = []
        self.open: MarkdownElement | None = None
        self.open_lines: list[str] = []
        self.fence = ""

    def read_lines(self, lines: list[str]) -> list[MarkdownElement]:
        for number, raw in enumerate(lines, 1):
            line = raw[:ELEMENT_CHARS_MAX].rstrip()
            if self.fence:
                self._read_code_line(line)
            else:
                self._read_line(line, number)
        self._end_element()
        return self.elements

    def _read_code_line(self, line: str) -> None:
        if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self.fence = ""
            self._end_element()
        else:
            self._append_line(line)

    def _read_line(self, line: str, number: int) -> None:
        if fence := _FENCE.match(line):
            self._begin_element(CODE, "", number, depth=len(fence[1]), language=fence[3].lower())
            self.fence = fence[2]
            return
        line = _MARKUP.sub("", _QUOTE.sub("", line)) if line.lstrip().startswith((">", "<")) else line
        if heading := _HEADING.match(line):
            self._add_heading(len(heading[1]), heading[2])
        elif not line.strip() or _TABLE.match(line):
            self._end_element()
        elif _RULE.match(line):
            self._read_underline(line)
        elif item := _ITEM.match(line):
            text = _BOX.sub("", item[3])
            self._begin_element(ITEM, text, number, depth=len(item[1].expandtabs(4)), ordered=int(item[2] or 0))
        elif callout := _CALLOUT.match(line):
            self._begin_element(PARAGRAPH, f"{callout[1]}:" if callout[1] else "", number)
        elif self.open is None:
            self._read_after_blank(line, number)
        else:
            self._append_line(line.strip())

    def _add_heading(self, level: int, title: str) -> None:
        self._end_element()
        self.headings = [heading for heading in self.headings if heading[0] < level]
        self.headings.append((level, _clean_title(title)))

    def _read_underline(self, line: str) -> None:
        """Read a line of signs: a heading underline below a single line of text, otherwise a ruler."""
        opened = self.open
        if opened and opened.kind == PARAGRAPH and len(self.open_lines) == 1 and line.strip()[0] in "=-":
            self.open = None
            self._add_heading(1 if line.strip()[0] == "=" else 2, opened.text)
        self._end_element()

    def _read_after_blank(self, line: str, number: int) -> None:
        """A paragraph; one that is set in below an item still belongs to it."""
        last = self.elements[-1] if self.elements else None
        inset = len(line) - len(line.lstrip())
        if last and last.kind == ITEM and inset > last.depth and last.headings == self._heading_path():
            self.open = self.elements.pop()
            self.open_lines = [last.text, line.strip()]
        else:
            self._begin_element(PARAGRAPH, line.strip(), number)

    def _begin_element(
        self, kind: str, text: str, number: int, *, depth: int = 0, ordered: int = 0, language: str = ""
    ) -> None:
        self._end_element()
        self.open = MarkdownElement(kind, text, number, self._heading_path(), depth, ordered, language)
        self.open_lines = [text] if text else []

    def _append_line(self, line: str) -> None:
        self.open_lines.append(line)

    def _end_element(self) -> None:
        text = "\n".join(self.open_lines)[:ELEMENT_CHARS_MAX]
        if self.open is not None and text.strip():
            self.elements.append(replace(self.open, text=text))
        self.open, self.open_lines = None, []

    def _heading_path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)


def _clean_title(title: str) -> str:
    return strip_markup(title).strip(" :#")


_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,600}\)")
_CODE_STAR = "\0"
"""Stands for a star in inline code, such as the glob `**/*.py`, while emphasis is removed around it."""
_EMPHASIS = re.compile(r"(?<![\w\\*])(\*\*\*|\*\*)(?=\S)(.{1,600}?)(?<=\S)\1(?!\w)", re.DOTALL)


def strip_markup(text: str) -> str:
    """Return prose without emphasis and link addresses; inline code is unchanged."""
    parts = re.split(r"(`[^`\n]{1,300}`)", text)
    parts[::2] = [_LINK.sub(r"\1", prose) for prose in parts[::2]]
    parts[1::2] = [code.replace("*", _CODE_STAR) for code in parts[1::2]]
    return " ".join(_EMPHASIS.sub(r"\2", "".join(parts)).replace(_CODE_STAR, "*").split())


@dataclass(frozen=True, slots=True)
class RulesText:
    """The text of a rules file and its scope: a folder, globs, or the whole project."""

    path: str
    text: str
    folder: str = ""
    globs: tuple[str, ...] = ()
    sections: bool = False
    """Only sections about conventions count: the file is written for readers of the product."""


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """One rule as its file says it."""

    path: str
    line: int
    text: str
    heading: str = ""
    folder: str = ""
    globs: tuple[str, ...] = ()
    type: MemoryType | None = None

    @property
    def text_hash(self) -> str:
        """The same for blocks that say the same, wherever they stand."""
        return fingerprint_text(self.text, salt="", digest_bytes=_HASH_BYTES)

    @property
    def origin(self) -> str:
        """The origin under which a memory of this block is stored."""
        return f"{ORIGIN}{self.path}#{self.text_hash}"


def split_origin(origin: str) -> tuple[str, str]:
    """Return the path and the hash in an origin; two empty strings if it is not from a rules file."""
    if not origin.startswith(ORIGIN):
        return "", ""
    path, _, mark = origin.removeprefix(ORIGIN).rpartition("#")
    return path, mark


def split_front_matter(text: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the values by key, and the body with its line numbers kept; malformed front matter is body text."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return {}, text
    ends = (number for number, line in enumerate(lines[1:FRONT_MATTER_LINES_MAX], 1) if line.strip() in ("---", "..."))
    if (end := next(ends, 0)) == 0:
        return {}, text
    return _parse_values(lines[1:end]), "\n" * (end + 1) + "\n".join(lines[end + 1 :])


def _parse_values(lines: list[str]) -> dict[str, tuple[str, ...]]:
    values_by_key: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if match := _KEY.match(line):
            key = match[1].lower()
            values_by_key[key] = _split_list(match[2])
        elif key and (entry := _ENTRY.match(line)):
            values_by_key[key].append(_strip_quotes(entry[1]))
    return {
        name: tuple(value for value in values if value)[:FRONT_MATTER_VALUES_MAX]
        for name, values in values_by_key.items()
    }


def _split_list(value: str) -> list[str]:
    """Split a list in brackets or separated by commas; a comma inside braces belongs to the glob."""
    parts = _PART.findall(value.split(" #")[0].strip().strip("[]"))
    return [_strip_quotes(part) for part in parts if part.strip()]


def _strip_quotes(value: str) -> str:
    return value.split(" #")[0].strip().strip("\"'").strip()
