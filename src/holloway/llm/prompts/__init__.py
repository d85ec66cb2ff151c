"""The texts that language models are asked with: files beside this one, filled in strictly."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def render_prompt(name: str, **values: str) -> str:
    """A prompt with its values; one that is missing is an error."""
    return Template(files(__name__).joinpath(f"{name}.txt").read_text("utf-8")).substitute(values)
