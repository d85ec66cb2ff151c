"""Write gate of the store: sanitizes, bounds and redacts secrets from every text before it may be stored."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holloway import config
from holloway.domain import memory_details as typed
from holloway.domain import memory_json
from holloway.domain.memory import Draft, Relation, RelationType, Visibility
from holloway.domain.work import WorkUnit
from holloway.errors import InvalidInput
from holloway.safety import paths, secrets
from holloway.store.code_anchors import find_anchors
from holloway.text import sanitize
from holloway.text.truncation import cut_start

if TYPE_CHECKING:
    from holloway.domain.memory_details import Details


@dataclass(frozen=True, slots=True)
class SanitizedDraft:
    """A draft that may be stored, and the kinds of secrets that were redacted from it."""

    draft: Draft
    redacted: tuple[str, ...] = ()


def sanitize_draft(draft: Draft, root: str = "") -> SanitizedDraft:
    """Sanitize a draft: redact secrets, resolve paths and enforce limits.

    Raises InvalidInput if a field is too long, a path leaves the project or the confidence is out of range.
    """
    return _sanitize_fields(draft, tuple(_check_path(path, root) for path in draft.files), root)


def sanitize_foreign_draft(draft: Draft, root: str) -> Draft:
    """Sanitize a draft that somebody else wrote, as it may be stored; unusable paths are dropped.

    Raises InvalidInput if a field is beyond its limits or contains a secret: their text is not cut or redacted here.
    """
    files = tuple(usable for path in draft.files if (usable := _find_storable_path(path, root)))
    sanitized = _sanitize_fields(draft, files, root)
    if sanitized.redacted:
        raise InvalidInput(f"it contains a secret ({', '.join(sanitized.redacted)})", "It is ignored.")
    return sanitized.draft


def _sanitize_fields(draft: Draft, files: tuple[str, ...], root: str) -> SanitizedDraft:
    memory_json.check_details(draft.type, draft.details)
    secret_kinds: set[str] = set()
    content = _redact_text(draft.content, config.CONTENT_BYTES_MAX, "The memory", secret_kinds)
    details = _redact_details(draft, secret_kinds)
    summary = (
        _redact_text(draft.summary, config.CONTENT_BYTES_MAX, "The summary", secret_kinds) if draft.summary else ""
    )
    sanitized = replace(
        draft,
        content=content,
        summary=sanitize.summarise_text(summary, config.SUMMARY_CHARS_MAX)
        if summary
        else _build_summary(content, details),
        details=details,
        files=_limit_count(files, config.MEMORY_FILES_MAX, "files"),
        modules=_limit_count(_redact_names(draft.modules, secret_kinds), config.MEMORY_MODULES_MAX, "modules"),
        tags=_limit_count(_redact_names(draft.tags, secret_kinds), config.MEMORY_TAGS_MAX, "tags"),
        origin=_redact_optional(draft.origin, secret_kinds),
        branch=_sanitize_branch(draft.branch),
        branch_only=_sanitize_branch(draft.branch_only),
        commit=draft.commit if _SHA.fullmatch(draft.commit) else "",
        work_unit=_redact_work_unit(draft.work_unit, secret_kinds),
        methodology=_redact_optional(draft.methodology, secret_kinds),
        agent=_redact_optional(draft.agent, secret_kinds),
        session=_redact_optional(draft.session, secret_kinds),
    )
    sanitized = replace(sanitized, relations=_anchor_relations(sanitized, root))
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise InvalidInput(f"A confidence cannot be {draft.confidence}.", "It must be between 0 and 1.")
    if draft.visibility in (Visibility.TEAM, Visibility.ORGANISATION) and secret_kinds:
        # A text that contained a secret is not shared, even though the secret itself was redacted.
        sanitized = replace(sanitized, visibility=Visibility.PROJECT)
    return SanitizedDraft(sanitized, tuple(sorted(secret_kinds)))


def _anchor_relations(draft: Draft, root: str) -> tuple[Relation, ...]:
    """Return the relations of a draft, with one to each piece of code that it names and its files have."""
    relations = tuple(relation for relation in draft.relations if relation.type is not RelationType.NAMES)
    if not root or not draft.files:
        return relations
    anchors = find_anchors(draft.content, draft.files, root)
    return relations + tuple(
        Relation(RelationType.NAMES, path=f"{path}:{name}"[: config.PATH_CHARS_MAX], automatic=True)
        for path, name in anchors
    )


def sanitize_observed_draft(draft: Draft, root: str) -> SanitizedDraft | None:
    """Sanitize an observed draft: unusable paths are dropped and long text is cut; None if it is still invalid.

    Nobody is present to correct an observed draft, and one bad path must not lose the rest of it.
    """
    files = tuple(path for path in draft.files if _find_storable_path(path, root))
    # Redacted before it is cut: a part of a secret is not recognised as one.
    content = sanitize.cut_text(secrets.redact_secrets(draft.content)[0], config.CONTENT_BYTES_MAX)
    try:
        return sanitize_draft(replace(draft, content=content, files=files), root)
    except InvalidInput:
        return None


def sanitize_reason(text: str) -> str:
    """Sanitize a person's reason: redact secrets and cut it to one short line."""
    return sanitize.one_line(
        secrets.redact_secrets(sanitize.clean_text(cut_start(text, config.QUERY_CHARS_MAX)))[0], config.REASON_CHARS_MAX
    )


