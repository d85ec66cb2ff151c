"""The strings that the rules of gitleaks must and must not match, read from its Go sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

RULES = "cmd/generate/config/rules"
FILE = "gitleaks_literals.json"
KINDS = {"tps": "pos", "fps": "neg"}
"""The names of gitleaks for its lists, and ours."""
_LIST = re.compile(r"\b(tps|fps)\s*:?=\s*\[\]string\{")
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`]*`')
_COMMENT = re.compile(r"//[^\n]*")
_OPEN, _CLOSE = "([{", ")]}"


def write_literals(repository: Path, folder: Path) -> int:
    """The strings of a checkout, each with the name of the file that its rule is in; returns how many."""
    pairs_by_kind: dict[str, list[tuple[str, str]]] = {kind: [] for kind in KINDS.values()}
    for path in sorted((repository / RULES).glob("*.go")):
        text = path.read_text(encoding="utf-8")
        for begun in _LIST.finditer(text):
            pairs_by_kind[KINDS[begun[1]]] += [(path.stem, string) for string in strings(text[begun.end() :])]
    unique_pairs = {kind: list(dict.fromkeys(pairs)) for kind, pairs in pairs_by_kind.items()}
    (folder / FILE).write_text(json.dumps(unique_pairs, ensure_ascii=False, indent=1), encoding="utf-8")
    return sum(map(len, unique_pairs.values()))


def strings(text: str) -> list[str]:
    """The elements of a Go list that are one string on one line; what is composed or drawn by lot is left out."""
    literals = (element for element in _elements(text) if _LITERAL.fullmatch(element) and "\n" not in element)
    read = (literal[1:-1] if literal[0] == "`" else str(json.loads(literal)) for literal in literals)
    return [string for string in read if "\n" not in string]


def _elements(text: str) -> Iterator[str]:
    """Yield the elements of a list, up to its end."""
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
