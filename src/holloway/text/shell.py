"""Shell parser: splits a command line into simple commands with words, assignments, redirections and here-documents.

One pass from left to right, so the time is linear for any input; an unterminated quote or here-document runs to the
end of the text, as in a shell. The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

SHELL_COMMAND_CHARS_MAX = 16_384
SHELL_NESTING_MAX = 8
"""Maximum nesting depth of substitutions and quotes; deeper ones are read as plain text."""

_BLANK = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"&&|\|\||;;|\|&|[|;&\n()]")
_REDIRECT = re.compile(r"(?:\d{1,3}|&)?(?:<<<|<<-|<<|>>|>&|<&|>\||<>|>|<)(?!\()")
_PLAIN = re.compile(r"[^\s'\"\\$`;&|()<>]+")
_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_NESTS = re.compile(r"[()'\"\\`\n]|<<-?")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\+?=")
_TAG = re.compile(r"[ \t]*(['\"]?)([^\s'\";|&()<>]{1,100})\1")


class Simple:
    """One simple command: `A=1 program word … > file`, and how it follows the one before it."""

    __slots__ = ("after", "assignments", "documents", "redirects", "words")

    def __init__(self, after: str) -> None:
        self.after = after
        """The operator before it: `&&`, `||`, `|`, `;`, or nothing at the start."""
        self.words: list[str] = []
        self.assignments: list[str] = []
        self.redirects: list[tuple[str, str]] = []
        self.documents: list[str] = []
        """The texts of its here-documents and here-strings."""


def split_commands(command: str) -> list[Simple]:
    """Return the simple commands of a command line, in order; text beyond the limit is ignored."""
    return _Reader(command[:SHELL_COMMAND_CHARS_MAX]).read_commands()


class _Reader:
    """The state of the one pass: where it is, the command it fills, here-documents that wait for their line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[Simple] = []
        self.current = Simple("")
        self.waiting: list[tuple[str, Simple]] = []

    def read_commands(self) -> list[Simple]:
        while self.at < len(self.text):
            if match := _BLANK.match(self.text, self.at) or _COMMENT.match(self.text, self.at):
                self.at = match.end()
            elif match := _REDIRECT.match(self.text, self.at):
                self.at = match.end()
                self._read_redirect(match[0])
            elif match := _OPERATOR.match(self.text, self.at):
                self.at = match.end()
                self._end_command(match[0])
            else:
                self._take_word(self._read_word())
        self._end_command("")
        return self.commands

    def _take_word(self, word: str) -> None:
        if not self.current.words and _ASSIGNMENT.match(word):
            self.current.assignments.append(word)
        else:
            self.current.words.append(word)

    def _end_command(self, operator: str) -> None:
        command = self.current
        if command.words or command.assignments or command.redirects:
            self.commands.append(command)
            self.current = Simple("|" if operator == "|&" else operator if operator in ("&&", "||", "|") else ";")
        if operator == "\n":
            for tag, owner in self.waiting:
                body, self.at = _read_heredoc(self.text, self.at, tag)
                owner.documents.append(body)
            self.waiting = []

    def _read_redirect(self, sign: str) -> None:
        is_string = sign.endswith("<<<")
        if sign.endswith(("<<", "<<-")) and not is_string:
            if match := _TAG.match(self.text, self.at):
                self.at = match.end()
                self.waiting.append((match[2], self.current))
            return
        if match := _BLANK.match(self.text, self.at):
            self.at = match.end()
        target = self._read_word() if self.at < len(self.text) and self.text[self.at] not in ";&|()<>\n" else ""
        if sign.endswith("&") and self.text.startswith("-", self.at):
            self.at += 1
        if is_string:
            self.current.documents.append(target)
        elif target:
            self.current.redirects.append((sign, target))

    def _read_word(self) -> str:
        parts: list[str] = []
        text, start = self.text, self.at
        while self.at < len(text):
            char = text[self.at]
            if match := _PLAIN.match(text, self.at):
                parts.append(match[0])
                self.at = match.end()
            elif char.isspace() or (char in ";&|)" or (char in "(<>" and not _opens_parenthesis(text, self.at))):
                break
            else:
                value, self.at = _read_part(text, self.at, 0)
                parts.append(value)
        if self.at == start:
            self.at += 1
        return "".join(parts)


