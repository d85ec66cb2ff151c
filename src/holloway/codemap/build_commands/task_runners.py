"""Build, test and lint commands from task runners: make, just, mise and task; a short target is what people type."""

from __future__ import annotations

import re

from holloway.codemap.build_commands.build_file import Project, Recipe, chosen
from holloway.codemap.modules.manifests import inner, toml_table

_BUILDS = ("build", "compile", "install", "setup", "init", "all")
_TESTS = ("test", "tests", "unit", "unittest")
_LINTS = ("lint", "typecheck", "check", "format-check", "vet")
_MAKE_TARGET = re.compile(r"^([A-Za-z][\w.-]{0,40})[ \t]*:(?!=)", re.MULTILINE)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z][\w-]{0,40})(?:[ \t][^:=\n]{0,200})?:(?!=)", re.MULTILINE)
_TASK = re.compile(r"^  ([A-Za-z][\w:-]{0,40}):[ \t]*$", re.MULTILINE)
_MISE_FOLDERS = ("mise-tasks/", ".mise-tasks/", "mise/tasks/", ".mise/tasks/", ".config/mise/tasks/")


def read(project: Project) -> list[Recipe]:
    """Return the recipes of all task runners that the project uses."""
    recipes: list[Recipe] = []
    if file := project.first("Makefile", "GNUmakefile", "makefile"):
        recipes.append(_recipe("make", set(_MAKE_TARGET.findall(project.text(file)))))
    if file := project.first("justfile", "Justfile", ".justfile"):
        recipes.append(_recipe("just", set(_JUST_RECIPE.findall(project.text(file)))))
    if file := project.first("mise.toml", ".mise.toml", ".config/mise.toml"):
        tasks = set(inner(toml_table(project.text(file)), "tasks"))
        recipes.append(_recipe("mise run", tasks | _mise_files(project)))
    if file := project.first("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"):
        tasks = set(_TASK.findall(project.text(file).partition("\ntasks:")[2]))
        recipes.append(_recipe("task", tasks))
    return [recipe for recipe in recipes if recipe.build or recipe.test or recipe.lint]


def _mise_files(project: Project) -> set[str]:
    """Return tasks that are separate files: `lint/_default` is the task lint."""
    return {
        name.removeprefix(folder).removesuffix("/_default").replace("/", ":")
        for folder in _MISE_FOLDERS
        for name in project.names
        if name.startswith(folder)
    }


def _recipe(run: str, targets: set[str]) -> Recipe:
    """Build a recipe from well-known target names. `check` runs the tests if nothing else does."""
    test = chosen(_TESTS, targets)[:1] or chosen(("check",), targets)
    lint = [name for name in chosen(_LINTS, targets) if name not in test]
    return Recipe(
        build=tuple(f"{run} {name}" for name in chosen(_BUILDS, targets)[:1]),
        test=tuple(f"{run} {name}" for name in test),
        lint=tuple(f"{run} {name}" for name in lint[:2]),
    )
