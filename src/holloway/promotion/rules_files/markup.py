"""Markup in exported sentences: tags, comments, links and images are escaped, so that a file shows them as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.safety.neutralize import neutralize_tags

if TYPE_CHECKING:
    from collections.abc import Callable

_CODE = re.compile(r"((?<!`)(`+)(?!`).+?(?<!`)\2(?!`))")
"""A code span, in which Markdown shows everything as it is."""
_ESCAPED = {"&lt;": "<", "&#40;": "(", "&amp;": "&"}
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])\(|&(?=lt;|#40;|amp;)")
_ENTITY = re.compile("|".join(map(re.escape, _ESCAPED)))
_ENTITIES = {char: entity for entity, char in _ESCAPED.items()}


def escape_markup(text: str) -> str:
    """Return a text in which tags, comments, links and images are text; role tags are harmless in code spans too."""
    return _change_outside_code(
        text, lambda part: _MARKUP.sub(lambda match: _ENTITIES[match[0]], part), neutralize_tags
    )


def unescape_markup(text: str) -> str:
    """Return a text as it was before `escape_markup`."""
    return _change_outside_code(
        text, lambda part: _ENTITY.sub(lambda match: _ESCAPED[match[0]], part), lambda span: span
    )


def _change_outside_code(text: str, change_part: Callable[[str], str], change_span: Callable[[str], str]) -> str:
    changed, end = [], 0
    for span in _CODE.finditer(text):
        changed += [change_part(text[end : span.start()]), change_span(span[0])]
        end = span.end()
    return "".join([*changed, change_part(text[end:])])
