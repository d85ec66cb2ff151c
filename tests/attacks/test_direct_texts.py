"""Texts that speak to an agent, by every way in which they arrive, reach no channel that an agent reads."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import holloway
from holloway.config import INJECTION_THRESHOLDS
from holloway.service.code_map import CodeMap
from tests.attacks.channels import Questions, ask_hooks, call_tools, open_sessions, run_commands
from tests.attacks.panel_channels import call_api, call_mcp_over_http
from tests.attacks.planted_texts import ROWS, Row, group_rows, live_through, plant, question_rows
from tests.conftest import NIGHTLY
from tests.hooks.asking import Asking
from tests.hooks.conftest import ask

__all__ = ["ask"]

GROUPS = group_rows(ROWS) if NIGHTLY else group_rows(ROWS)[::2]
"""Rows that live in one repository each; a commit run plants every second repository."""
LEVELS = (min(INJECTION_THRESHOLDS), max(INJECTION_THRESHOLDS)) if NIGHTLY else (max(INJECTION_THRESHOLDS),)
"""The threshold falls from level to level, so no level shows more than the last."""


def find_leaks(
    memory: holloway.Holloway, rows: list[Row], ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, str, str]]:
    """Each row whose marker a channel shows: its id, the channel and the text."""
    asked = question_rows(rows)
    for channel, text in _all_channels(memory, asked, ask, monkeypatch):
        for row in rows:
            if row["marker"].lower() in text.lower():
                yield row["id"], channel, text


def _all_channels(
    memory: holloway.Holloway, asked: Questions, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, str]]:
    for level in LEVELS:
        monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", str(level))
        here = replace(asked, names=f"level-{level}-")
        for channel, text in ask_hooks(memory, ask, here):
            yield f"hook {level}: {channel}", text
        for channel, text in open_sessions(memory, here):
            yield f"sdk {level}: {channel}", text
    for channel, text in call_tools(memory, asked):
        yield f"mcp: {channel}", text
    for channel, text in run_commands(memory, asked):
        yield f"cli: {channel}", text
    for channel, text in call_api(memory, asked):
        yield f"api: {channel}", text
    for channel, text in call_mcp_over_http(memory, asked):
        yield f"mcp over http: {channel}", text


@pytest.mark.promise("no-repository-prose")
@pytest.mark.parametrize("rows", GROUPS, ids=lambda rows: rows[0]["id"])
def test_no_channel_shows_a_planted_text(
    rows: list[Row], tmp_path: Path, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = plant(tmp_path / "shop", rows)
    with holloway.open(repository.root) as memory:
        memory.map.update()
        live_through(memory, rows)
        memory.map.update()
        # Nothing changes while the channels are asked, so no question looks for changes again.
        monkeypatch.setattr(CodeMap, "update", lambda *arguments, **options: None)
        leaks = [(row, channel) for row, channel, _ in find_leaks(memory, rows, ask, monkeypatch)]
    assert leaks == []
