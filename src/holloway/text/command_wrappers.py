"""Unwrapping commands: shell keywords, wrappers such as `sudo` and `uv run`, and shells that are given a command line.

The wrappers are in `data/programs.toml`. The hook process may import this module: it loads nothing but `re` and `json`.
"""

from __future__ import annotations

import re

from holloway.text.programs import TABLE, normalise_name

WORDS_MAX = 2_000
WRAPPERS_MAX = 16

_KEYWORDS = frozenset(TABLE["shell_keywords"])
_NO_COMMAND = frozenset(TABLE["shell_syntax"])
_SHELLS = frozenset(TABLE["shells"])


def unwrap_command(words: list[str]) -> tuple[list[str], list[str]]:
    """Find the command inside its wrappers; return its words and the variables that the wrappers set for it."""
    env: list[str] = []
    words = words[:WORDS_MAX]
    for _ in range(WRAPPERS_MAX):
        if not words or not words[0].strip() or words[0] in _NO_COMMAND:
            return [], env
        if words[0] in _KEYWORDS and (words[0] != "time" or not words[1:2] or not words[1].startswith("-")):
            words = words[1:]
            continue
        name = normalise_name(words[0])
        if name == "docker" and words[1:2] == ["compose"] and words[2:3] in (["run"], ["exec"]):
            words = [words[0], *words[2:]]
        pair = f"{name} {words[1]}" if len(words) > 1 else ""
        wrapper = pair if pair in TABLE["wrappers"] else name if name in TABLE["wrappers"] else ""
        inner_words = _skip_options(words[2 if wrapper == pair else 1 :], wrapper) if wrapper else []
        if not inner_words:
            return words, env
        while wrapper == "env" and inner_words and "=" in inner_words[0]:
            env.append(inner_words.pop(0).split("=", 1)[0])
        words = inner_words
    return words, env


def _skip_options(words: list[str], wrapper: str) -> list[str]:
    """Skip the options and plain words of a wrapper itself."""
    row = TABLE["wrappers"][wrapper]
    if "runs" in row:  # `uv pip install` is `pip install`
        return [row["runs"], *words]
    valued_options, plain_words = row.get("options", ()), row.get("plain_words", 0)
    index = 0
    while index < len(words) and (words[index].startswith("-") or plain_words > 0):
        if words[index] == "--":
            return words[index + 1 :]
        if not words[index].startswith("-"):
            plain_words -= 1
        index += 2 if words[index] in valued_options else 1
    return words[index:]


def find_command_line(words: list[str]) -> str:
    """Find the command line that a shell is given as one word: `bash -lc "…"`, `eval "…"`."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if normalise_name(words[0]) not in _SHELLS:
        return ""
    for index, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return ""
        if re.fullmatch(r"-[a-z]{0,4}c", word):
            return words[index + 1]
    return ""
