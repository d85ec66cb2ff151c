"""Teaching, correcting and reviewing memories: all changes that a person makes to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway import config, git
from holloway.domain import confidence, memory_json
from holloway.domain.memory import (
    Draft,
    Memory,
    MemoryType,
    Relation,
    RelationType,
    ReviewReason,
    Source,
    State,
    Visibility,
    WrongReason,
    as_tuple,
    parse_choice,
)
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.promotion.related_memories import raise_confidence
from holloway.promotion.standing_rules import BRANCH_INDEPENDENT_TYPES
from holloway.promotion.taught_memory import CLOSE_SHOWN, Inferred, add_conflicts, find_duplicate, infer
from holloway.retrieval.duplicate_detection import find_similar_memories
from holloway.service.project_paths import existing_files
from holloway.sharing.published_folder import list_usual_files
from holloway.sharing.recorder import Recorder, finish_erasure
from holloway.store import (
    branches,
    candidates,
    contributions,
    excluded_memories,
    privacy,
    readings,
    registry,
    session_ledger,
    told_texts,
)
from holloway.store.filter import Filter
from holloway.store.memories import HUMAN_SOURCES, UnknownMemory
from holloway.store.text_traces import TextTraces
from holloway.store.write_gate import sanitize_draft, sanitize_reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.retrieval.duplicate_detection import SimilarMemory
    from holloway.service.open_project import OpenProject
    from holloway.store.candidates import StoredCandidate
    from holloway.store.project import Project
    from holloway.store.store import Store


RELATIONS_BY_HAND = (RelationType.REQUIRED_WITH, RelationType.VALIDATES)
CHANGEABLE = ("content", "summary", "type", "files", "modules", "tags", "details", "visibility", "half_life_days")
HALF_LIFE_DAYS_MIN, HALF_LIFE_DAYS_MAX = 1, 3_650


def _parse_visibility(word: Visibility | str | None, source: Source) -> Visibility:
    """Return a visibility; without a word, what a person says is personal and what was learned is the project's."""
    usual = Visibility.PERSONAL if source in HUMAN_SOURCES else Visibility.PROJECT
    return parse_choice(Visibility, word or usual)


def _check_half_life(days: float) -> float:
    if not HALF_LIFE_DAYS_MIN <= days <= HALF_LIFE_DAYS_MAX:
        limits = f"Between {HALF_LIFE_DAYS_MIN} and {HALF_LIFE_DAYS_MAX:,} days; a pinned memory does not decay."
        raise InvalidInput(f"A half-life of {days:g} days is not possible.", limits)
    return days


