"""Origins: what a text is worth as evidence, and the carrier that brought it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.text.commands import Step


class Origin(StrEnum):
    """Value of a text as evidence; a later member outranks an earlier one where several carriers meet."""

    NONE = "none"
    OWN = "own"
    WEAK = "weak"
    FOREIGN = "foreign"


_RANKS = {origin: rank for rank, origin in enumerate(Origin)}


class Carrier(NamedTuple):
    """The origin of a text, and the source that people are told."""

    origin: Origin
    source: str = ""


class Passage(NamedTuple):
    """A part of a tool result with one carrier."""

    carrier: Carrier
    text: str


SOURCE_CHARS_MAX = 120
NO_ORIGIN, OWN_TEXT = Carrier(Origin.NONE), Carrier(Origin.OWN)


def find_worst_carrier(carriers: Iterable[Carrier], default: Carrier = NO_ORIGIN) -> Carrier:
    """Return the carrier whose origin outranks the others, the first of equals; the default if there are none."""
    return max(carriers, key=lambda carrier: _RANKS[carrier.origin], default=default)


def label_step(origin: Origin, step: Step) -> Carrier:
    """Return a carrier with the command as its source."""
    prefix = "output" if origin is Origin.WEAK else "shell"
    return Carrier(origin, f"{prefix}:{' '.join((step.program, *step.args[:2]))}" if origin is not Origin.NONE else "")


def cut_source(carrier: Carrier) -> Carrier:
    """Return a carrier whose source is short enough to be shown."""
    return carrier._replace(source=carrier.source[:SOURCE_CHARS_MAX])
