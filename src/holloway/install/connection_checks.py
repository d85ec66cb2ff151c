"""Health checks of each agent's connection, for `holloway doctor`: hooks, trust, MCP server. Read-only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway import extras
from holloway.domain.findings import Check, Finding, failure, ok, warning
from holloway.errors import HollowayError
from holloway.install import codex_trust, launch_command, mcp_toml, original_files
from holloway.install.agent_files import claude_json
from holloway.install.agents import CLAUDE_CODE, CODEX, DIALECTS, Dialect, config_file
from holloway.install.file_change import decoded
from holloway.install.file_content import NotUnderstood, not_plain, settings_of, table
from holloway.install.hooks_json import handler, ours, words_of
from holloway.install.mcp_json import NAME, PROJECTS, SERVERS, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator

MANAGED = {
    CLAUDE_CODE.agent: ("/etc/claude-code/managed-settings.json",),
    CODEX.agent: ("/etc/codex/requirements.toml", "/etc/codex/managed_config.toml"),
}
"""Settings files of an administrator, which may disable users' hooks."""


def examine(root: Path) -> list[Check]:
    """Check every supported agent in both scopes."""
    return [check for dialect in DIALECTS.values() for check in _agent(dialect, root)]


def _agent(chosen: Dialect, root: Path) -> Iterator[Check]:
    files = [config_file(chosen, scope, root) for scope in ("user", "project")]
    yield from _unreadable(chosen, files)
    connected = [path for path in files if ours(_settings(path))]
    if not connected:
        if chosen.is_installed():
            hint = f"Connect it with `holloway setup {chosen.agent}`; it shows the change and asks first."
            yield warning(chosen.agent, Finding.NOT_CONNECTED, "not connected", hint)
        else:
            yield ok(chosen.agent, "not on this machine")
        return
    for path in connected:
        yield from _hooks(chosen, path)
    yield from _managed(chosen)
    yield from _twice(chosen, connected, root)
    yield from _mcp(chosen, root)


def _unreadable(chosen: Dialect, files: list[Path]) -> Iterator[Check]:
    """Report configuration files that the agent cannot parse, whether or not they contain our entries."""
    extra = [claude_json()] if chosen is CLAUDE_CODE else [path.with_name("config.toml") for path in files]
    for path in (*files, *extra):
        try:
            odd = _odd(chosen, path)
        except HollowayError as error:
            message = f"{path} {error.message}" if isinstance(error, NotUnderstood) else error.message
            yield failure(chosen.agent, Finding.CONFIG_BROKEN, message, error.hint)
            continue
        if odd:
            hint = "Remove it from the file: until then the agent ignores these settings."
            yield failure(chosen.agent, Finding.CONFIG_NOT_PLAIN, f"{path}: {odd}", hint)


def _odd(chosen: Dialect, path: Path) -> str:
    """Return what is wrong with a file that holloway can parse but the agent cannot; empty if nothing is."""
    text = decoded(path, original_files.read(path))
    if path.suffix == ".toml":
        mcp_toml.parsed(text)
        return ""
    settings_of(text)
    return not_plain(text, chosen.label)


def _hooks(chosen: Dialect, path: Path) -> Iterator[Check]:
    settings = _settings(path)
    our_hooks = ours(settings)
    setup_hint = _setup_again(chosen, path)
    expected_hook = handler(chosen, 0)
    missing_programs = [program for hook in our_hooks if not _exists(program := _program(hook.value))]
    if settings.get("disableAllHooks"):
        yield warning(chosen.agent, Finding.HOOKS_OFF, f"{path} disables all hooks", "Remove disableAllHooks there.")
    elif missing_programs:
        yield failure(
            chosen.agent, Finding.HOOKS_GONE, f"{path} names {missing_programs[0]!r}, which does not exist", setup_hint
        )
    elif any(_program(hook.value) != _program(expected_hook) for hook in our_hooks):
        yield warning(
            chosen.agent, Finding.HOOKS_OUTDATED, f"{path} has hooks of another holloway installation", setup_hint
        )
    elif set(chosen.events) - {hook.event for hook in our_hooks} or any(
        words_of(hook.value) != words_of(expected_hook) for hook in our_hooks
    ):
        yield warning(
            chosen.agent, Finding.HOOKS_OUTDATED, f"{path} has hooks of an earlier holloway version", setup_hint
        )
    else:
        yield ok(chosen.agent, f"connected by {path}")
    if chosen is CODEX:
        yield from _trust(path, settings)


def _program(hook: dict[str, Any]) -> str:
    return str(launch_command.program_of(words_of(hook)))


def _setup_again(chosen: Dialect, path: Path) -> str:
    """Return the hint that names the command which rewrites the hooks in this file."""
    scope = "" if path == chosen.home() / chosen.user_file else " --scope project"
    trust_again = " Codex then asks you to trust them again." if chosen is CODEX else ""
    return f"`holloway setup {chosen.agent}{scope}` rewrites them.{trust_again}"


