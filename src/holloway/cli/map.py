"""Commands about the code map: index, locate, impact, modules, module, relate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import emit, json_option, many, opened, project_option, say, standing, text_of
from holloway.cli.progress import progress_bar, ready
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.code_map import CodeMap, Consequences
    from holloway.service.results import Located, Module, Node, Reached

SHOWN = 12


@click.command("index")
@click.option("--scip", type=click.Path(exists=True, dir_okay=False), help="Also take the precise edges of this index.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that read files (default: one per core).")
@click.option("--watch", is_flag=True, help="Stay, and follow every change until you press Ctrl-C.")
@click.option("--quiet", is_flag=True, help="Say nothing.")
@click.option("--no-wait", is_flag=True, help="Leave at once if another process is at it.")
@json_option
@project_option
def index_command(
    scip: str | None, workers: int | None, watch: bool, quiet: bool, no_wait: bool, as_json: bool, project: str
) -> None:
    """Bring the code map up to date: files, symbols, who uses what, what changes together, modules.

    Only what changed is read again. The map is derived: deleting it loses nothing.

    \b
    Examples:
      holloway index
      holloway index --scip index.scip
    """
    from holloway.service.results import MapBusy  # loaded when the command runs

    with opened(project, create=True) as memory:
        try:
            with progress_bar(hidden=quiet or as_json) as tell:
                done = memory.map.update(workers=workers or 0, wait=not no_wait, progress=tell, scip=scip)
        except MapBusy:
            if no_wait:
                return
            raise
        if no_wait:
            memory.search.embed_waiting()
        # As `init` and `modules` do, without examples and the like; a quiet index, as hooks start it, need not know.
        listed = len(memory.map.overview().modules) if as_json or not quiet else 0
        if as_json:
            emit({name: getattr(done, name) for name in done.__slots__} | {"modules": listed})
        elif not quiet:
            say(
                f"{many(done.files, 'file')} mapped, {done.read:,} of them read, in {done.seconds:.1f} s:"
                f" {many(listed, 'module')}, {many(done.commits, 'commit')}",
                "bold green",
            )
            if done.skipped:
                reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(done.skipped.items()))
                say(f"left out: {reasons}")
        if watch:
            _watch(memory.map, quiet)


def _watch(code_map: CodeMap, quiet: bool) -> None:
    for changed in code_map.watch():
        if not quiet:
            names = ", ".join(changed[:4]) + (f" and {len(changed) - 4} more" if len(changed) > 4 else "")
            say(f"followed {names}")


@click.command("locate")
@click.argument("words", nargs=-1, required=True, metavar="TASK...")
@click.option("--file", "-f", "known", multiple=True, metavar="PATH", help="A file that is already in play.")
@click.option("--limit", "-n", type=click.IntRange(1, 200), default=10, show_default=True, help="Files to show.")
@json_option
@project_option
def locate_command(words: tuple[str, ...], known: tuple[str, ...], limit: int, as_json: bool, project: str) -> None:
    """Find the files that a task is about, each with its reasons.

    \b
    Example:
      holloway locate "session cookie is not refreshed"
    """
    task = text_of(words, "The task")
    if not task.strip():
        raise InvalidInput("The task is empty.", "Say in a sentence what is to be done.")
    with ready(project) as memory:
        places = [memory.path_of(path, standing(project)) for path in known]
        found = memory.map.locate(task, known=places, limit=limit)
    if as_json:
        emit(_located_fields(found))
    else:
        _show_located(found)


def _located_fields(found: Located) -> dict[str, Any]:
    return {
        "files": [
            {"path": file.path, "score": file.score, "reasons": list(file.reasons), "symbols": list(file.symbols)}
            for file in found.files
        ],
        "tests": list(found.tests),
        "coupled": [
            {"path": one.path, "with": one.other, "commits": one.commits, "of": one.of} for one in found.coupled
        ],
    }


def _show_located(found: Located) -> None:
    if not found.files:
        say("Nothing in this project speaks of that.", "yellow")
        return
    if not found.speaks_of_it:
        say("Nothing in this project speaks of that. Where work happens otherwise:", "yellow")
    for file in found.files:
        say(f"{file.score:4.2f}  {file.path}", "bold")
        if file.reasons:
            say(f"      {'; '.join(file.reasons)}")
    if found.tests:
        say(f"tests    {', '.join(found.tests)}")
    for one in found.coupled[:4]:
        say(f"coupled  {one.path} (changes with {one.other} in {one.commits} of {many(one.of, 'commit')})")


@click.command("impact")
@click.argument("target", metavar="PATH[:SYMBOL]")
@click.option("--depth", "-d", type=click.IntRange(1, 6), default=2, show_default=True, help="Steps to follow.")
@click.option("--forward", is_flag=True, help="What it depends on, instead of what depends on it.")
@json_option
@project_option
def impact_command(target: str, depth: int, forward: bool, as_json: bool, project: str) -> None:
    """Show what a change of a file or a symbol reaches: who uses it, tests to run, files that change with it.

    \b
    Examples:
      holloway impact src/flask/sessions.py
      holloway impact src/flask/helpers.py:url_for --depth 1
    """
    with ready(project) as memory:
        found = memory.map.impact(target, depth=depth, forward=forward, where=standing(project))
    if as_json:
        emit(_impact_fields(found))
        return
    _show_impact(found, depth)


def _show_impact(found: Consequences, depth: int) -> None:
    impact = found.impact
    verb = "depends on" if impact.direction == "forward" else "is used by"
    more = "" if impact.complete else " or more"
    name = _name_of(impact.target)
    if impact.total:
        places = f"{impact.total:,}{more} {'place' if impact.total == 1 else 'places'}"
        say(f"{name} {verb} {places} in {many(len(impact.files), 'file')}, to depth {depth}", "bold")
    else:
        say(f"{name} {verb} nothing that the map knows of", "bold")
    by_file: dict[str, list[str]] = {}
    for one in impact.reached:
        by_file.setdefault(one.node.path, []).append(_reached_at(one))
    own = {node.path for node in impact.target}
    for path, distance in impact.files[:SHOWN]:
        symbols = by_file.get(path, [])
        named = [name for name in symbols if not name.startswith("import")] or symbols
        shown = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
        say(f"  {distance}  {path}  {shown}")
    if len(impact.files) > SHOWN:
        say(f"     and {len(impact.files) - SHOWN:,} more files")
    if inside := sum(len(names) for path, names in by_file.items() if path in own):
        say(f"  in the file itself: {inside}")
    if found.unfollowed:
        say(f"  calls are not followed in {' and '.join(found.unfollowed)}: there may be more")
    if impact.mentions:
        say(f"  and {impact.mentions} mentions of that name that could not be followed")
    if impact.tests:
        say("tests to run", "bold")
        for path in impact.tests[:SHOWN]:
            say(f"  {path}")
    if found.coupled:
        say("changes together with, though no code says so", "bold")
        for path, _, commits in found.coupled:
            say(f"  {path}  (in {many(commits, 'commit')})")
    for relation in found.relations:
        say(f"{relation.origin} said: {relation.source} {relation.kind} {relation.target}  {relation.note}")
    if found.memories:
        say("memories", "bold")
        for memory_found in found.memories:
            say(f"  [{memory_found.id}] {memory_found.summary}")


def _reached_at(reached: Reached) -> str:
    """The definition that is reached, with its line; the line alone where its name is withheld; else how it is used."""
    if reached.node.name:
        return f"{reached.node.name}:{reached.line}"
    return reached.via.replace("_", " ") if reached.node.kind == "file" else f"line {reached.line}"


def _name_of(target: Sequence[Node]) -> str:
    """The symbol that was asked about, before what it holds; the file, where that is meant or several symbols are."""
    first = target[0]
    is_one = all(f"{node.name}.".startswith(f"{first.name}.") for node in target)
    return str(first) if is_one else first.path


def _impact_fields(found: Consequences) -> dict[str, Any]:
    impact = found.impact
    return {
        "target": [str(node) for node in impact.target if node.name or len(impact.target) == 1] or [],
        "direction": impact.direction,
        "total": impact.total,
        "complete": impact.complete,
        "files": [{"path": path, "depth": depth} for path, depth in impact.files],
        "reached": [
            {
                "path": one.node.path,
                "symbol": one.node.name,
                "kind": one.node.kind,
                "line": one.line,
                "depth": one.depth,
                "via": one.via,
                "confidence": one.confidence,
                "chain": impact.chain(one),
            }
            for one in impact.reached
        ],
        "tests": list(impact.tests),
        "coupled": [{"path": path, "score": score, "commits": commits} for path, score, commits in found.coupled],
        "unresolved_mentions": impact.mentions,
        "unfollowed": list(found.unfollowed),
        "relations": [relation._asdict() for relation in found.relations],
        "memories": [{"id": memory.id, "summary": memory.summary} for memory in found.memories],
    }


@click.command("modules")
@click.option("--all", "everything", is_flag=True, help="Also hidden ones, and examples, docs and the like.")
@click.option(
    "--describe", "worded", is_flag=True, help="Have your language model say what each is for (llm.provider)."
)
@json_option
@project_option
def modules_command(everything: bool, worded: bool, as_json: bool, project: str) -> None:
    """List the modules of the codebase: what each is for, and the files to look at first.

    \b
    Example:
      holloway modules
    """
    with ready(project, create=worded) as memory:
        if worded:
            memory.describe_modules()
        overview = memory.map.overview()
        found = [one for one in memory.map.modules() if everything or not (one.hidden or one.support)]
    if as_json:
        emit(
            {
                "modules": [_module_fields(one) for one in found],
                "build": list(overview.build),
                "test": list(overview.test),
                "lint": list(overview.lint),
                "test_tool": overview.test_tool,
            }
        )
        return
    if not found:
        say("No module is drawn here: that takes source files which belong together.")
    for one in found:
        say(f"{one.name}  ({many(len(one.files), 'file')}, {one.folder or '.'})", "bold")
        if one.purpose:
            say(f"  {one.purpose}")
        say(f"  core: {', '.join(one.core[:3])}")
    for label, steps in (("build", overview.build), ("test", overview.test), ("lint", overview.lint)):
        if steps:
            say(f"{label}: {' · '.join(steps)}")
    if overview.written_with:
        say(f"tests are written with {overview.written_with}")


@click.command("module")
@click.argument("name")
@click.option("--rename", metavar="NAME", default="", help="Show it under another name.")
@click.option("--purpose", metavar="TEXT", default="", help="Say what it is for.")
@click.option("--add", multiple=True, metavar="PATTERN", help="A file, a folder or a pattern that belongs to it.")
@click.option("--hide", is_flag=True, help="Leave it out of lists and briefs.")
@click.option("--reset", is_flag=True, help="Take back what was said about it.")
@json_option
@project_option
def module_command(
    name: str, rename: str, purpose: str, add: tuple[str, ...], hide: bool, reset: bool, as_json: bool, project: str
) -> None:
    """Show one module in full, or correct it; corrections stay, whatever is indexed later.

    \b
    Examples:
      holloway module auth
      holloway module auth --rename login --add src/middleware/auth.py
    """
    with ready(project, create=bool(rename or purpose or add or hide or reset)) as memory:
        before = memory.map.module(name)
        if reset:
            memory.map.reset_module(name)
        shown = _drawn_now(memory.map, before, name)
        if shown and (rename or purpose or add or hide):
            memory.map.edit_module(shown.name, rename=rename, purpose=purpose, add=add, hide=hide)
            shown = _drawn_now(memory.map, before, rename or shown.name)
    if shown is None:
        say(f"{name} is not drawn any more.", "yellow")
        return
    if as_json:
        emit(_module_fields(shown))
        return
    _show_module(shown)
    if add and set(shown.files) <= set(before.files):
        say(f"{', '.join(add)}: no further source file belongs to it by that now; one that comes later will.", "yellow")


def _drawn_now(code_map: CodeMap, before: Module, name: str) -> Module | None:
    """A module after a word on it, which may have changed its name or moved its files."""
    return next((one for one in code_map.modules() if one.key == before.key or one.name == name), None)


def _show_module(shown: Module) -> None:
    say(f"{shown.name}  ({many(len(shown.files), 'file')}, {shown.folder or '.'}, {shown.confidence})", "bold")
    if shown.purpose:
        say(f"  {shown.purpose}")
    for label, listed in (
        ("core", shown.core),
        ("enter", shown.entries),
        ("flow", shown.flows),
        ("tests", shown.tests),
        ("uses", tuple(other for other, _ in shown.uses)),
        ("with", tuple(other for other, _ in shown.related)),
        ("deps", shown.packages),
    ):
        if listed:
            say(f"  {label:6} {', '.join(listed[:8])}" + (f" and {len(listed) - 8} more" if len(listed) > 8 else ""))


def _module_fields(module: Module) -> dict[str, Any]:
    return {
        "name": module.name,
        "folder": module.folder,
        "purpose": module.purpose,
        "confidence": module.confidence,
        "files": list(module.files),
        "core": list(module.core),
        "entries": list(module.entries),
        "flows": list(module.flows),
        "tests": list(module.tests),
        "uses": [other for other, _ in module.uses],
        "related": [other for other, _ in module.related],
        "packages": list(module.packages),
        "support": module.support,
        "hidden": module.hidden,
    }


@click.command("relate")
@click.argument("source", metavar="SOURCE")
@click.argument("kind")
@click.argument("target", metavar="TARGET")
@click.option("--note", default="", help="Why, in a line.")
@click.option("--remove", is_flag=True, help="Take it back.")
@project_option
def relate_command(source: str, kind: str, target: str, note: str, remove: bool, project: str) -> None:
    """Say how two places belong together though no import does; `impact` shows it.

    SOURCE and TARGET are a PATH or PATH:SYMBOL. KIND is is_impact_of, documents, violates, supersedes,
    is_entrypoint_for, flows_to, handles_errors_from, owns_data_for, applies_pattern or depends_logically.

    \b
    Example:
      holloway relate docs/config.md documents src/config.py
    """
    from holloway.service.agents import place  # loaded when the command runs

    def placed(end: str) -> str:
        try:
            return place(memory, end, standing(project))
        except InvalidInput:
            if not remove:
                raise
            return end  # What is gone from the code can still be taken back, by the words that were kept.

    with ready(project, create=True) as memory:
        first, second = placed(source), placed(target)
        if remove:
            there = memory.map.unrelate(first, kind, second)
            say("Taken back." if there else "There was no such relation.", "" if there else "yellow")
            return
        kept = memory.map.relate(first, kind, second, note=note)
        say(f"{kept.source} {kept.kind} {kept.target}", "bold green")
