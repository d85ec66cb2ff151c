"""Connecting agents, checking the installation and removing it: the calls that need no open memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holloway.install import (
    DIALECTS,
    Dialect,
    InstallPlan,
    apply_plan,
    connection_checks,
    find_dialect,
    plan_removal,
    plan_setup,
    uninstall,
)
from holloway.install.file_change import render_diff
from holloway.install.uninstall import (
    RulesBlock,
    count_projects,
    find_blocks,
    list_data,
    list_roots,
    plan_removals,
    remove_block,
)
from holloway.service import background_worker, doctor
from holloway.service.project_finder import project_root

if TYPE_CHECKING:
    from holloway.domain.findings import Check

__all__ = [
    "DIALECTS",
    "Dialect",
    "InstallPlan",
    "RulesBlock",
    "apply_plan",
    "count_projects",
    "delete_data",
    "examine",
    "find_blocks",
    "find_dialect",
    "list_data",
    "list_roots",
    "plan_removal",
    "plan_removals",
    "plan_setup",
    "remove_block",
    "render_diff",
]


def examine(project: str, home: Path) -> list[Check]:
    """Check this machine, the data folder, the project that holds a folder, and the connected agents."""
    return [*doctor.examine(Path(project), home), *connection_checks.check_connections(project_root(project))]


def delete_data(home: Path) -> list[str]:
    """Delete all memories of all projects for good; returns the names of the files that are not holloway's."""
    return uninstall.delete_data(home, background_worker.is_running)