def _trust(path: Path, settings: dict[str, Any]) -> Iterator[Check]:
    config = _toml(CODEX.home() / "config.toml")
    if table(config.get("features")).get("hooks") is False:
        hint = "Remove `hooks = false` from [features] there."
        yield warning(CODEX.agent, Finding.HOOKS_OFF, f"{CODEX.home() / 'config.toml'} disables hooks", hint)
    untrusted_events = [hook.event for hook in ours(settings) if not codex_trust.trusted(config, settings, path, hook)]
    if untrusted_events:
        count_text = f"{len(untrusted_events)} of holloway's hooks ({untrusted_events[0]}, ...)"
        message = f"Codex does not run {count_text}: they are new or changed, and not trusted"
        hint = "Start codex in this project and trust them when it asks, or later with /hooks."
        yield warning(CODEX.agent, Finding.HOOKS_UNTRUSTED, message, hint)


def _managed(chosen: Dialect) -> Iterator[Check]:
    for name in MANAGED[chosen.agent]:
        path = Path(name)
        policy = _toml(path) if path.suffix == ".toml" else _settings(path)
        keys = ("allowManagedHooksOnly", "disableAllHooks", "allow_managed_hooks_only")
        if blocking_keys := [key for key in keys if policy.get(key)]:
            hint = "Ask the administrator of this machine. The MCP server and the commands work without hooks."
            yield warning(
                chosen.agent, Finding.HOOKS_MANAGED, f"{path} sets {blocking_keys[0]}: user hooks do not run", hint
            )


def _twice(chosen: Dialect, connected: list[Path], root: Path) -> Iterator[Check]:
    """Report an agent that is connected twice: duplicate events count once, but cost twice."""
    if chosen is CODEX and len(connected) > 1:
        hint = "`holloway setup codex --scope project --remove` keeps only the connection for all projects."
        yield warning(
            chosen.agent,
            Finding.EVENTS_TWICE,
            "connected both for this project and for all projects: every event arrives twice",
            hint,
        )
    if chosen is CLAUDE_CODE and (plugin := _plugin(root)):
        hint = "Keep one: `holloway setup claude-code --remove`, or `claude plugin disable` for the plugin."
        yield warning(chosen.agent, Finding.EVENTS_TWICE, f"setup and the plugin {plugin} are both active", hint)


def _plugin(root: Path) -> str:
    """Return the name of our plugin if any of Claude Code's settings enables it, else an empty string."""
    folder = root / CLAUDE_CODE.folder
    for path in (CLAUDE_CODE.home() / "settings.json", folder / "settings.json", folder / "settings.local.json"):
        for name, enabled in table(_settings(path).get("enabledPlugins")).items():
            if enabled and str(name).partition("@")[0] == NAME:
                return str(name)
    return ""


def _mcp(chosen: Dialect, root: Path) -> Iterator[Check]:
    setup_hint = f"`holloway setup {chosen.agent}` rewrites it."
    for config_path, entry in _servers(chosen, root):
        command = str(entry.get("command"))
        if not _exists(command):
            yield failure(
                chosen.agent, Finding.MCP_STALE, f"{config_path} starts {command!r}, which does not exist", setup_hint
            )
        elif command != launch_command.by_path().mcp[0]:
            yield warning(
                chosen.agent, Finding.MCP_STALE, f"{config_path} starts another holloway installation", setup_hint
            )
        elif not launch_command.has_mcp_package():
            hint = f"Install it: {extras.install('mcp')}"
            yield failure(
                chosen.agent, Finding.MCP_PACKAGE, f"{config_path} needs a package that is not installed", hint
            )
        else:
            yield ok(chosen.agent, f"MCP server in {config_path}")


def _servers(chosen: Dialect, root: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield our MCP server entries that apply to this project, with their files."""
    if chosen is CODEX:
        for path in (CODEX.home() / "config.toml", root / CODEX.folder / "config.toml"):
            entry = table(table(_toml(path).get(mcp_toml.SERVERS)).get(NAME))
            if is_ours(entry):
                yield path, entry
        return
    settings = _settings(claude_json())
    for section in (settings, table(table(settings.get(PROJECTS)).get(str(root)))):
        entry = table(table(section.get(SERVERS)).get(NAME))
        if is_ours(entry):
            yield claude_json(), entry


def _settings(path: Path) -> dict[str, Any]:
    try:
        return settings_of(decoded(path, original_files.read(path)))
    except HollowayError:
        return {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return mcp_toml.parsed(decoded(path, original_files.read(path)))
    except HollowayError:
        return {}


def _exists(command: str) -> bool:
    try:
        return os.path.exists(command)  # noqa: PTH110  (a Path raises on a name that is too long)
    except ValueError:
        return False
