"""E2E signals: failures that a browser or another user interface tool reported about the running application."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.domain.memory_details import E2EKind
from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity

_TOOL = re.compile(
    r"(?:playwright|puppeteer|browser|chrome|electron|selenium|webdriver|appium|cypress)|"
    r"(?:^|_)(?:click|navigate|screenshot|fill|type|hover|snapshot|evaluate)(?:_|$)"
)
_KINDS: tuple[tuple[E2EKind, re.Pattern[str]], ...] = (
    (
        E2EKind.MCP_GOTCHA,
        re.compile(r"\b(?:no such tool|invalid argument|unknown tool|not connected|session closed)\b", re.I),
    ),
    (
        E2EKind.TIMING,
        re.compile(r"\b(?:timed? ?out|timeout|wait(?:ing)? for|still loading|not (?:yet )?visible)\b", re.I),
    ),
    (
        E2EKind.PRECONDITION,
        re.compile(
            r"\b(?:log(?:ged)? ?in|sign(?:ed)? ?in|unauthori[sz]ed|permission|requires?|must be|not running)\b", re.I
        ),
    ),
    (
        E2EKind.UI_BEHAVIOR,
        re.compile(r"\b(?:disabled|hidden|intercept|overlay|modal|dialog|detached|stale element)\w*\b", re.I),
    ),
)
MESSAGE_CHARS_MAX = 240


def detect_e2e(activity: SessionActivity) -> Iterator[Signal]:
    """Detect failed calls of user interface tools by kind; a failure of no known kind is ignored."""
    for action in activity.pad.actions:
        if action.kind is not ToolKind.MCP or action.ok is not False or not _TOOL.search(action.tool.casefold()):
            continue
        kind = next((kind for kind, pattern in _KINDS if pattern.search(action.text)), None)
        if kind is None:
            continue
        tool = action.tool.rpartition("__")[2]
        message = one_line(action.text, MESSAGE_CHARS_MAX)
        facts = {"kind": str(kind), "tool": tool, "message": message}
        yield Signal(SignalName.E2E, f"{tool}:{kind}:{message[:80]}", action.step, (), facts, (message,))
