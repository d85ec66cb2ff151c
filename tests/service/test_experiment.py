"""An experiment begins with a person's agreement, keeps to its project, and changes no session that was measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holloway.config import Settings
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.service import experiment
from holloway.store.registry import HOOK_SETTINGS

if TYPE_CHECKING:
    import holloway


def describe(memory: holloway.Holloway) -> dict[str, object]:
    return experiment.describe_experiment(Settings.load_settings(memory.project.key))


def test_an_experiment_is_on_in_its_project_alone(memory: holloway.Holloway) -> None:
    experiment.turn_on(memory.project, memory.clock.now(), 20, 5)

    assert describe(memory) == {
        "on": True,
        "since": format_stamp(memory.clock.now()),
        "control_percent": 20,
        "passive_percent": 5,
    }
    assert Settings.load_settings("another").stored_value("proof.since") == ""


def test_hooks_read_the_salt_and_the_shares_from_a_file(memory: holloway.Holloway) -> None:
    experiment.turn_on(memory.project, memory.clock.now(), 20, 5)

    stored = json.loads((memory.project.folder / HOOK_SETTINGS).read_text())["experiment"]

    assert (stored["salt"], stored["control"], stored["passive"]) == (memory.project.key, 20, 5)
    experiment.turn_off(memory.project)
    assert not (memory.project.folder / HOOK_SETTINGS).exists()
    assert describe(memory)["on"] is False


def test_without_a_control_group_nothing_begins(memory: holloway.Holloway) -> None:
    with pytest.raises(InvalidInput):
        experiment.turn_on(memory.project, memory.clock.now(), 0, 50)

    assert describe(memory)["on"] is False


def test_consent_says_the_shares_and_how_to_end_it() -> None:
    text = " ".join(experiment.describe_consent(7, 13))

    assert "nothing in 7 %" in text
    assert "with a prompt in 13 %" in text
    assert "holloway proof off" in text
