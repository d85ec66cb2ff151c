"""Documents of a project as candidates for review: decision records, environment variables and set-up notes.

Only what explains is read, at most a few lines of each kind, so that a review does not become a wall of text.
"""

from __future__ import annotations

import posixpath
import re
from itertools import islice
from typing import TYPE_CHECKING

from holloway.config import LESSON_CHARS_MAX
from holloway.domain.memory import MemoryType
from holloway.observer.passages import split_passages
from holloway.observer.words.explaining import is_report, names_code, states_reason
from holloway.promotion.commit_checks import clean_subject, is_tellable
from holloway.promotion.rules_files.markdown import RuleBlock
from holloway.text.sanitize import summarise_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.promotion.rules_files.files import RulesFiles

RECORDS_MAX = 20
VARIABLES_MAX = 12
VARIABLE_FILES_MAX = 3
SETUP_NOTES_MAX = 3

_RECORD = re.compile(r"(?i)(?:^|/)(?:adrs?|decisions|architecture[-_]decisions?|decision[-_]records)/[^/]*\d[^/]*\.md$")
_TEMPLATE = re.compile(r"(?i)template|example|/0*0[-_]")
_TITLE = re.compile(
    r"^# +(?:(?:ADR|Decision)[ -]?)?(?:\d{1,5}[.:)]?[ -]*)?(\S[^\n]{3,150})", re.MULTILINE | re.IGNORECASE
)
_CLOSED = re.compile(r"(?im)^(?:[*#\s-]*status\W+|)(?:superseded|deprecated|rejected|proposed|draft)\b")
_CHOICE = re.compile(
    r"(?ims)^(?:#{2,4} *(?:Decision(?: Outcome)?|Choice)[^\n]*\n|\*\*(?:Decision|Choice)\.?\*\*:?)(.*?)"
    r"(?=^#{1,4} |^\*\*\w|\Z)"
)
_UNFINISHED = re.compile(r"(?i)(?:\bbecause|:)\W*$")
"""The end of a passage whose reasons follow as a list."""
_VARIABLE_FILE = re.compile(r"(?:^|/)\.env\.(?:example|sample|template|dist)$|(?:^|/)example\.env$")
_VARIABLE = re.compile(r"^(?:export )?([A-Z][A-Z0-9_]{2,60})=(.*)$", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"""(?i)^["']?(?:$|<.*>|\.{3}|x{3,}|\[.*\]|\$\{.*\}"""
    r"""|.*(?:change[-_ ]?me|replace|your|todo|placeholder|secret|example).*)["']?$"""
)
_README = re.compile(r"(?i)^(?:README|CONTRIBUTING|docs/(?:setup|development|contributing))\.md$")
_SETUP_HEADING = re.compile(
    r"(?i)\b(?:set-?up|prerequisites|requirements|development|local|environment|troubleshooting)\b"
)


def read_document_notes(files: RulesFiles) -> Iterator[RuleBlock]:
    """Yield what the documents of a project explain: decisions, required variables, constraints of its set-up."""
    yield from _read_records(files)
    yield from _read_variables(files)
    yield from islice(_read_setup_notes(files), SETUP_NOTES_MAX)


def _read_records(files: RulesFiles) -> Iterator[RuleBlock]:
    """Yield the latest decision records that stand, each with its choice."""
    names = [name for name in files.list_matching(_RECORD) if not _TEMPLATE.search(name)]
    for name in sorted(names, key=posixpath.basename, reverse=True)[:RECORDS_MAX]:
        real, text = files.read_text(name)
        title, choice = _TITLE.search(text), _CHOICE.search(text)
        if not (real and title and choice) or _CLOSED.search(text):
            continue
        subject = clean_subject(title[1])
        passages = (text for text, _ in split_passages(choice[1]) if not _UNFINISHED.search(text))
        passage = next(filter(is_tellable, passages), "")
        if subject and passage:
            record = summarise_text(f"{subject}: {passage}", LESSON_CHARS_MAX)
            yield RuleBlock(real, 1, record, type=MemoryType.DECISION)


def _read_variables(files: RulesFiles) -> Iterator[RuleBlock]:
    """Yield the variables that have no default value in an example of the environment; values are never told."""
    for name in files.list_matching(_VARIABLE_FILE)[:VARIABLE_FILES_MAX]:
        real, text = files.read_text(name)
        variables = [
            name for name, value in _VARIABLE.findall(text) if _PLACEHOLDER.match(value.partition(" #")[0].strip())
        ]
        if real and variables:
            listed = ", ".join(f"`{variable}`" for variable in dict.fromkeys(variables[:VARIABLES_MAX]))
            more = f" and {len(variables) - VARIABLES_MAX} more" if len(variables) > VARIABLES_MAX else ""
            folder = posixpath.dirname(real)
            sentence = f"These environment variables have no default: {listed}{more} (`{real}`)."
            yield RuleBlock(real, 1, sentence, folder=folder, type=MemoryType.REQUIREMENT)


def _read_setup_notes(files: RulesFiles) -> Iterator[RuleBlock]:
    """Yield the sentences on setting the project up that state a constraint and name something of it."""
    for name in files.list_matching(_README):
        real, text = files.reread_text(name)
        for passage, context in split_passages(text):
            explains = names_code(passage) and states_reason(passage) and not is_report(passage)
            if _SETUP_HEADING.search(context) and explains and is_tellable(passage):
                line = text[: max(0, text.find(passage[:40]))].count("\n") + 1
                yield RuleBlock(real, line, passage, heading=context, type=MemoryType.REQUIREMENT)
