"""Telling rules from descriptions: whether a block instructs an agent, by its words and by its heading.

The words are in `data/instructions.toml`.
"""

from __future__ import annotations

import re
from functools import cache

from holloway.data import load_table

_DESCRIPTION_CHARS_MAX = 300
"""A description names its subject within this many characters; a path of that length is no subject."""
_BARE = re.compile(r"^(?:`[^`]*`|https?://\S+|[\w./@*-]+)[.:;]?$", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDS_MIN = 2


@cache
def _compile_pattern(name: str) -> re.Pattern[str]:
    return re.compile(load_table("instructions")[name])


def is_obligation(text: str) -> bool:
    """Whether a sentence asks for something explicitly."""
    return bool(_compile_pattern("obligation").search(text) or _compile_pattern("shouted").search(text))


def is_imperative(text: str) -> bool:
    """Whether a sentence begins with an imperative, at its start or after a label."""
    return bool(_compile_pattern("imperative").match(text)) or bool(
        (label := _compile_pattern("label").match(text)) and _compile_pattern("imperative").match(text[label.end() :])
    )


def _is_list_of_steps(text: str) -> bool:
    """Whether most lines of a list begin with an imperative."""
    lines = [line.lstrip(" -0123456789.") for line in text.split("\n")[1:]]
    return bool(lines) and sum(map(is_imperative, lines)) * 2 >= len(lines)


def is_rule(text: str, headings: tuple[str, ...], *, item: bool, strict: bool = False) -> bool:
    """Whether a block is a rule; `strict` for files that are written for readers of the product."""
    if _is_empty(text):
        return False
    has_obligation = is_obligation(text)
    if _compile_pattern("description").match(text[:_DESCRIPTION_CHARS_MAX]) or is_about_product(headings):
        return has_obligation and not strict
    if strict:
        return has_obligation
    if has_obligation or is_imperative(text) or _is_list_of_steps(text):
        return True
    has_rule_heading = _has_rule_heading(headings)
    return (has_rule_heading and (item or bool(_compile_pattern("warning").search(text)))) or (
        item and _is_other_script(text)
    )


def is_about_conventions(headings: tuple[str, ...]) -> bool:
    """Whether a section of a README or CONTRIBUTING is about how code is written in the project."""
    return any(map(_compile_pattern("convention_heading").search, headings[-2:])) and not any(
        map(_compile_pattern("outsider_heading").search, headings[-2:])
    )


def is_about_product(headings: tuple[str, ...]) -> bool:
    """Whether the nearest heading announces a description of the product."""
    heading = headings[-1] if headings else ""
    return bool(_compile_pattern("product_heading").search(heading)) and not _compile_pattern("rule_heading").search(
        heading
    )


def _has_rule_heading(headings: tuple[str, ...]) -> bool:
    return any(map(_compile_pattern("rule_heading").search, headings[-2:]))


def _is_empty(text: str) -> bool:
    if _BARE.match(text) or "\ufffd" in text or text.rstrip().endswith("?"):
        return True
    label = _compile_pattern("label").match(text)
    unlabelled = text[label.end() :] if label else text
    if (_is_about_itself(text) or _is_about_itself(unlabelled)) and not is_obligation(text):
        return True
    return len(_WORD.findall(text)) < _WORDS_MIN and not _is_other_script(text)


def _is_other_script(text: str) -> bool:
    """Whether most letters are not Latin: the cues do not cover that language, so its items are accepted."""
    letters = [char for char in text if char.isalpha()]
    return len(letters) > _WORDS_MIN and sum(ord(char) > 0x24F for char in letters) * 3 > len(letters)


def _is_about_itself(text: str) -> bool:
    """Whether a sentence introduces the file or the project."""
    return bool(_compile_pattern("about_itself").match(text))
