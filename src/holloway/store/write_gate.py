"""The gate into the store: every text is cleaned, bounded and searched for secrets before it may be kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holloway import config
from holloway.domain import memory_details as typed
from holloway.domain.memory import Draft, Visibility
from holloway.domain.work import WorkUnit
from holloway.errors import InvalidInput
from holloway.safety import paths, secrets
from holloway.text import sanitize

if TYPE_CHECKING:
    from holloway.domain.memory_details import Details


@dataclass(frozen=True, slots=True)
class Admitted:
    """A draft that may be stored, and the kinds of secrets that were cut out of it."""

    draft: Draft
    redacted: tuple[str, ...] = ()


def admit(draft: Draft, root: str = "", where: str = "") -> Admitted:
    """Pass a draft through the gate, or say what is wrong with it."""
    typed.check(draft.type, draft.details)
    found: set[str] = set()
    content = _text(draft.content, config.CONTENT_BYTES_MAX, "The memory", found)
    details = _details(draft, found)
    summary = _text(draft.summary, config.CONTENT_BYTES_MAX, "The summary", found) if draft.summary else ""
    files = tuple(_path(path, root, where) for path in draft.files)
    admitted = replace(
        draft,
        content=content,
        summary=sanitize.summary(summary, config.SUMMARY_CHARS_MAX) if summary else _summary(content, details),
        details=details,
        files=_few(files, config.FILES_MAX, "files"),
        modules=_few(_names(draft.modules, found), config.MODULES_MAX, "modules"),
        tags=_few(_names(draft.tags, found), config.TAGS_MAX, "tags"),
        origin=_optional(draft.origin, found),
        branch=_looked_up(draft.branch),
        branch_only=_looked_up(draft.branch_only),
        commit=draft.commit if _SHA.fullmatch(draft.commit) else "",
        work_unit=_unit(draft.work_unit, found),
        methodology=_optional(draft.methodology, found),
        agent=_optional(draft.agent, found),
        session=_optional(draft.session, found),
    )
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise InvalidInput(f"A confidence cannot be {draft.confidence}.", "It lies between 0 and 1.")
    if draft.visibility in (Visibility.TEAM, Visibility.ORGANISATION) and found:
        # What had a secret in it stays on this machine, even though the secret itself is gone.
        admitted = replace(admitted, visibility=Visibility.PROJECT)
    return Admitted(admitted, tuple(sorted(found)))


def admit_watched(draft: Draft, root: str) -> Admitted | None:
    """Pass a draft of what was watched: a file whose name cannot be kept is left out, and too many words are cut.

    Nobody is there to give others, and what else a session showed must not be lost for them.
    """
    files = tuple(path for path in draft.files if _is_kept(path, root))
    content = sanitize.cut(draft.content, config.CONTENT_BYTES_MAX)
    try:
        return admit(replace(draft, content=content, files=files), root)
    except InvalidInput:
        return None


def reason_text(text: str) -> str:
    """A person's reason, cleaned like everything else."""
    return sanitize.one_line(secrets.redact(sanitize.clean(text[: config.QUERY_CHARS_MAX]))[0], config.REASON_CHARS_MAX)


def _path(path: str, root: str, where: str) -> str:
    found = paths.relative(path, root, where) if root else _plain_path(path)
    if kinds := secrets.redact(found)[1]:
        raise InvalidInput(
            f"A path looks like a secret ({', '.join(kinds)}).", "Paths are kept as they are; rename it."
        )
    return found


def _is_kept(path: str, root: str) -> bool:
    try:
        return bool(_path(path, root, ""))
    except InvalidInput:
        return False


def _summary(content: str, details: Details | None) -> str:
    """The line for agents: the sentence, and what its details add, each within half of the room if both are long."""
    if isinstance(details, typed.ErrorFix) and details.error in content and details.fix in content:
        return _solved(details)
    gist = typed.gist(details)
    if not gist or gist in content:
        return sanitize.summary(content, config.SUMMARY_CHARS_MAX)
    room = config.SUMMARY_CHARS_MAX - 3
    added = sanitize.one_line(gist, max(room // 2, room - len(content)))
    return f"{sanitize.summary(content, room - len(added))} ({added})"


def _solved(details: typed.ErrorFix) -> str:
    """An error and its fix where a sentence says no more than that; the fix has the room that it needs."""
    fix = _FOLDERS.sub("", details.fix)
    room = config.SUMMARY_CHARS_MAX - 4
    error = sanitize.one_line(details.error, max(room // 3, room - len(fix)))
    return f"“{error}”: {sanitize.one_line(fix, room - len(error))}"


_FOLDERS = re.compile(r"(?<![\w/.])(?:[\w.@+-]{1,100}/){2,20}(?=[\w@+-])")
"""The folders of a path, which the files of the memory name in full."""


_SHA = re.compile(r"[0-9a-f]{0,64}")


def _text(text: str, limit: int, what: str, found: set[str]) -> str:
    cleaned, kinds = secrets.redact(sanitize.bounded(text, limit, what))
    found.update(kinds)
    return cleaned


def _optional(text: str, found: set[str]) -> str:
    return _text(text, config.CONTENT_BYTES_MAX, "That field", found) if text else ""


def _looked_up(name: str) -> str:
    """A name by which git is asked: one that is no name, or has a secret in it, is not kept at all."""
    return "" if len(name) > config.PATH_CHARS_MAX or secrets.scan(name) else sanitize.clean(name)


def _unit(unit: WorkUnit | None, found: set[str]) -> WorkUnit | None:
    if unit is None:
        return None
    path = tuple(_optional(name, found) for name in unit.path[: config.DETAIL_ITEMS_MAX])
    return WorkUnit(_optional(unit.methodology, found), path, _optional(unit.label, found))


def _details(draft: Draft, found: set[str]) -> Details | None:
    if draft.details is None:
        return None
    return typed.parse(draft.type, _walk(typed.plain(draft.details), found))


def _walk(value: Any, found: set[str]) -> Any:
    if isinstance(value, str):
        cleaned, kinds = secrets.redact(sanitize.clean(value))
        found.update(kinds)
        return cleaned
    if isinstance(value, list):
        return [_walk(item, found) for item in value]
    if isinstance(value, dict):
        return {key: _walk(item, found) for key, item in value.items()}
    return value


def _names(names: tuple[str, ...], found: set[str]) -> tuple[str, ...]:
    cleaned = (_text(name, config.TAG_CHARS_MAX, "A tag or module", found) for name in names)
    return tuple(dict.fromkeys(" ".join(name.split()) for name in cleaned))


def _few(items: tuple[str, ...], most: int, what: str) -> tuple[str, ...]:
    if len(items) > most:
        raise InvalidInput(f"A memory with {len(items)} {what} is about too much.", f"At most {most} {what}.")
    return tuple(dict.fromkeys(items))


def _plain_path(path: str) -> str:
    if path.startswith(("/", "\\", "~")) or ".." in path.replace("\\", "/").split("/") or ":" in path[:2]:
        raise InvalidInput(f"{path[:80]!r} lies outside of the project.", "Give a path inside the project.")
    return sanitize.bounded(path, config.PATH_CHARS_MAX, "A path").replace("\\", "/")
