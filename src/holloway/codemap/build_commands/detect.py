"""Detects how a project is built, tested and linted from its own files; they are read carefully and never executed."""

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
"""A language with a smaller share of the code does not decide how the project is built."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands to type, best first; empty if the project declares none."""

    test_tool: str = ""
    """The test framework, if known."""
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()


def read(root: Path, names: Collection[str]) -> Commands:
    """Return the commands of a project whose files have these names, relative to its root."""
    project = Project(root, frozenset(names))
    shares = _shares(names)
    recipes = sorted(
        _recipes(project) + _nested(project, shares),
        key=lambda recipe: -sum(shares[suffix] for suffix in recipe.suffixes),
    )
    main_recipes = [recipe for recipe in recipes if _share(recipe, shares) >= OWN_SHARE_MIN] or recipes[:1]
    task_recipes = task_runners.read(project)
    ci_commands = ci.commands(project)
    test_recipe = next((recipe for recipe in main_recipes if recipe.test), next(iter(main_recipes), Recipe()))
    ordered = [*task_recipes, *main_recipes]
    return Commands(
        test_tool=test_recipe.test_tool,
        build=_commands((recipe.build for recipe in ordered), ci_commands["build"], BUILD_MAX),
        test=_commands((recipe.test for recipe in ordered), ci_commands["test"], TEST_MAX),
        lint=_commands((recipe.lint for recipe in ordered), ci_commands["lint"], LINT_MAX),
    )


def _recipes(project: Project) -> list[Recipe]:
    return [*python.read(project), *javascript.read(project), *other_languages.read(project)]


def _shares(names: Collection[str]) -> Counter[str]:
    """Count the project's files by suffix; tests do not count."""
    return Counter(PurePosixPath(name).suffix.lower() for name in names if not is_test(name))


def _share(recipe: Recipe, shares: Counter[str]) -> float:
    known_suffixes = python.SUFFIXES | javascript.SUFFIXES | other_languages.SUFFIXES
    total = sum(shares[suffix] for suffix in known_suffixes)
    return sum(shares[suffix] for suffix in recipe.suffixes) / total if total else 0.0


def _nested(project: Project, shares: Counter[str]) -> list[Recipe]:
    """Return the recipes of folders with a manifest, for languages that the root has no recipe for."""
    covered = {suffix for recipe in _recipes(project) for suffix in recipe.suffixes}
    folders = {
        folder
        for folder, _, file in (name.rpartition("/") for name in project.names)
        if folder and file in FOLDER_MANIFESTS and folder.count("/") < FOLDER_DEPTH_MAX
    }
    recipes: list[Recipe] = []
    for folder in _largest(folders, project.names):
        for recipe in _recipes(project.inside(folder)):
            if not recipe.suffixes & covered and _share(recipe, shares) >= OWN_SHARE_MIN:
                recipes.append(_moved(recipe, folder))
        covered |= {suffix for recipe in recipes for suffix in recipe.suffixes}
    return recipes


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
    """Return the recipes' commands, those that CI runs verbatim first; if there are none, the first CI command."""
    candidates = [command for commands in given for command in commands if _is_shown(command)]
    if not candidates:
        return tuple(command for command in run if is_command(command))[:1]
    return tuple(sorted(dict.fromkeys(candidates), key=lambda command: command not in run)[:most])


def _is_shown(command: str) -> bool:
    parts = (command.partition(" && ")[2] or command, command.partition(" && ")[0])
    return all(map(is_safe, parts)) and is_command(command)