def _opens_parenthesis(text: str, at: int) -> bool:
    """Whether a process substitution, `<(…)`, or a parenthesis inside a word, `f()`, begins here."""
    return text[at] in "<>" and text.startswith("(", at + 1)


def _read_part(text: str, at: int, depth: int) -> tuple[str, int]:
    """Return a quoted, escaped or substituted part of a word, and the index after it."""
    char = text[at]
    if char == "'":
        end = _find_sign(text, "'", at + 1)
        return text[at + 1 : end], end + 1
    if char == '"':
        return _read_quoted(text, at + 1, depth)
    if char == "\\":
        return _read_escape(text, at)
    if char == "`":
        end = _find_sign(text, "`", at + 1) + 1
        return text[at:end], end
    if char in "$<>" and text.startswith("(", at + 1):
        end = _find_closing(text, at + 2, depth + 1)
        return text[at:end], end
    return char, at + 1


def _read_escape(text: str, at: int) -> tuple[str, int]:
    """Read an escape; a backslash before a letter inside a word is kept, because it belongs to a Windows path."""
    following = text[at + 1 : at + 2]
    inside = at > 0 and not text[at - 1].isspace()
    if following in ("\n", "\r"):
        return "", at + 2
    return ("\\" + following if inside and (following.isalnum() or following == ".") else following), at + 2


def _read_quoted(text: str, at: int, depth: int) -> tuple[str, int]:
    """Return the content of a double-quoted string that begins at this index, and the index after it."""
    parts: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return "".join(parts), at + 1
        if match := _IN_QUOTES.match(text, at):
            parts.append(match[0])
            at = match.end()
        elif char == "\\":
            following = text[at + 1 : at + 2]
            parts.append(following if following in '"\\$`' else "" if following == "\n" else "\\" + following)
            at += 2
        elif char == "$" and text.startswith("(", at + 1) and depth < SHELL_NESTING_MAX:
            end = _find_closing(text, at + 2, depth + 1)
            parts.append(text[at:end])
            at = end
        else:
            parts.append(char)
            at += 1
    return "".join(parts), at


def _find_closing(text: str, at: int, depth: int) -> int:
    """Return the index after the parenthesis that closes a substitution, skipping quotes and here-documents."""
    level = 1
    tags: list[str] = []
    while match := _NESTS.search(text, at):
        at, sign = match.end(), match[0]
        if sign == "(":
            level += 1
        elif sign == ")":
            level -= 1
            if level == 0:
                return at
        elif sign == "\n":
            for tag in tags:
                at = _read_heredoc(text, at, tag)[1]
            tags = []
        elif sign.startswith("<<"):
            if (named := _TAG.match(text, at)) and not text.startswith("<", at):
                tags.append(named[2])
                at = named.end()
        elif sign == '"' and depth < SHELL_NESTING_MAX:
            at = _read_quoted(text, at, depth + 1)[1]
        elif sign == "\\":
            at += 1
        else:
            at = _find_sign(text, sign, at) + 1
    return len(text)


def _read_heredoc(text: str, at: int, tag: str) -> tuple[str, int]:
    """Return the here-document that begins at this line, and the index after its closing line."""
    start = at
    while at < len(text):
        end = _find_sign(text, "\n", at)
        line = text[at:end].strip(" \t\r")
        if line == tag:
            return text[start:at].removesuffix("\n"), end + 1
        if line.startswith(tag + ")"):  # a substitution that is closed on the same line
            return text[start:at].removesuffix("\n"), text.index(")", at)
        at = end + 1
    return text[start:], len(text)


def _find_sign(text: str, sign: str, at: int) -> int:
    """Return the index of the next occurrence of a sign, or the length of the text."""
    end = text.find(sign, at)
    return len(text) if end < 0 else end
