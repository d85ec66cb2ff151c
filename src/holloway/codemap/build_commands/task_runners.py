"""Build, test and lint commands from task runners: make, just, mise and task; a short target is what people type."""

from __future__ import annotations

import re

from holloway.codemap.build_commands.build_file import BuildFiles, BuildRecipe, pick_available
from holloway.codemap.modules.manifests import nested_table, parse_toml_table

_BUILDS = ("build", "compile", "install", "setup", "init", "all")
_TESTS = ("test", "tests", "unit", "unittest")
_LINTS = ("lint", "typecheck", "check", "format-check", "vet")
_MAKE_TARGET = re.compile(r"^([A-Za-z][\w.-]{0,40})[ \t]*:(?!=)", re.MULTILINE)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z][\w-]{0,40})(?:[ \t][^:=\n]{0,200})?:(?!=)", re.MULTILINE)
_TASK = re.compile(r"^  ([A-Za-z][\w:-]{0,40}):[ \t]*$", re.MULTILINE)
_MISE_FOLDERS = ("mise-tasks/", ".mise-tasks/", "mise/tasks/", ".mise/tasks/", ".config/mise/tasks/")


def read_recipes(project: BuildFiles) -> list[BuildRecipe]:
    """Return the recipes of all task runners that the project uses."""
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
