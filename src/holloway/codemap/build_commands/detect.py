"""Finds out how to build a project, run its tests and lint it from its own files; they are read and never executed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path, PurePosixPath

from holloway.codemap.build_commands import ci
from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, is_safe, pick_available, prefix_folder
from holloway.codemap.build_commands.language_recipes import KNOWN_SUFFIXES, read_language_recipes
from holloway.codemap.manifests import FOLDER_MANIFESTS, nested_table, parse_toml_table
from holloway.safety.repository_text import is_command
from holloway.text.file_roles import is_test

BUILD_MAX = 2
TEST_MAX = 3
LINT_MAX = 3
FOLDERS_READ_MAX = 3
FOLDER_DEPTH_MAX = 2
OWN_SHARE_MIN = 0.2
"""A language with a smaller share of the code does not decide how the project is built."""
_BUILDS = ("build", "compile", "install", "setup", "init", "all")
_TESTS = ("test", "tests", "unit", "unittest")
_LINTS = ("lint", "typecheck", "check", "format-check", "vet")
_MAKE_TARGET = re.compile(r"^([A-Za-z][\w.-]{0,40})[ \t]*:(?!=)", re.MULTILINE)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z][\w-]{0,40})(?:[ \t][^:=\n]{0,200})?:(?!=)", re.MULTILINE)
_TASK = re.compile(r"^  ([A-Za-z][\w:-]{0,40}):[ \t]*$", re.MULTILINE)
_MISE_FOLDERS = ("mise-tasks/", ".mise-tasks/", "mise/tasks/", ".mise/tasks/", ".config/mise/tasks/")


def detect_commands(root: Path, names: Collection[str]) -> BuildRecipe:
    """Return the commands to type in a project whose files have these names, relative to its root; best first."""
    project = BuildFiles(root, frozenset(names))
    shares = _count_suffixes(names)
    recipes = sorted(
        read_language_recipes(project) + _read_nested_recipes(project, shares),
        key=lambda recipe: -sum(shares[suffix] for suffix in recipe.suffixes),
    )
    main_recipes = [recipe for recipe in recipes if _code_share(recipe, shares) >= OWN_SHARE_MIN] or recipes[:1]
    task_recipes = _read_task_recipes(project)
    ci_commands = ci.read_commands(project)
    test_recipe = next((recipe for recipe in main_recipes if recipe.test), next(iter(main_recipes), BuildRecipe()))
    ordered = [*task_recipes, *main_recipes]
    return BuildRecipe(
        test_tool=test_recipe.test_tool,
        build=_choose_commands((recipe.build for recipe in ordered), ci_commands["build"], BUILD_MAX),
        test=_choose_commands((recipe.test for recipe in ordered), ci_commands["test"], TEST_MAX),
        lint=_choose_commands((recipe.lint for recipe in ordered), ci_commands["lint"], LINT_MAX),
    )


def _count_suffixes(names: Collection[str]) -> Counter[str]:
    """Count the project's files by suffix; tests do not count."""
    return Counter(PurePosixPath(name).suffix.lower() for name in names if not is_test(name))


def _code_share(recipe: BuildRecipe, shares: Counter[str]) -> float:
    total = sum(shares[suffix] for suffix in KNOWN_SUFFIXES)
    return sum(shares[suffix] for suffix in recipe.suffixes) / total if total else 0.0


def _read_nested_recipes(project: BuildFiles, shares: Counter[str]) -> list[BuildRecipe]:
    """Return the recipes of folders with a manifest, for languages that the root has no recipe for."""
    covered = {suffix for recipe in read_language_recipes(project) for suffix in recipe.suffixes}
    folders = {
        folder
        for folder, _, file in (name.rpartition("/") for name in project.names)
        if folder and file in FOLDER_MANIFESTS and folder.count("/") < FOLDER_DEPTH_MAX
    }
    recipes: list[BuildRecipe] = []
    for folder in _largest_folders(folders, project.names):
        for recipe in read_language_recipes(project.enter_folder(folder)):
            if not recipe.suffixes & covered and _code_share(recipe, shares) >= OWN_SHARE_MIN:
                recipes.append(_move_recipe(recipe, folder))
        covered |= {suffix for recipe in recipes for suffix in recipe.suffixes}
    return recipes


