"""Translation of the messages that the service writes in English: errors, hints, checks, reasons.

The service composes a message from a template and values, and a page only has the result. The templates are listed in
`locales/service_messages.txt`, with a name for each value, and the catalogues translate them. A message is recognised
by its template; values that are messages themselves are translated too. One that no template fits stays in English.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gettext import NullTranslations

MESSAGE_CHARS_MAX = 2_000
_VALUE = re.compile(r"%\((\w+)\)s")


class MessageTemplate(NamedTuple):
    """A template, and the pattern of the messages that are composed from it."""

    text: str
    pattern: re.Pattern[str]

    @classmethod
    def parse(cls, text: str) -> MessageTemplate:
        """Return a template; a value that it has twice is the same in both places."""
        pieces, named_pieces = [], set[str]()
        for position, piece in enumerate(_VALUE.split(text)):
            if position % 2 == 0:
                pieces.append(re.escape(piece))
            else:
                pieces.append(f"(?P={piece})" if piece in named_pieces else f"(?P<{piece}>.+?)")
                named_pieces.add(piece)
        return cls(text, re.compile("".join(pieces), re.DOTALL))


@cache
def load_templates() -> tuple[MessageTemplate, ...]:
    """Return all templates; those with the longest fixed text come first, because they are the most specific."""
    lines = files("holloway.panel").joinpath("locales", "service_messages.txt").read_text("utf-8").splitlines()
    ordered = sorted(lines, key=lambda line: len(_VALUE.sub("", line)), reverse=True)
    return tuple(MessageTemplate.parse(line) for line in ordered if line)


def translate_message(message: str, texts: NullTranslations) -> str:
    """Return a message of the service in the language of a catalogue; unchanged if no template fits it."""
    if not message or len(message) > MESSAGE_CHARS_MAX:
        return message
    for template in load_templates():
        if match := template.pattern.fullmatch(message):
            values = {name: _translate_value(value, message, texts) for name, value in match.groupdict().items()}
            return texts.gettext(template.text) % values
    return message


def _translate_value(value: str, message: str, texts: NullTranslations) -> str:
    return translate_message(value, texts) if value != message else value