def _check_path(path: str, root: str) -> str:
    relative_path = paths.resolve_in_project(path, root) if root else _check_relative_path(path)
    if secrets.redact_path(relative_path) != relative_path:
        kinds = ", ".join(secrets.redact_secrets(relative_path)[1])
        about = f" ({kinds})" if kinds else ""
        raise InvalidInput(f"A path looks like a secret{about}.", "Paths are stored unchanged; rename it.")
    return relative_path


def _find_storable_path(path: str, root: str) -> str:
    """Return a path as it is stored; empty if it may not be."""
    try:
        return _check_path(path, root)
    except InvalidInput:
        return ""


def _build_summary(content: str, details: Details | None) -> str:
    """Build the line for agents: the content and the gist of its details, each within half of the limit if long.

    A reason is left out where it would cut the statement that it is for.
    """
    if isinstance(details, typed.ErrorFix) and details.error in content and details.fix in content:
        return _summarize_fix(details)
    gist = typed.details_summary(details, content)
    if not gist or gist in content:
        return sanitize.summarise_text(content, config.SUMMARY_CHARS_MAX)
    max_chars = config.SUMMARY_CHARS_MAX - 3
    if isinstance(details, typed.Decision | typed.CausalDependency) and len(content) + len(gist) > max_chars:
        return sanitize.summarise_text(content, config.SUMMARY_CHARS_MAX)
    added = sanitize.one_line(gist, max(max_chars // 2, max_chars - len(content)))
    return f"{sanitize.summarise_text(content, max_chars - len(added))} ({added})"


def _summarize_fix(details: typed.ErrorFix) -> str:
    """Summarize an error and its fix if the content says no more than that; the fix gets the space it needs."""
    fix = _FOLDERS.sub("", details.fix)
    max_chars = config.SUMMARY_CHARS_MAX - 4
    error = sanitize.one_line(details.error, max(max_chars // 3, max_chars - len(fix)))
    return f"“{error}”: {sanitize.one_line(fix, max_chars - len(error))}"


_FOLDERS = re.compile(r"(?<![\w/.])(?:[\w.@+-]{1,100}/){2,20}(?=[\w@+-])")
"""The folders of a path, which the files of the memory give in full."""


_SHA = re.compile(r"[0-9a-f]{0,64}")


def _redact_text(text: str, limit: int, label: str, secret_kinds: set[str]) -> str:
    cleaned, kinds = secrets.redact_secrets(sanitize.bounded_text(text, limit, label))
    secret_kinds.update(kinds)
    return secrets.redact_paths_in(cleaned)


def _redact_optional(text: str, secret_kinds: set[str]) -> str:
    return _redact_text(text, config.CONTENT_BYTES_MAX, "That field", secret_kinds) if text else ""


def _sanitize_branch(name: str) -> str:
    """Sanitize a branch name that is passed to git; empty if it is too long or contains a secret."""
    is_unfit = len(name) > config.PATH_CHARS_MAX or secrets.redact_path(name) != name or secrets.scan_secrets(name)
    return "" if is_unfit else sanitize.clean_text(name)


def _redact_work_unit(unit: WorkUnit | None, secret_kinds: set[str]) -> WorkUnit | None:
    if unit is None:
        return None
    path = tuple(_redact_optional(name, secret_kinds) for name in unit.path[: config.DETAIL_ITEMS_MAX])
    return WorkUnit(_redact_optional(unit.methodology, secret_kinds), path, _redact_optional(unit.label, secret_kinds))


def _redact_details(draft: Draft, secret_kinds: set[str]) -> Details | None:
    if draft.details is None:
        return None
    return memory_json.parse_details(draft.type, _redact_nested(memory_json.details_json(draft.details), secret_kinds))


def _redact_nested(value: Any, secret_kinds: set[str]) -> Any:
    if isinstance(value, str):
        cleaned, kinds = secrets.redact_secrets(sanitize.clean_text(value))
        secret_kinds.update(kinds)
        return secrets.redact_paths_in(secrets.redact_path(cleaned))
    if isinstance(value, list):
        return [_redact_nested(item, secret_kinds) for item in value]
    if isinstance(value, dict):
        return {key: _redact_nested(item, secret_kinds) for key, item in value.items()}
    return value


def _redact_names(names: tuple[str, ...], secret_kinds: set[str]) -> tuple[str, ...]:
    cleaned = (_redact_text(name, config.TAG_CHARS_MAX, "A tag or module", secret_kinds) for name in names)
    return tuple(dict.fromkeys(" ".join(name.split()) for name in cleaned))


def _limit_count(items: tuple[str, ...], max_count: int, noun: str) -> tuple[str, ...]:
    if len(items) > max_count:
        raise InvalidInput(f"A memory with {len(items)} {noun} has too many.", f"At most {max_count} {noun}.")
    return tuple(dict.fromkeys(items))


def _check_relative_path(path: str) -> str:
    if path.startswith(("/", "\\", "~")) or ".." in path.replace("\\", "/").split("/") or ":" in path[:2]:
        raise InvalidInput(f"{path[:80]!r} is outside the project.", "Give a path inside the project.")
    return sanitize.bounded_text(path, config.PATH_CHARS_MAX, "A path").replace("\\", "/")
