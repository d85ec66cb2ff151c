"""Guarded commands: they widen trust, lower a protection or change settings beyond the project.

A person may want them, but nobody may get them as advice from what holloway observed: `mise trust`, `direnv allow`,
`npm config set`, `GIT_SSL_NO_VERIFY=1`. The patterns are in `data/guarded_commands.toml`.
"""

from __future__ import annotations

import re
from functools import cache

from holloway.data import load_table


def lowers_protection(text: str) -> bool:
    """Whether a text names a guarded command, option, variable or setting."""
    return _load_pattern().search(text) is not None


@cache
def _load_pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{regex})" for regex in load_table("guarded_commands")["regexes"]), re.IGNORECASE)
