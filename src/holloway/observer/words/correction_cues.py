"""Cues of self-corrections from `data/corrections.toml`: forms that hold a belief and a fact, and signs around them."""

from __future__ import annotations

from typing import NamedTuple

from holloway.data import load_table

HERE, BEFORE, AFTER, SO_FAR, ROUND = "here", "before", "after", "so far", "round"
CONCEDED = "after a concession"
"""Replaces "after": in "You're right. Let me fix that." the repair says nothing about the belief."""


class Form(NamedTuple):
    """One way to say it. Groups `b` and `f` hold belief and fact; a half that is missing is looked for nearby."""

    name: str
    points: float
    """Base score of the form; the points of nearby signs are added."""
    anchors: tuple[str, ...]
    """Strings, one of which is in every sentence that matches: they are looked for before the pattern is tried."""
    pattern: str
    admits: bool
    """Whether it is a plain admission, which may follow the fact as well as precede it."""
    weak: bool
    """Whether the form is used for much else, so that a sign of a change of mind must be near."""


_TABLE = load_table("corrections")
FORMS = tuple(
    Form(form["name"], form["points"], tuple(form["anchors"]), form["regex"], form["admits"], form["weak"])
    for form in _TABLE["forms"]
)
"""From the most to the least telling; a sentence is read by the first that matches."""
SIGNS: dict[str, str] = {sign["name"]: sign["regex"] for sign in _TABLE["signs"]}
"""Patterns that are looked for in a sentence and in its neighbours."""
CHANGES_OF_MIND = frozenset(sign["name"] for sign in _TABLE["signs"] if sign["changes_mind"])
"""Signs of which one must be at or near a weak form."""
SIGN_POINTS: dict[tuple[str, str], float] = {
    (sign["name"], place): points for sign in _TABLE["signs"] for place, points in sign["points"].items()
}
"""The points of a sign, by where it is."""
BIAS: float = _TABLE["bias"]
