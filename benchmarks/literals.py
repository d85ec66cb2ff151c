"""The strings that the rules of gitleaks must and must not match, read from its Go sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

RULES = "cmd/generate/config/rules"
FILE = "gitleaks_literals.json"
KINDS = {"tps": "pos", "fps": "neg"}
"""What gitleaks calls its lists, and what the file does."""
_LIST = re.compile(r"\b(tps|fps)\s*:?=\s*\[\]string\{")
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`]*`')
_COMMENT = re.compile(r"//[^\n]*")
_OPEN, _CLOSE = "([{", ")]}"


def write_literals(repository: Path, folder: Path) -> int:
    """The strings of a checkout, each with the name of the file that its rule is in; returns how many."""
    found: dict[str, list[tuple[str, str]]] = {kind: [] for kind in KINDS.values()}
    for path in sorted((repository / RULES).glob("*.go")):
        text = path.read_text(encoding="utf-8")
        for begun in _LIST.finditer(text):
            found[KINDS[begun[1]]] += [(path.stem, one) for one in strings(text[begun.end() :])]
    made = {kind: list(dict.fromkeys(pairs)) for kind, pairs in found.items()}
    (folder / FILE).write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")
    return sum(map(len, made.values()))


def strings(text: str) -> list[str]:
    """The elements of a Go list that are one string on one line; what is composed or drawn by lot is left out."""
    literals = (one for one in _elements(text) if _LITERAL.fullmatch(one) and "\n" not in one)
    read = (one[1:-1] if one[0] == "`" else str(json.loads(one)) for one in literals)
    return [one for one in read if "\n" not in one]


def _elements(text: str) -> Iterator[str]:
    """What stands between the commas of a list, up to its end."""
    at, depth, element = 0, 0, ""
    while depth >= 0 and at < len(text):
        if comment := _COMMENT.match(text, at):
            at = comment.end()
            continue
        literal = _LITERAL.match(text, at)
        piece = literal[0] if literal else text[at]
        at += len(piece)
        depth += 0 if literal else (piece in _OPEN) - (piece in _CLOSE)
        if depth < 0 or (piece == "," and depth == 0):
            yield element.strip()
            element = ""
        else:
            element += piece
