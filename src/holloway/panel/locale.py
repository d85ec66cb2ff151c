"""Languages of the panel: gettext catalogues in `locales/*.po`, parsed when the panel starts.

The source language is English. Adding a language is adding a file; its header names the language and its plurals.
"""

from __future__ import annotations

import ast
import re
import struct
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import NamedTuple

SOURCE_LANGUAGE = "en"
_FIELD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*(".*")')
_ACCEPTED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q=([0-9.]{1,5}))?\s*")
CATALOG_MAGIC = 0x950412DE
MESSAGES_AT = 28
"""Identifies a compiled catalogue, and where its first table starts; GNU gettext's format."""


class PanelLanguage(NamedTuple):
    """A language of the panel: its code, its name in itself, and its texts."""

    code: str
    name: str
    texts: NullTranslations

    def format_number(self, value: float) -> str:
        """Return a number with the separators of this language, which its catalogue translates."""
        thousands, point = self.texts.gettext(THOUSANDS), self.texts.gettext(POINT)
        return f"{value:,}".translate({ord(","): thousands, ord("."): point, ord("-"): MINUS})


def mark_text(text: str) -> str:
    """Return a text unchanged; it is in the catalogues and is translated when a page shows it."""
    return text


def mark_plural(singular: str, many: str) -> tuple[str, str]:
    """Return the texts for one thing and for several unchanged; both are in the catalogues."""
    return singular, many


MINUS = "\N{MINUS SIGN}"
THOUSANDS = mark_text(",")
POINT = mark_text(".")


@cache
def load_languages() -> dict[str, PanelLanguage]:
    """Return all languages by code, English first."""
    languages = {SOURCE_LANGUAGE: PanelLanguage(SOURCE_LANGUAGE, "English", NullTranslations())}
    for file in sorted(files("holloway.panel").joinpath("locales").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".po"):
            code, entries = file.name.removesuffix(".po"), parse_catalog(file.read_text("utf-8"))
            texts = GNUTranslations(BytesIO(compile_catalog(entries)))
            languages[code] = PanelLanguage(code, texts.info()["x-language-name"], texts)
    return languages


def choose_language(chosen: str, accepted: str) -> PanelLanguage:
    """Return the language that a person chose, else the first that their browser accepts, else English."""
    languages = load_languages()
    if chosen in languages:
        return languages[chosen]
    wishes: list[tuple[float, int, str]] = []
    for wish in accepted[:500].split(","):
        if match := _ACCEPTED.fullmatch(wish):
            wishes.append((-_parse_weight(match[2]), len(wishes), match[1].lower()))
    return next((languages[code] for _, _, code in sorted(wishes) if code in languages), languages[SOURCE_LANGUAGE])


def _parse_weight(text: str | None) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0


def parse_catalog(text: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the translations of a `.po` file by message; a message with a plural has two keys and several texts.

    Fuzzy entries and obsolete ones are left out. Raises ValueError for a line that is neither an entry nor a comment.
    """
    entries: dict[tuple[str, ...], tuple[str, ...]] = {}
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = block.splitlines()
        if any(line.startswith("#,") and "fuzzy" in line for line in lines):
            continue
        fields: dict[str, str] = {}
        name = ""
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            match = _FIELD.fullmatch(line.strip())
            if match is None:
                raise ValueError(f"This line of a catalogue cannot be read: {line!r}")
            name = match[1] or name
            fields[name] = fields.get(name, "") + ast.literal_eval(match[2])
        if "msgid" in fields:
            message = (fields["msgid"], fields["msgid_plural"]) if "msgid_plural" in fields else (fields["msgid"],)
            entries[message] = tuple(value for key, value in sorted(fields.items()) if key.startswith("msgstr"))
    return entries


def compile_catalog(entries: dict[tuple[str, ...], tuple[str, ...]]) -> bytes:
    """Return translations in the binary form that Python's gettext reads; untranslated ones are left out."""
    pairs = sorted(
        ("\0".join(message).encode(), "\0".join(texts).encode()) for message, texts in entries.items() if all(texts)
    )
    count = len(pairs)
    offset = MESSAGES_AT + 16 * count
    tables: list[list[tuple[int, int]]] = [[], []]
    data = b""
    for column in (0, 1):
        for pair in pairs:
            tables[column].append((len(pair[column]), offset + len(data)))
            data += pair[column] + b"\0"
    header = struct.pack("<7I", CATALOG_MAGIC, 0, count, MESSAGES_AT, MESSAGES_AT + 8 * count, 0, 0)
    index = b"".join(struct.pack("<2I", *entry) for table in tables for entry in table)
    return header + index + data
