"""Splitting prose into sentences."""

from __future__ import annotations

import re

_OPENERS = "Actually|Wait|But|So|However|Let|Now|The|This|That|Looking|Oh|Hmm|I|It|We"
_STOP = re.compile(
    # A stop, closing quotes and white space before what can begin a sentence: "e.g. this" is not split.
    r"[.!?:](?:(?<!:)[\"')_`]{0,3}\s+(?=[\"'(_`]{0,3}[A-Z0-9`])"
    # Some transcripts lose the line break between two paragraphs: "the same reason.Wait, ...".
    rf"|(?<=[a-z0-9`)].)(?=(?:{_OPENERS})\b[ ,']))"
)


def split_sentences(line: str) -> list[str]:
    """Return the sentences of a line of prose; each keeps the white space after it, so that joined they are the line.

    A stop before a lower-case word does not end a sentence, because most of those are abbreviations and file names.
    """
    ends = [match.end() for match in _STOP.finditer(line)]
    return [line[start:end] for start, end in zip([0, *ends], [*ends, len(line)], strict=True) if start < end]
