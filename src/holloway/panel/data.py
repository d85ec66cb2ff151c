"""The interface through which pages read and change a project: list, filter, search, get, history, act, feed.

It is all that pages know of the store, so that a team server can serve the same pages from another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway import config
from holloway.domain import confidence, memory_json
from holloway.domain.memory import Source, Visibility
from holloway.errors import InvalidInput
from holloway.panel.editor_link import make_editor_link
from holloway.service import (
    activity_feed,
    bulk_actions,
    data_removal,
    embedder_switch,
    experiment,
    health,
    memory_card,
    memory_list,
    module_map,
    project_finder,
    proof_report,
    reader,
    review_cards,
    session_pages,
    session_report,
    setup,
)
from holloway.service.activity_feed import FEED_ROWS
from holloway.service.first_steps import describe_first_steps
from holloway.service.memory_list import MemoryQuery
from holloway.service.review_cards import parse_quotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holloway.config import Settings
    from holloway.domain.findings import Check
    from holloway.domain.memory import Memory, WrongReason
    from holloway.service.activity_feed import ActivityPage
    from holloway.service.ask import Conversation, Turn
    from holloway.service.bulk_actions import BulkUndo
    from holloway.service.code_map import Consequences
    from holloway.service.embedder_switch import EmbeddingProgress
    from holloway.service.first_steps import FirstSteps
    from holloway.service.health import Health
    from holloway.service.holloway import Holloway
    from holloway.service.memory_card import MemoryCard
    from holloway.service.memory_editor import Provenance, Remembered
    from holloway.service.memory_list import Facets, MemoryPage, SearchPage
    from holloway.service.module_map import ModuleCard, ModuleGraph
    from holloway.service.results import BulkChange, LocateResult, Module, Overview, Proposal, Standing
    from holloway.service.review_cards import EvidenceQuote, ReviewQueue, SessionReview
    from holloway.service.session_pages import SessionPage, SessionStory
    from holloway.service.share import Attribution, Sharing


COMPLETIONS_MAX = 20
MEMORIES_OF_FILES = 8


class ProjectData:
    """Reads and changes one project for the pages; the open memory belongs to the thread of the request."""

    def __init__(self, memory: Holloway) -> None:
        self._memory = memory

    @property
    def sharing(self) -> Sharing:
        """The sharing of the project."""
        return self._memory.sharing()

    def get_attribution(self, memory: Memory) -> Attribution | None:
        """Return who shared a memory and how many confirmed it; None for one of the person's own."""
        if memory.source is not Source.COLLEAGUE:
            return None
        return self.sharing.find_attributions([memory.id]).get(memory.id)

    def get_state_number(self) -> int:
        """Return a number that grows with every change of a memory."""
        return int(self._memory.store.get_meta("memory_changes") or 0)

    def list_memories(self, query: MemoryQuery, *, order: str, after: str) -> MemoryPage:
        """Return a page of the memories that a query selects."""
        return memory_list.list_memories(self._memory, query, order=order, after=after)

    def count_facets(self, query: MemoryQuery) -> Facets:
        """Return how many memories each choice of a filter would select; files are completed instead of counted."""
        return memory_list.count_facets(self._memory, query, with_files=False)

    def search_memories(self, query: MemoryQuery, text: str) -> SearchPage:
        """Return the memories that a query selects and that answer a question, best first."""
        return memory_list.search_memories(self._memory, query, text)

    def compute_confidence(self, memory: Memory) -> float:
        """Return the confidence of a memory today."""
        return confidence.current_confidence(memory, self._memory.clock.now())

    def get_card(self, reference: str) -> MemoryCard:
        """Return a memory with its evidence, history and relations. Raises UnknownMemory if there is none."""
        return memory_card.build_card(self._memory, reference)

    def find_memory(self, memory_id: str) -> Memory | None:
        """Return a memory by its id, or None if there is none."""
        try:
            return self._memory.get(memory_id)
        except InvalidInput:
            return None

    def act(self, action: str, reference: str) -> BulkChange:
        """Apply an action to one living memory; the change can be undone."""
        store, memory = self._memory.opened.find_living(reference)
        query = MemoryQuery(ids=(memory.id,), user=store is not self._memory.store)
        return bulk_actions.change_memories(self._memory, query, action)

    def act_on_all(self, action: str, query: MemoryQuery, expected: int | None) -> BulkChange:
        """Apply an action to every memory that a query selects, if there are as many as the person was told."""
        return bulk_actions.change_memories(self._memory, query, action, expected=expected)

    def undo(self, change_id: str, *, user: bool) -> BulkUndo:
        """Undo an action; `user` for one on the memories of all projects."""
        return bulk_actions.undo_change(self._memory, change_id, user=user)

    def is_of_all_projects(self, reference: str) -> bool:
        """Return whether a memory is one of the user's own, which hold in every project."""
        return self._memory.opened.find_memory(reference)[0] is not self._memory.store

    def measure_health(self) -> Health:
        """Return the figures of the first page."""
        return health.measure_health(self._memory)

    def list_activities(self, *, after: str = "", limit: int = FEED_ROWS) -> ActivityPage:
        """Return a page of the feed: sessions, what they learned, corrections."""
        return activity_feed.list_activities(self._memory, after=after, limit=limit)

    def dismiss_audit(self) -> None:
        """Do not offer the audit of stale memories again for a week."""
        health.dismiss_audit(self._memory)

    def teach(
        self,
        text: str,
        *,
        type: str | None,  # noqa: A002  (the word that every command and field uses)
        files: Sequence[str],
        modules: Sequence[str],
        visibility: str,
        user: bool,
    ) -> Remembered:
        """Teach a memory; what is not given is inferred."""
        return self._memory.remember(
            text,
            type=type,
            files=files or None,
            modules=modules,
            user=user,
            # The form always has a visibility; only one that differs from the usual was chosen.
            visibility=visibility if visibility != Visibility.PERSONAL else None,
            where=self._memory.project.root,
        )

    def describe_start(self) -> FirstSteps:
        """Return how far a new project is known, and what could be imported."""
        return describe_first_steps(self._memory)

    def start_map(self) -> None:
        """Have the worker update the code map; does not wait."""
        self._memory.map.start()

    def import_rules(self) -> int:
        """Import the rules files for review; returns how many rules were new."""
        return len(self._memory.import_rules().added)

    def get_standing(self) -> Standing:
        """Return the trust level with the counts that speak for another one."""
        return self._memory.trust.standing()

    def choose_trust(self, level: str) -> None:
        """Set the trust level of this project by its number, or `auto`. Raises InvalidInput for another word."""
        self._memory.trust.choose(level)

    def get_paused(self) -> dict[str, str]:
        """Return what is paused `here` and `everywhere`."""
        return project_finder.paused_where(str(self._memory.project.root))

    def set_pause(self, target: str) -> None:
        """Pause `capture`, `injection` or `all` in this project; an empty target ends the pause."""
        root = str(self._memory.project.root)
        project_finder.resume(root)
        if target:
            project_finder.pause(root, target)

    def has_sessions(self) -> bool:
        """Return whether an agent ever worked in this project while holloway watched."""
        return session_report.has_sessions(self._memory)

    def measure_proof(self) -> dict[str, Any]:
        """Return what memory changes here, as far as it was measured."""
        return proof_report.build_report(self._memory)

    def trace_medians(self, metric: str) -> dict[str, list[tuple[float, float]]]:
        """Return the running median of a figure over the sessions of each group."""
        return proof_report.trace_medians(self._memory, metric)

    def export_proof(self) -> str:
        """Return the figures of the measured sessions as CSV, without content."""
        return proof_report.export_csv(self._memory)

    def start_experiment(self, control_percent: int, passive_percent: int) -> None:
        """Assign the sessions of this project to groups from the next one on. Raises InvalidInput without control."""
        experiment.turn_on(self._memory.project, self._memory.clock.now(), control_percent, passive_percent)

    def stop_experiment(self) -> None:
        """Tell every session everything again; what was measured stays."""
        experiment.turn_off(self._memory.project)

    def load_settings(self) -> Settings:
        """Return the settings in force in this project."""
        return self._memory.settings

    def change_settings(self, changes: Mapping[str, str]) -> None:
        """Store settings for this project. Raises InvalidInput for a value that does not fit; none is stored then."""
        for key, value in changes.items():
            config.find_setting(key).parse_value(value, "")
        for key, value in changes.items():
            config.change_setting(key, value, self._memory.project.key, str(self._memory.home))
        project_finder.refresh_hook_settings()

    def describe_reader(self) -> dict[str, Any]:
        """Return what the reader is, used and found."""
        return reader.describe_reader(self._memory.settings, self._memory.store.database, self._memory.clock)

    def export(self, form: str) -> bytes:
        """Return the memories as a file."""
        return self._memory.export(form)

    def delete_everything(self) -> None:
        """Delete all that is stored about this project for good; nothing can be read through this afterwards."""
        self._memory.close()
        data_removal.delete_project_data(self._memory.project)

    def measure_embedding(self) -> EmbeddingProgress:
        """Return how far the memories have vectors of the chosen model."""
        return embedder_switch.measure_embedding(self._memory)

    def switch_embedder(self, provider: str, options: Mapping[str, str]) -> None:
        """Choose another embedder, after it embedded one text. Raises HollowayError if it cannot."""
        embedder_switch.switch_embedder(self._memory, provider, options)

    def stop_embedder_switch(self) -> None:
        """Go back to the embedder before the switch. Raises InvalidInput if none is under way."""
        embedder_switch.stop_switch(self._memory)

    def examine(self) -> list[Check]:
        """Check this machine, the project and the connected agents."""
        return setup.examine(str(self._memory.project.root), self._memory.home)

    def complete_path(self, text: str) -> list[str]:
        """Return the files of the code map whose path contains a text, the shortest paths first."""
        return self._memory.map.complete_path(text, COMPLETIONS_MAX) if self._memory.map.is_ready else []

    def list_module_names(self) -> list[str]:
        """Return the names of the modules, for completion."""
        return [module.name for module in self._memory.map.modules()] if self._memory.map.is_ready else []

    def edit(
        self,
        reference: str,
        *,
        content: str | None,
        type: str | None,  # noqa: A002  (the word that every command and field uses)
        visibility: str | None,
        is_choice: bool,
    ) -> Memory:
        """Change a memory; None leaves a field as it is. Without `is_choice` nobody chose the visibility."""
        edited = self._memory.edit(reference, is_choice=is_choice, content=content, type=type, visibility=visibility)
        return edited[0]

    def forget_for_good(self, reference: str) -> tuple[str, ...]:
        """Erase a memory; returns the places that could not be cleaned yet."""
        return self._memory.forget([reference], hard=True).left

    def restore(self, reference: str) -> Memory:
        """Restore a memory that was forgotten or judged wrong."""
        return self._memory.restore(reference)

    def flag_wrong(self, reference: str, reason: WrongReason, *, note: str, instead: str) -> Memory:
        """End a wrong memory with the effect of a reason; returns the memory that holds now, or the old one."""
        return self._memory.wrong(reference, reason, note=note, instead=instead)

    def list_modules(self) -> list[ModuleCard]:
        """Return a card for each module, hidden and supporting ones too; empty without a map."""
        return module_map.list_cards(self._memory, everything=True)

    def build_module_graph(self, cards: Sequence[ModuleCard], opened: str) -> ModuleGraph:
        """Return the graph of these modules, with one of them opened into its files."""
        return module_map.build_graph(self._memory, cards, opened)

    def get_module(self, name: str) -> Module:
        """Return a module by name. Raises InvalidInput if there is none."""
        return self._memory.map.module(name)

    def get_overview(self) -> Overview:
        """Return the overview of the code with its commands."""
        return self._memory.map.overview()

    def get_map_progress(self) -> str:
        """Return the progress of the process that maps the code; empty if none does."""
        return self._memory.map.progress()

    def edit_module(
        self, name: str, *, rename: str = "", purpose: str = "", add: Sequence[str] = (), hide: bool | None = None
    ) -> None:
        """Keep a person's edits of a module; renaming one to another's name merges them."""
        self._memory.map.edit_module(name, rename=rename, purpose=purpose, add=add, hide=hide)

    def reset_module(self, name: str) -> None:
        """Remove all edits of a module."""
        self._memory.map.reset_module(name)

    def locate(self, task: str, *, files_in_use: Sequence[str] = ()) -> LocateResult:
        """Return the files that a task is about, with reasons."""
        return self._memory.map.locate(task, known=files_in_use)

    def compute_impact(self, place: str, *, depth: int, forward: bool) -> Consequences:
        """Return what a change of a file or symbol affects. Raises InvalidInput if it is not in the map."""
        return self._memory.map.impact(place, depth=depth, forward=forward)

    def list_memories_of(self, paths: Sequence[str]) -> tuple[Memory, ...]:
        """Return some memories about any of these files, newest first."""
        if not paths:
            return ()
        query = memory_list.MemoryQuery(files=tuple(paths))
        return memory_list.list_memories(self._memory, query, limit=MEMORIES_OF_FILES).memories

    def is_mapped(self) -> bool:
        """Return whether there is a map of the code."""
        return self._memory.map.is_ready

    @property
    def timeline_rows(self) -> int:
        """The rows of a timeline on one page."""
        return session_pages.TIMELINE_ROWS

    def list_sessions(self, *, after: str) -> SessionPage:
        """Return a page of the sessions, newest first."""
        return session_pages.list_session_page(self._memory, after=after)

    def load_story(self, reference: str, *, first: int) -> SessionStory:
        """Return one session with its timeline from a row on. Raises InvalidInput if there is none."""
        return session_pages.load_story(self._memory, reference, first=first)

    def find_review(self, *, read_only: bool) -> SessionReview | None:
        """Return the review of a session that is due, and note that it was shown."""
        find = review_cards.find_due_review if read_only else review_cards.show_review
        return find(self._memory)

    def get_review(self, session: str) -> SessionReview:
        """Return the review of a session on demand. Raises InvalidInput if there is no such session."""
        return review_cards.review_session(self._memory, session)

    def list_queue(self) -> ReviewQueue:
        """Return the cards of everything that waits for a person today."""
        return review_cards.list_review_queue(self._memory)

    def decide(self, action: str, reference: str) -> BulkChange:
        """Apply a person's decision in a review; the change can be undone."""
        change = self.act(action, reference)
        session_report.note_decision(self._memory)
        return change

    def edit_card(self, reference: str, text: str) -> Memory:
        """Change the text of a memory in a review. Raises InvalidInput if it is empty."""
        return review_cards.decide_card(self._memory, reference, "edit", text=text)

    def confirm_review(self, session: str) -> BulkChange:
        """Confirm the new memories of a session that nothing speaks against."""
        return review_cards.confirm_all(self._memory, self.get_review(session))

    def confirm_all(self, ids: Sequence[str]) -> BulkChange:
        """Confirm memories as one change that can be undone."""
        session_report.note_decision(self._memory)
        return bulk_actions.apply_action(self._memory, ids, bulk_actions.BulkAction.CONFIRM)

    def dismiss_review(self, session: str) -> None:
        """Leave the review of a session for later."""
        review_cards.dismiss_review(self._memory, session)

    def list_proposals(self) -> list[Proposal]:
        """Return what agents said about the map and nobody has judged."""
        return self._memory.map.proposals()

    def decide_proposal(self, proposal_id: str, *, accepts: bool) -> None:
        """Accept or drop a statement about the map. Raises InvalidInput if it waits no more."""
        proposal = next((proposal for proposal in self.list_proposals() if proposal.id == proposal_id), None)
        if proposal is None:
            raise InvalidInput(f"No statement {proposal_id[:40]!r} waits.", "It was decided already.")
        decide = self._memory.map.accept if accepts else self._memory.map.drop
        decide(proposal)

    def ask(self, conversation: Conversation, question: str) -> Turn:
        """Answer a question of a conversation; the answer is its last turn."""
        return conversation.ask(self._memory, question)

    def describe_writer(self) -> str:
        """Return the language model that answers questions; empty if none is chosen."""
        provider = self._memory.settings.get_text("llm.provider")
        return "" if provider == "off" else provider

    def link_editor(self, path: str, line: int = 0) -> str:
        """Return the address that opens a line in the person's editor; empty if they use none."""
        return make_editor_link(self._memory.settings.get_text("panel.editor"), self._memory.project.root, path, line)


def list_quotes(provenance: Provenance) -> list[EvidenceQuote]:
    """Return the quotes of the sessions that a memory was learned from."""
    return [quote for sighting in provenance.seen for quote in parse_quotes(sighting.draft)]


def list_details(memory: Memory) -> list[tuple[str, str]]:
    """Return every value of a memory's details with its name."""
    return list(_flatten_details(memory_json.shown_details(memory.details)))


def _flatten_details(details: object, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(details, dict):
        for key, value in details.items():
            yield from _flatten_details(value, str(key).replace("_", " "))
    elif isinstance(details, list):
        for value in details:
            yield from _flatten_details(value, name)
    elif details not in (None, ""):
        yield name, str(details)
