"""The public Python API: `Holloway`, the memory of one project for commands, servers and agents that embed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from holloway.errors import InvalidInput
from holloway.service.memory_editor import MemoryEditor
from holloway.service.memory_search import MemorySearch
from holloway.service.open_project import OpenProject
from holloway.service.project_paths import resolve_path
from holloway.store.database import BUSY_TIMEOUT_MS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holloway.config import Settings
    from holloway.domain.memory import Memory
    from holloway.domain.ports import Clock, Ids, Writer
    from holloway.domain.work import Phase, SessionType
    from holloway.promotion.history_harvest import Harvest
    from holloway.promotion.host_notes_import import NotesImported
    from holloway.promotion.rules_files.rules_import import RulesImported
    from holloway.service.code_map import CodeMap
    from holloway.service.session import Session
    from holloway.service.share import Sharing
    from holloway.sharing.export_import import Imported
    from holloway.store.project import Project
    from holloway.store.store import Store


class Holloway:
    """One project's memory, together with the user's own. Use it as a context manager, or call `close`.

    It is composed of parts: `opened` (stores, clock, settings), `map`, `trust`, `search` and `editor`. The calls that
    programs use most are bound to it from these parts.
    """

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
        self.opened = opened = OpenProject(
            project, home, clock=clock, ids=ids, busy_timeout_ms=busy_timeout_ms, settle=settle
        )
        self.project, self.home, self.clock, self.store = project, home, opened.clock, opened.store
        self.stores, self.paused, self.at_close, self.close = (
            opened.stores,
            opened.paused,
            opened.at_close,
            opened.close,
        )
        self.settle, self.prune, self.maintain = opened.settle, opened.prune, opened.maintain
        self.memories, self.get, self.count_user = opened.memories, opened.get, opened.count_user
        self.brief, self.shown, self.here = opened.brief, opened.shown, opened.here
        self.work_state = opened.work_state
        self.trust = opened.trust
        self.search = search = MemorySearch(opened)
        self.recall, self.recall_everywhere = search.recall, search.recall_everywhere
        self.editor = editor = MemoryEditor(opened)
        self.remember, self.edit, self.pin, self.confirm = editor.remember, editor.edit, editor.pin, editor.confirm
        self.mute = editor.mute
        self.wrong, self.forget, self.restore, self.later = editor.wrong, editor.forget, editor.restore, editor.later
        self.chosen, self.last_forgotten = editor.chosen, editor.last_forgotten
        self.forget_session = editor.forget_session
        self.to_review, self.count_to_review = editor.to_review, editor.count_to_review
        self.why, self.times_shown, self.relate = editor.why, editor.times_shown, editor.relate

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def map(self) -> CodeMap:
        """The code map of this checkout."""
        return self.opened.map

    @property
    def user(self) -> Store:
        """The store of the memories that this user has for every project."""
        return self.opened.user

    @property
    def settings(self) -> Settings:
        """The settings in force here."""
        return self.opened.settings

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return self.opened.branch

    @property
    def under_git(self) -> bool:
        """Whether the project is a git repository."""
        return self.opened.under_git

    def path_of(self, path: str, where: Path | None = None) -> str:
        """Return a path as the project names it: taken from `where` if there is such a file, else from the root."""
        return resolve_path(self.project.root, path, where)

    def session(
        self,
        session: str = "",
        *,
        task: str = "",
        agent: str = "",
        type: SessionType | str | None = None,  # noqa: A002  (the word that every command and field uses)
        phase: Phase | str | None = None,
        work_unit: Sequence[str] = (),
        way: str = "plain",
        planned_steps: int = 0,
    ) -> Session:
        """Begin to watch an agent's work, or continue a session by its id.

        `way` names a methodology: it maps the phase, names the levels of the work unit and says who hands what to whom.
        """
        from holloway.service.session import Session  # most commands watch no session

        return Session(
            self.opened,
            session or f"{agent or 'agent'}-{self.opened.ids.new()}",
            agent=agent,
            task=task,
            type=type,
            phase=phase,
            work_unit=work_unit,
            way=way,
            planned_steps=planned_steps,
        )

    def import_rules(self, *, dry_run: bool = False) -> RulesImported:
        """Read the project's rules files into memories for review; returns what changed, or would change."""
        from holloway.promotion.rules_files.rules_import import import_rules  # few commands read rules files

        return import_rules(self.store, self.map.module_of, dry_run=dry_run)

    def harvest_history(self) -> Harvest:
        """Keep the explanations in the messages of commits that were not read yet.

        They wait for review in a repository in which the person has no commit.
        """
        from holloway.promotion.history_harvest import harvest_history  # learning is heavy, and few callers need it
        from holloway.service.session_learning import Learning

        return harvest_history(self.store, Learning(self.opened).places)

    def import_host_notes(self) -> NotesImported:
        """Import the notes that agents' hosts keep about the project; each waits for review."""
        from holloway.promotion.host_notes_import import import_host_notes  # few callers need it

        return import_host_notes(self.store, self.map.module_of)

    def approve_rules(self, file: str) -> list[Memory]:
        """Confirm everything that waits and was read from one rules file; raises InvalidInput if nothing does."""
        from holloway.promotion.rules_files.rules_import import list_waiting  # few commands read rules files

        path = self.path_of(file)
        if not (waiting := list_waiting(self.store, path)):
            raise InvalidInput(f"Nothing from {path} waits for you.", "`holloway review` shows what does.")
        with self.store.database.write_transaction():
            return [self.confirm(memory.id) for memory in waiting]

    def export_rules(
        self, name: str, *, remove: bool = False, replace: bool = False, personal: bool = False
    ) -> tuple[str, str]:
        """Write the block of confirmed memories into a rules file, or remove it; returns the file and what was done.

        Of the personal ones, a file that git tracks has none unless `personal`.
        """
        from holloway.promotion.rules_files.rules_export import export_block  # few commands write rules files

        return export_block(self.store, name, remove=remove, replace=replace, personal=personal)

    def count_personal_rules(self, name: str) -> int:
        """Count the personal memories that `export_rules` leaves out of a rules file unless the person agrees."""
        from holloway.promotion.rules_files.rules_export import list_personal  # few commands write rules files

        return len(list_personal(self.store, name))

    def export(self, form: str) -> bytes:
        """Return the project's memories as a file: `json` and `archive` are complete, the others are for reading."""
        from holloway.sharing.export_import import export_memories  # few commands write files

        return export_memories(self.store, self.home, form)

    def import_file(self, path: Path, *, skip_invalid: bool = False) -> Imported:
        """Restore our own archive byte for byte; add anything else as untrusted, for review."""
        from holloway.sharing.export_import import import_file  # few commands read files

        return import_file(self.store, self.home, path, skip_invalid=skip_invalid)

    def sharing(self, *, user: bool = False) -> Sharing:
        """Return the sharing of this project, or of the user's own memories."""
        from holloway.service.share import Sharing  # few commands share

        return Sharing(self.opened, is_user=user)

    def describe_modules(self, *, writer: Writer | None = None) -> list[tuple[str, str]]:
        """Have a language model describe the modules; returns names and purposes. Raises InvalidInput without one."""
        from holloway.promotion.insight import describe_modules  # loads the client of a language model

        described = describe_modules(self.store, self.settings, self.map.modules, writer)
        if described:
            self.map.update()
        return described
