"""Import of rules files (CLAUDE.md, AGENTS.md): each rule becomes a memory for review, or updates or removes one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import IMPORTED_RULES_MAX, READER_ORIGIN, REASON_CHARS_MAX
from holloway.domain.memory import Memory, Source
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.promotion.own_repository import is_own_repository
from holloway.promotion.rules_files import file_kinds, lint_config
from holloway.promotion.rules_files import files as rules_files
from holloway.promotion.rules_files.drafts import draft_rule
from holloway.promotion.rules_files.files import CommittedFiles
from holloway.promotion.rules_files.markdown import ORIGIN, split_origin
from holloway.promotion.rules_files.project_documents import read_document_notes
from holloway.promotion.rules_files.split_blocks import split_rule_blocks
from holloway.safety.secrets import redact_secrets
from holloway.store.filter import Filter
from holloway.store.lifecycle import GONE
from holloway.store.lookup import NOTE_PREFIX, OBSERVED_PREFIX
from holloway.store.write_gate import sanitize_draft
from holloway.text.fingerprint import normalise_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.domain.memory import Draft
    from holloway.promotion.rules_files.markdown import RuleBlock
    from holloway.store.store import Store
    from holloway.store.write_gate import SanitizedDraft

SAME_RULE_MIN = 0.5
"""Minimum share of common words for a changed rule; below it, the text is a different rule."""
MODULE_SAMPLE = 20
PERSONS = frozenset({"edited", "restored", "pinned"})
"""Changes by which a person makes a memory their own: no rules file changes it any more."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule, and the change that an import makes to it."""

    path: str
    line: int
    heading: str
    content: str
    type: str
    state: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RulesImported:
    """The changes that reading the rules files made, or would make."""

    added: tuple[RuleChange, ...] = ()
    changed: tuple[RuleChange, ...] = ()
    removed: tuple[RuleChange, ...] = ()
    unchanged: int = 0
    refused: tuple[RuleChange, ...] = ()
    files: tuple[str, ...] = ()
    """The files that state a rule; a tool's configuration is read too, and often states no rule."""
    problems: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()


@dataclass
class _Plan:
    """The changes to make, collected before any is applied."""

    retired: dict[str, Memory]
    new: list[tuple[RuleBlock, SanitizedDraft]] = field(default_factory=list)
    changed: list[tuple[Memory, RuleBlock, SanitizedDraft]] = field(default_factory=list)
    moved: list[tuple[Memory, RuleBlock, SanitizedDraft]] = field(default_factory=list)
    persons: list[tuple[Memory, RuleBlock, SanitizedDraft]] = field(default_factory=list)
    gone: list[Memory] = field(default_factory=list)
    kept: int = 0
    refused: list[tuple[RuleBlock, str]] = field(default_factory=list)


def import_rules(store: Store, module_of: Callable[[str], str], *, dry_run: bool = False) -> RulesImported:
    """Read the project's rules files; unchanged rules change nothing, and what a person decided stands."""
    files = rules_files.find_rules_files(store.project.root)
    is_own = is_own_repository(str(store.project.root), store.clock.now().timestamp())
    drafted = [
        (block, _sanitize_rule(store, block, module_of, files.names, tracked=tracked, is_own=is_own))
        for block, tracked in _read_blocks(files)
    ]
    if dry_run:
        with store.database.read_snapshot():
            return _report(_plan_changes(store, drafted, files), files, drafted)
    with store.database.write_transaction():
        plan = _plan_changes(store, drafted, files)
        _apply_plan(store, plan)
    return _report(plan, files, drafted)


def _read_blocks(files: rules_files.RulesFiles) -> list[tuple[RuleBlock, bool]]:
    """Return every rule of the project in file order, and whether git has it."""
    tracked = CommittedFiles(files.root)
    read: list[tuple[RuleBlock, bool]] = []
    for text in file_kinds.read_rules_texts(files):
        committed_hashes = tracked.list_committed_hashes(text)
        read += [
            (block, committed_hashes is None or block.text_hash in committed_hashes)
            for block in split_rule_blocks(text)
        ]
    read += [(block, tracked.has_file(block.path)) for block in lint_config.read_lint_rules(files)]
    read += [(block, tracked.has_file(block.path)) for block in read_document_notes(files)]
    if len(read) > IMPORTED_RULES_MAX:
        files.problems["these files"] = f"they state {len(read):,} rules; the first {IMPORTED_RULES_MAX:,} are taken"
    return read[:IMPORTED_RULES_MAX]


