"""Slash commands and the skill: files of ours in an agent's folder, recognised by a line in their heading."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher

COMMANDS = {"remember": "remember", "recall": "recall", "wrong": "wrong", "review": "holloway-review"}
"""The slash commands, and what each is called in an agent's folder: Claude Code has a /review of its own."""
RETIRED = ("review",)
"""What earlier setups called a command; their files go where nobody has changed them."""
FILE_MARK = "# Written by holloway setup; its --remove takes this file away."
"""A comment in the heading of a file, which no agent reads."""


def command(name: str, launcher: Launcher, mark: str = FILE_MARK) -> str:
    """The text of a slash command."""
    return _rendered(f"{name}.md", launcher, mark)


def skill(launcher: Launcher, mark: str = FILE_MARK) -> str:
    """What an agent reads to act on a person's wish to remember, recall, correct or review."""
    return _rendered("skill.md", launcher, mark)


def _rendered(name: str, launcher: Launcher, mark: str) -> str:
    text = resources.files(__package__).joinpath("texts", name).read_text("utf-8")
    return Template(text).substitute(holloway=launcher.spoken, mark=mark)
