"""Findings of the doctor. Each has a name, under which docs/troubleshooting.md explains cause and remedy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Finding(StrEnum):
    """Something that is wrong, or may be."""

    SQLITE_OLD = "sqlite-old"
    NO_TEXT_SEARCH = "no-text-search"
    NO_SCANNER = "no-scanner"
    NO_GIT = "no-git"
    GIT_REFUSES = "git-refuses"
    NOT_WRITABLE = "not-writable"
    OPEN_TO_OTHERS = "open-to-others"
    DISK_LOW = "disk-low"
    SETTINGS_BROKEN = "settings-broken"
    SETTINGS_UNKNOWN = "settings-unknown"
    NO_EMBEDDER = "no-embedder"
    HOOK_FAILURES = "hook-failures"
    ANSWERS_DROPPED = "answers-dropped"
    NO_MEMORY = "no-memory"
    PROJECT_UNCONFIRMED = "project-unconfirmed"
    PAUSED = "paused"
    NO_DATABASE = "no-database"
    DATABASE_DAMAGED = "database-damaged"
    DATABASE_NEWER = "database-newer"
    DATABASE_BUSY = "database-busy"
    NOT_LEARNED = "not-learned"
    READER_FAILING = "reader-failing"
    SHARING_FAILING = "sharing-failing"
    BACKUPS_DAMAGED = "backups-damaged"
    NO_MAP = "no-map"
    MAP_DAMAGED = "map-damaged"
    MAP_STALE = "map-stale"
    MAP_LARGE = "map-large"
    WORKER_STUCK = "worker-stuck"
    WORKER_FAILING = "worker-failing"
    JOURNAL_LEFT = "journal-left"
    SHALLOW_CLONE = "shallow-clone"
    NOT_CONNECTED = "not-connected"
    CONFIG_BROKEN = "config-broken"
    CONFIG_NOT_PLAIN = "config-not-plain"
    HOOKS_OFF = "hooks-off"
    HOOKS_MANAGED = "hooks-managed"
    HOOKS_GONE = "hooks-gone"
    HOOKS_OUTDATED = "hooks-outdated"
    HOOKS_UNTRUSTED = "hooks-untrusted"
    MCP_STALE = "mcp-stale"
    MCP_PACKAGE = "mcp-package"
    EVENTS_TWICE = "events-twice"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: `ok`, `warning` or `failure`, what was seen, what to do, and the finding's name."""

    name: str
    verdict: str
    seen: str
    hint: str = ""
    finding: str = ""


def passed_check(name: str, observation: str) -> Check:
    """A check that found nothing wrong."""
    return Check(name, "ok", observation)


def warning_check(name: str, finding: Finding, observation: str, hint: str) -> Check:
    """Something that may be wrong, or is and can wait."""
    return Check(name, "warning", observation, hint, finding)


def failed_check(name: str, finding: Finding, observation: str, hint: str) -> Check:
    """Something that does not work."""
    return Check(name, "failure", observation, hint, finding)
