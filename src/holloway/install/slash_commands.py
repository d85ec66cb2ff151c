"""The slash commands and the skill: files that setup owns completely, in an agent's folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher


SLASH_COMMANDS = {"remember": "remember", "recall": "recall", "wrong": "wrong", "review": "holloway-review"}
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


@dataclass(frozen=True, slots=True)
class OwnFile:
    """File with a fixed text; it is only overwritten or removed if nobody edited it."""

    description: str
    text: str
    untouched: bool
    """Whether the existing file has exactly the bytes that an earlier setup wrote."""

    def add_entries(self, text: str) -> str:
        """Return our text, or the existing text if it is the user's."""
        return self.text if not text or self._is_ours(text) else text

    def remove_entries(self, text: str) -> str:
        """Return an empty text, or the existing text if it is the user's."""
        return "" if self._is_ours(text) else text

    def has_entries(self, text: str) -> bool:
        """Return whether the file is unedited."""
        return self._is_ours(text)

    def describe_problem(self, text: str) -> str:
        """Return a note if the file is the user's or was edited."""
        if not text or self._is_ours(text):
            return ""
        return "was edited after setup wrote it, so it stays." if FILE_MARK in text else "is your file, so it stays."

    def _is_ours(self, text: str) -> bool:
        return text == self.text or (self.untouched and FILE_MARK in text)
