"""The code map of a project's checkout: updates, queries, and relations that no parser can see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap import graph, health, queries, search
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.history import cochange
from holloway.codemap.parse.languages import language_of
from holloway.domain.memory import as_tuple
from holloway.domain.ports import format_stamp
from holloway.embeddings.provider_choice import choose_embedder
from holloway.errors import InvalidInput
from holloway.injection.project_map import ProjectMap, read_progress
from holloway.retrieval.file_reranking import FileReranker
from holloway.retrieval.locate import COUPLED_MAX, locate_in_checkout
from holloway.safety.repository_text import is_name, is_path, only_names, only_paths
from holloway.service import background_worker
from holloway.service.project_paths import closest_path, resolve_path
from holloway.store import contributions, observations
from holloway.store.contributions import CodeRelation, Proposal
from holloway.store.filter import Filter
from holloway.store.project import refuse_home_or_disk
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holloway.codemap.graph import ImpactReport
    from holloway.codemap.health import MapUpdate
    from holloway.codemap.modules import overview
    from holloway.codemap.modules.module import Module
    from holloway.config import Settings
    from holloway.domain.memory import Memory
    from holloway.retrieval.locate import LocateResult
    from holloway.store.store import Store

CALLS = frozenset({"calls", "instantiates"})
MAP_COUPLED_COMMITS_MIN = 2
"""Files that changed together once may have done so by chance."""
MEMORIES_SHOWN = 5


KNOWN_FROM_SESSIONS = {"mapped": 10, "partial": 3, "shallow": 0}
"""Sessions in a module from which on it has this confidence."""


@dataclass(frozen=True, slots=True)
class Consequences:
    """The impact of a change, with coupled files, relations and memories."""

    impact: ImpactReport
    coupled: tuple[tuple[str, float, int], ...]
    """Files that are often changed together with it, without an edge between them: path, score, commits."""
    relations: tuple[CodeRelation, ...]
    memories: tuple[Memory, ...]

    @property
    def unfollowed(self) -> tuple[str, ...]:
        """Languages of the target whose calls are not followed; empty if the impact includes calls."""
        if any(node.via in CALLS for node in self.impact.reached):
            return ()
        languages = {language_of(node.path) for node in self.impact.target}
        return tuple(sorted(str(language) for language in languages if language and not language.calls))


class CodeMap:
    """The code map of one checkout."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self.root = store.project.root
        self.path = health.map_file(store.project.folder, self.root)
        self._progress = self.path.with_suffix(".progress")

    @cached_property
    def database(self) -> MapDatabase:
        """The open database of the map."""
        return open_map(self.path)

    def close(self) -> None:
        """Close the database of the map, if it was opened."""
        if "database" in self.__dict__:
            self.database.close()
            del self.database

    @property
    def is_ready(self) -> bool:
        """Whether there is a map."""
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
        """Update the map to the files and to HEAD. One process does so; another waits for it, or raises MapBusy.

        `workers` processes read files, 0 means one per core. More than one starts the calling program's main module
        again in each, as Python's multiprocessing does: a script of yours needs its `if __name__ == "__main__"`.
        """
        from holloway.codemap.index_run import IndexRun  # parsers and locks, which queries do not need

        refuse_home_or_disk(self.root)
        return IndexRun(self._store, self.path, self._progress, self.database).run_index(
            workers, only, wait, scip, progress
        )

    def progress(self) -> str:
        """Return the progress of another process that updates the map, for display; empty if none is running."""
        return read_progress(str(self._progress))

    def start(self) -> None:
        """Start the worker, which updates the map with its other due jobs; does not wait."""
        background_worker.start(str(self._store.project.folder), str(self.root))

    def watch(self) -> Iterator[list[str]]:
        """Watch the files and update the map after each change, while the caller iterates; yields the changed paths."""
        from holloway.codemap import file_watcher  # only a long-running process needs it

        for changed in file_watcher.watch_changes(self.root):
            self.update(only=changed)
            yield changed

    def overview(self) -> overview.Overview:
        """Return the codebase on one page, as of the last index; empty without an index."""
        project_map = ProjectMap(str(self._store.project.folder), str(self.root))
        return project_map.load_overview(self._store.database.connection)

    def module_of(self, path: str) -> str:
        """Return the module that a file belongs to, as of the last index; empty if unknown."""
        return queries.find_module(self.database, path) if self.is_ready else ""

    def knows(self, name: str) -> bool:
        """Return whether a name occurs in the project's code, as of the last index."""
        return self.is_ready and queries.has_name(self.database, name)

    def find_files_with_words(self, words: Sequence[str], share_min: float) -> list[str]:
        """Return the files that have this share of some words, those with most of them first, as of the last index."""
        if not self.is_ready:
            return []
        terms = search.select_terms(self.database, dict.fromkeys(words, 1))
        telling = [
            match for match in search.search_files(self.database, terms) if len(match.words) >= share_min * len(words)
        ]
        return [match.path for match in sorted(telling, key=lambda match: -len(match.words))]

    def explained(self, path: str, other: str) -> bool:
        """Return whether one of two files imports or uses the other, which explains why they change together."""
        return self.is_ready and bool(queries.find_connected(self.database, [path], [other]))

    def locate(self, task: str, *, known: Sequence[str] = (), limit: int = 10, branch: str = "") -> LocateResult:
        """Return the files that a task is about, each with its reasons; `known` are files already in use."""
        files, now = as_tuple("known", known), self._store.clock.now()
        connection, root = self._store.database.connection, str(self.root)
        return locate_in_checkout(
            self.database,
            connection,
            root,
            task,
            known=files,
            limit=limit,
            branch=branch,
            now=now,
            reranker=self._reranker,
        )

    @cached_property
    def _reranker(self) -> FileReranker | None:
        """The comparison of files by meaning, with the built-in model only: a server would take seconds for a task."""
        if self._settings.get_text("embedding.provider") != "builtin":
            return None
        embedder = choose_embedder(self._settings).embedder
        return FileReranker(embedder) if embedder else None

    def impact(self, spec: str, *, depth: int = 2, forward: bool = False, where: Path | None = None) -> Consequences:
        """Return the impact of a change to `path` or `path:symbol`; raises InvalidInput if it is not in the map."""
        with self.database.read_snapshot():  # Nodes and edges must come from the same version of the map.
            nodes = self._nodes(spec, where)
            report = graph.compute_impact(self.database, nodes, depth=depth, forward=forward)
            files = list(dict.fromkeys(node.path for node in nodes))
            partners = cochange.find_partners(self.database, files, now=self._store.clock.now(), limit=40)
            existing_paths = queries.filter_existing(self.database, [partner.path for partner in partners])
            often = [
                partner
                for partner in partners
                if partner.commits >= MAP_COUPLED_COMMITS_MIN and partner.path in existing_paths
            ]
            tied = queries.find_connected(self.database, files, [partner.path for partner in often])
        # Tests that import a package's public module import none of its inner files; co-change finds them.
        tests = (
            report.tests
            or tuple(partner.path for partner in often if _is_test_code(partner.path))[: graph.GRAPH_TESTS_MAX]
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

    def _nodes(self, spec: str, base_folder: Path | None) -> list[graph.GraphNode]:
        if not spec.strip():
            raise InvalidInput("The place is empty.", "Give a path of the project, path:symbol, or a symbol's name.")
        path, _, symbol = spec.partition(":")
        nodes = graph.find_nodes(self.database, resolve_path(self.root, path, base_folder), symbol) if path else []
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
        """Return the modules of the last index, each with a confidence from the number of sessions in it."""
        from holloway.codemap.modules import module_store  # heavy, and a brief reads modules from the overview

        counts = observations.count_module_sessions(self._store.database)
        drawn = module_store.load_modules(self.database)
        return [replace(module, confidence=known(counts.get(module.name, 0))) for module in drawn]

    def complete_path(self, text: str, limit: int) -> list[str]:
        """Return the files whose path contains a text, the shortest paths first."""
        return queries.complete_path(self.database, text, limit)

    def count_unassigned_files(self) -> int:
        """Count the source files that belong to no module; 0 without a map."""
        return queries.count_unassigned_files(self.database) if self.is_ready else 0

    def module(self, name: str) -> Module:
        """Return the module with this name; raises InvalidInput if there is no such module."""
        from difflib import get_close_matches  # only on the error path

        modules = {module.name: module for module in self.modules()}
        if name in modules:
            return modules[name]
        close = get_close_matches(name, modules, n=1)
        raise InvalidInput(
            f"There is no module {name!r}.", f"Did you mean {close[0]}?" if close else "`holloway modules` lists them."
        )

    def edit_module(
        self, name: str, *, rename: str = "", purpose: str = "", add: Sequence[str] = (), hide: bool | None = None
    ) -> None:
        """Store a person's edits of a module; they override the computed module, now and after every index.

        Two modules with the same name are one, so renaming a module to another one's name merges them.
        """
        key = self.module(name).key
        at = format_stamp(self._store.clock.now())
        store = self._store.database
        for kind, value in (("name", rename), ("purpose", purpose)):
            if value:
                contributions.edit_module(store, kind, key, value, at)
        if hide is not None:
            contributions.edit_module(store, "hidden", key, "1" if hide else "", at)
        for pattern in add:
            contributions.edit_module(store, "files", key, pattern, at)
        self.update()

    def reset_module(self, name: str) -> int:
        """Remove all edits of a module, so that modules merged into it are separate again; returns how many."""
        module = self.module(name)
        removed_edits = contributions.reset_module(self._store.database, module.key, module.name)
        self.update()
        return removed_edits

    def relate(self, source: str, kind: str, target: str, *, note: str = "") -> CodeRelation:
        """Add an edge that no parser can see."""
        relation = CodeRelation(source, kind, target, "user", "", note, format_stamp(self._store.clock.now()))
        return contributions.save_relation(self._store.database, relation)

    def propose(self, source: str, kind: str, target: str, *, agent: str, note: str = "") -> CodeRelation:
        """Keep what an agent says about the map for the person; no agent reads it before it is accepted."""
        at = format_stamp(self._store.clock.now())
        relation = CodeRelation(source, kind, target, contributions.AGENT_ORIGIN, agent or "agent", note, at)
        return contributions.propose_relation(self._store.database, relation)

    def proposals(self) -> list[Proposal]:
        """Return what agents said about the map and nobody has judged, oldest first."""
        return contributions.list_proposals(self._store.database)

    def accept(self, proposal: Proposal) -> None:
        """Take what an agent said about the map for true, because a person confirms it."""
        contributions.accept_proposal(self._store.database, proposal, format_stamp(self._store.clock.now()))
        if self.is_ready:
            self.update()

    def drop(self, proposal: Proposal) -> None:
        """Discard what an agent said about the map."""
        contributions.drop_proposal(self._store.database, proposal)

    def unrelate(self, source: str, kind: str, target: str) -> bool:
        """Remove an edge that `relate` added; returns whether it existed."""
        return contributions.delete_relation(self._store.database, source, kind, target)

    @property
    def is_behind(self) -> bool:
        """Whether HEAD has moved since the last index; uncommitted edits are not considered."""
        return not self.is_ready or cochange.last_read_commit(self.database) != git.head_commit(str(self.root))


def _is_test_code(path: str) -> bool:
    """Return whether a file may contain tests; data, settings and pages in test folders do not."""
    return is_test(path) and language_of(path) is not None


def known(sessions: int) -> str:
    """Return the confidence in a module after this number of sessions in it."""
    return next(name for name, sessions_min in KNOWN_FROM_SESSIONS.items() if sessions >= sessions_min)
