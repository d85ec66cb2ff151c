"""Writes the settings that hooks obey into a file in the project's data folder: a hook loads no settings parser."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import replace_file
from holloway.store import registry
from holloway.store.database import translate_errors

if TYPE_CHECKING:
    from holloway.config import Settings
    from holloway.store.project import Project


def save_hook_settings(project: Project, settings: Settings) -> None:
    """Write the settings that hooks obey in a project; if all have their defaults, there is no file."""
    path = project.folder / registry.HOOK_SETTINGS
    obeyed: dict[str, object] = {
        "exclude_paths": settings.stored_words("exclude.paths"),
        "exclude_commands": settings.stored_words("exclude.commands"),
        "excluded": is_excluded(project, settings),
        "ask_at_stop": settings.stored_value("learning.ask_at_stop") == "on",
        registry.EXPERIMENT: _describe_experiment(project, settings),
    }
    wanted = json.dumps({name: value for name, value in obeyed.items() if value})
    try:
        current = path.read_text("utf-8")
    except OSError:
        current = "{}"
    with translate_errors(path):
        if wanted == "{}":
            path.unlink(missing_ok=True)
        elif wanted != current:
            replace_file(str(path), wanted.encode())


def _describe_experiment(project: Project, settings: Settings) -> dict[str, object]:
    """Return the running experiment of a project with its group sizes; empty without one."""
    since = settings.stored_value("proof.since")
    if not since:
        return {}
    percents = {name: int(settings.stored_value(f"proof.{name}_percent")) for name in ("control", "passive")}
    return {"salt": project.key, "since": since, **percents}


def is_excluded(project: Project, settings: Settings) -> bool:
    """Return whether a project is one in which nothing is captured, by its name, its folder or one above it."""
    roots = [Path(root) for root in registry.read_project(str(project.folder))["roots"]]
    folders = [str(folder) for root in roots for folder in (root, *root.parents)]
    names = [project.name, project.key, *folders]
    patterns = [_expand_home(pattern.rstrip("/")) for pattern in settings.stored_words("exclude.projects")]
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def _expand_home(pattern: str) -> str:
    return f"{Path.home()}{pattern[1:]}" if pattern == "~" or pattern.startswith("~/") else pattern
