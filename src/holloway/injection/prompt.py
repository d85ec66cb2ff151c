"""Injection with a prompt: suggests the files of its task with reasons, gotchas, dead ends, a recipe; often nothing.

The answer is prepared in stages, each better than the one before, and each is offered to a caller who may run out of
time. Light at first: a stage imports what it needs when its turn comes.
"""

from __future__ import annotations

from holloway.config import PROMPT_FILES_MAX, PROMPT_MEMORIES_MAX, REASON_WORDS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from holloway.injection.project_map import ProjectMap
    from holloway.injection.prompt_text import Rendered
    from holloway.injection.reader import Reader, StoreView
    from holloway.injection.session_state import SessionState
    from holloway.retrieval.locate import LocatedFile, LocateResult

    Row = dict[str, object]
    Offer = Callable[[str, str], None]
    """Takes the name of a stage and its text."""

PROMPT_POINT = "prompt"
PROMPT_WORDS_MIN = 3
"""A shorter prompt ("go on", "yes please") names no task."""
PROMPT_CANDIDATES_FACTOR = 3
"""Candidates per wanted memory, because errors that a prompt is not about are left out."""
PROMPT_WORDS_MAX = 16
"""Words of a prompt that memories are searched for; the longest are the most specific."""
PROMPT_LOCATED_MAX = 30
"""Files that are located, because a prompt may name many of them by their paths."""
RECIPES_COMPARED_MAX = 500


def inject(
    reader: Reader, project_map: ProjectMap, state: SessionState, prompt: str, offer: Offer | None = None
) -> Rendered | None:
    """Return what goes with a prompt, and record it; None if there is nothing."""
    from holloway.observer.words.prompt import strip_host_additions
    from holloway.text.identifiers import count_words

    begins = state["prompts"] == 0
    state["prompts"] += 1
    task = strip_host_additions(prompt)
    if count_words(task) < PROMPT_WORDS_MIN:
        return None
    if offer:
        _offer_matching_files(project_map, task, offer)
    view = reader.open(is_asked=True)
    if view is None:
        return None
    with view:
        follow_fitting_recipe(view, state, task)
        files, located = _locate(view, project_map, task, begins=begins)
        return _show(view, project_map, state, task, files, located, offer)


def follow_task(reader: Reader, state: SessionState, task: str) -> None:
    """Follow the recipe that fits the task of a session, if there is one."""
    if view := reader.open():
        with view:
            follow_fitting_recipe(view, state, task)


def follow_fitting_recipe(view: StoreView, state: SessionState, task: str) -> None:
    """Follow the best recipe that fits a task; without one, the recipe in use stays."""
    from holloway.injection import relevance
    from holloway.injection.session_state import follow_recipe
    from holloway.store import lookup

    for memory_id, details in lookup.find_recipes(view.connection, view.viewer.branch, RECIPES_COMPARED_MAX):
        recipe_task, steps = relevance.parse_steps(details)
        if steps and relevance.fits_task(recipe_task, task):
            follow_recipe(state, memory_id)
            return


def _offer_matching_files(project_map: ProjectMap, task: str, offer: Offer) -> None:
    """Offer the files that have the words of the prompt, which takes a tenth of the time of locating them."""
    from holloway.codemap import search
    from holloway.safety.paths import path_exists
    from holloway.safety.repository_text import is_path

    matches = search.find_matching_files(project_map.path, task, 2 * PROMPT_FILES_MAX)
    files = [
        (match.path, f"speaks of {', '.join(match.words[:REASON_WORDS_MAX])}")
        for match in matches
        if is_path(match.path) and path_exists(match.path, project_map.root)
    ]
    _offer_files(offer, "matching-files", files[:PROMPT_FILES_MAX])


def _offer_files(offer: Offer, stage: str, files: list[tuple[str, str]]) -> None:
    """Offer files with a reason for each."""
    from holloway.injection.template import line

    if files:
        lines = [line("prompt", "file", path=path, reason=f" ({reason})") for path, reason in files]
        offer(stage, "\n".join([line("prompt", "quick"), *lines]))


