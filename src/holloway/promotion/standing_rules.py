"""Standing rules: which words of a person hold for good, and which are a wish for the task at hand."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType, Source, State
from holloway.observer.signals.signal import SIGNALS, Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Draft, Memory

RULE_WORDS_MAX = 80
BRANCH_INDEPENDENT_TYPES = (MemoryType.PREFERENCE, MemoryType.REQUIREMENT, MemoryType.PATTERN)
"""Rules and conventions: they hold on every branch, wherever they were said."""
_FOR_GOOD = re.compile(
    r"\b(?:never|always|from now on|going forward|from here on|in (?:the )?future|as a (?:general )?rule"
    r"|rule of thumb|whenever|every time|each time|before every|after every|under no circumstances|not allowed"
    r"|(?:in|across) (?:this|the|our) (?:project|repo|repository|code ?base|team|company)"
    r"|here,? we|(?:our|the) (?:convention|rule|policy|standard|style)"
    r"|we (?:only |just |do not |don't |dont |no longer )?(?:use|write|keep|want|prefer|support|follow|rely on|target)"
    r"|nie(?:mals)?|immer|ab jetzt|ab sofort|grunds\u00e4tzlich|jedes mal"
    r"|jamais|toujours|d\u00e9sormais|dor\u00e9navant|\u00e0 chaque fois"
    r"|nunca|siempre|a partir de ahora|sempre|d'ora in poi|cada vez)\b"
    r"|(?<!\w)(?:\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u0432\u0441\u0435\u0433\u0434\u0430|\u0432\u043f\u0440\u0435\u0434\u044c)(?!\w)"
    r"|\u5fc5\u305a|\u7d76\u5bfe|\u4eca\u5f8c|\u59cb\u7ec8|\u603b\u662f|\u6c38\u8fdc|\u4ece\u4e0d|\u4eca\u540e",
    re.IGNORECASE,
)
"""General by form: words that reach beyond the task at hand."""
_FOR_THE_TASK = re.compile(
    r"\b(?:for now|this time|right now|just now|at the moment|for the moment|today|tonight|until|yet"
    r"|for (?:this|the) time"
    r"|(?:in|for|on|with) (?:this|that|the (?:current|next|first)) (?:pr|pull request|mr|branch|commit|session|task"
    r"|ticket|issue|file|function|line|case|test|plan|change|step|round|release|fix|one)"
    r"|(?:current|this) (?:branch|pr|commit|change|task|session)|on line \d+"
    r"|erst ?mal|vorerst|im moment|diesmal|f\u00fcr jetzt|pour l'instant|cette fois|pour le moment"
    r"|por ahora|esta vez|de momento|per ora|questa volta)\b",
    re.IGNORECASE,
)
_DOUBTFUL = re.compile(
    r"[?\uff1f]|\b(?:i think|i guess|i wonder|maybe|perhaps|not sure|not always|almost (?:always|never)|could always"
    r"|can always|as always|like always|never ?mind|i(?:'ve| have)? never|it(?:'s| is)? (?:always|never)"
    r"|(?:have|has|had|was|were|is|are) (?:always|never)"
    r"|never (?!embed|need|seed|feed|speed|exceed|proceed|succeed)\w+ed)\b",
    re.IGNORECASE,
)


def is_for_good(text: str) -> bool:
    """Return whether a person's words are general by form: they oblige beyond the task in which they were said."""
    if len(text.split()) > RULE_WORDS_MAX or _FOR_THE_TASK.search(text) or _DOUBTFUL.search(text):
        return False
    return bool(_FOR_GOOD.search(text))


def is_standing_rule(signal: Signal, text: str) -> bool:
    """Return whether a signal is a rule of the person that is told from the next session on."""
    spoken = str(signal.facts.get("said") or text)
    is_spoken = SIGNALS[signal.name].source is Source.USER_CORRECTION and "agents_line" not in signal.facts
    return is_spoken and is_for_good(spoken)


def list_named_files(files: Sequence[str], text: str) -> tuple[str, ...]:
    """List the files that a rule names; it says nothing about one that was only open when it was said."""
    flat = text.casefold()
    return tuple(path for path in files if posixpath.basename(path).casefold() in flat)


def is_branch_independent(memory_type: MemoryType, files: Sequence[str], source: Source) -> bool:
    """Return whether a memory holds on every branch: a rule or a convention, or an error that names no file."""
    if source is Source.USER_CORRECTION or memory_type in BRANCH_INDEPENDENT_TYPES:
        return True
    return memory_type is MemoryType.ERROR_PATTERN and not files


def find_overruled(draft: Draft, contradicted: Sequence[Memory]) -> Memory | None:
    """Return the older rule of the same authority that a person's rule contradicts; None if there is none."""
    if draft.source is not Source.USER_CORRECTION:
        return None
    return next((memory for memory in contradicted if _has_same_authority(draft, memory)), None)


def _has_same_authority(draft: Draft, memory: Memory) -> bool:
    """Return whether a memory is a rule that the person also stated in a session, about the same place."""
    is_same_place = set(memory.files) == set(draft.files) or bool(set(memory.files) & set(draft.files))
    return memory.source is Source.USER_CORRECTION and memory.state is not State.QUARANTINED and is_same_place


def is_overtaken(draft: Draft, memory: Memory) -> bool:
    """Return whether the stored rule was stated after the new one, as when old sessions are read late."""
    return bool(draft.stated_at) and draft.stated_at < (memory.stated_at or memory.created_at)
