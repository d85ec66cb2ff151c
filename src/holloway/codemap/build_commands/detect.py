"""How a project is built, tested and checked, by its own files. They are read, with care; nothing is ever run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath

from holloway.codemap.build_commands import ci, javascript, other_languages, python, task_runners
from holloway.codemap.build_commands.build_file import Project, Recipe, in_folder, is_safe
from holloway.codemap.modules.manifests import FOLDER_MANIFESTS
from holloway.safety.repository_text import is_command
from holloway.text.file_roles import is_test

BUILD_MAX = 2
TEST_MAX = 3
LINT_MAX = 3
FOLDERS_READ_MAX = 3
FOLDER_DEPTH_MAX = 2
OWN_SHARE_MIN = 0.2
"""A language with a smaller share of the code does not say how the project is built."""


@dataclass(frozen=True, slots=True)
class Commands:
    """What to type, the best first; empty where the project does not say."""

    test_tool: str = ""
    """What the tests are written with, where that is known."""
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()


def read(root: Path, names: Collection[str]) -> Commands:
    """The commands of a project whose files have these names, relative to its root."""
    project = Project(root, frozenset(names))
    shares = _shares(names)
    own = sorted(
        _recipes(project) + _nested(project, shares),
        key=lambda recipe: -sum(shares[suffix] for suffix in recipe.suffixes),
    )
    main = [recipe for recipe in own if _share(recipe, shares) >= OWN_SHARE_MIN] or own[:1]
    tasks = task_runners.read(project)
    run = ci.commands(project)
    tested = next((recipe for recipe in main if recipe.test), next(iter(main), Recipe()))
    ordered = [*tasks, *main]
    return Commands(
        test_tool=tested.test_tool,
        build=_commands((recipe.build for recipe in ordered), run["build"], BUILD_MAX),
        test=_commands((recipe.test for recipe in ordered), run["test"], TEST_MAX),
        lint=_commands((recipe.lint for recipe in ordered), run["lint"], LINT_MAX),
    )


def _recipes(project: Project) -> list[Recipe]:
    return [*python.read(project), *javascript.read(project), *other_languages.read(project)]


def _shares(names: Collection[str]) -> Counter[str]:
    """How many files of the project have which ending; tests, docs and examples are not what it is written in."""
    return Counter(PurePosixPath(name).suffix.lower() for name in names if not is_test(name))


def _share(recipe: Recipe, shares: Counter[str]) -> float:
    known = python.SUFFIXES | javascript.SUFFIXES | other_languages.SUFFIXES
    total = sum(shares[suffix] for suffix in known)
    return sum(shares[suffix] for suffix in recipe.suffixes) / total if total else 0.0


def _nested(project: Project, shares: Counter[str]) -> list[Recipe]:
    """The recipes of folders with a manifest, for languages that the root has no recipe for."""
    covered = {suffix for recipe in _recipes(project) for suffix in recipe.suffixes}
    folders = {
        folder
        for folder, _, file in (name.rpartition("/") for name in project.names)
        if folder and file in FOLDER_MANIFESTS and folder.count("/") < FOLDER_DEPTH_MAX
    }
    found: list[Recipe] = []
    for folder in _largest(folders, project.names):
        for recipe in _recipes(project.inside(folder)):
            if not recipe.suffixes & covered and _share(recipe, shares) >= OWN_SHARE_MIN:
                found.append(_moved(recipe, folder))
        covered |= {suffix for recipe in found for suffix in recipe.suffixes}
    return found


def _largest(folders: Collection[str], names: Collection[str]) -> list[str]:
    size = Counter(
        folder
        for name in names
        for folder in accumulate(name.split("/")[:-1][:FOLDER_DEPTH_MAX], "{}/{}".format)
        if folder in folders
    )
    return sorted(folders, key=lambda folder: (-size[folder], folder))[:FOLDERS_READ_MAX]


def _moved(recipe: Recipe, folder: str) -> Recipe:
    def inside(commands: Sequence[str]) -> tuple[str, ...]:
        return tuple(filter(None, (in_folder(folder, command) for command in commands)))

    return replace(
        recipe,
        build=inside(recipe.build),
        test=inside(recipe.test),
        lint=inside(recipe.lint),
    )


def _commands(given: Iterable[tuple[str, ...]], run: Sequence[str], most: int) -> tuple[str, ...]:
    """What the recipes give, what CI runs word for word before the rest; what CI runs where they give nothing."""
    found = [command for commands in given for command in commands if _is_shown(command)]
    if not found:
        return tuple(command for command in run if is_command(command))[:1]
    return tuple(sorted(dict.fromkeys(found), key=lambda command: command not in run)[:most])


def _is_shown(command: str) -> bool:
    parts = (command.partition(" && ")[2] or command, command.partition(" && ")[0])
    return all(map(is_safe, parts)) and is_command(command)