@dataclass(frozen=True, slots=True)
class Remembered:
    """The outcome of teaching a sentence."""

    outcome: str
    memory: Memory | None
    redacted: tuple[str, ...]
    inferred: Inferred
    close: tuple[SimilarMemory, ...] = ()
    """Memories that say almost the same, or contradict it; they were not changed."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The forgotten memories, and the places that could not be cleaned yet."""

    memories: tuple[Memory, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of a memory: its sources, history and uses."""

    memory: Memory
    history: tuple[tuple[str, str, str], ...]
    shown: tuple[tuple[str, str, str], ...]
    replaced: tuple[Memory, ...]
    seen: tuple[StoredCandidate, ...] = ()
    """Candidates from sessions that it was created from, or that agreed with it."""


class MemoryEditor:
    """Changes the memories of one open project."""

    def __init__(self, opened: OpenProject) -> None:
        self._opened = opened

    def remember(
        self,
        content: str,
        *,
        type: MemoryType | str | None = None,  # noqa: A002  (the word that every command and field uses)
        files: Sequence[str] | None = None,
        modules: Sequence[str] = (),
        tags: Sequence[str] = (),
        details: Mapping[str, object] | None = None,
        summary: str = "",
        pin: bool = False,
        everywhere: bool = False,
        user: bool = False,
        visibility: Visibility | str | None = None,
        source: Source = Source.USER_TAUGHT,
        agent: str = "",
        session: str = "",
        where: Path | None = None,
    ) -> Remembered:
        """Teach a memory; type, files and module are inferred if not given. Raises InvalidInput for a missing file."""
        if user and files:
            raise InvalidInput("A --user memory cannot be tied to a file.", "Leave out --file or --user.")
        existing_paths = existing_files(self._opened.project, files or (), where)
        inferred = Inferred()
        if not user:
            module_of = self._opened.map.module_of
            inferred = infer(
                content, self._opened.project.root, module_of, has_type=type is not None, files=existing_paths
            )
        memory_type = parse_choice(MemoryType, type) if type is not None else inferred.type or MemoryType.PREFERENCE
        draft = Draft(
            content=content,
            type=memory_type,
            summary=summary,
            details=memory_json.parse_details(memory_type, details),
            files=existing_paths or inferred.files,
            modules=as_tuple("modules", modules) or ((inferred.module,) if inferred.module else ()),
            tags=as_tuple("tags", tags),
            visibility=Visibility.PERSONAL if user else _parse_visibility(visibility, source),
            chosen=visibility is not None and not user,
            source=source,
            pinned=pin,
            agent=agent,
            session=session,
        )
        store = self._opened.user if user else self._opened.store
        similar_memories = find_similar_memories(store, content)
        draft = add_conflicts(draft, similar_memories)
        placed = draft if user else self._placed(draft, everywhere=everywhere)
        admitted = sanitize_draft(placed, "" if user else str(self._opened.project.root))
        duplicate = find_duplicate(placed, similar_memories)
        added = (
            store.memories.reinforce_similar(duplicate, admitted) if duplicate else store.memories.add_memory(admitted)
        )
        reinforced_memory = added.memory if added.outcome == "reinforced" and source in HUMAN_SOURCES else None
        if reinforced_memory and (type is not None or summary or details or visibility):
            edited_memory, _ = self.edit(
                reinforced_memory.id,
                type=type,
                summary=summary or None,
                details=details,
                visibility=visibility or None,
            )
            added = replace(added, memory=edited_memory)
        other_memories = [
            similar for similar in similar_memories if added.memory is None or similar.memory.id != added.memory.id
        ]
        return Remembered(added.outcome, added.memory, added.redacted, inferred, tuple(other_memories[:CLOSE_SHOWN]))

    def _placed(self, draft: Draft, *, everywhere: bool) -> Draft:
        """Return a draft with the current commit and branch; a rule or convention holds on all branches."""
        root = str(self._opened.project.root)
        unmerged = branches.record_current_branch(self._opened.store.database, root)
        apart = (
            everywhere
            or draft.type in BRANCH_INDEPENDENT_TYPES
            or self._opened.settings.get_text("branch_scope") == "everywhere"
        )
        return replace(
            draft, branch=self._opened.branch, branch_only="" if apart else unmerged, commit=git.head_commit(root)
        )

    def edit(
        self,
        reference: str,
        *,
        where: Path | None = None,
        everywhere: bool = False,
        is_choice: bool = True,
        **changes: Any,
    ) -> tuple[Memory, tuple[str, ...]]:
        """Change the fields of a memory that a person may change; its history keeps the old text.

        New content counts as confirmed, because a person wrote it. A visibility that is given counts as chosen, also if
        it is the one that the memory has; without `is_choice` it does not, as when a choice is undone. Returns the
        memory and the redacted secrets.
        """
        store, old = self._opened.find_living(reference)
        if unknown := [name for name in changes if name not in CHANGEABLE]:
            raise InvalidInput(f"{unknown[0]} is nothing to change.", f"Known: {', '.join(CHANGEABLE)}.")
        values = {name: value for name, value in changes.items() if value is not None}
        if "files" in values:
            values["files"] = existing_files(self._opened.project, values["files"], where)
        memory_type = parse_choice(MemoryType, values.get("type", old.type))
        keeps_details = memory_type is old.type and "details" not in values
        draft = Draft(
            content=values.get("content", old.content),
            type=memory_type,
            summary=values.get("summary", "" if "content" in values else old.summary),
            details=old.details if keeps_details else memory_json.parse_details(memory_type, values.get("details")),
            files=tuple(values.get("files", old.files)),
            modules=as_tuple("modules", values.get("modules", old.modules)),
            tags=as_tuple("tags", values.get("tags", old.tags)),
            visibility=parse_choice(Visibility, values.get("visibility", old.visibility)),
        )
        admitted = sanitize_draft(draft, "" if store is not self._opened.store else str(self._opened.project.root))
        names = {*values, "details", "summary"} if {"content", "type"} & set(values) else set(values)
        fields: dict[str, Any] = {name: getattr(admitted.draft, name) for name in names - {"half_life_days"}}
        if {"content", "files"} & set(values):
            links = [relation for relation in old.relations if relation.type is not RelationType.NAMES]
            fields["relations"] = (*links, *admitted.draft.relations)
        if "visibility" in values:
            fields["chosen"] = is_choice
        if everywhere:
            fields["branch_only"] = ""
        if "type" in values:
            fields["half_life_days"] = confidence.HALF_LIFE_DAYS[memory_type]
        if "half_life_days" in values:
            fields["half_life_days"] = _check_half_life(values["half_life_days"])
        if "content" in values:
            now = format_stamp(self._opened.clock.now())
            fields |= {"state": State.CONFIRMED, "review": None, "stale_at": "", "last_used_at": now}
            if old.state is not State.CONFIRMED:
                fields["confidence"] = confidence.confirm_confidence(old.confidence)
        rewritten = admitted.draft.content != old.content
        change_note = old.content if rewritten else ", ".join(sorted(values))
        return store.memories.update_memory(old, "edited", change_note, **fields), admitted.redacted

    def relate(self, reference: str, kind: RelationType | str, other: str) -> Memory:
        """Relate a memory to another one that it requires or validates; returns the memory with the relation.

        A required memory comes along whenever the first is told; a validated one gains confidence, once. Raises
        InvalidInput for another kind of relation, and for memories of different stores.
        """
        store, memory = self._opened.find_living(reference)
        other_store, other_memory = self._opened.find_living(other)
        chosen = parse_choice(RelationType, kind)
        if chosen not in RELATIONS_BY_HAND:
            raise InvalidInput(f"{chosen} is not made by hand.", f"Known: {', '.join(RELATIONS_BY_HAND)}.")
        if store is not other_store or memory.id == other_memory.id:
            raise InvalidInput(f"{memory.id} cannot be related to {other_memory.id}.", "Name two of this project.")
        relation = Relation(chosen, memory=other_memory.id)
        if any((relation.type, relation.memory) == (chosen, other_memory.id) for relation in memory.relations):
            return memory
        with store.database.write_transaction():
            if chosen is RelationType.VALIDATES:
                raise_confidence(store, memory.id, other_memory)
            relations = (*memory.relations, relation)
            return store.memories.update_memory(memory, "related", f"{chosen} {other_memory.id}", relations=relations)

    def pin(self, reference: str, *, on: bool = True) -> Memory:
        """Keep a memory from decaying, or let it decay again."""
        store, memory = self._opened.find_living(reference)
        return store.memories.update_memory(memory, "pinned" if on else "unpinned", pinned=on)

    def mute(self, reference: str, *, on: bool = True) -> Memory:
        """Never tell agents a memory unasked, or tell it again; searches find it in either case."""
        store, memory = self._opened.find_living(reference)
        return store.memories.update_memory(memory, "muted" if on else "unmuted", muted=on)

    def confirm(self, reference: str) -> Memory:
        """Confirm that a memory is right, as a person; this is the only way out of quarantine."""
        store, memory = self._opened.find_living(reference)
        return store.memories.update_memory(
            memory,
            "confirmed",
            state=State.CONFIRMED,
            confidence=confidence.confirm_confidence(memory.confidence),
            review=None,
            stale_at="",
            last_used_at=format_stamp(self._opened.clock.now()),
        )

    def wrong(self, reference: str, reason: WrongReason | str, *, note: str = "", instead: str = "") -> Memory:
        """End a wrong memory at once; each reason has its own effect.

        `outdated` and `incorrect` set it aside, and the text in `instead` replaces it; the old one stays readable.
        `partly` edits it in place, and its history keeps the difference. `not_here` ends it in this project; one of
        all projects stays in the others. Memories that were derived from it wait for a review. Returns the memory that
        holds now, or the old one. Raises InvalidInput if `partly` has no text, or `not_here` has one.
        """
        store, memory = self._opened.find_living(reference)
        why = parse_choice(WrongReason, reason)
        if why is WrongReason.PARTLY and not instead:
            hint = f'Give it: `holloway wrong {memory.id} --reason partly "..."`, or use --reason incorrect.'
            raise InvalidInput("The right text is missing; nothing was changed.", hint)
        if why is WrongReason.NOT_HERE and instead:
            raise InvalidInput(
                "A memory that does not apply here cannot be replaced.", "Teach the text with `holloway remember`."
            )
        full_reason = f"{why}" + (f": {sanitize_reason(note)}" if note else "")
        self._review_derived(memory, full_reason)
        if why is WrongReason.PARTLY:
            return self._correct_part(memory, full_reason, instead)
        if why is WrongReason.NOT_HERE and store is not self._opened.store:
            excluded_memories.exclude_memory(self._opened.store, memory.id)
            store.memories.add_history(memory.id, "excluded", f"{self._opened.project.name}: {full_reason}")
            return memory
        if not instead:
            return self._set_aside(store, memory, "wrong", full_reason)
        draft = Draft(
            content=instead,
            type=memory.type,
            details=memory.details if memory.type in memory_json.NEEDED else None,
            files=memory.files,
            modules=memory.modules,
            tags=memory.tags,
            visibility=memory.visibility,
            chosen=memory.chosen,
            branch=self._opened.branch,
            branch_only=memory.branch_only,
            commit=git.head_commit(str(self._opened.project.root)),
            pinned=memory.pinned,
        )
        with store.database.write_transaction():
            store.memories.reject_memory(memory, f"wrong: {why}")
            return store.memories.supersede_memory(memory, sanitize_draft(draft), "wrong", full_reason)

    def _correct_part(self, memory: Memory, reason: str, instead: str) -> Memory:
        """Edit a memory of which a part is wrong; its history keeps the old text and the reason."""
        store = self._opened.find_living(memory.id)[0]
        with store.database.write_transaction():
            edited = self.edit(memory.id, content=instead)[0]
            store.memories.add_history(memory.id, "wrong", reason)
        return edited

    def _review_derived(self, memory: Memory, reason: str) -> None:
        """Have a person review the memories that were derived from a wrong one."""
        for store in self._opened.stores():
            for derived in store.memories.find_related(RelationType.DERIVED_FROM, memory.id):
                fields = {"review": ReviewReason.DISPUTED, "review_after": ""}
                store.memories.update_memory(derived, "disputed", f"{memory.id} is {reason}", **fields)

    def _set_aside(self, store: Store, memory: Memory, kind: str, reason: str, at: str = "") -> Memory:
        moment = at or format_stamp(self._opened.clock.now())
        with store.database.write_transaction():
            store.memories.reject_memory(memory, kind)
            return store.memories.update_memory(
                memory, kind, reason, deleted_at=moment, deleted_reason=f"{kind}: {reason}", review=None
            )

    def chosen(
        self, references: Sequence[str] = (), *, session: str = "", source: str = "", everything: bool = False
    ) -> list[Memory]:
        """Return the chosen memories: by id, by session, by source (its kind, file or address), or all."""
        if references:
            return list({memory.uid: memory for memory in map(self._opened.get, references)}.values())
        kind = (Source(source),) if source in set(Source) else ()
        wanted = Filter(session=session, origin="" if kind else source, sources=kind, superseded=True)
        if not (session or source or everything):
            raise InvalidInput("Nothing was chosen.", "Give an id, --session, --source or --all.")
        alive = self._opened.store.memories.find_memories(wanted, limit=-1)
        return alive + self._opened.store.memories.find_memories(replace(wanted, deleted=True), limit=-1)

    def forget(self, memories: Sequence[Memory | str], *, hard: bool = False) -> Forgotten:
        """Forget memories, given as such or by id: recoverable for thirty days, or erased completely with `hard`."""
        at = format_stamp(self._opened.clock.now())
        memories_or_ids = as_tuple("memories", memories)
        owners = [
            self._opened.find_memory(memory_or_id if isinstance(memory_or_id, str) else memory_or_id.id)
            for memory_or_id in memories_or_ids
        ]
        if hard:
            return self._erase(owners)
        for store in self._opened.stores():
            stored_memories = [memory for owner, memory in owners if owner is store]
            with store.database.write_transaction():
                for memory in stored_memories:
                    if not memory.deleted_at:
                        self._set_aside(store, memory, "forgotten", "by a person", at)
        return Forgotten(tuple(memory for _, memory in owners))

    def forget_session(self, session: str) -> None:
        """Erase what a session was told, and what a reader's queue and answers have of it; it is not read again."""
        database = self._opened.store.database
        sessions = [summary.id for summary in session_ledger.find_sessions(database, session)]
        readings.forget_readings(database, sessions, format_stamp(self._opened.clock.now()))
        told_texts.forget_session_texts(database, self._opened.project.folder, [session, *sessions])

    def _erase(self, owners: Sequence[tuple[Store, Memory]]) -> Forgotten:
        """Erase memories and what the stores repeat of them; name the exported blocks that still have their text."""
        memories_by_store = [
            (store, [memory for owner, memory in owners if owner is store]) for store in self._opened.stores()
        ]
        traces = TextTraces(
            {text for store, memories in memories_by_store for text in privacy.collect_texts(store, memories)}
        )
        left: list[str] = []
        for store, memories in memories_by_store:
            shared_names = Recorder(store).record_erasure(memories)
            left += privacy.erase_memories(store, memories, traces)
            left += finish_erasure(store, shared_names)
        left += _list_exports(self._opened.project, traces)
        return Forgotten(tuple(memory for _, memory in owners), tuple(left))

    def restore(self, reference: str) -> Memory:
        """Restore a memory that was forgotten, pruned or judged wrong; its replacement is withdrawn."""
        store, memory = self._opened.find_memory(reference)
        if memory.is_alive and excluded_memories.readmit_memory(self._opened.store, memory.id):
            return memory
        if memory.is_alive:
            raise InvalidInput(f"{memory.id} is not forgotten.", f"`holloway show {memory.id}` shows it.")
        with store.database.write_transaction():
            store.memories.unreject_memory(memory)
            fields = {"deleted_at": "", "deleted_reason": "", "last_used_at": format_stamp(self._opened.clock.now())}
            if not memory.deleted_at:
                self._withdraw(store, memory.superseded_by)
                fields["superseded_by"] = ""
            return store.memories.update_memory(memory, "restored", **fields)

    def _withdraw(self, store: Store, memory_id: str) -> None:
        """Set a replacement aside, because the memory that it replaced was restored."""
        try:
            replacement = store.memories.get_memory(memory_id)
        except UnknownMemory:
            return
        if replacement.is_alive:
            fields = {
                "deleted_at": format_stamp(self._opened.clock.now()),
                "deleted_reason": "withdrawn: what it replaced was restored",
            }
            store.memories.update_memory(replacement, "withdrawn", **fields)

    def last_forgotten(self) -> list[Memory]:
        """Return the memories set aside by the latest `forget`, or by `wrong` without a replacement."""
        gone_by_person = ("forgotten", "wrong")
        forgotten = [
            memory
            for store in self._opened.stores()
            for memory in store.memories.find_memories(Filter(deleted=True, superseded=True), limit=-1)
            if memory.deleted_reason.startswith(gone_by_person)
        ]
        latest = max((memory.deleted_at for memory in forgotten), default="")
        return [memory for memory in forgotten if memory.deleted_at == latest]

    def to_review(self, limit: int = config.SEARCH_RESULTS_MAX) -> list[Memory]:
        """Return the memories that wait for a person's review, quarantined first."""
        memories = [
            memory
            for store in self._opened.stores()
            for memory in store.memories.find_memories(self._due(), limit, "waiting")
        ]
        return memories[:limit]

    def count_to_review(self) -> int:
        """Return how many memories and statements of agents about the map wait for a person's review today."""
        proposals = contributions.list_proposals(self._opened.store.database)
        return sum(store.memories.count_memories(self._due()) for store in self._opened.stores()) + len(proposals)

    def _due(self) -> Filter:
        return Filter(to_review=True, due=format_stamp(self._opened.clock.now()))

    def later(self, reference: str, days: int = 1) -> Memory:
        """Postpone the review of a memory by some days."""
        store, memory = self._opened.find_living(reference)
        return store.memories.update_memory(
            memory, "postponed", review_after=format_stamp(self._opened.clock.now() + timedelta(days=days))
        )

    def times_shown(self, reference: str) -> int:
        """Return how often agents were shown a memory, once per session and context."""
        store, memory = self._opened.find_memory(reference)
        return session_ledger.count_injections(store.database, memory.id)

    def why(self, reference: str) -> Provenance:
        """Return where a memory comes from, what happened to it, and which agents were shown it."""
        store, memory = self._opened.find_memory(reference)
        wanted = [relation.memory for relation in memory.relations if relation.type == "supersedes"]
        superseded = [store.memories.get_memory(old) for old in wanted if store.memories.has_memory(old)]
        replaced = [old for old in superseded if not old.deleted_at]
        injections = session_ledger.list_memory_injections(store.database, memory.id)
        memory_candidates = candidates.list_memory_candidates(store.database, memory.id)
        history = store.memories.get_history(memory.id)
        return Provenance(memory, tuple(history), tuple(injections), tuple(replaced), tuple(memory_candidates))


def _list_exports(project: Project, traces: TextTraces) -> list[str]:
    """Name the blocks that `export --to` wrote into rules files and that have a part of an erased text."""
    from holloway.install.uninstall import find_blocks  # only for a hard forget

    roots = [Path(root) for root in registry.read_project(str(project.folder))["roots"]]
    roots = [root for root in roots if root.is_dir()]
    blocks = (block for root in roots for block in find_blocks(root))
    exports = [
        f"{block.path}, whose exported block has the text (`holloway export --to {block.path.name}` renews it)"
        for block in blocks
        if traces.occur_in(block.path.read_bytes().decode("utf-8", "replace"))
    ]
    published = (path for root in roots for path in list_usual_files(root))
    return exports + [
        f"{path}, which publishes the text (`holloway publish` takes it out)"
        for path in published
        if traces.occur_in(path.read_bytes().decode("utf-8", "replace"))
    ]