def _largest_folders(folders: Collection[str], names: Collection[str]) -> list[str]:
    size = Counter(
        folder
        for name in names
        for folder in accumulate(name.split("/")[:-1][:FOLDER_DEPTH_MAX], "{}/{}".format)
        if folder in folders
    )
    return sorted(folders, key=lambda folder: (-size[folder], folder))[:FOLDERS_READ_MAX]


def _move_recipe(recipe: BuildRecipe, folder: str) -> BuildRecipe:
    def prefix_commands(commands: Sequence[str]) -> tuple[str, ...]:
        return tuple(filter(None, (prefix_folder(folder, command) for command in commands)))

    return replace(
        recipe,
        build=prefix_commands(recipe.build),
        test=prefix_commands(recipe.test),
        lint=prefix_commands(recipe.lint),
    )


def _choose_commands(
    recipe_commands: Iterable[tuple[str, ...]], ci_commands: Sequence[str], limit: int
) -> tuple[str, ...]:
    """Return the recipes' commands, those that CI runs verbatim first; without recipes, the first CI command."""
    candidates = [command for commands in recipe_commands for command in commands if _is_shown(command)]
    if not candidates:
        return tuple(command for command in ci_commands if is_command(command))[:1]
    return tuple(sorted(dict.fromkeys(candidates), key=lambda command: command not in ci_commands)[:limit])


def _is_shown(command: str) -> bool:
    parts = (command.partition(" && ")[2] or command, command.partition(" && ")[0])
    return all(map(is_safe, parts)) and is_command(command)


def _read_task_recipes(project: BuildFiles) -> list[BuildRecipe]:
    recipes: list[BuildRecipe] = []
    if file := project.first_existing("Makefile", "GNUmakefile", "makefile"):
        recipes.append(_build_recipe("make", set(_MAKE_TARGET.findall(project.read_text(file)))))
    if file := project.first_existing("justfile", "Justfile", ".justfile"):
        recipes.append(_build_recipe("just", set(_JUST_RECIPE.findall(project.read_text(file)))))
    if file := project.first_existing("mise.toml", ".mise.toml", ".config/mise.toml"):
        tasks = set(nested_table(parse_toml_table(project.read_text(file)), "tasks"))
        recipes.append(_build_recipe("mise run", tasks | _list_mise_tasks(project)))
    if file := project.first_existing("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"):
        tasks = set(_TASK.findall(project.read_text(file).partition("\ntasks:")[2]))
        recipes.append(_build_recipe("task", tasks))
    return [recipe for recipe in recipes if recipe.build or recipe.test or recipe.lint]


def _list_mise_tasks(project: BuildFiles) -> set[str]:
    """Return tasks that are separate files: `lint/_default` is the task lint."""
    return {
        name.removeprefix(folder).removesuffix("/_default").replace("/", ":")
        for folder in _MISE_FOLDERS
        for name in project.names
        if name.startswith(folder)
    }


def _build_recipe(runner: str, targets: set[str]) -> BuildRecipe:
    """Build a recipe from well-known target names. `check` runs the tests if nothing else does."""
    test = pick_available(_TESTS, targets)[:1] or pick_available(("check",), targets)
    lint = [name for name in pick_available(_LINTS, targets) if name not in test]
    return BuildRecipe(
        build=tuple(f"{runner} {name}" for name in pick_available(_BUILDS, targets)[:1]),
        test=tuple(f"{runner} {name}" for name in test),
        lint=tuple(f"{runner} {name}" for name in lint[:2]),
    )
