"""Write gate of the store: sanitizes, bounds and redacts secrets from every text before it may be stored."""

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
    """A draft that may be stored, and the kinds of secrets that were redacted from it."""

    draft: Draft
    redacted: tuple[str, ...] = ()


def admit(draft: Draft, root: str = "", where: str = "") -> Admitted:
    """Sanitize a draft: redact secrets, resolve paths and enforce limits.

    Raises InvalidInput if a field is too long, a path leaves the project or the confidence is out of range.
    """
    typed.check(draft.type, draft.details)
    secret_kinds: set[str] = set()
    content = _text(draft.content, config.CONTENT_BYTES_MAX, "The memory", secret_kinds)
    details = _details(draft, secret_kinds)
    summary = _text(draft.summary, config.CONTENT_BYTES_MAX, "The summary", secret_kinds) if draft.summary else ""
    files = tuple(_path(path, root, where) for path in draft.files)
    sanitized = replace(
        draft,
        content=content,
        summary=sanitize.summary(summary, config.SUMMARY_CHARS_MAX) if summary else _summary(content, details),
        details=details,
        files=_few(files, config.FILES_MAX, "files"),
        modules=_few(_names(draft.modules, secret_kinds), config.MODULES_MAX, "modules"),
        tags=_few(_names(draft.tags, secret_kinds), config.TAGS_MAX, "tags"),
        origin=_optional(draft.origin, secret_kinds),
        branch=_looked_up(draft.branch),
        branch_only=_looked_up(draft.branch_only),
        commit=draft.commit if _SHA.fullmatch(draft.commit) else "",
        work_unit=_unit(draft.work_unit, secret_kinds),
        methodology=_optional(draft.methodology, secret_kinds),
        agent=_optional(draft.agent, secret_kinds),
        session=_optional(draft.session, secret_kinds),
    )
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise InvalidInput(f"A confidence cannot be {draft.confidence}.", "It must be between 0 and 1.")
    if draft.visibility in (Visibility.TEAM, Visibility.ORGANISATION) and secret_kinds:
        # A text that contained a secret is not shared, even though the secret itself was redacted.
        sanitized = replace(sanitized, visibility=Visibility.PROJECT)
    return Admitted(sanitized, tuple(sorted(secret_kinds)))


def admit_watched(draft: Draft, root: str) -> Admitted | None:
    """Sanitize an observed draft: unusable paths are dropped and long text is cut; None if it is still invalid.

    Nobody is present to correct an observed draft, and one bad path must not lose the rest of it.
    """
    files = tuple(path for path in draft.files if _is_kept(path, root))
    content = sanitize.cut(draft.content, config.CONTENT_BYTES_MAX)
    try:
        return admit(replace(draft, content=content, files=files), root)
    except InvalidInput:
        return None


def reason_text(text: str) -> str:
    """Sanitize a person's reason: redact secrets and cut it to one short line."""
    return sanitize.one_line(secrets.redact(sanitize.clean(text[: config.QUERY_CHARS_MAX]))[0], config.REASON_CHARS_MAX)


def _path(path: str, root: str, where: str) -> str:
    relative_path = paths.resolve_in_project(path, root, where) if root else _plain_path(path)
    if kinds := secrets.redact(relative_path)[1]:
        raise InvalidInput(
            f"A path looks like a secret ({', '.join(kinds)}).", "Paths are stored unchanged; rename it."
        )
    return relative_path


def _is_kept(path: str, root: str) -> bool:
    try:
        return bool(_path(path, root, ""))
    except InvalidInput:
        return False


def _summary(content: str, details: Details | None) -> str:
    """Build the line for agents: the content and the gist of its details, each within half of the limit if long."""
    if isinstance(details, typed.ErrorFix) and details.error in content and details.fix in content:
        return _solved(details)
    gist = typed.gist(details)
    if not gist or gist in content:
        return sanitize.summary(content, config.SUMMARY_CHARS_MAX)
    max_chars = config.SUMMARY_CHARS_MAX - 3
    added = sanitize.one_line(gist, max(max_chars // 2, max_chars - len(content)))
    return f"{sanitize.summary(content, max_chars - len(added))} ({added})"


def _solved(details: typed.ErrorFix) -> str:
    """Summarize an error and its fix if the content says no more than that; the fix gets the space it needs."""
    fix = _FOLDERS.sub("", details.fix)
    max_chars = config.SUMMARY_CHARS_MAX - 4
    error = sanitize.one_line(details.error, max(max_chars // 3, max_chars - len(fix)))
    return f"“{error}”: {sanitize.one_line(fix, max_chars - len(error))}"


_FOLDERS = re.compile(r"(?<![\w/.])(?:[\w.@+-]{1,100}/){2,20}(?=[\w@+-])")
"""The folders of a path, which the files of the memory give in full."""


_SHA = re.compile(r"[0-9a-f]{0,64}")


def _text(text: str, limit: int, what: str, found: set[str]) -> str:
    cleaned, kinds = secrets.redact(sanitize.bounded(text, limit, what))
    found.update(kinds)
    return cleaned


def _optional(text: str, found: set[str]) -> str:
    return _text(text, config.CONTENT_BYTES_MAX, "That field", found) if text else ""


def _looked_up(name: str) -> str:
    """Sanitize a branch name that is passed to git; empty if it is too long or contains a secret."""
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
        raise InvalidInput(f"A memory with {len(items)} {what} has too many.", f"At most {most} {what}.")
    return tuple(dict.fromkeys(items))


def _plain_path(path: str) -> str:
    if path.startswith(("/", "\\", "~")) or ".." in path.replace("\\", "/").split("/") or ":" in path[:2]:
        raise InvalidInput(f"{path[:80]!r} is outside the project.", "Give a path inside the project.")
    return sanitize.bounded(path, config.PATH_CHARS_MAX, "A path").replace("\\", "/")
