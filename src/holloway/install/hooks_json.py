"""Write our hooks and status line into an agent's settings (settings.json of Claude Code), update and remove them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.install import jsonc
from holloway.install.file_content import (
    UnsupportedConfig,
    as_list,
    as_table,
    describe_lenient_json,
    ensure_object,
    parse_settings,
)
from holloway.install.launch_command import HOOK_MARK, STATUS_ENDING, join_hook_line, join_shell_line, launch_by_path

if TYPE_CHECKING:
    from holloway.install.agents import Dialect
    from holloway.install.launch_command import Launcher

STATUS = "statusLine"


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """One of our hooks in a settings file: its event, its position, and its value."""

    event: str
    entry: int
    place: int
    value: dict[str, Any]

    @property
    def json_path(self) -> jsonc.Path:
        """Return the JSON path of the hook."""
        return ("hooks", self.event, self.entry, "hooks", self.place)


@dataclass(frozen=True, slots=True)
class HooksJson:
    """Hooks of one agent, and a status line unless the user has one."""

    dialect: Dialect
    launcher: Launcher
    with_status: bool

    @property
    def description(self) -> str:
        """Return a short description for the user."""
        return f"hooks on {len(self.dialect.events)} events" + (", a status line" if self.with_status else "")

    def add_entries(self, text: str) -> str:
        """Return the settings with one hook per event; an existing hook keeps its position.

        Raises UnsupportedConfig.
        """
        before = parse_settings(text)
        if not _has_known_structure(before.get("hooks", {})):
            raise UnsupportedConfig('has an unknown structure in "hooks".')
        new_text = self._add_status_line(self._add_hooks(ensure_object(text)))
        after = parse_settings(new_text)
        if _without_our_entries(after) != _without_our_entries(before) or {
            hook.event for hook in find_our_hooks(after)
        } != set(self.dialect.events):
            raise UnsupportedConfig("cannot be changed without changing other entries.")
        return new_text

    def remove_entries(self, text: str) -> str:
        """Return the settings without our hooks, our status line and containers left empty.

        Raises UnsupportedConfig.
        """
        before = parse_settings(text)
        new_text = text
        for hook in reversed(find_our_hooks(before)):
            new_text = _remove_hook(new_text, hook)
        if is_our_status_line(before.get(STATUS)):
            new_text = jsonc.remove_value(new_text, (STATUS,))
        if _without_our_entries(parse_settings(new_text)) != _without_our_entries(before):
            raise UnsupportedConfig("cannot be changed without changing other entries.")
        return new_text

    def has_entries(self, text: str) -> bool:
        """Return whether the text contains a hook or status line of ours."""
        settings = parse_settings(text)
        return bool(find_our_hooks(settings)) or is_our_status_line(settings.get(STATUS))

    def describe_problem(self, text: str) -> str:
        """Return a note if the agent cannot read this file."""
        return "" if self.dialect.reads_comments else describe_lenient_json(text, self.dialect.label)

    def _add_hooks(self, text: str) -> str:
        existing_hooks = find_our_hooks(parse_settings(text))
        present_events: set[str] = set()
        for hook in reversed(existing_hooks):
            is_first = hook.event in self.dialect.events and hook == next(
                existing_hook for existing_hook in existing_hooks if existing_hook.event == hook.event
            )
            if not is_first:
                text = _remove_hook(text, hook)
                continue
            present_events.add(hook.event)
            wanted = build_handler(self.dialect, self.dialect.events[hook.event], self.launcher)
            if hook.value != wanted:
                text = jsonc.replace_value(text, hook.json_path, wanted)
        all_hooks = {event: [build_entry(self.dialect, self.launcher, event)] for event in self.dialect.events}
        for event, (entry,) in all_hooks.items():
            if event not in present_events:
                text = _add_entry(text, event, entry, all_hooks)
        return text

    def _add_status_line(self, text: str) -> str:
        current, wanted = parse_settings(text).get(STATUS), build_status_line(self.launcher)
        if current is None and self.with_status and STATUS not in parse_settings(text):
            return jsonc.add_member(text, (), STATUS, wanted)
        merged = {**as_table(current), **wanted}  # keys that the user added stay
        if is_our_status_line(current) and current != merged:
            return jsonc.replace_value(text, (STATUS,), merged)
        return text


def build_entry(dialect: Dialect, launcher: Launcher, event: str) -> dict[str, Any]:
    """Return the entry of an event; without a matcher, so that it applies to everything."""
    return {"hooks": [build_handler(dialect, dialect.events[event], launcher)]}


def build_handler(dialect: Dialect, timeout_s: int, launcher: Launcher | None = None) -> dict[str, Any]:
    """Return one hook: a single shell line whose last argument names the agent.

    There is no list of arguments: Copilot CLI reads Claude Code's hooks too and drops it, so that a bare interpreter
    would run the payload as a program.
    """
    words = (*(launcher or launch_by_path()).hook, dialect.agent)
    timeout = timeout_s * 1000 if dialect.timeouts_in_ms else timeout_s
    return {"type": "command", "command": join_hook_line(words), "timeout": timeout}


def build_status_line(launcher: Launcher) -> dict[str, Any]:
    """Return the status line entry; agents run it in a shell."""
    return {"type": "command", "command": join_shell_line(launcher.status)}


def find_our_hooks(settings: dict[str, Any]) -> list[InstalledHook]:
    """Find our hooks with their positions; values of any other structure are skipped."""
    return [
        InstalledHook(event, number, place, hook)
        for event, entries in as_table(settings.get("hooks")).items()
        for number, group in enumerate(as_list(entries))
        for place, hook in enumerate(as_list(as_table(group).get("hooks")))
        if _is_our_hook(hook)
    ]


def split_command(hook: dict[str, Any]) -> list[object]:
    """Split a hook into its program and arguments: a shell line, or a program with `args` as earlier setups wrote."""
    command, args = hook.get("command"), hook.get("args")
    if isinstance(args, list) or not isinstance(command, str):
        return [command, *as_list(args)]
    try:
        return list(shlex.split(command))
    except ValueError:
        return [command]


def is_our_status_line(value: object) -> bool:
    """Return whether a status line is ours."""
    return tuple(split_command(as_table(value))[-len(STATUS_ENDING) :]) == STATUS_ENDING


def _is_our_hook(value: object) -> bool:
    hook = as_table(value)
    return any(
        isinstance(word, str) and HOOK_MARK in word for word in (hook.get("command"), *as_list(hook.get("args")))
    )


def _add_entry(text: str, event: str, entry_value: dict[str, Any], everything: dict[str, Any]) -> str:
    settings = parse_settings(text)
    if "hooks" not in settings:
        return jsonc.add_member(text, (), "hooks", everything)
    if event not in settings["hooks"]:
        return jsonc.add_member(text, ("hooks",), event, [entry_value])
    if any(hook.event == event for hook in find_our_hooks(settings)):
        return text
    return jsonc.append_item(text, ("hooks", event), entry_value)


def _remove_hook(text: str, hook: InstalledHook) -> str:
    """Remove a hook, and the containers that are empty afterwards."""
    text = jsonc.remove_value(text, hook.json_path)
    inner, number, event, everything = (hook.json_path[:depth] for depth in (4, 3, 2, 1))
    for holder, removable in ((inner, number), (event, event), (everything, everything)):
        container = jsonc.scan_text(text).find_node(holder)
        if container is None or container.children:
            return text
        text = jsonc.remove_value(text, removable)
    return text


def _has_known_structure(value: object) -> bool:
    """Return whether the value has the structure of hooks: event -> list of entries -> optional list of hooks."""
    return isinstance(value, dict) and all(
        isinstance(entries, list) and all(_is_entry(group) for group in entries) for entries in value.values()
    )


def _is_entry(value: object) -> bool:
    inner = value.get("hooks", []) if isinstance(value, dict) else None
    return isinstance(inner, list) and all(isinstance(hook, dict) for hook in inner)


def _without_our_entries(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without our entries and without empty lists, to check that nothing else changed."""
    other_settings = {key: value for key, value in settings.items() if key != STATUS or not is_our_status_line(value)}
    if isinstance(other_settings.get("hooks"), dict):
        our_hooks = find_our_hooks(settings)
        other_hooks = {
            event: _foreign_entries(event, entries, our_hooks) for event, entries in other_settings["hooks"].items()
        }
        other_settings["hooks"] = {event: entries for event, entries in other_hooks.items() if entries != []}
    return {key: value for key, value in other_settings.items() if key != "hooks" or value != {}}


def _foreign_entries(event: str, entries: object, mine: list[InstalledHook]) -> object:
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
