"""Our hooks, and our line for the status bar, in an agent's JSON settings."""

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
    """A hook of ours in a settings file: its event, its places, and what stands there."""

    event: str
    entry: int
    place: int
    value: dict[str, Any]

    @property
    def path(self) -> jsonc.Path:
        """The way to it."""
        return ("hooks", self.event, self.entry, "hooks", self.place)


@dataclass(frozen=True, slots=True)
class HooksJson:
    """The hooks of one agent, and a status line unless the person has one."""

    dialect: Dialect
    launcher: Launcher
    with_status: bool

    @property
    def what(self) -> str:
        """What it is, in a few words for the person."""
        return f"hooks on {len(self.dialect.events)} events" + (", a status line" if self.with_status else "")

    def put(self, text: str) -> str:
        """The settings with one hook of ours on each event; one that stands there already keeps its place."""
        before = settings_of(text)
        if not _is_understood(before.get("hooks", {})):
            raise NotUnderstood('has a form of "hooks" that holloway does not know.')
        made = self._with_status_line(self._with_hooks(with_object(text)))
        after = settings_of(made)
        if _others(after) != _others(before) or {hook.event for hook in ours(after)} != set(self.dialect.events):
            raise NotUnderstood("cannot be changed without changing something else.")
        return made

    def taken(self, text: str) -> str:
        """The settings without our hooks and our status line, and without what would be left empty by that."""
        before = settings_of(text)
        made = text
        for hook in reversed(ours(before)):
            made = _without(made, hook)
        if is_our_status(before.get(STATUS)):
            made = jsonc.removed(made, (STATUS,))
        if _others(settings_of(made)) != _others(before):
            raise NotUnderstood("cannot be changed without changing something else.")
        return made

    def present(self, text: str) -> bool:
        """Whether a hook or the status line in the text is ours."""
        settings = settings_of(text)
        return bool(ours(settings)) or is_our_status(settings.get(STATUS))

    def means(self, text: str) -> object:
        """The settings."""
        return settings_of(text)

    def note(self, text: str) -> str:
        """Whether the agent will not read this file."""
        return not_plain(text, self.dialect.label)

    def _with_hooks(self, text: str) -> str:
        there = ours(settings_of(text))
        kept: set[str] = set()
        for hook in reversed(there):
            first = hook.event in self.dialect.events and hook == next(h for h in there if h.event == hook.event)
            if not first:
                text = _without(text, hook)
                continue
            kept.add(hook.event)
            wanted = handler(self.dialect, self.dialect.events[hook.event], self.launcher)
            if hook.value != wanted:
                text = jsonc.replaced(text, hook.path, wanted)
        for event in self.dialect.events:
            if event not in kept:
                text = _with_entry(text, event, entry(self.dialect, self.launcher, event), self._all())
        return text

    def _all(self) -> dict[str, Any]:
        return hooks(self.dialect, self.launcher)

    def _with_status_line(self, text: str) -> str:
        current, wanted = settings_of(text).get(STATUS), status_line(self.launcher)
        if current is None and self.with_status and STATUS not in settings_of(text):
            return jsonc.added(text, (), STATUS, wanted)
        renewed = {**table(current), **wanted}  # what a person added to it stays
        if is_our_status(current) and current != renewed:
            return jsonc.replaced(text, (STATUS,), renewed)
        return text


def hooks(dialect: Dialect, launcher: Launcher) -> dict[str, Any]:
    """All hooks of an agent, by event."""
    return {event: [entry(dialect, launcher, event)] for event in dialect.events}


def entry(dialect: Dialect, launcher: Launcher, event: str) -> dict[str, Any]:
    """What stands in the list of an event: it has no matcher, so that it is for everything."""
    return {"hooks": [handler(dialect, dialect.events[event], launcher)]}


def handler(dialect: Dialect, timeout_s: int, launcher: Launcher | None = None) -> dict[str, Any]:
    """Return one hook: a single shell line that names the agent to the program, so that it knows who runs it.

    There is no list of arguments: Copilot CLI reads Claude Code's hooks too and drops it, so that a bare interpreter
    would run the payload as a program.
    """
    words = (*(launcher or by_path()).hook, dialect.agent)
    return {"type": "command", "command": hook_line(words), "timeout": timeout_s}


def status_line(launcher: Launcher) -> dict[str, Any]:
    """The entry for the status bar; agents run it in a shell."""
    return {"type": "command", "command": line(launcher.status)}


def ours(settings: dict[str, Any]) -> list[Hook]:
    """Our hooks with their places; what has another form than a hook is somebody else's."""
    return [
        Hook(event, number, place, one)
        for event, entries in table(settings.get("hooks")).items()
        for number, each in enumerate(listed(entries))
        for place, one in enumerate(listed(table(each).get("hooks")))
        if _is_ours(one)
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
    """Whether a status line is ours."""
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
    """Without a hook, and without what is empty now."""
    text = jsonc.removed(text, hook.path)
    inner, number, event, everything = (hook.path[:depth] for depth in (4, 3, 2, 1))
    for holder, goes in ((inner, number), (event, event), (everything, everything)):
        rest = jsonc.scan(text).find(holder)
        if rest is None or rest.children:
            return text
        text = jsonc.removed(text, goes)
    return text


def _is_understood(found: object) -> bool:
    """Whether it is a table of lists of entries, each with a list of hooks or none."""
    return isinstance(found, dict) and all(
        isinstance(entries, list) and all(_is_entry(each) for each in entries) for entries in found.values()
    )


def _is_entry(each: object) -> bool:
    inner = each.get("hooks", []) if isinstance(each, dict) else None
    return isinstance(inner, list) and all(isinstance(one, dict) for one in inner)


def _others(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without ours, and without empty lists that only ours may have filled."""
    rest = {key: value for key, value in settings.items() if key != STATUS or not is_our_status(value)}
    if isinstance(rest.get("hooks"), dict):
        mine = ours(settings)
        kept = {event: _entries(event, entries, mine) for event, entries in rest["hooks"].items()}
        rest["hooks"] = {event: entries for event, entries in kept.items() if entries != []}
    return {key: value for key, value in rest.items() if key != "hooks" or value != {}}


def _entries(event: str, entries: object, mine: list[Hook]) -> object:
    if not isinstance(entries, list):
        return entries
    gone = {(hook.entry, hook.place) for hook in mine if hook.event == event}
    left = []
    for number, each in enumerate(entries):
        if not any(number == where for where, _ in gone):
            left.append(each)
            continue
        others = [one for place, one in enumerate(each["hooks"]) if (number, place) not in gone]
        left += [each | {"hooks": others}] if others else []
    return left
