"""The tools that the MCP server exposes: each call opens the project's memory, calls the service, and closes it again.

Nothing stays open between two calls, so a changed setting, a pause, a restored backup or another process takes effect
with the next call. Opening takes a few milliseconds; the embedding model is loaded by the first search that needs it
and stays loaded. The docstrings of the tools are the descriptions that agents read.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway.config import GRAPH_DEPTH_MAX, PATH_CHARS_MAX, QUERY_CHARS_MAX, REASON_CHARS_MAX, TAG_CHARS_MAX, data_home
from holloway.domain.memory import MemoryType, parse_choice
from holloway.errors import InvalidInput
from holloway.mcp import responses
from holloway.mcp.responses import (
    Context,
    Direction,
    FeedbackResponse,
    FullMemory,
    ImpactResponse,
    Kind,
    LocateResponse,
    ModuleInfo,
    Recipes,
    RecordResponse,
    RelationInput,
    SearchResponse,
    Verdict,
)
from holloway.service import agents, told
from holloway.service.agent_notes import PREFIX, Recording, finish_left
from holloway.service.project_finder import NoMemory, knows, open_project
from holloway.text.agent_note import compose_note
from holloway.text.sanitize import clean_text, one_line

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway

MCP_RESULTS_MAX = 20
MCP_FILES_MAX = 20
MCP_NAME_CHARS_MAX = 200

NOTHING = "No memory matches."
PAUSED = "The user has paused holloway here; nothing was looked up. `holloway resume` ends the pause."
NOT_KEPT = "The user has paused holloway here; nothing was stored. `holloway resume` ends the pause."
KEPT = "It becomes a memory if the session's work proves right, or when the user approves it."
PROPOSED = "It counts once the user approves it in `holloway review`."


class Connection:
    """What is remembered of one connection: its agent, what it recorded, and what it was shown."""

    def __init__(self) -> None:
        self.agent = "mcp"
        self.recording = Recording(PREFIX + secrets.token_hex(6))
        self.shown: set[str] = set()
        """The memories that searches of this connection returned."""


current_connection: ContextVar[Connection | None] = ContextVar("current_connection", default=None)
"""The connection of the running call, where one server has several; else the tools use their default connection."""


class Tools:
    """Tools of an MCP server, for the project that contains a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._connection = Connection()

    @property
    def connection(self) -> Connection:
        """The connection of the running call."""
        return current_connection.get() or self._connection

    @property
    def agent(self) -> str:
        """The agent that the running call comes from."""
        return self.connection.agent

    @agent.setter
    def agent(self, name: str) -> None:
        self.connection.agent = name

    @property
    def recording(self) -> Recording:
        """The recording of the connection."""
        return self.connection.recording

    def search_memory(
        self, query: str, files: tuple[str, ...] = (), limit: int = 5, types: tuple[str, ...] = ()
    ) -> SearchResponse:
        """Search what earlier sessions and the team learned about this repository: decisions, traps, dead ends,
        conventions, known errors. `files` are the ones you work on; memories on them come first. `types`: only
        these. Results marked `seen` were in an answer before; get_memory has them in full."""
        _check_length(query, QUERY_CHARS_MAX, "query")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                return SearchResponse(note=PAUSED)
            paths = self._resolve_files(memory, files)
            wanted = tuple(parse_choice(MemoryType, kind) for kind in types[: len(MemoryType)])
            limit = _clamp(limit, MCP_RESULTS_MAX)
            results = agents.search_memories(memory, query, types=wanted, files=paths, limit=limit)
            now = memory.clock.now()
            hits = tuple(
                responses.make_hit(result.memory, now, is_repeated=result.memory.uid in self.connection.shown)
                for result in results
            )
            self.connection.shown.update(result.memory.uid for result in results)
            return SearchResponse(hits, "" if results else NOTHING)

    def get_memory(self, id: str) -> FullMemory:  # noqa: A002  (the word that the agent reads)
        """One memory in full, by its id or a citation such as [hw:7f3a2c]."""
        _check_length(id, MCP_NAME_CHARS_MAX, "id")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                raise InvalidInput(PAUSED)
            return responses.make_full_memory(agents.get_memory(memory, id.partition(",")[0]), memory.clock.now())

    def record_memory(
        self,
        text: str,
        type: Kind = "gotcha",  # noqa: A002  (the word that the agent reads)
        files: tuple[str, ...] = (),
        relation: RelationInput | None = None,
        reason: str = "",
        quote: str = "",
        approach_tried: str = "",
        why_it_failed: str = "",
        alternative_used: str = "",
        details: dict[str, Any] | None = None,
        tags: tuple[str, ...] = (),
    ) -> RecordResponse:
        """Note a fact that the next session needs and the code does not show, in a sentence or two;
        `reason` why it holds, `quote` what shows it, its `files`. It is kept if it proves right.
        `relation` ties two places (path or path:symbol) with no import between. `details`: error_pattern error,
        fix; causal_dependency when, then; workflow_recipe task, steps; decision reason. Any: required_with, validates
        (ids)."""
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[1]:
                return RecordResponse(recorded=False, note=NOT_KEPT)
            paths = [agents.resolve_file(memory, path, self.place) for path in self._resolve_files(memory, files)]
            for end in (relation.source, relation.target) if relation else ():
                _check_length(end, PATH_CHARS_MAX, "relation")
                agents.resolve_location(memory, end, self.place)  # validate everything before the text is stored
            dead_end = {"approach": approach_tried, "reason": why_it_failed, "alternative": alternative_used}
            fields = {**(details or {}), **{name: value for name, value in dead_end.items() if value}}
            fields |= agents.check_relations(memory, fields)
            note = compose_note(text, reason, quote)
            count, redacted = self.recording.record(
                memory, note, kind=MemoryType(type), files=paths, agent=self.agent, details=fields, tags=tags
            )
            related = self._relate_locations(memory, relation) if relation else ""
            return RecordResponse(recorded=True, in_session=count, secrets_cut=redacted, related=related, note=KEPT)

    def memory_feedback(self, id: str, verdict: Verdict, note: str = "") -> FeedbackResponse:  # noqa: A002  (as above)
        """Say that a memory was used, is wrong, or is outdated, and in `note` why. A wrong one becomes less sure and
        the user is asked; nothing is deleted."""
        _check_length(id, MCP_NAME_CHARS_MAX, "id")
        _check_length(note, 8 * REASON_CHARS_MAX, "note")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[1]:
                return FeedbackResponse("unchanged", note=NOT_KEPT)
            return self._apply_verdict(memory, id.partition(",")[0], verdict, note)

    def locate(self, task: str, files: tuple[str, ...] = (), limit: int = 10) -> LocateResponse:
        """The files that a task or error is about, each with its reasons, the tests to run, and files that change
        together with them. `files` are already in play."""
        _check_length(task, QUERY_CHARS_MAX, "task")
        if not task.strip():
            raise InvalidInput("`task` is empty.", "Describe the task in a sentence.")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                return LocateResponse(note=PAUSED)
            paths = self._resolve_files(memory, files)
            note = agents.refresh_map(memory)
            if not memory.map.is_ready:
                return LocateResponse(note=note)
            return responses.make_locations(
                memory.map.locate(task, known=paths, limit=_clamp(limit, MCP_RESULTS_MAX)), note
            )

    def analyze_impact(self, target: str, direction: Direction = "dependents", depth: int = 2) -> ImpactResponse:
        """Show what depends on a file, path:symbol or symbol, or with `direction` what it depends on; with the tests to
        run and the memories on it. Use it before changing shared code."""
        _check_length(target, PATH_CHARS_MAX, "target")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                return ImpactResponse(note=PAUSED)
            note = agents.refresh_map(memory)
            if not memory.map.is_ready:
                return ImpactResponse(note=note)
            forward = direction == "dependencies"
            steps = _clamp(depth, GRAPH_DEPTH_MAX)
            consequences = memory.map.impact(target, depth=steps, forward=forward, where=self.place)
            return responses.make_impact(consequences, memory.clock.now(), note)

    def get_workflow_recipe(self, task: str) -> Recipes:
        """The steps by which a recurring task was done here before, and the commands to build, test and lint."""
        _check_length(task, QUERY_CHARS_MAX, "task")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                return Recipes(note=PAUSED)
            results = agents.find_recipes(memory, task, MCP_RESULTS_MAX // 4)
            return responses.make_recipes(
                [result.memory for result in results], memory.map.overview(), memory.clock.now()
            )

    def update_module(self, module: str, purpose: str = "", files: tuple[str, ...] = ()) -> ModuleInfo:
        """Say what a module of this codebase is for, in a sentence, or which `files` belong to it. The user is asked
        before it counts; what a person said stays."""
        _check_length(module, MCP_NAME_CHARS_MAX, "module")
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[1]:
                return ModuleInfo(one_line(clean_text(module), TAG_CHARS_MAX), note=NOT_KEPT)
            if not memory.map.is_ready:
                return ModuleInfo(one_line(clean_text(module), TAG_CHARS_MAX), note=agents.refresh_map(memory))
            if purpose or files:
                paths = self._resolve_files(memory, files)
                agents.describe_module(memory, module, purpose=purpose, files=paths, agent=self.agent)
            return responses.describe_module(memory.map.module(module), PROPOSED if purpose or files else "")

    def session_context(self) -> Context:
        """Get an overview of this repository: how to build and test it, its modules, decisions, known traps, open work.
        Call it at the start if no brief was given."""
        with self._open_memory() as memory:
            if agents.read_pauses(memory)[0]:
                return Context(note=PAUSED)
            note = "" if memory.map.is_ready else agents.refresh_map(memory)
            return Context(memory.brief().text, self.recording.count(memory), note)

    def note_told(self, tool: str, text: str) -> None:
        """Note what the agent was answered, so that the user can read it."""
        if self._is_known():
            with open_project(self.place) as memory:
                told.note_told(memory, self.recording.session, self.agent, tool, text)

    def learn_leftovers(self) -> None:
        """Learn from earlier connections that were killed; do nothing for a project without a memory."""
        if self._is_known():
            with open_project(self.place) as memory:
                if not agents.read_pauses(memory)[1]:
                    finish_left(memory)

    def finish_recording(self) -> None:
        """Learn from the memories recorded in this connection; while paused, leave that to the next connection."""
        if self._is_known():
            with open_project(self.place) as memory:
                if not agents.read_pauses(memory)[1]:
                    self.recording.finish(memory)

    def _apply_verdict(self, memory: Holloway, reference: str, verdict: Verdict, note: str) -> FeedbackResponse:
        session = agents.find_watched_session(memory, self.agent) or self.recording.session
        if verdict == "used":
            is_new = agents.mark_used(memory, reference, session)
            return FeedbackResponse(
                "counted" if is_new else "unchanged", note="" if is_new else "It was already counted."
            )
        reason = "outdated" if verdict == "outdated" else "incorrect"
        memory_after, changed = agents.dispute(memory, reference, reason, note=note, session=session)
        message = (
            "Its confidence was lowered, and the user will be asked." if changed else "The user has been asked already."
        )
        return FeedbackResponse("disputed" if changed else "unchanged", memory_after.confidence, message)

    def _relate_locations(self, memory: Holloway, relation: RelationInput) -> str:
        edge = agents.relate(
            memory, relation.source, relation.kind, relation.target, agent=self.agent, base_folder=self.place
        )
        return f"{edge.source} {edge.kind} {edge.target}"

    def _resolve_files(self, memory: Holloway, files: tuple[str, ...]) -> tuple[str, ...]:
        if len(files) > MCP_FILES_MAX:
            raise InvalidInput(f"{len(files):,} files are too many.", f"At most {MCP_FILES_MAX}.")
        return tuple(memory.path_of(path, self.place) for path in files)

    def _is_known(self) -> bool:
        return knows(self.place, Path(data_home()))

    @contextmanager
    def _open_memory(self) -> Iterator[Holloway]:
        if not self._is_known():
            raise NoMemory(f"There is no memory for {self.place} yet.", "The user starts one with `holloway init`.")
        with open_project(self.place) as memory:
            yield memory


def _check_length(text: str, limit: int, name: str) -> None:
    if len(text) > limit:
        raise InvalidInput(f"`{name}` has {len(text):,} characters.", f"At most {limit:,}.")


def _clamp(number: int, maximum: int) -> int:
    return max(1, min(number, maximum))
