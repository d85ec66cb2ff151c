"""Memories about a file, a failure or a search that still hold: plain rows for whatever renders them. Light.

A memory that names a missing file, or code that is gone from its files, is left out, and its id is added to the
reader's `missing`, so that a caller who may write can mark it; after a hook, the worker does.
"""

from __future__ import annotations

import os

from holloway.config import FAILURE_CHARS_MAX, SHORT_TEXT_CHARS_MAX
from holloway.store import lookup
from holloway.store.code_anchors import are_gone, read_files
from holloway.text.identifiers import in_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.injection.reader import StoreView

    Row = dict[str, object]

STILL_BYTES_MAX = 512 * 1024
SEARCH_CHARS_MIN = 4
"""A shorter search is made for too many reasons to know the answer."""
DEAD_ENDS_MAX = 500
MATCHES_COMPARED_MAX = 100
NAMES_SHARED_MIN = 2
"""Names of an error's line that a memory must contain to be about it: one alone, such as KeyError, is in many."""
FACT_CANDIDATES_FACTOR = 2
"""Candidates per wanted memory, because some may not hold any more."""


def find_for_files(view: StoreView, paths: list[str], limit: int) -> list[Row]:
    """Find the unseen gotchas of these files and of the folders above them."""
    places = list(dict.fromkeys(place for path in paths for place in with_parents(path)))
    rows = lookup.find_for_files(view.connection, places, view.viewer, limit * FACT_CANDIDATES_FACTOR)
    return _keep_valid(view, _deduplicate(rows), limit)


def find_fixes(view: StoreView, output: str, limit: int) -> list[Row]:
    """Find the fixes of the errors in an output; each row has the error and the fix in its details.

    The files of a fix are examples of where it helped, so it holds as long as one of them exists.
    """
    from holloway.text.failures import fingerprint_errors  # its patterns are only needed after a failure

    errors = list(fingerprint_errors(output[-FAILURE_CHARS_MAX:]))
    if not errors:
        return []
    rows = lookup.find_fixes(view.connection, errors, view.viewer, limit * FACT_CANDIDATES_FACTOR)
    return [row | {"as": "fix"} for row in _keep_valid(view, rows, limit, any_exists)]


def find_about_errors(view: StoreView, output: str, limit: int) -> list[Row]:
    """Find the confirmed memories that name an error in an output: two of the names in its line, such as its kind and
    a variable. A person who taught a trap in a sentence described no fingerprint."""
    from holloway.text.error_names import find_names, list_error_names  # only needed after a failure

    names_by_error = list_error_names(output[-FAILURE_CHARS_MAX:])
    words = list(dict.fromkeys(name for names in names_by_error for name in names))

    def is_about_an_error(row: Row) -> bool:
        present = find_names(str(row["content"]))
        return row["state"] == "confirmed" and any(len(present & names) >= NAMES_SHARED_MIN for names in names_by_error)

    return find_matching(view, words, is_about_an_error, limit) if words else []


def find_for_command(view: StoreView, command: str, limit: int) -> list[Row]:
    """Find the memories that are told with a command."""
    rows = lookup.find_for_command(view.connection, command, view.viewer, limit * FACT_CANDIDATES_FACTOR)
    return [row | {"as": "command"} for row in _keep_valid(view, rows, limit)]


def find_answers(view: StoreView, pattern: str, limit: int) -> list[Row]:
    """Find the memories that answer a search, if a file that they name still has the words of the pattern."""
    words = in_pattern(pattern)
    if len("".join(words)) < SEARCH_CHARS_MIN:
        return []
    candidates_max = limit * FACT_CANDIDATES_FACTOR
    rows = lookup.find_answers(view.connection, words, view.viewer, candidates_max)
    valid = _keep_valid(view, rows, candidates_max)
    query = {"as": "answer", "pattern": pattern[:SHORT_TEXT_CHARS_MAX]}
    return [row | query for row in valid if _is_confirmed_by_code(row, words, view.reader.root)][:limit]


def find_unseen(view: StoreView, ids: list[str], limit: int) -> list[Row]:
    """Find those of these memories that may be shown, have not been, and still hold."""
    rows = lookup.find_unseen(view.connection, ids, view.viewer) if ids else []
    return _keep_valid(view, rows, limit)


