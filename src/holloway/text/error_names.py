"""Names in the line of an error that tell it apart: its kind, variables, modules and codes, as people quote them."""

from __future__ import annotations

import re

from holloway.text.failures import list_errors

NAMED_ERRORS_MAX = 3
NAMES_MAX = 12
ERROR_NAME_CHARS_MAX = 80
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_QUOTED = re.compile(rf"['\"`]([\w$./@:-]{{3,{ERROR_NAME_CHARS_MAX}}})['\"`]")


def list_error_names(output: str) -> list[set[str]]:
    """Return the telling names of each of the last errors in an output; an error with fewer than two has none."""
    names_by_error = [find_names(error) for error in list_errors(output)[-NAMED_ERRORS_MAX:]]
    return [names for names in names_by_error if len(names) > 1]


def find_names(text: str) -> set[str]:
    """Return the names in a text that are no plain words: quoted, with an underscore, in capitals or in mixed case."""
    names = dict.fromkeys((*_QUOTED.findall(text), *filter(_is_telling, _NAME.findall(text))))
    return set(list(names)[:NAMES_MAX])


def _is_telling(word: str) -> bool:
    return "_" in word.strip("_") or word not in (word.lower(), word.capitalize())
