"""Code map commands: index, locate, impact, modules, module, relate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import (
    ProgressBar,
    TextCommand,
    base_folder,
    format_count,
    json_option,
    open_mapped_memory,
    open_memory,
    print_json,
    print_text,
    print_withheld,
    project_option,
    raw_option,
    read_text_argument,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.code_map import CodeMap, Consequences
    from holloway.service.results import GraphNode, LocateResult, Module, ReachedNode

MAP_ROWS_SHOWN_MAX = 12


@click.command("index")
@click.option(
    "--scip",
    type=click.Path(exists=True, dir_okay=False),
    help="Also import the precise references of this SCIP index.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that parse files (default: one per core).")
@click.option("--watch", is_flag=True, help="Keep running and index every change until Ctrl-C.")
@click.option("--quiet", is_flag=True, help="Print nothing.")
@click.option("--no-wait", is_flag=True, help="Exit at once if another process is indexing.")
@json_option
@project_option
def index_command(
    scip: str | None, workers: int | None, watch: bool, quiet: bool, no_wait: bool, as_json: bool, project: str
) -> None:
    """Update the code map: files, symbols, references, files that often change together (co-change), modules.

    Only changed files are read again. The map is derived data: deleting it loses nothing.

    \b
    Examples:
      holloway index
      holloway index --scip index.scip
    """
    from holloway.service.results import MapBusy  # loaded when the command runs

    with open_memory(project, create=True) as memory:
        try:
            with ProgressBar(hidden=quiet or as_json) as tell:
                update = memory.map.update(workers=workers or 0, wait=not no_wait, progress=tell, scip=scip)
        except MapBusy:
            if no_wait:
                return
            raise
        if no_wait:
            memory.search.embed_waiting()
        # Counted as in `init` and `modules`, without examples and docs; hooks run it quietly and need no count.
        module_count = len(memory.map.overview().modules) if as_json or not quiet else 0
        if as_json:
            print_json({name: getattr(update, name) for name in update.__slots__} | {"modules": module_count})
        elif not quiet:
            print_text(
                f"{format_count(update.files, 'file')} mapped, {update.read:,} of them read, in {update.seconds:.1f} s:"
                f" {format_count(module_count, 'module')}, {format_count(update.commits, 'commit')}",
                "bold green",
            )
            if update.skipped:
                reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(update.skipped.items()))
                print_text(f"skipped: {reasons}")
        if watch:
            _watch_changes(memory.map, quiet)


def _watch_changes(code_map: CodeMap, quiet: bool) -> None:
    for changed in code_map.watch():
        if not quiet:
            names = ", ".join(changed[:4]) + (f" and {len(changed) - 4} more" if len(changed) > 4 else "")
            print_text(f"indexed {names}")


@click.command("locate", cls=TextCommand)
@click.argument("words", nargs=-1, required=True, metavar="TASK...")
@click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="A file already being worked on.")
@click.option(
    "--limit", "-n", type=click.IntRange(1, 200), default=10, show_default=True, help="Maximum number of files."
)
@raw_option
@json_option
@project_option
def locate_command(
    words: tuple[str, ...], files: tuple[str, ...], limit: int, raw: bool, as_json: bool, project: str
) -> None:
    """Find the files that a task is about, each with the reasons for its rank.

    \b
    Example:
      holloway locate "session cookie is not refreshed"
    """
    task = read_text_argument(words, "The task")
    if not task.strip():
        raise InvalidInput("The task is empty.", "Describe the task in a sentence.")
    with open_mapped_memory(project) as memory:
        known_paths = [memory.path_of(path, base_folder(project)) for path in files]
        located = memory.map.locate(task, known=known_paths, limit=limit)
    if as_json:
        print_json(_located_fields(located) | _withheld_fields(located.withheld, raw=raw))
    else:
        _print_located(located)
        print_withheld(located.withheld, raw=raw)
    if located.degraded:
        click.echo(f"Files were ranked by words only: {located.degraded}", err=True)


def _withheld_fields(names: Sequence[str], *, raw: bool) -> dict[str, Any]:
    return {"withheld": len(names), "withheld_names": list(names)} if raw else {"withheld": len(names)}


def _located_fields(located: LocateResult) -> dict[str, Any]:
    return {
        "files": [
            {"path": file.path, "score": file.score, "reasons": list(file.reasons), "symbols": list(file.symbols)}
            for file in located.files
        ],
        "tests": [test.path for test in located.tests],
        "coupled": [
            {"path": pair.path, "with": pair.other, "commits": pair.commits, "of": pair.of} for pair in located.coupled
        ],
    }


def _print_located(located: LocateResult) -> None:
    if not located.files:
        print_text("No match for this task.", "yellow")
        return
    if not located.speaks_of_it:
        print_text("No match for this task. Recently active files:", "yellow")
    for file in located.files:
        print_text(f"{file.score:4.2f}  {file.path}", "bold")
        if file.reasons:
            print_text(f"      {'; '.join(file.reasons)}")
    if located.tests:
        print_text(f"tests    {', '.join(test.path for test in located.tests)}")
    for pair in located.coupled[:4]:
        commits = f"{pair.commits} of {format_count(pair.of, 'commit')}"
        print_text(f"coupled  {pair.path} (changed together with {pair.other} in {commits})")


@click.command("impact")
@click.argument("target", metavar="PATH[:SYMBOL]")
@click.option(
    "--depth", "-d", type=click.IntRange(1, 6), default=2, show_default=True, help="Maximum number of steps to follow."
)
@click.option("--forward", is_flag=True, help="Show what it depends on, instead of what depends on it.")
@raw_option
@json_option
@project_option
def impact_command(target: str, depth: int, forward: bool, raw: bool, as_json: bool, project: str) -> None:
    """Show what a change to a file or symbol affects: its users, tests to run, files often changed together with it.

    \b
    Examples:
      holloway impact src/flask/sessions.py
      holloway impact src/flask/helpers.py:url_for --depth 1
    """
    with open_mapped_memory(project) as memory:
        consequences = memory.map.impact(target, depth=depth, forward=forward, where=base_folder(project))
    if as_json:
        print_json(_impact_fields(consequences) | _withheld_fields(consequences.impact.withheld, raw=raw))
        return
    _print_impact(consequences, depth)
    print_withheld(consequences.impact.withheld, raw=raw)


def _print_impact(consequences: Consequences, depth: int) -> None:
    impact = consequences.impact
    verb = "depends on" if impact.direction == "forward" else "is used by"
    more = "" if impact.complete else " or more"
    name = _target_name(impact.target)
    if impact.total:
        places = f"{impact.total:,}{more} {'place' if impact.total == 1 else 'places'}"
        print_text(f"{name} {verb} {places} in {format_count(len(impact.files), 'file')}, to depth {depth}", "bold")
    else:
        print_text(f"{name} {verb} nothing in the code map", "bold")
    by_file: dict[str, list[str]] = {}
    for reached in impact.reached:
        by_file.setdefault(reached.node.path, []).append(_describe_reached(reached))
    target_paths = {node.path for node in impact.target}
    for path, distance in impact.files[:MAP_ROWS_SHOWN_MAX]:
        symbols = by_file.get(path, [])
        named = [name for name in symbols if not name.startswith("import")] or symbols
        symbol_text = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
        print_text(f"  {distance}  {path}  {symbol_text}")
    if len(impact.files) > MAP_ROWS_SHOWN_MAX:
        print_text(f"     and {len(impact.files) - MAP_ROWS_SHOWN_MAX:,} more files")
    if inside_count := sum(len(names) for path, names in by_file.items() if path in target_paths):
        print_text(f"  in the file itself: {inside_count}")
    if consequences.unfollowed:
        print_text(f"  calls are not resolved in {' and '.join(consequences.unfollowed)}: there may be more")
    if impact.mentions:
        print_text(f"  and {impact.mentions} mentions of that name that could not be resolved")
    if impact.tests:
        print_text("tests to run", "bold")
        for path in impact.tests[:MAP_ROWS_SHOWN_MAX]:
            print_text(f"  {path}")
    if consequences.coupled:
        print_text("often changed together (no import between them)", "bold")
        for path, _, commits in consequences.coupled:
            print_text(f"  {path}  (in {format_count(commits, 'commit')})")
    for relation in consequences.relations:
        print_text(
            f"recorded by {relation.origin}: {relation.source} {relation.kind} {relation.target}  {relation.note}"
        )
    if consequences.memories:
        print_text("memories", "bold")
        for memory in consequences.memories:
            print_text(f"  [{memory.id}] {memory.summary}")


def _describe_reached(reached: ReachedNode) -> str:
    """Return the reached definition with its line, the line alone if its name is withheld, or how a file is used."""
    if reached.node.name:
        return f"{reached.node.name}:{reached.line}"
    return reached.via.replace("_", " ") if reached.node.kind == "file" else f"line {reached.line}"


def _target_name(target: Sequence[GraphNode]) -> str:
    """Return the name of the requested symbol, or its file if the file or several symbols were requested."""
    first = target[0]
    is_one = all(f"{node.name}.".startswith(f"{first.name}.") for node in target)
    return str(first) if is_one else first.path


def _impact_fields(consequences: Consequences) -> dict[str, Any]:
    impact = consequences.impact
    return {
        "target": [str(node) for node in impact.target if node.name or len(impact.target) == 1] or [],
        "direction": impact.direction,
        "total": impact.total,
        "complete": impact.complete,
        "files": [{"path": path, "depth": depth} for path, depth in impact.files],
        "reached": [
            {
                "path": reached.node.path,
                "symbol": reached.node.name,
                "kind": reached.node.kind,
                "line": reached.line,
                "depth": reached.depth,
                "via": reached.via,
                "confidence": reached.confidence,
                "chain": impact.trace_chain(reached),
            }
            for reached in impact.reached
        ],
        "tests": list(impact.tests),
        "coupled": [
            {"path": path, "score": score, "commits": commits} for path, score, commits in consequences.coupled
        ],
        "unresolved_mentions": impact.mentions,
        "unfollowed": list(consequences.unfollowed),
        "relations": [relation._asdict() for relation in consequences.relations],
        "memories": [{"id": memory.id, "summary": memory.summary} for memory in consequences.memories],
    }


@click.command("modules")
@click.option(
    "--all", "everything", is_flag=True, help="Also hidden modules, and supporting ones such as examples and docs."
)
@click.option(
    "--describe", "with_descriptions", is_flag=True, help="Let your language model describe each module (llm.provider)."
)
@json_option
@project_option
def modules_command(everything: bool, with_descriptions: bool, as_json: bool, project: str) -> None:
    """List the modules of the codebase: the purpose of each, and the files to read first.

    \b
    Example:
      holloway modules
    """
    with open_mapped_memory(project, create=with_descriptions) as memory:
        if with_descriptions:
            memory.describe_modules()
        overview = memory.map.overview()
        modules = [module for module in memory.map.modules() if everything or not (module.hidden or module.support)]
    if as_json:
        print_json(
            {
                "modules": [_module_fields(module) for module in modules],
                "build": list(overview.build),
                "test": list(overview.test),
                "lint": list(overview.lint),
                "test_tool": overview.test_tool,
            }
        )
        return
    if not modules:
        print_text("No modules detected: that takes several related source files.")
    for module in modules:
        print_text(f"{module.name}  ({format_count(len(module.files), 'file')}, {module.folder or '.'})", "bold")
        if module.purpose:
            print_text(f"  {module.purpose}")
        print_text(f"  core: {', '.join(module.core[:3])}")
    for label, steps in (("build", overview.build), ("test", overview.test), ("lint", overview.lint)):
        if steps:
            print_text(f"{label}: {' · '.join(steps)}")
    if overview.unnamed_test_tool:
        print_text(f"tests are written with {overview.unnamed_test_tool}")


@click.command("module")
@click.argument("name")
@click.option("--rename", metavar="NAME", default="", help="New name.")
@click.option("--purpose", metavar="TEXT", default="", help="What the module is for.")
@click.option("--add", multiple=True, metavar="PATTERN", help="File, folder or pattern that belongs to it.")
@click.option("--hide/--show", default=None, help="Hide it from lists and briefs, or show it again.")
@click.option("--reset", is_flag=True, help="Remove all corrections of it.")
@json_option
@project_option
def module_command(
    name: str,
    rename: str,
    purpose: str,
    add: tuple[str, ...],
    hide: bool | None,
    reset: bool,
    as_json: bool,
    project: str,
) -> None:
    """Show one module in full, or correct it. Corrections survive later indexing.

    \b
    Examples:
      holloway module auth
      holloway module auth --rename login --add src/middleware/auth.py
    """
    is_edited = bool(rename or purpose or add or hide is not None)
    with open_mapped_memory(project, create=is_edited or reset) as memory:
        before = memory.map.module(name)
        if reset:
            memory.map.reset_module(name)
        module = _find_module(memory.map, before, name)
        if module and is_edited:
            memory.map.edit_module(module.name, rename=rename, purpose=purpose, add=add, hide=hide)
            module = _find_module(memory.map, before, rename or module.name)
    if module is None:
        print_text(f"{name} is no longer detected as a module.", "yellow")
        return
    if as_json:
        print_json(_module_fields(module))
        return
    _print_module(module)
    if add and set(module.files) <= set(before.files):
        print_text(
            f"{', '.join(add)}: matches no additional source file now; files added later will belong to it.", "yellow"
        )


def _find_module(code_map: CodeMap, before: Module, name: str) -> Module | None:
    """Find a module again after a correction, which may have changed its name or its files."""
    return next((module for module in code_map.modules() if module.key == before.key or module.name == name), None)


def _print_module(module: Module) -> None:
    print_text(
        f"{module.name}  ({format_count(len(module.files), 'file')}, {module.folder or '.'}, {module.confidence})",
        "bold",
    )
    if module.purpose:
        print_text(f"  {module.purpose}")
    for label, listed in (
        ("core", module.core),
        ("enter", module.entries),
        ("flow", module.flows),
        ("tests", module.tests),
        ("uses", tuple(other for other, _ in module.uses)),
        ("with", tuple(other for other, _ in module.related)),
        ("deps", module.packages),
    ):
        if listed:
            print_text(
                f"  {label:6} {', '.join(listed[:8])}" + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")
            )


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
@click.option("--note", default="", help="One line that says why.")
@click.option("--remove", is_flag=True, help="Remove the relation.")
@project_option
def relate_command(source: str, kind: str, target: str, note: str, remove: bool, project: str) -> None:
    """Record how two files or symbols are related without an import; `impact` shows it.

    SOURCE and TARGET are a PATH or PATH:SYMBOL. KIND is is_impact_of, documents, violates, supersedes,
    is_entrypoint_for, flows_to, handles_errors_from, owns_data_for, applies_pattern or depends_logically.

    \b
    Example:
      holloway relate docs/config.md documents src/config.py
    """
    from holloway.service.agents import resolve_location  # loaded when the command runs

    def resolve_end(end: str) -> str:
        try:
            return resolve_location(memory, end, base_folder(project))
        except InvalidInput:
            if not remove:
                raise
            return end  # a relation of deleted code can still be removed by its stored text

    with open_mapped_memory(project, create=True) as memory:
        first, second = resolve_end(source), resolve_end(target)
        if remove:
            existed = memory.map.unrelate(first, kind, second)
            print_text("Removed." if existed else "There was no such relation.", "" if existed else "yellow")
            return
        relation = memory.map.relate(first, kind, second, note=note)
        print_text(f"{relation.source} {relation.kind} {relation.target}", "bold green")
