"""The memory of a project, as everything outside the core uses it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from holloway import config, git
from holloway.codemap.reading.files import names
from holloway.domain import confidence
from holloway.domain import details as typed
from holloway.domain.memory import (
    Draft,
    Memory,
    MemoryType,
    Source,
    State,
    Visibility,
    WrongReason,
    choice,
)
from holloway.domain.ports import RandomIds, SystemClock, stamp
from holloway.domain.work import Phase
from holloway.errors import HollowayError, InvalidInput
from holloway.injection.session_start import Brief, brief
from holloway.injection.work import in_brief
from holloway.retrieval.novelty import closest
from holloway.retrieval.query import understand
from holloway.safety import paths
from holloway.service.invocation import invocation
from holloway.service.mapping import CodeMap
from holloway.service.results import Forgotten, Provenance, Remembered
from holloway.service.searching import Searching
from holloway.service.teaching import CLOSE_SHOWN, Inferred, against, infer, same
from holloway.store import branches, candidates, lifecycle, lookup, privacy, sessions, vectors
from holloway.store import project as projects
from holloway.store.database import BUSY_TIMEOUT_MS
from holloway.store.filter import Filter
from holloway.store.intake import admit, reason_text
from holloway.store.lifecycle import Pruned
from holloway.store.memories import HUMAN, Unknown
from holloway.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.ports import Clock, Ids
    from holloway.domain.session import SessionType
    from holloway.retrieval.recall import Result
    from holloway.service.session import Session
    from holloway.store.memories import Added
    from holloway.store.project import Project

RULES = (MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.PREFERENCE)
TRAPS = (MemoryType.GOTCHA, MemoryType.DEAD_END, MemoryType.ERROR_PATTERN)


class Holloway:
    """One project's memory, with the user's own beside it. Use it as a context manager, or call `close`."""

    def __init__(
        self,
        project: Project,
        home: Path,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        settle: bool = True,
    ) -> None:
        self.project = project
        self.home = home
        self.clock = clock or SystemClock()
        self._ids = ids or RandomIds()
        self.settings = config.Settings.load(project.key, str(home))
        self._synchronous = self.settings.text("synchronous")
        self._busy_timeout_ms = busy_timeout_ms
        self.store = self._opened(project)
        self._user: Store | None = None
        self._at_close: list[Callable[[], None]] = []
        if settle:
            try:
                self.settle()
            except BaseException:
                self.close()
                raise

    def settle(self) -> None:
        """Bring what others left behind up to date: uses that hooks noted, branches that were merged."""
        for store in self.stores():
            lifecycle.count_uses(store.database)
        branches.release_merged(self.store.database, str(self.project.root), self.clock.now())
        privacy.drop_old_journals(self.project.journal, self.clock.now())
        self.store.note("trust_level", self.settings.stored("trust_level"))

    @property
    def user(self) -> Store:
        """The store of what holds in every project of this user."""
        if self._user is None:
            self._user = self._opened(projects.user_project(self.home))
        return self._user

    def _opened(self, project: Project) -> Store:
        return Store(
            project,
            synchronous=self._synchronous,
            busy_timeout_ms=self._busy_timeout_ms,
            clock=self.clock,
            ids=self._ids,
        )

    def stores(self) -> list[Store]:
        """This project's store, and the user's own where there is one."""
        return [self.store, self.user] if projects.user_project(self.home).database.exists() else [self.store]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self.store.close()
        if self._user is not None:
            self._user.close()
        while self._at_close:
            self._at_close.pop()()

    def at_close(self, chore: Callable[[], None]) -> None:
        """Have something done when this memory is closed."""
        self._at_close.append(chore)

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
        visibility: Visibility | str = Visibility.PROJECT,
        source: Source = Source.USER_TAUGHT,
        agent: str = "",
        session: str = "",
        where: Path | None = None,
    ) -> Remembered:
        """Teach something. Type, files and module are inferred where they are not given."""
        if user and files:
            raise InvalidInput("What holds in every project is about no file.", "Leave out --file or --user.")
        given = self._existing(files or (), where)
        inferred = Inferred()
        if not user:
            module_of = self.map.module_of
            inferred = infer(content, self.project.root, module_of, has_type=type is not None, files=given)
        memory_type = choice(MemoryType, type) if type is not None else inferred.type or MemoryType.PREFERENCE
        draft = Draft(
            content=content,
            type=memory_type,
            summary=summary,
            details=typed.parse(memory_type, details),
            files=given or inferred.files,
            modules=tuple(modules) or ((inferred.module,) if inferred.module else ()),
            tags=tuple(tags),
            visibility=Visibility.PERSONAL if user else choice(Visibility, visibility),
            source=source,
            pinned=pin,
            agent=agent,
            session=session,
        )
        close = closest(self.user if user else self.store, content)
        if (twin := same(draft, close)) is not None:
            added = self.store.memories.agree(twin, admit(draft, str(self.project.root)))
        else:
            added = self._add(against(draft, close), user=user, everywhere=everywhere)
        known = added.memory if added.outcome == "reinforced" and source in HUMAN else None
        if known and (type is not None or summary or details):
            said = self.edit(known.id, type=type, summary=summary or None, details=details)[0]
            added = replace(added, memory=said)
        near = tuple(one for one in close if added.memory is None or one.memory.id != added.memory.id)
        return Remembered(added.outcome, added.memory, added.redacted, inferred, near[:CLOSE_SHOWN])

    def _existing(self, files: Sequence[str], where: Path | None = None) -> tuple[str, ...]:
        """The files relative to the project; one that is not there is an error that names the closest."""
        return tuple(self._existing_file(path, where) for path in files)

    def _existing_file(self, given: str, where: Path | None) -> str:
        path = self.path_of(given, where)
        if (self.project.root / path).exists():
            return path
        close = get_close_matches(path, names(self.project.root), n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Paths are taken from {where or self.project.root}."
        raise InvalidInput(f"{given} does not exist in {self.project.name}.", hint)

    def path_of(self, given: str, where: Path | None = None) -> str:
        """A path as the project names it: from where the caller stands if there is such a file, else from the root."""
        root = self.project.root
        found = [paths.relative(given, str(root), str(start)) for start in (where or root, root)]
        return next((path for path in found if (root / path).exists()), found[-1])

    def _add(self, draft: Draft, *, user: bool, everywhere: bool) -> Added:
        if user:
            return self.user.memories.add(admit(draft))
        root = str(self.project.root)
        unmerged = branches.note(self.store.database, root)
        apart = everywhere or draft.type is MemoryType.PREFERENCE or self.settings.text("branch_scope") == "everywhere"
        placed = replace(draft, branch=self.branch, branch_only="" if apart else unmerged, commit=git.head_commit(root))
        return self.store.memories.add(admit(placed, root))

    def recall(
        self,
        query: str,
        *,
        chosen: Filter | None = None,
        limit: int = 10,
        phase: Phase | str | None = None,
        files: Sequence[str] = (),
    ) -> list[Result]:
        """The memories that answer a question, best first; what is quarantined only if the filter asks for it.

        `files` are in play: memories on them and near them count more. `phase` prefers the types that it needs.
        Each result says in `stages` what every stage made of it.
        """
        wanted = chosen or Filter(quarantined=False, branch=self.branch)
        asked = understand(query, files=tuple(self.path_of(path) for path in files))
        return self.searching.ask(self.stores(), asked, wanted, limit, phase=choice(Phase, phase) if phase else None)

    def recall_everywhere(
        self, query: str, *, chosen: Filter | None = None, limit: int = 10
    ) -> tuple[list[Result], list[HollowayError]]:
        """As `recall`, over every project on this machine; a project that cannot be read is told of, not fatal."""
        found, unread = self.recall(query, chosen=chosen, limit=limit), []
        elsewhere = replace(chosen or Filter(quarantined=False), branch="")
        for other in projects.known_projects(self.home):
            if other.key != self.project.key and other.database.exists():
                try:
                    with closing(self._opened(other)) as store:
                        found += self.searching.ask([store], understand(query), elsewhere, limit)
                except HollowayError as error:
                    unread.append(error)
        return sorted(found, key=lambda result: -result.score)[:limit], unread

    @cached_property
    def searching(self) -> Searching:
        """How questions are answered here: what embeds, and what is missing."""
        return Searching(self)

    @property
    def under_git(self) -> bool:
        """Whether the project is a git repository."""
        return bool(git.find_root(str(self.project.root)))

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return git.branch(str(self.project.root))

    def memories(self, chosen: Filter | None = None, *, limit: int = 50, user: bool = False) -> list[Memory]:
        """Memories, newest first."""
        store = self.user if user else self.store
        return store.memories.find(chosen or Filter(), limit)

    def count_user(self) -> int:
        """How many memories of the user's own there are."""
        return sum(store.memories.count(Filter()) for store in self.stores()[1:])

    def get(self, reference: str) -> Memory:
        """The memory with that id, or a unique beginning of it; the user's own store is searched too."""
        return self._located(reference)[1]

    def _located(self, reference: str) -> tuple[Store, Memory]:
        *others, last = self.stores()
        for store in others:
            try:
                return store, store.memories.get(reference)
            except Unknown:
                continue
        return last, last.memories.get(reference)

    def _living(self, reference: str) -> tuple[Store, Memory]:
        """As `_located`, for what only makes sense while the memory holds."""
        store, memory = self._located(reference)
        if memory.deleted_at:
            raise InvalidInput(f"{memory.id} is forgotten.", f"`holloway restore {memory.id}` brings it back first.")
        if memory.superseded_by:
            hint = f"`holloway show {memory.superseded_by}` shows what holds now."
            raise InvalidInput(f"{memory.id} was replaced by {memory.superseded_by}.", hint)
        return store, memory

    def edit(
        self, reference: str, *, where: Path | None = None, everywhere: bool = False, **changes: Any
    ) -> tuple[Memory, tuple[str, ...]]:
        """Change content, summary, type, files, modules, tags, details or visibility; its history keeps the old words.

        Who rewrites the content vouches for it, so it counts as confirmed. Returns it and the secrets that were cut.
        """
        store, old = self._living(reference)
        given = {name: value for name, value in changes.items() if value is not None}
        if "files" in given:
            given["files"] = self._existing(given["files"], where)
        memory_type = choice(MemoryType, given.get("type", old.type))
        keeps_details = memory_type is old.type and "details" not in given
        draft = Draft(
            content=given.get("content", old.content),
            type=memory_type,
            summary=given.get("summary", "" if "content" in given else old.summary),
            details=old.details if keeps_details else typed.parse(memory_type, given.get("details")),
            files=tuple(given.get("files", old.files)),
            modules=tuple(given.get("modules", old.modules)),
            tags=tuple(given.get("tags", old.tags)),
            visibility=choice(Visibility, given.get("visibility", old.visibility)),
        )
        admitted = admit(draft, "" if store is self._user else str(self.project.root))
        names = {*given, "details", "summary"} if {"content", "type"} & set(given) else set(given)
        fields: dict[str, Any] = {name: getattr(admitted.draft, name) for name in names}
        if everywhere:
            fields["branch_only"] = ""
        if "type" in given:
            fields["half_life_days"] = confidence.HALF_LIFE_DAYS[memory_type]
        if "content" in given:
            fields |= {"state": State.CONFIRMED, "review": None, "last_used_at": stamp(self.clock.now())}
        rewritten = admitted.draft.content != old.content
        told = old.content if rewritten else ", ".join(sorted(given))
        return store.memories.change(old, "edited", told, **fields), admitted.redacted

    def pin(self, reference: str, *, on: bool = True) -> Memory:
        """Keep a memory from fading, or let it fade again."""
        store, memory = self._living(reference)
        return store.memories.change(memory, "pinned" if on else "unpinned", pinned=on)

    def confirm(self, reference: str) -> Memory:
        """A person says that it is right; this is the only way out of quarantine."""
        store, memory = self._living(reference)
        return store.memories.change(
            memory,
            "confirmed",
            state=State.CONFIRMED,
            confidence=confidence.confirmed(memory.confidence),
            review=None,
            stale_at="",
            last_used_at=stamp(self.clock.now()),
        )

    def wrong(self, reference: str, reason: WrongReason | str, *, note: str = "", instead: str = "") -> Memory:
        """Take a memory out at once; with the right words instead, they take its place and it stays readable.

        Returns the memory that holds now: the replacement, or the old one as it was set aside.
        """
        store, memory = self._living(reference)
        why = choice(WrongReason, reason)
        said = f"{why}" + (f": {reason_text(note)}" if note else "")
        if not instead:
            return self._set_aside(store, memory, "wrong", said)
        draft = Draft(
            content=instead,
            type=memory.type,
            details=memory.details if memory.type in typed.NEEDED else None,
            files=memory.files,
            modules=memory.modules,
            tags=memory.tags,
            visibility=memory.visibility,
            branch=self.branch,
            branch_only=memory.branch_only,
            commit=git.head_commit(str(self.project.root)),
            pinned=memory.pinned,
        )
        with store.database.write():
            store.memories.reject(memory, f"wrong: {why}")
            return store.memories.supersede(memory, admit(draft), "wrong", said)

    def _set_aside(self, store: Store, memory: Memory, kind: str, reason: str, at: str = "") -> Memory:
        moment = at or stamp(self.clock.now())
        with store.database.write():
            store.memories.reject(memory, kind)
            return store.memories.change(
                memory, kind, reason, deleted_at=moment, deleted_reason=f"{kind}: {reason}", review=None
            )

    def chosen(
        self, references: Sequence[str] = (), *, session: str = "", source: str = "", everything: bool = False
    ) -> list[Memory]:
        """The memories that a person means: by id, by session, by source (its kind, file or address), or all."""
        if references:
            return list({memory.uid: memory for memory in map(self.get, references)}.values())
        kind = (Source(source),) if source in set(Source) else ()
        wanted = Filter(session=session, origin="" if kind else source, sources=kind, superseded=True)
        if not (session or source or everything):
            raise InvalidInput("Nothing was chosen.", "Give an id, --session, --source or --all.")
        alive = self.store.memories.find(wanted, limit=-1)
        return alive + self.store.memories.find(replace(wanted, deleted=True), limit=-1)

    def forget(self, memories: Sequence[Memory], *, hard: bool = False) -> Forgotten:
        """Forget: recoverable for thirty days, or with `hard` so that no byte stays."""
        at = stamp(self.clock.now())
        owners = [(self._located(memory.id)[0], memory) for memory in memories]
        left: list[str] = []
        for store in self.stores():
            own = [memory for owner, memory in owners if owner is store]
            if hard and own:
                left += privacy.erase(store, own)
                continue
            with store.database.write():
                for memory in own:
                    if not memory.deleted_at:
                        self._set_aside(store, memory, "forgotten", "by a person", at)
        return Forgotten(tuple(memories), tuple(left))

    def restore(self, reference: str) -> Memory:
        """Take back a forget, a prune or a wrong; what had taken its place makes room for it again."""
        store, memory = self._located(reference)
        if memory.alive:
            raise InvalidInput(f"{memory.id} is not forgotten.", f"`holloway show {memory.id}` shows it.")
        with store.database.write():
            store.memories.unreject(memory)
            fields = {"deleted_at": "", "deleted_reason": "", "last_used_at": stamp(self.clock.now())}
            if not memory.deleted_at:
                self._withdraw(store, memory.superseded_by)
                fields["superseded_by"] = ""
            return store.memories.change(memory, "restored", **fields)

    def _withdraw(self, store: Store, memory_id: str) -> None:
        """Set a replacement aside, because what it replaced holds again."""
        try:
            replacement = store.memories.get(memory_id)
        except Unknown:
            return
        if replacement.alive:
            gone = {"deleted_at": stamp(self.clock.now()), "deleted_reason": "withdrawn: what it replaced was restored"}
            store.memories.change(replacement, "withdrawn", **gone)

    def last_forgotten(self) -> list[Memory]:
        """The memories that the latest forget, or wrong without new words, set aside."""
        gone_by_person = ("forgotten", "wrong")
        found = [
            memory
            for store in self.stores()
            for memory in store.memories.find(Filter(deleted=True, superseded=True), limit=-1)
            if memory.deleted_reason.startswith(gone_by_person)
        ]
        latest = max((memory.deleted_at for memory in found), default="")
        return [memory for memory in found if memory.deleted_at == latest]

    def to_review(self, limit: int = config.RESULTS_MAX) -> list[Memory]:
        """What waits for a person, quarantined first."""
        due = Filter(to_review=True, due=stamp(self.clock.now()))
        return [memory for store in self.stores() for memory in store.memories.find(due, limit, "waiting")][:limit]

    def later(self, reference: str, days: int = 1) -> Memory:
        """Ask again another day."""
        store, memory = self._living(reference)
        return store.memories.change(memory, "postponed", review_after=stamp(self.clock.now() + timedelta(days=days)))

    def why(self, reference: str) -> Provenance:
        """Where a memory comes from, what happened to it, and which agents were shown it."""
        store, memory = self._located(reference)
        wanted = [relation.memory for relation in memory.relations if relation.type == "supersedes"]
        found = [store.memories.get(old) for old in wanted if store.memories.has(old)]
        replaced = [old for old in found if not old.deleted_at]
        shown = sessions.shown(store.database, memory.id)
        seen = candidates.of_memory(store.database, memory.id)
        history = store.memories.history(memory.id)
        return Provenance(memory, tuple(history), tuple(shown), tuple(replaced), tuple(seen))

    def prune(self) -> Pruned:
        """Set aside what faded; remove what is past its grace."""
        done = [lifecycle.prune(store.database, self.clock.now()) for store in self.stores()]
        for store, pruned in zip(self.stores(), done, strict=True):
            if pruned.removed:
                vectors.purge(store.project.folder)
        return Pruned(tuple(i for each in done for i in each.faded), tuple(i for each in done for i in each.removed))

    def maintain(self) -> None:
        """The daily chores that a command may do on its way out: a backup, and space given back."""
        for store in self.stores():
            store.backup_if_due()
            store.vacuum_if_due()

    @cached_property
    def map(self) -> CodeMap:
        """The code map of this checkout."""
        return CodeMap(self)

    def brief(self) -> Brief:
        """What an agent reads when its session starts here."""
        here = Filter(quarantined=False, branch=self.branch)
        rules = [
            memory
            for store in self.stores()
            for memory in store.memories.find(replace(here, types=RULES), order="telling")
        ]
        traps = self.store.memories.find(replace(here, types=TRAPS), order="telling")
        return brief(
            self.map.overview(),
            sessions.count(self.store.database),
            sorted(filter(_general, rules), key=lambda memory: (not memory.pinned, memory.type, memory.created_at)),
            list(filter(_general, traps)),
            invocation(),
            self.map.progress(),
            self._open_work(),
        )

    def _open_work(self) -> str:
        """The unfinished work of this branch, in a line."""
        from holloway.promotion.work import state_origin  # asked once a session

        state = self.store.memories.by_origin(state_origin(self.branch))
        if state is None or not state.alive or state.state is State.QUARANTINED:
            return ""
        changes = git.changes_since(str(self.project.root), state.updated_at, list(state.files)) if state.files else []
        return in_brief(state, changes, self.clock.now())

    def session(
        self,
        session: str = "",
        *,
        task: str = "",
        agent: str = "",
        type: SessionType | str | None = None,  # noqa: A002  (as above)
        phase: Phase | str | None = None,
        work_unit: Sequence[str] = (),
        way: str = "plain",
        planned_steps: int = 0,
    ) -> Session:
        """Begin to watch an agent's work, or go on with a session by its id.

        `way` names a methodology: it maps the phase, names the levels of the work unit and says who hands what to whom.
        """
        from holloway.service.session import Session  # commands that watch nobody do not load it

        return Session(
            self,
            session or f"{agent or 'agent'}-{self._ids.new()}",
            agent=agent,
            task=task,
            type=type,
            phase=phase,
            work_unit=work_unit,
            way=way,
            planned_steps=planned_steps,
        )

    def shown(self, made: Brief, *, session: str, agent: str, now: str, compacted: bool = False) -> None:
        """Write into the ledgers that a session was given a brief."""
        for store in self.stores():
            own = [memory for memory in made.memories if store.memories.has(memory)]
            lookup.claim(
                store.database.connection,
                own,
                session=session,
                agent=agent,
                point="session_start",
                now=now,
                compacted=compacted,
            )


def _general(memory: Memory) -> bool:
    """Whether a memory belongs into the brief: pinned, or confirmed and not one that its file will bring.

    Rules files are loaded by the agents that they are for; what was read from them serves search and files.
    """
    general = memory.state is State.CONFIRMED and not memory.files and memory.source is not Source.RULES_FILE
    return memory.pinned or general