def find_dead_ends(view: StoreView, is_relevant: Callable[[Row], bool], limit: int) -> list[Row]:
    """Find the relevant dead ends of the project that are unseen and still hold."""
    rows = lookup.find_unseen_of_type(view.connection, "dead_end", view.viewer, DEAD_ENDS_MAX)
    return _keep_valid(view, list(filter(is_relevant, rows)), limit)


def find_matching(view: StoreView, words: list[str], is_relevant: Callable[[Row], bool], limit: int) -> list[Row]:
    """Find the relevant memories with these words that are unseen and still hold."""
    rows = lookup.find_matching(view.connection, words, view.viewer, MATCHES_COMPARED_MAX)
    return _keep_valid(view, list(filter(is_relevant, rows)), limit)


def with_parents(path: str) -> list[str]:
    """List a file and the folders above it, up to the project itself."""
    parts = path.split("/")
    return [*("/".join(parts[:size]) for size in range(len(parts), 0, -1)), "."]


def all_exist(files: list[str], root: str) -> bool:
    """Tell whether all the files that a memory names exist."""
    return all(os.path.lexists(os.path.join(root, path)) for path in files)


def any_exists(files: list[str], root: str) -> bool:
    """Tell whether one of the files that a memory names exists, or whether it names none."""
    return not files or any(os.path.lexists(os.path.join(root, path)) for path in files)


def _deduplicate(rows: list[Row]) -> list[Row]:
    """Keep each memory once, though it may be about several of the files; its first row ranks highest."""
    return list({str(row["id"]): row for row in reversed(rows)}.values())[::-1]


def _keep_valid(
    view: StoreView, rows: list[Row], limit: int, is_valid: Callable[[list[str], str], bool] = all_exist
) -> list[Row]:
    """Return the rows whose files exist and have the code that they name, each with its details and files."""
    if not rows:
        return []
    ids = [str(row["id"]) for row in rows]
    rows = _rank_by_phase(rows, view.phase)
    loaded, anchors = lookup.load_details(view.connection, ids), lookup.load_anchors(view.connection, ids)
    valid = []
    for row in rows:
        details, files = loaded.get(str(row["id"]), ({}, []))
        root, named_code = view.reader.root, anchors.get(str(row["id"]), [])
        if is_valid(files, root) and not (named_code and are_gone(named_code, read_files(root, files))):
            valid.append(row | {"details": details, "files": files})
        else:
            view.reader.missing.append(str(row["id"]))
    return _add_required(view, valid[:limit])


def _rank_by_phase(rows: list[Row], phase: str) -> list[Row]:
    """Order rows by the weight that a phase gives to their type, else as they were."""
    if not phase or len(rows) < 2:
        return rows
    from holloway.domain.phase_weights import PHASE_WEIGHTS  # most events of a hook have one memory at most

    weights = PHASE_WEIGHTS[phase]
    return sorted(rows, key=lambda row: -weights.get(str(row["type"]), 1.0))


def _add_required(view: StoreView, rows: list[Row]) -> list[Row]:
    """Return the rows, each followed by the unseen memories that it requires."""
    complete: list[Row] = []
    for row in rows:
        ids = [str(row["id"]) for row in (*rows, *complete)]
        required = lookup.find_required(view.connection, [str(row["id"])], view.viewer)
        new = [{**other, "path": row["path"]} for other in required if other["id"] not in ids]
        loaded = lookup.load_details(view.connection, [str(other["id"]) for other in new]) if new else {}
        complete.append(row)
        for other in new:
            details, files = loaded.get(str(other["id"]), ({}, []))
            if all_exist(files, view.reader.root):
                complete.append(other | {"details": details, "files": files})
    return complete


def _is_confirmed_by_code(row: Row, words: list[str], root: str) -> bool:
    """Tell whether a file that a memory names has one of the words, or whether a person confirmed the memory."""
    files = row["files"]
    if not isinstance(files, list) or not files:
        return row["state"] == "confirmed"
    return any(_has_word(os.path.join(root, str(path)), words) for path in files)


def _has_word(path: str, words: list[str]) -> bool:
    try:
        with open(path, "rb") as file:
            text = file.read(STILL_BYTES_MAX)
    except OSError:
        return False
    return any(word.encode() in text for word in words)
