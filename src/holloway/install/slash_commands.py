"""Render the slash commands and the skill that setup writes into an agent's folder."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher

COMMANDS = {"remember": "remember", "recall": "recall", "wrong": "wrong", "review": "holloway-review"}
"""Slash commands with their file names: Claude Code has a built-in /review, so ours has another name."""
RETIRED = ("review",)
"""Command names of earlier setups; their files are removed if nobody edited them."""
FILE_MARK = "# Written by holloway setup; its --remove takes this file away."
"""Comment in the front matter that marks a file as ours; no agent reads it."""


def render_command(name: str, launcher: Launcher, mark: str = FILE_MARK) -> str:
    """Render a slash command."""
    return _render_template(f"{name}.md", launcher, mark)


def render_skill(launcher: Launcher, mark: str = FILE_MARK) -> str:
    """Render the skill: how an agent remembers, recalls, corrects and reviews for the user."""
    return _render_template("skill.md", launcher, mark)


def _render_template(name: str, launcher: Launcher, mark: str) -> str:
    text = resources.files(__package__).joinpath("texts", name).read_text("utf-8")
    return Template(text).substitute(holloway=launcher.spoken, mark=mark)
