"""Add, update and remove our hooks and our status line in an agent's JSON settings."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.install import jsonc
from holloway.install.file_content import NotUnderstood, listed, not_plain, settings_of, table, with_object
from holloway.install.launch_command import HOOK_MARK, STATUS_ENDING, by_path, hook_line, line

if TYPE_CHECKING:
    from holloway.install.agents import Dialect
    from holloway.install.launch_command import Launcher

STATUS = "statusLine"


@dataclass(frozen=True, slots=True)
class Hook:
    """One of our hooks in a settings file: its event, its position, and its value."""

    event: str
    entry: int
    place: int
    value: dict[str, Any]

    @property
    def path(self) -> jsonc.Path:
        """Return the JSON path of the hook."""
        return ("hooks", self.event, self.entry, "hooks", self.place)


@dataclass(frozen=True, slots=True)
class HooksJson:
    """Hooks of one agent, and a status line unless the user has one."""

    dialect: Dialect
    launcher: Launcher
    with_status: bool

    @property
    def what(self) -> str:
        """Return a short description for the user."""
        return f"hooks on {len(self.dialect.events)} events" + (", a status line" if self.with_status else "")

    def put(self, text: str) -> str:
        """Return the settings with one hook per event; an existing hook keeps its position. Raises NotUnderstood."""
        before = settings_of(text)
        if not _is_understood(before.get("hooks", {})):
            raise NotUnderstood('has an unknown structure in "hooks".')
        new_text = self._with_status_line(self._with_hooks(with_object(text)))
        after = settings_of(new_text)
        if _others(after) != _others(before) or {hook.event for hook in ours(after)} != set(self.dialect.events):
            raise NotUnderstood("cannot be changed without changing other entries.")
        return new_text

    def taken(self, text: str) -> str:
        """Return the settings without our hooks, our status line and containers left empty. Raises NotUnderstood."""
        before = settings_of(text)
        new_text = text
        for hook in reversed(ours(before)):
            new_text = _without(new_text, hook)
        if is_our_status(before.get(STATUS)):
            new_text = jsonc.removed(new_text, (STATUS,))
        if _others(settings_of(new_text)) != _others(before):
            raise NotUnderstood("cannot be changed without changing other entries.")
        return new_text

    def present(self, text: str) -> bool:
        """Return whether the text contains a hook or status line of ours."""
        settings = settings_of(text)
        return bool(ours(settings)) or is_our_status(settings.get(STATUS))

    def means(self, text: str) -> object:
        """Return the parsed settings."""
        return settings_of(text)

    def note(self, text: str) -> str:
        """Return a note if the agent cannot read this file."""
        return not_plain(text, self.dialect.label)

    def _with_hooks(self, text: str) -> str:
        existing_hooks = ours(settings_of(text))
        present_events: set[str] = set()
        for hook in reversed(existing_hooks):
            is_first = hook.event in self.dialect.events and hook == next(
                existing_hook for existing_hook in existing_hooks if existing_hook.event == hook.event
            )
            if not is_first:
                text = _without(text, hook)
                continue
            present_events.add(hook.event)
            wanted = handler(self.dialect, self.dialect.events[hook.event], self.launcher)
            if hook.value != wanted:
                text = jsonc.replaced(text, hook.path, wanted)
        for event in self.dialect.events:
            if event not in present_events:
                text = _with_entry(text, event, entry(self.dialect, self.launcher, event), self._all())
        return text

    def _all(self) -> dict[str, Any]:
        return hooks(self.dialect, self.launcher)

    def _with_status_line(self, text: str) -> str:
        current, wanted = settings_of(text).get(STATUS), status_line(self.launcher)
        if current is None and self.with_status and STATUS not in settings_of(text):
            return jsonc.added(text, (), STATUS, wanted)
        merged = {**table(current), **wanted}  # keys that the user added stay
        if is_our_status(current) and current != merged:
            return jsonc.replaced(text, (STATUS,), merged)
        return text


def hooks(dialect: Dialect, launcher: Launcher) -> dict[str, Any]:
    """Return all hooks of an agent by event."""
    return {event: [entry(dialect, launcher, event)] for event in dialect.events}


def entry(dialect: Dialect, launcher: Launcher, event: str) -> dict[str, Any]:
    """Return the entry of an event; without a matcher, so that it applies to everything."""
    return {"hooks": [handler(dialect, dialect.events[event], launcher)]}


def handler(dialect: Dialect, timeout_s: int, launcher: Launcher | None = None) -> dict[str, Any]:
    """Return one hook: a single shell line whose last argument names the agent.

    There is no list of arguments: Copilot CLI reads Claude Code's hooks too and drops it, so that a bare interpreter
    would run the payload as a program.
    """
    words = (*(launcher or by_path()).hook, dialect.agent)
    return {"type": "command", "command": hook_line(words), "timeout": timeout_s}


def status_line(launcher: Launcher) -> dict[str, Any]:
    """Return the status line entry; agents run it in a shell."""
    return {"type": "command", "command": line(launcher.status)}


def ours(settings: dict[str, Any]) -> list[Hook]:
    """Find our hooks with their positions; values of any other structure are skipped."""
    return [
        Hook(event, number, place, hook)
        for event, entries in table(settings.get("hooks")).items()
        for number, group in enumerate(listed(entries))
        for place, hook in enumerate(listed(table(group).get("hooks")))
        if _is_ours(hook)
    ]


def words_of(hook: dict[str, Any]) -> list[object]:
    """Split a hook into its program and arguments: a shell line, or a program with `args` as earlier setups wrote."""
    command, args = hook.get("command"), hook.get("args")
    if isinstance(args, list) or not isinstance(command, str):
        return [command, *listed(args)]
    try:
        return list(shlex.split(command))
    except ValueError:
        return [command]


def is_our_status(value: object) -> bool:
    """Return whether a status line is ours."""
    return tuple(words_of(table(value))[-len(STATUS_ENDING) :]) == STATUS_ENDING


def _is_ours(one: object) -> bool:
    hook = table(one)
    return any(isinstance(word, str) and HOOK_MARK in word for word in (hook.get("command"), *listed(hook.get("args"))))


def _with_entry(text: str, event: str, one: dict[str, Any], everything: dict[str, Any]) -> str:
    settings = settings_of(text)
    if "hooks" not in settings:
        return jsonc.added(text, (), "hooks", everything)
    if event not in settings["hooks"]:
        return jsonc.added(text, ("hooks",), event, [one])
    if any(hook.event == event for hook in ours(settings)):
        return text
    return jsonc.appended(text, ("hooks", event), one)


def _without(text: str, hook: Hook) -> str:
    """Remove a hook, and the containers that are empty afterwards."""
    text = jsonc.removed(text, hook.path)
    inner, number, event, everything = (hook.path[:depth] for depth in (4, 3, 2, 1))
    for holder, removable in ((inner, number), (event, event), (everything, everything)):
        container = jsonc.scan(text).find(holder)
        if container is None or container.children:
            return text
        text = jsonc.removed(text, removable)
    return text


def _is_understood(found: object) -> bool:
    """Return whether the value has the structure of hooks: event -> list of entries -> optional list of hooks."""
    return isinstance(found, dict) and all(
        isinstance(entries, list) and all(_is_entry(group) for group in entries) for entries in found.values()
    )


def _is_entry(each: object) -> bool:
    inner = each.get("hooks", []) if isinstance(each, dict) else None
    return isinstance(inner, list) and all(isinstance(hook, dict) for hook in inner)


def _others(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without our entries and without empty lists, to check that nothing else changed."""
    other_settings = {key: value for key, value in settings.items() if key != STATUS or not is_our_status(value)}
    if isinstance(other_settings.get("hooks"), dict):
        our_hooks = ours(settings)
        other_hooks = {event: _entries(event, entries, our_hooks) for event, entries in other_settings["hooks"].items()}
        other_settings["hooks"] = {event: entries for event, entries in other_hooks.items() if entries != []}
    return {key: value for key, value in other_settings.items() if key != "hooks" or value != {}}


def _entries(event: str, entries: object, mine: list[Hook]) -> object:
    if not isinstance(entries, list):
        return entries
    our_positions = {(hook.entry, hook.place) for hook in mine if hook.event == event}
    remaining = []
    for number, group in enumerate(entries):
        if not any(number == entry_index for entry_index, _ in our_positions):
            remaining.append(group)
            continue
        other_hooks = [hook for place, hook in enumerate(group["hooks"]) if (number, place) not in our_positions]
        remaining += [group | {"hooks": other_hooks}] if other_hooks else []
    return remaining
