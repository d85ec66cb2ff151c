"""Experiment groups: assigned by chance, for good, and obeyed at every injection point."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from holloway.injection.experiment import (
    CONTROL,
    FULL,
    GROUPS,
    PASSIVE,
    Experiment,
    assign_session,
    is_withheld,
    load_experiment,
)
from holloway.store.registry import EXPERIMENT, HOOK_SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

STORED = {"salt": "shop", "since": "2026-01-05T09:00:00.000Z", "control": 50, "passive": 0}


def find_session(experiment: Experiment, group: str) -> str:
    """Return the id of a session that chance assigns to a group."""
    return next(name for name in map(str, range(10_000)) if experiment.assign_group(name) == group)


def test_the_groups_have_the_sizes_that_the_user_chose() -> None:
    experiment = Experiment("shop", "", 5, 10)

    sizes = Counter(experiment.assign_group(f"session {number}") for number in range(20_000))

    assert {group: round(sizes[group] / 200) for group in GROUPS} == {FULL: 85, PASSIVE: 10, CONTROL: 5}


def test_a_session_keeps_its_group_and_projects_draw_on_their_own() -> None:
    names = [f"session {number}" for number in range(200)]
    groups = [Experiment("shop", "", 50, 0).assign_group(name) for name in names]

    assert [Experiment("shop", "later", 50, 0).assign_group(name) for name in names] == groups
    assert [Experiment("other", "", 50, 0).assign_group(name) for name in names] != groups


def test_sessions_of_one_work_unit_share_its_group(tmp_path: Path) -> None:
    (tmp_path / HOOK_SETTINGS).write_text(json.dumps({EXPERIMENT: STORED}))

    groups = {assign_session(str(tmp_path), f"s{number}", ("task 7", "coder")) for number in range(30)}

    assert len(groups) == 1
    assert len({assign_session(str(tmp_path), f"s{number}") for number in range(30)}) == 2


@pytest.mark.parametrize(
    ("group", "points"),
    [
        (None, {"session_start", "prompt", "subagent", "tool_result", "step", "planner", "stop"}),
        (FULL, {"session_start", "prompt", "subagent", "tool_result", "step", "planner", "stop"}),
        (PASSIVE, {"session_start", "prompt"}),
        (CONTROL, set()),
    ],
)
def test_each_group_is_told_something_at_its_points_only(group: str | None, points: set[str]) -> None:
    every_point = {"session_start", "prompt", "subagent", "tool_result", "step", "planner", "stop"}

    assert {point for point in every_point if not is_withheld(group, point)} == points


@pytest.mark.parametrize(
    "stored", [None, [], "on", {}, {**STORED, "control": "5"}, {**STORED, "salt": 3}, {**STORED, "since": None}]
)
def test_without_valid_settings_there_is_no_experiment(tmp_path: Path, stored: object) -> None:
    (tmp_path / HOOK_SETTINGS).write_text(json.dumps({EXPERIMENT: stored}))

    assert load_experiment(str(tmp_path)) is None
    assert assign_session(str(tmp_path), "s1") is None
