"""Options that filter memories (type, file, module, tag, state), collected into one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.service.results import Filter

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--type", "-t", "types", multiple=True, metavar="TYPE", help="Only memories of this type."),
    click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="Only memories about this file."),
    click.option("--module", "-m", "modules", multiple=True, metavar="NAME", help="Only memories about this module."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only memories with this tag."),
    click.option("--state", "states", multiple=True, metavar="STATE", help="Only memories in this state."),
    click.option("--all-branches", is_flag=True, help="Also memories learned on other, unmerged branches."),
    click.option("--quarantined", is_flag=True, help="Also quarantined memories, which agents do not see."),
)


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Values of the filter options."""

    types: tuple[str, ...]
    files: tuple[str, ...]
    modules: tuple[str, ...]
    tags: tuple[str, ...]
    states: tuple[str, ...]
    all_branches: bool
    quarantined: bool

    def build_filter(self, memory: Holloway) -> Filter:
        """Build the store filter for a project. Raises InvalidInput for an unknown type, state or path."""
        from holloway import Filter  # loaded when a command runs
        from holloway.domain.memory import MemoryType, State, parse_choice

        return Filter(
            types=tuple(parse_choice(MemoryType, kind) for kind in self.types),
            states=tuple(parse_choice(State, state) for state in self.states),
            files=tuple(memory.path_of(path, Path.cwd()) for path in self.files),
            modules=self.modules,
            tags=self.tags,
            branch=None if self.all_branches else memory.branch,
            quarantined=self.quarantined or "quarantined" in self.states,
        )


def filter_options(command: Command) -> Command:
    """Decorate a command with the filter options; it receives them as `chosen`."""

    @wraps(command)
    def run_with_options(**values: Any) -> Any:
        chosen = FilterOptions(**{field.name: values.pop(field.name) for field in fields(FilterOptions)})
        return command(chosen=chosen, **values)

    decorated: Any = run_with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]
