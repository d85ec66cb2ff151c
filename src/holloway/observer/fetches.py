"""Fetched text: classifies what a command or a tool loads from a server, a page or an issue of a code host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.observer.origins import NO_ORIGIN, OWN_TEXT, Carrier, Origin
from holloway.text.arguments import host_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from holloway.text.commands import Step

TRUSTED_ISSUES = "issues"
"""Trusted source name for projects where only the team itself writes issues and reviews."""
CODE_HOST_CLIENTS = ("gh ", "glab ", "hub ", "tea ", "jira ", "linear ")
ADDRESS = re.compile(r"://|@")
"""Sign of a repository's address; without it a clone is from a folder."""

_COMMANDS_WITHOUT_PROSE = frozenset(
    "create edit comment close reopen merge ready review lock unlock pin delete develop rerun cancel enable "
    "disable set clone fork sync checks run workflow auth".split()
)
_OPTIONS_WITHOUT_PROSE = frozenset({"--stat", "--name-only"})
_READING_WORDS = frozenset({"view", "search", "list", "--log", "--log-failed"})
_PROSE_FIELDS = frozenset("title body comments reviews description commits latestreviews messageheadline".split())
_FIELD = re.compile(r"(?:-f|-F|--field|--raw-field|--input)(?:=|$)")
_HOST = re.compile(r"://|^localhost|\w\.\w.*/")
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104  (names, nothing is bound)
_SECOND_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[:/]|\Z)|.*://")
_REDIRECTING_OPTIONS = (
    "-x",
    "--proxy",
    "--preproxy",
    "--socks",
    "--connect-to",
    "--resolve",
    "-K",
    "--config",
    "--unix-socket",
)
_PROXY_OPTION = re.compile(r"-[a-zA-Z]+x\S")


def classify_host(kind: str, url: str, trusted: Collection[str]) -> Carrier:
    """Classify a page by its host: a trusted one is own, a server on this machine is weak."""
    host = host_of(url if "//" in url else f"//{url}")
    if host in trusted:
        return OWN_TEXT
    origin = Origin.WEAK if host in _LOCAL_HOSTS else Origin.FOREIGN
    return Carrier(origin, f"{kind}:{host or 'search'}")


def classify_fetch(step: Step, trusted: Collection[str]) -> Carrier:
    """Classify the output of a command that fetches; only a plain request to one host is classified by that host."""
    if step.program.startswith(CODE_HOST_CLIENTS):
        is_trusted = TRUSTED_ISSUES in trusted or _is_without_prose(step)
        label = f"issue text: {' '.join((step.program, *step.args[:2]))}"
        return NO_ORIGIN if is_trusted else Carrier(Origin.FOREIGN, label)
    if _is_plain_request(step) and not _is_redirected(step):
        return classify_host(f"shell:{step.program}", step.url, trusted)
    return Carrier(Origin.FOREIGN, f"shell:{step.program} {step.url}".rstrip())


def _is_plain_request(step: Step) -> bool:
    """Whether a command names one host, and spells it out."""
    has_second_host = any(
        _SECOND_HOST.match(word) and word != step.url and not option.startswith("-")
        for option, word in zip(("", *step.args), step.args, strict=False)
    )
    return (
        not has_second_host
        and bool(_HOST.search(step.url))
        and not any(map(_HOST.search, re.split(r"[?&=]", step.url)[1:]))  # A server may fetch what the query names.
        and "@" not in step.url
        and "$" not in step.url
    )


def _is_redirected(step: Step) -> bool:
    """Whether an option or a variable makes another host answer."""
    has_option = any(word.startswith(_REDIRECTING_OPTIONS) or _PROXY_OPTION.match(word) for word in step.args)
    return has_option or any("PROXY" in name.upper() for name in step.env)


def _is_without_prose(step: Step) -> bool:
    """Whether a command of a code host's client only posts something, or returns fields without prose."""
    if step.program.startswith("gh api"):
        is_get = "GET" in step.args
        return not is_get and "graphql" not in step.args and any(map(_FIELD.match, step.args))
    fields = next((step.args[at + 1] for at, word in enumerate(step.args[:-1]) if word == "--json"), "")
    if fields:
        return not _PROSE_FIELDS & set(fields.lower().split(","))
    words = {*step.program.split()[1:], *step.args[:6]}
    if words & _READING_WORDS:
        return bool(words & _OPTIONS_WITHOUT_PROSE)
    return bool(words & (_COMMANDS_WITHOUT_PROSE | _OPTIONS_WITHOUT_PROSE))