def _sanitize_rule(
    store: Store, block: RuleBlock, module_of: Callable[[str], str], names: list[str], *, tracked: bool, is_own: bool
) -> SanitizedDraft | str:
    """Return the sanitized draft of a rule, or the reason why it cannot be stored."""
    root = str(store.project.root)
    draft = draft_rule(block, store.project.root, tracked=tracked, is_own=is_own)
    if isinstance(draft, str):
        return draft
    try:
        placed = replace(draft, modules=_modules(module_of, draft, names), branch=git.current_branch(root))
        return sanitize_draft(placed, root)
    except HollowayError as error:
        return error.message


def _modules(module_of: Callable[[str], str], draft: Draft, names: list[str]) -> tuple[str, ...]:
    """Return the module of a rule's files and folders, if they belong to a single one."""
    below = [name for path in draft.files for name in names if name == path or name.startswith(f"{path}/")]
    modules = {module_of(name) for name in below[:MODULE_SAMPLE]} - {""}
    return tuple(modules) if len(modules) == 1 else ()


def _plan_changes(
    store: Store, drafted: list[tuple[RuleBlock, SanitizedDraft | str]], files: rules_files.RulesFiles
) -> _Plan:
    plan = _Plan(retired=_index_by_mark(store, living=False))
    alive = _index_by_mark(store, living=True)
    places: dict[str, set[str]] = {}
    for block, _ in drafted:
        places.setdefault(block.text_hash, set()).add(block.path)
    once = {block.text_hash: (block, admitted) for block, admitted in reversed(drafted)}
    stored_texts = {normalise_text(memory.content) for memory in store.memories.find_memories(Filter(), -1)}
    for mark, (block, admitted) in sorted(once.items(), key=lambda entry: (entry[1][0].path, entry[1][0].line)):
        if isinstance(admitted, str):
            plan.refused.append((block, admitted))
        elif mark in alive:
            _keep_or_move(store, plan, alive[mark], block, admitted, places[mark])
        elif store.memories.is_rejected(admitted.draft.content):
            plan.refused.append((block, "you rejected it before"))
        elif mark not in plan.retired and normalise_text(admitted.draft.content) in stored_texts:
            plan.kept += 1
        else:
            plan.new.append((block, admitted))
    if "these files" not in files.problems:
        removed = [memory for mark, memory in alive.items() if mark not in places and _is_gone(memory, files)]
        _pair_changed(store, plan, removed)
    return plan


def _index_by_mark(store: Store, *, living: bool) -> dict[str, Memory]:
    """Return memories from rules files by block hash: the active ones, or the latest of the retired ones."""
    rules = Filter(sources=(Source.RULES_FILE,))
    memories = store.memories.find_memories(rules, -1)
    if not living:
        memories = store.memories.find_memories(replace(rules, superseded=True), -1)
        memories = [memory for memory in memories if not memory.is_alive]
        memories += store.memories.find_memories(replace(rules, superseded=True, deleted=True), -1)
    return {split_origin(memory.origin)[1]: memory for memory in reversed(memories) if memory.origin.startswith(ORIGIN)}


def _keep_or_move(
    store: Store, plan: _Plan, memory: Memory, block: RuleBlock, admitted: SanitizedDraft, places: set[str]
) -> None:
    """Plan a known rule: it is kept, or moved if its place changed."""
    elsewhere = split_origin(memory.origin)[0] not in places
    other_files = split_origin(memory.origin)[0] == block.path and memory.files != admitted.draft.files
    if (elsewhere or other_files) and not _is_edited(store, memory):
        plan.moved.append((memory, block, admitted))
    else:
        plan.kept += 1


def _is_gone(memory: Memory, files: rules_files.RulesFiles) -> bool:
    """Return whether the file no longer states the rule or does not exist; False if it could not be read."""
    path = split_origin(memory.origin)[0]
    if path in files.problems:
        return False
    return path in files.read or not (files.root / path).exists()


def _pair_changed(store: Store, plan: _Plan, removed: list[Memory]) -> None:
    """Match removed rules with similar new ones of the same file, as changed rules."""
    for old in removed:
        persons = _is_edited(store, old)
        alike = [
            (_similarity(store, old, block), at) for at, (block, _) in enumerate(plan.new) if _is_same_file(old, block)
        ]
        best, at = max(alike, default=(0.0, -1))
        if best < SAME_RULE_MIN:
            plan.gone += [] if persons else [old]
            plan.kept += int(persons)
            continue
        block, admitted = plan.new.pop(at)
        (plan.persons if persons else plan.changed).append((old, block, admitted))


def _is_same_file(old: Memory, block: RuleBlock) -> bool:
    return split_origin(old.origin)[0] == block.path


