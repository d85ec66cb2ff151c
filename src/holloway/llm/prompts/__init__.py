"""Prompt templates for language models: text files in this folder, in which every value is required."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def render_prompt(name: str, **values: str) -> str:
    """Return a prompt with its values filled in; raise KeyError if a value is missing."""
    return Template(files(__name__).joinpath(f"{name}.txt").read_text("utf-8")).substitute(values)
