"""Jinja environments: one for each language, with escaping on and invisible characters removed from every value."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from holloway.panel import labels
from holloway.text.sanitize import strip_invisible

if TYPE_CHECKING:
    from holloway.panel.locale import PanelLanguage

STATIC_VERSION_CHARS = 12


@cache
def get_environment(language: PanelLanguage) -> Environment:
    """Return the environment that renders templates in a language."""
    environment = Environment(
        loader=PackageLoader("holloway.panel"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=_finalize,
    )
    environment.install_gettext_translations(language.texts, newstyle=True)  # type: ignore[attr-defined]
    environment.filters["codes"] = mark_code
    environment.globals |= {"static": static_url, "labels": labels, "N": len}
    return environment


@cache
def static_url(name: str) -> str:
    """Return the address of a static file with the hash of its content, so that browsers may keep it."""
    content = files("holloway.panel").joinpath("static", name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:STATIC_VERSION_CHARS]}"


def mark_code(text: str) -> Markup:
    """Return a text as HTML; a piece between two backticks becomes code."""
    pieces = strip_invisible(text).split("`")
    if len(pieces) % 2 == 0:  # one of them is a character of the text
        return escape(strip_invisible(text))
    marked = (Markup("<code>{}</code>").format(piece) if at % 2 else escape(piece) for at, piece in enumerate(pieces))
    return Markup("").join(marked)


def _finalize(value: Any) -> Any:
    """Clean a value before it is escaped."""
    if isinstance(value, Markup) or not isinstance(value, str) or value.isascii():
        return value
    return strip_invisible(value)