def _similarity(store: Store, old: Memory, block: RuleBlock) -> float:
    """Return the share of common words of a memory and a block; for an edited memory also its original text."""
    edits = [detail for _, kind, detail in store.memories.get_history(old.id) if kind == "edited"]
    new = frozenset(normalise_text(block.text).split())
    words = [frozenset(normalise_text(text).split()) for text in (old.content, *edits[:1])]
    return max(len(old_words & new) / max(1, len(old_words | new)) for old_words in words)


def _is_edited(store: Store, memory: Memory) -> bool:
    return any(kind in PERSONS for _, kind, _ in store.memories.get_history(memory.id))


def _apply_plan(store: Store, plan: _Plan) -> None:
    memories, now = store.memories, format_stamp(store.clock.now())
    for block, admitted in plan.new:
        if not _restore_returned(store, plan, block):
            memories.add_memory(admitted)
    for old, block, admitted in plan.changed:
        if returned := _restore_returned(store, plan, block):
            memories.update_memory(old, "replaced", f"by {returned.id}", superseded_by=returned.id, review=None)
        else:
            memories.supersede_memory(
                old, admitted, "replaced", f"{block.path} now says: {block.text[:REASON_CHARS_MAX]}"
            )
    for old, block, admitted in plan.moved:
        memories.update_memory(old, "moved", f"now in {block.path}", origin=block.origin, files=admitted.draft.files)
    for old, block, _ in plan.persons:
        reason = f"{block.path} now says: {block.text[:REASON_CHARS_MAX]}"
        memories.update_memory(old, "rule changed", reason, origin=block.origin)
    for old in plan.gone:
        memories.update_memory(old, "removed", GONE, deleted_at=now, deleted_reason=GONE, review=None)


def _restore_returned(store: Store, plan: _Plan, block: RuleBlock) -> Memory | None:
    """Restore the retired memory of a rule that is stated again, instead of storing a duplicate; None without one."""
    if (old := plan.retired.get(block.text_hash)) is None:
        return None
    fields = {"deleted_at": "", "deleted_reason": "", "superseded_by": "", "origin": block.origin}
    now = format_stamp(store.clock.now())
    return store.memories.update_memory(old, "returned", f"{block.path} says it again", last_used_at=now, **fields)


def _report(
    plan: _Plan, files: rules_files.RulesFiles, drafted: list[tuple[RuleBlock, SanitizedDraft | str]]
) -> RulesImported:
    changed = [(block, admitted) for _, block, admitted in plan.changed + plan.moved]
    stored_rules = [*plan.new, *changed]
    return RulesImported(
        added=tuple(_describe_change(block, admitted.draft) for block, admitted in plan.new),
        changed=tuple(_describe_change(block, admitted.draft) for block, admitted in changed),
        removed=tuple(
            RuleChange(split_origin(old.origin)[0], 0, "", old.content, old.type, reason=GONE) for old in plan.gone
        ),
        unchanged=plan.kept + len(plan.persons),
        refused=tuple(
            RuleChange(block.path, block.line, block.heading, redact_secrets(block.text)[0], "", reason=reason)
            for block, reason in plan.refused
        ),
        files=tuple(sorted({block.path for block, _ in drafted})),
        problems=tuple(f"{path}: {problem}" for path, problem in sorted(files.problems.items())),
        redacted=tuple(sorted({kind for _, admitted in stored_rules for kind in admitted.redacted})),
    )


def _describe_change(block: RuleBlock, draft: Draft) -> RuleChange:
    return RuleChange(block.path, block.line, block.heading, draft.content, draft.type, str(draft.state or ""))


def list_waiting(store: Store, path: str) -> list[Memory]:
    """Return the memories that were read from one rules file and wait for a person."""
    waiting = store.memories.find_memories(Filter(sources=(Source.RULES_FILE,), to_review=True), -1)
    return [memory for memory in waiting if split_origin(memory.origin)[0] == path]


def describe_origin(memory: Memory) -> str:
    """Return the origin of a memory for people: file and heading of a rule, nothing for an observation."""
    path = split_origin(memory.origin)[0]
    if path:
        return f"{path}, under {memory.tags[0]!r}" if memory.tags else path
    if memory.origin.startswith(NOTE_PREFIX):
        host, _, name = memory.origin.removeprefix(NOTE_PREFIX).rpartition("#")[0].partition(":")
        return f"a note of {host} ({name})"
    if memory.origin.startswith(READER_ORIGIN):
        return f"proposed by the reader, session of {memory.stated_at[:10]}" if memory.stated_at else "the reader"
    return "" if memory.origin.startswith(OBSERVED_PREFIX) else memory.origin
