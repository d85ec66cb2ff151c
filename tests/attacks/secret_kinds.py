"""Secrets made from the shapes in `secret_kinds.json`, which holds no secret itself.

The shapes and the harmless lines were written by somebody who had not seen the rules.
"""

from __future__ import annotations

import base64
import json
import random
import re
import unicodedata
from pathlib import Path
from typing import Any

CORPUS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
SYMBOLS = "!@#$%^&*"

Row = dict[str, Any]


def make_line(row: Row, seed: int) -> tuple[str, list[str]]:
    """Make the line of a session, and every spelling of its secret that may not be stored."""
    decoded: list[str] = []
    secret = _make_pieces(row["pieces"], random.Random(f"{row['id']}:{seed}"), decoded)
    return row["line"].replace("{secret}", secret), [secret, _join_pieces(secret), *decoded]


def find_leaks(spellings: list[str], stored: str) -> list[str]:
    """Find the spellings that a stored text contains, also behind JSON escapes and white space."""
    flat = _squash(stored)
    return [spelling for spelling in spellings if spelling in stored or _squash(spelling) in flat]


def _make_pieces(pieces: list[Row], rng: random.Random, decoded: list[str]) -> str:
    return "".join(_make_piece(piece, rng, decoded) for piece in pieces)


def _make_piece(piece: Row, rng: random.Random, decoded: list[str]) -> str:
    if "text" in piece:
        return str(piece["text"])
    if "encode" in piece:
        inner = _make_pieces(piece["pieces"], rng, decoded)
        if piece.get("secret", True):
            decoded.append(inner)
        if piece["encode"] == "base64":
            return base64.b64encode(inner.encode()).decode()
        return base64.urlsafe_b64encode(inner.encode()).decode().rstrip("=")
    if words := CORPUS["wordlists"].get(piece["chars"]):
        return str(piece.get("sep", " ")).join(rng.choice(words) for _ in range(piece["count"]))
    if piece["chars"] == "password":
        return _make_password(rng, piece["count"])
    return "".join(rng.choice(CORPUS["alphabets"][piece["chars"]]) for _ in range(piece["count"]))


def _make_password(rng: random.Random, count: int) -> str:
    """Make a password with small and capital letters, a digit and a symbol, and none of the last at its ends."""
    while True:
        text = "".join(rng.choice(CORPUS["alphabets"]["password"]) for _ in range(count))
        kinds = (str.islower, str.isupper, str.isdigit, SYMBOLS.__contains__)
        if text[0].isalnum() and text[-1].isalnum() and all(any(map(kind, text)) for kind in kinds):
            return text


def _join_pieces(text: str) -> str:
    text = re.sub(r'"[ \t]*\\?\n[ \t]*"', "", text)
    text = re.sub(r"\\\n[ \t]*", "", text)
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _squash(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    text = re.sub(r"\\+[nrt]", "", text)
    return "".join(
        char for char in text if not char.isspace() and char not in "\\\"'" and unicodedata.category(char) != "Cf"
    )
