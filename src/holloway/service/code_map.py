"""The code map of a project's checkout: kept up to date, asked, and told what no parser can see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap import graph, health, queries
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.history import cochange
from holloway.codemap.modules import overview
from holloway.codemap.parse.languages import language_of
from holloway.domain.memory import as_tuple
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.injection.project_map import read_progress
from holloway.retrieval.checkout import locate_in_checkout
from holloway.safety.repository_text import is_name, is_path, only_names, only_paths
from holloway.service import background_worker
from holloway.service.project_paths import closest_path, resolve_path
from holloway.store import contributions, observations
from holloway.store.contributions import CodeRelation
from holloway.store.filter import Filter
from holloway.store.project import refuse_home_or_disk
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holloway.codemap.graph import ImpactReport
    from holloway.codemap.health import MapUpdate
    from holloway.codemap.modules.detection import Module
    from holloway.domain.memory import Memory
    from holloway.retrieval.locate import LocateResult
    from holloway.store.store import Store

CALLS = frozenset({"calls", "instantiates"})
COUPLED_MAX = 8
COUPLED_COMMITS_MIN = 2
"""Files that changed together once may have done so by chance."""
MEMORIES_SHOWN = 5


KNOWN_FROM_SESSIONS = {"mapped": 10, "partial": 3, "shallow": 0}
"""From how many sessions on a module counts as known that well."""


@dataclass(frozen=True, slots=True)
class Consequences:
    """The impact of a change, with what history, people and memories say about it."""

    impact: ImpactReport
    coupled: tuple[tuple[str, float, int], ...]
    """Files that change together with it though no edge leads there: path, score, commits."""
    relations: tuple[CodeRelation, ...]
    memories: tuple[Memory, ...]

    @property
    def unfollowed(self) -> tuple[str, ...]:
        """The languages of what was asked about, where calls in them are not followed and no index told of them."""
        if any(node.via in CALLS for node in self.impact.reached):
            return ()
        languages = {language_of(node.path) for node in self.impact.target}
        return tuple(sorted(str(language) for language in languages if language and not language.calls))


class CodeMap:
    """One checkout's map."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.root = store.project.root
        self.path = health.map_file(store.project.folder, self.root)
        self._progress = self.path.with_suffix(".progress")

    @cached_property
    def database(self) -> MapDatabase:
        """The map's file, open."""
        return open_map(self.path)

    def close(self) -> None:
        """Close the map's file, if it was opened."""
        if "database" in self.__dict__:
            self.database.close()
            del self.database

    @property
    def is_ready(self) -> bool:
        """Whether there is a map at all."""
        return self.path.exists() and self.database.is_current and bool(self.database.get_meta("indexed_ns"))

    def update(
        self,
        *,
        workers: int = 1,
        only: Iterable[str] | None = None,
        wait: bool = True,
        scip: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> MapUpdate:
        """Bring the map up to the files and to HEAD. One process does; another waits for it, or raises MapBusy.

        `workers` processes read files, 0 means one per core. More than one starts the calling program's main module
        again in each, as Python's multiprocessing does: a script of yours needs its `if __name__ == "__main__"`.
        """
        from holloway.codemap.index_run import IndexRun  # parsers and locks, which nobody who only asks should load

        refuse_home_or_disk(self.root)
        return IndexRun(self._store, self.path, self._progress, self.database).run_index(
            workers, only, wait, scip, progress
        )

    def progress(self) -> str:
        """How far another process has come with the map, as a person reads it; empty where none is at work."""
        return read_progress(str(self._progress))

    def start(self) -> None:
        """Have the worker bring the map up to date, among what else is due; nobody waits for it."""
        background_worker.start(str(self._store.project.folder), str(self.root))

    def watch(self) -> Iterator[list[str]]:
        """Follow every change of the files, for as long as the caller goes on asking; yields what was followed."""
        from holloway.codemap import file_watcher  # only a process that stays needs it

        for changed in file_watcher.watch_changes(self.root):
            self.update(only=changed)
            yield changed

    def overview(self) -> overview.Overview:
        """The codebase on one page, as of the last index; empty where there is none."""
        return overview.load_overview(self.path) or overview.Overview()

    def module_of(self, path: str) -> str:
        """The module that a file belongs to, as of the last index; empty where that is not known."""
        return queries.find_module(self.database, path) if self.is_ready else ""

    def knows(self, name: str) -> bool:
        """Whether a name stands somewhere in the project's code, as of the last index."""
        return self.is_ready and queries.has_name(self.database, name)

    def explained(self, one: str, other: str) -> bool:
        """Whether one of two files imports or uses the other, so that it is no news that they change together."""
        return self.is_ready and bool(queries.find_connected(self.database, [one], [other]))

    def locate(self, task: str, *, known: Sequence[str] = (), limit: int = 10, branch: str = "") -> LocateResult:
        """The files that a task is about, each with its reasons; `known` are files already in play."""
        files, now = as_tuple("known", known), self._store.clock.now()
        connection, root = self._store.database.connection, str(self.root)
        return locate_in_checkout(
            self.database, connection, root, task, known=files, limit=limit, branch=branch, now=now
        )

    def impact(self, spec: str, *, depth: int = 2, forward: bool = False, where: Path | None = None) -> Consequences:
        """What a change of `path` or `path:symbol` reaches."""
        with self.database.read_snapshot():  # Nodes found in one map and edges of the next would not fit together.
            nodes = self._nodes(spec, where)
            report = graph.compute_impact(self.database, nodes, depth=depth, forward=forward)
            files = list(dict.fromkeys(node.path for node in nodes))
            partners = cochange.find_partners(self.database, files, now=self._store.clock.now(), limit=40)
            existing_paths = queries.filter_existing(self.database, [partner.path for partner in partners])
            often = [
                partner
                for partner in partners
                if partner.commits >= COUPLED_COMMITS_MIN and partner.path in existing_paths
            ]
            tied = queries.find_connected(self.database, files, [partner.path for partner in often])
        # Tests that go through a package's face import none of the files behind it: there, common changes tell.
        tests = (
            report.tests or tuple(partner.path for partner in often if _is_test_code(partner.path))[: graph.TESTS_MAX]
        )
        report.tests = only_paths(tests)
        reached = {path for path, _ in report.files} | tied | set(files) | set(report.tests)
        coupled = [
            (partner.path, partner.score, partner.commits)
            for partner in often
            if partner.path not in reached and is_path(partner.path)
        ]
        report.hide_paths(is_path, is_name)
        chosen = Filter(quarantined=False, branch=git.current_branch(str(self.root)), files=tuple(files))
        return Consequences(
            report,
            tuple(coupled[:COUPLED_MAX]),
            tuple(relation for path in files for relation in contributions.list_relations(self._store.database, path)),
            tuple(self._store.memories.find_memories(chosen, MEMORIES_SHOWN)),
        )

    def _nodes(self, spec: str, where: Path | None) -> list[graph.GraphNode]:
        if not spec.strip():
            raise InvalidInput("The place is empty.", "Give a path of the project, path:symbol, or a symbol's name.")
        path, _, symbol = spec.partition(":")
        nodes = graph.find_nodes(self.database, resolve_path(self.root, path, where), symbol) if path else []
        if nodes:
            return nodes
        if not symbol and "/" not in spec:
            named = graph.find_definitions(self.database, spec)
            if len({(node.path, node.name) for node in named}) == 1:
                return graph.find_nodes(self.database, named[0].path, named[0].name)
            if named:
                several = ", ".join(list(dict.fromkeys(str(node) for node in named if is_path(node.path)))[:5])
                raise InvalidInput(f"{spec} is defined in several places.", f"Say which: {several}.")
        raise InvalidInput(f"{spec} is not in the map.", self._closest(path, symbol))

    def _closest(self, path: str, symbol: str) -> str:
        from difflib import get_close_matches  # only on the error path

        if symbol and (inside := graph.find_nodes(self.database, path)):
            close = get_close_matches(symbol, only_names(node.name for node in inside), n=1, cutoff=0.4)
            return f"Did you mean {path}:{close[0]}?" if close else f"{path} has no such symbol."
        paths = only_paths(queries.list_paths(self.database))
        if below := [candidate for candidate in paths if candidate.startswith(path.rstrip("/") + "/")]:
            return f"{path} is a folder: give a file, for example {below[0]}."
        suggestion = closest_path(path, paths)
        return (
            f"Did you mean {suggestion}?"
            if suggestion
            else "Give a path of the project, path:symbol, or a symbol's name."
        )

    def modules(self) -> list[Module]:
        """The modules as they were last drawn, each as well known as sessions have worked in it."""
        from holloway.codemap.modules import module_store  # heavy, and a brief has them on its page

        counts = observations.count_module_sessions(self._store.database)
        drawn = module_store.load_modules(self.database)
        return [replace(module, confidence=known(counts.get(module.name, 0))) for module in drawn]

    def module(self, name: str) -> Module:
        """The module of that name."""
        from difflib import get_close_matches  # only on the error path

        modules = {module.name: module for module in self.modules()}
        if name in modules:
            return modules[name]
        close = get_close_matches(name, modules, n=1)
        raise InvalidInput(
            f"There is no module {name!r}.", f"Did you mean {close[0]}?" if close else "`holloway modules` lists them."
        )

    def edit_module(
        self, name: str, *, rename: str = "", purpose: str = "", add: Sequence[str] = (), hide: bool = False
    ) -> None:
        """A person's word on a module; it wins over what is drawn, now and after every index."""
        key = self.module(name).key
        at = format_stamp(self._store.clock.now())
        store = self._store.database
        for kind, value in (("name", rename), ("purpose", purpose), ("hidden", "1" if hide else "")):
            if value:
                contributions.edit_module(store, kind, key, value, at)
        for pattern in add:
            contributions.edit_module(store, "files", key, pattern, at)
        self.update()

    def reset_module(self, name: str) -> int:
        """Draw a module as if nobody had said anything about it."""
        removed_edits = contributions.reset_module(self._store.database, self.module(name).key)
        self.update()
        return removed_edits

    def relate(self, source: str, kind: str, target: str, *, note: str = "", agent: str = "") -> CodeRelation:
        """Add an edge that no parser can see."""
        relation = CodeRelation(
            source, kind, target, "agent" if agent else "user", agent, note, format_stamp(self._store.clock.now())
        )
        return contributions.save_relation(self._store.database, relation)

    def unrelate(self, source: str, kind: str, target: str) -> bool:
        """Take such an edge back; whether it was there."""
        return contributions.delete_relation(self._store.database, source, kind, target)

    @property
    def is_behind(self) -> bool:
        """Whether HEAD has moved since the last index; edits are only seen by looking at the files."""
        return not self.is_ready or cochange.last_read_commit(self.database) != git.head_commit(str(self.root))


def _is_test_code(path: str) -> bool:
    """Whether a file may hold tests; beside them lie data, settings and pages that only they need."""
    return is_test(path) and language_of(path) is not None


def known(sessions: int) -> str:
    """How well a module is known after so many sessions in it."""
    return next(name for name, sessions_min in KNOWN_FROM_SESSIONS.items() if sessions >= sessions_min)
