"""Host reminders: strips the reminder blocks that an agent's host appends to tool results."""

from __future__ import annotations

import re

# A match starts only where a run of white space starts: from every place in the run, it would take quadratic time.
_REMINDER = re.compile(
    r"(?<!\s)\s*<system-reminder>\s*"
    r"(?:Whenever you read a file, you should consider whether it would be considered malware"
    r"|Warning: the file exists but (?:is shorter than|the contents are empty)"
    r"|The (?:TodoWrite|task) tools? ha(?:s|ve)n't been used recently"
    r"|This is a reminder that your todo list is currently empty)"
    r"[^<]{0,1500}(?:</system-reminder>|\Z)"
)
_CUT_SHORT = re.compile(r"(?<!\s)\s*<(?:s[a-z]{0,5}|system-[a-z]{0,8}|system-reminder>\s*(?:W(?:h[^<]{0,80})?)?)\Z")


def strip_reminders(text: str) -> str:
    """Return a tool result without the host's known reminders, complete or cut short at the end."""
    if "<s" not in text:
        return text
    return _CUT_SHORT.sub("", _REMINDER.sub("", text))
