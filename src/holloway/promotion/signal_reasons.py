"""Signal reasons: which inferred signals say why, so that they may be told once the session proved them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import SignalName

if TYPE_CHECKING:
    from holloway.observer.signals.signal import Signal

_NAMELESS = re.compile(
    r"(?:(?:this|that|the|my|our|an?) )(?:\w+ )?(?:approach|strategy|solution|idea|plan|route|attempt|method|workaround"
    r"|design)$|(?:this|that|these|those|it|my changes?|the changes?)$|[^\W\d_]\b(?<![AaI])",
    re.IGNORECASE,
)
"""Approaches without a name: "this approach", or a fragment of a word."""
_STATED = re.compile(
    r"\b(?:because|since|otherwise|or else|so that|due to|or (?:the|it|they|ci)\b[^,;]{0,60}\b(?:fails?|breaks?))\b",
    re.IGNORECASE,
)


def has_reason(signal: Signal) -> bool:
    """Return whether an inferred signal has its reason.

    A dead end names its approach and why it failed, a later action confirms a correction, which reading alone does not,
    and a coupling has a stated reason.
    """
    facts = signal.facts
    if signal.name is SignalName.DEAD_END:
        approach = str(facts.get("approach") or "")
        return bool(approach and facts.get("reason")) and not _NAMELESS.match(approach)
    if signal.name is SignalName.SELF_CORRECTION:
        return facts.get("agrees") is True and not facts.get("only_read")
    is_coupling = signal.name is SignalName.CAUSAL_STATEMENT and facts.get("agrees") is True
    return is_coupling and any(map(_STATED.search, signal.quotes))