def _locate(
    view: StoreView, project_map: ProjectMap, task: str, *, begins: bool
) -> tuple[tuple[LocatedFile, ...], LocateResult]:
    """Locate the files of a task, and choose those that are worth naming."""
    from datetime import datetime

    from holloway.injection import prompt_text
    from holloway.retrieval.locate import LocateResult

    located = None
    if begins or prompt_text.is_task(task):
        now = datetime.fromisoformat(view.viewer.now)
        located = project_map.locate(view.connection, task, now, PROMPT_LOCATED_MAX)
    located = located or LocateResult()
    return prompt_text.choose_files(located, task, begins=begins), located


def _show(
    view: StoreView,
    project_map: ProjectMap,
    state: SessionState,
    task: str,
    files: Sequence[LocatedFile],
    located: LocateResult,
    offer: Offer | None,
) -> Rendered:
    """Render files, memories and a recipe, without the memories that a parallel process showed first."""
    from holloway.injection import known_facts, prompt_text

    if files and offer:
        offer("files", prompt_text.render(files, located, (), task=task).text)
    paths = [file.path for file in files]
    rows = _find_memories(view, list(dict.fromkeys([*prompt_text.list_known(located, task), *paths])), task)
    relevance = next(iter(known_facts.find_unseen(view, [state["recipe"]], 1)), None) if state["recipe"] else None
    command = next(iter(project_map.load_overview(view.connection).test), "") if files and located.tests else ""

    def render(rows: list[Row]) -> Rendered:
        return prompt_text.render(files, located, rows, task=task, recipe=relevance, test_command=command)

    rendered = render(rows)
    claimed = view.claim(list(rendered.memories), PROMPT_POINT)
    if len(claimed) < len(rendered.memories):
        rendered = render([row for row in rows if row["id"] in claimed])
    if offer:
        offer("whole", rendered.text)
    return rendered


def _find_memories(view: StoreView, paths: list[str], task: str) -> list[Row]:
    """Find gotchas of the files, dead ends of similar work, and memories with the words or names of the prompt."""
    from holloway.injection import known_facts, prompt_text
    from holloway.injection.relevance import describe_work

    rows = known_facts.find_for_files(view, paths, PROMPT_CANDIDATES_FACTOR * PROMPT_MEMORIES_MAX) if paths else []
    rows = prompt_text.drop_unrelated(rows, paths, task)
    ids, work = {row["id"] for row in rows}, describe_work((), (), task)

    def is_relevant(row: Row) -> bool:
        return row["id"] not in ids and work.concerns_text(row["content"], row["summary"], row["details"])

    rows += known_facts.find_dead_ends(view, is_relevant, PROMPT_MEMORIES_MAX)
    ids |= {row["id"] for row in rows}
    return (rows + _find_by_words(view, task, ids))[:PROMPT_MEMORIES_MAX]


def _find_by_words(view: StoreView, task: str, ids: Container[object]) -> list[Row]:
    """Find the memories that share a name of code with a prompt, or several words that tell memories apart."""
    from holloway.injection import known_facts, prompt_text
    from holloway.injection.relevance import describe_work
    from holloway.store import lookup

    names = prompt_text.task_names(task)
    keywords = sorted(prompt_text.task_keywords(task), key=len, reverse=True)[:PROMPT_WORDS_MAX]
    telling = lookup.list_telling_words(view.connection, keywords)
    work = describe_work((), (), " ".join(telling))

    def is_relevant(row: Row) -> bool:
        text = f"{row['content']} {row['summary']}".casefold()
        is_named = any(name in text for name in names)
        return row["id"] not in ids and (is_named or work.concerns_text(row["content"], row["summary"], row["tags"]))

    return known_facts.find_matching(view, [*telling, *names], is_relevant, PROMPT_MEMORIES_MAX)
