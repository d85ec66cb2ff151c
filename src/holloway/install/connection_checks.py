"""Health checks of each agent's connection, for `holloway doctor`: hooks, trust (Codex), MCP server. Read-only."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holloway import extras
from holloway.domain.findings import Check, Finding, failed_check, passed_check, warning_check
from holloway.errors import HollowayError
from holloway.install import launch_command, original_files
from holloway.install.agents import (
    CLAUDE_CODE_DIALECT,
    CODEX_DIALECT,
    DIALECTS,
    GEMINI_DIALECT,
    Dialect,
    hooks_file,
    mcp_file,
)
from holloway.install.file_change import decode_file
from holloway.install.file_content import UnsupportedConfig, as_table, describe_lenient_json, parse_settings
from holloway.install.hooks_json import build_handler, find_our_hooks, split_command
from holloway.install.mcp_servers import MCP_TOML_KEY, PROJECTS, SERVER_NAME, is_our_server, parse_toml, server_words
from holloway.install.plugin_file import find_plugin_command, render_plugin_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.install.hooks_json import InstalledHook


MANAGED = {
    CLAUDE_CODE_DIALECT.agent: ("/etc/claude-code/managed-settings.json",),
    CODEX_DIALECT.agent: ("/etc/codex/requirements.toml", "/etc/codex/managed_config.toml"),
}
"""Settings files of an administrator, which may disable users' hooks."""
DEFAULT_TIMEOUT_S = 600
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop")
"""Events without a matcher: Codex leaves it out of the fingerprint."""


def check_connections(root: Path) -> list[Check]:
    """Check every supported agent in both scopes, and that one of them is connected at all."""
    checks = [check for dialect in DIALECTS.values() for check in _check_agent(dialect, root)]
    if not list_connected_agents(root):
        hint = "`holloway setup` connects the agents on this machine; it shows the change and asks first."
        checks.append(warning_check("agents", Finding.NOT_CONNECTED, "no agent is connected: nobody is told", hint))
    return checks


def list_connected_agents(root: Path) -> list[str]:
    """Return the names of the agents that are connected for a project or for all projects."""
    return [
        dialect.label
        for dialect in DIALECTS.values()
        if any(_is_connected(dialect, hooks_file(dialect, scope, root)) for scope in ("user", "project"))
    ]


def _check_agent(dialect: Dialect, root: Path) -> Iterator[Check]:
    files = [hooks_file(dialect, scope, root) for scope in ("user", "project")]
    yield from _check_readable(dialect, files, root)
    connected = [path for path in files if _is_connected(dialect, path)]
    if not connected:
        if dialect.is_installed():
            hint = f"Connect it with `holloway setup {dialect.agent}`; it shows the change and asks first."
            yield warning_check(dialect.agent, Finding.NOT_CONNECTED, "not connected", hint)
        else:
            yield passed_check(dialect.agent, "not on this machine")
        return
    for path in connected:
        yield from _check_plugin(dialect, path) if dialect.plugin else _check_hooks(dialect, path)
        if dialect is GEMINI_DIALECT and path == root / dialect.project_file:
            yield from _check_folder_trust(dialect, root)
    yield from _check_managed_settings(dialect)
    yield from _check_duplicates(dialect, connected, root)
    yield from _check_mcp(dialect, root)


def _is_connected(dialect: Dialect, path: Path) -> bool:
    return bool(find_plugin_command(_read_text(path)) if dialect.plugin else find_our_hooks(_read_settings(path)))


def _check_readable(dialect: Dialect, files: list[Path], root: Path) -> Iterator[Check]:
    """Report configuration files that the agent cannot parse, whether or not they contain our entries."""
    read_files = [] if dialect.plugin else files
    for path in dict.fromkeys((*read_files, *_list_mcp_files(dialect, root))):
        try:
            odd = _find_parse_problem(dialect, path)
        except HollowayError as error:
            message = f"{path} {error.message}" if isinstance(error, UnsupportedConfig) else error.message
            yield failed_check(dialect.agent, Finding.CONFIG_BROKEN, message, error.hint)
            continue
        if odd:
            hint = "Remove it from the file: until then the agent ignores these settings."
            yield failed_check(dialect.agent, Finding.CONFIG_NOT_PLAIN, f"{path}: {odd}", hint)


def _find_parse_problem(dialect: Dialect, path: Path) -> str:
    """Return what is wrong with a file that holloway can parse but the agent cannot; empty if nothing is."""
    text = decode_file(path, original_files.read_config(path))
    if path.suffix == ".toml":
        parse_toml(text)
        return ""
    parse_settings(text)
    return "" if dialect.reads_comments else describe_lenient_json(text, dialect.label)


def _check_plugin(dialect: Dialect, path: Path) -> Iterator[Check]:
    text, setup_hint = _read_text(path), _setup_hint(dialect, path)
    program = find_plugin_command(text)[0]
    if not _path_exists(program):
        message = f"{path} names {program!r}, which does not exist"
        yield failed_check(dialect.agent, Finding.HOOKS_GONE, message, setup_hint)
    elif text != render_plugin_file(dialect, launch_command.launch_by_path()):
        message = f"{path} is of another holloway version or installation, or was edited"
        yield warning_check(dialect.agent, Finding.HOOKS_OUTDATED, message, setup_hint)
    else:
        yield passed_check(dialect.agent, f"connected by {path}")


def _check_folder_trust(dialect: Dialect, root: Path) -> Iterator[Check]:
    """Report a project that Gemini CLI does not trust: it ignores the settings of such a folder."""
    trusted = _read_settings(dialect.config_folder() / "trustedFolders.json")
    folders = [Path(name) for name, trust in trusted.items() if trust == "TRUST_FOLDER"]
    folders += [Path(name).parent for name, trust in trusted.items() if trust == "TRUST_PARENT"]
    if not any(root.is_relative_to(folder) for folder in folders):
        message = f"{dialect.label} does not run the hooks of this project: the folder is not trusted"
        yield warning_check(dialect.agent, Finding.HOOKS_UNTRUSTED, message, dialect.project_note)


def _check_hooks(dialect: Dialect, path: Path) -> Iterator[Check]:
    settings = _read_settings(path)
    our_hooks = find_our_hooks(settings)
    setup_hint = _setup_hint(dialect, path)
    expected_hook = build_handler(dialect, 0)
    missing_programs = [program for hook in our_hooks if not _path_exists(program := _hook_program(hook.value))]
    if off_switch := _find_off_switch(settings):
        yield warning_check(
            dialect.agent, Finding.HOOKS_OFF, f"{path} disables all hooks", f"Remove {off_switch} there."
        )
    elif missing_programs:
        yield failed_check(
            dialect.agent, Finding.HOOKS_GONE, f"{path} names {missing_programs[0]!r}, which does not exist", setup_hint
        )
    elif any(_hook_program(hook.value) != _hook_program(expected_hook) for hook in our_hooks):
        yield warning_check(
            dialect.agent, Finding.HOOKS_OUTDATED, f"{path} has hooks of another holloway installation", setup_hint
        )
    elif set(dialect.events) - {hook.event for hook in our_hooks} or any(
        split_command(hook.value) != split_command(expected_hook) for hook in our_hooks
    ):
        yield warning_check(
            dialect.agent, Finding.HOOKS_OUTDATED, f"{path} has hooks of an earlier holloway version", setup_hint
        )
    else:
        yield passed_check(dialect.agent, f"connected by {path}")
    if dialect is CODEX_DIALECT:
        yield from _check_trust(path, settings)


def _find_off_switch(settings: dict[str, Any]) -> str:
    """Return the setting that disables all hooks; empty if there is none."""
    if settings.get("disableAllHooks"):
        return "disableAllHooks"
    return "hooksConfig.enabled" if as_table(settings.get("hooksConfig")).get("enabled") is False else ""


def _hook_program(hook: dict[str, Any]) -> str:
    return str(launch_command.hook_program(split_command(hook)))


def _setup_hint(dialect: Dialect, path: Path) -> str:
    """Return the hint that names the command which rewrites the hooks in this file."""
    scope = "" if path == dialect.config_folder() / dialect.user_file else " --scope project"
    trust_again = " Codex then asks you to trust them again." if dialect is CODEX_DIALECT else ""
    return f"`holloway setup {dialect.agent}{scope}` rewrites them.{trust_again}"


def _check_trust(path: Path, settings: dict[str, Any]) -> Iterator[Check]:
    config = _read_toml(CODEX_DIALECT.config_folder() / "config.toml")
    if as_table(config.get("features")).get("hooks") is False:
        hint = "Remove `hooks = false` from [features] there."
        yield warning_check(
            CODEX_DIALECT.agent,
            Finding.HOOKS_OFF,
            f"{CODEX_DIALECT.config_folder() / 'config.toml'} disables hooks",
            hint,
        )
    untrusted_events = [hook.event for hook in find_our_hooks(settings) if not is_trusted(config, settings, path, hook)]
    if untrusted_events:
        count_text = f"{len(untrusted_events)} of holloway's hooks ({untrusted_events[0]}, ...)"
        message = f"Codex does not run {count_text}: they are new or changed, and not trusted"
        hint = "Start codex in this project and trust them when it asks, or later with /hooks."
        yield warning_check(CODEX_DIALECT.agent, Finding.HOOKS_UNTRUSTED, message, hint)


def _check_managed_settings(dialect: Dialect) -> Iterator[Check]:
    for name in MANAGED.get(dialect.agent, ()):
        path = Path(name)
        policy = _read_toml(path) if path.suffix == ".toml" else _read_settings(path)
        keys = ("allowManagedHooksOnly", "disableAllHooks", "allow_managed_hooks_only")
        if blocking_keys := [key for key in keys if policy.get(key)]:
            hint = "Ask the administrator of this machine. The MCP server and the commands work without hooks."
            yield warning_check(
                dialect.agent, Finding.HOOKS_MANAGED, f"{path} sets {blocking_keys[0]}: user hooks do not run", hint
            )


def _check_duplicates(dialect: Dialect, connected: list[Path], root: Path) -> Iterator[Check]:
    """Report an agent that is connected twice: duplicate events count once, but cost twice."""
    if dialect is not CLAUDE_CODE_DIALECT and len(connected) > 1:
        hint = f"`holloway setup {dialect.agent} --scope project --remove` keeps only the connection for all projects."
        yield warning_check(
            dialect.agent,
            Finding.EVENTS_TWICE,
            "connected both for this project and for all projects: every event arrives twice",
            hint,
        )
    if dialect is CLAUDE_CODE_DIALECT and (plugin := _enabled_plugin(root)):
        hint = "Keep one: `holloway setup claude-code --remove`, or `claude plugin disable` for the plugin."
        yield warning_check(dialect.agent, Finding.EVENTS_TWICE, f"setup and the plugin {plugin} are both active", hint)


def _enabled_plugin(root: Path) -> str:
    """Return the name of our plugin if any of Claude Code's settings enables it, else an empty string."""
    folder = root / CLAUDE_CODE_DIALECT.folder
    for path in (
        CLAUDE_CODE_DIALECT.config_folder() / "settings.json",
        folder / "settings.json",
        folder / "settings.local.json",
    ):
        for name, enabled in as_table(_read_settings(path).get("enabledPlugins")).items():
            if enabled and str(name).partition("@")[0] == SERVER_NAME:
                return str(name)
    return ""


def _check_mcp(dialect: Dialect, root: Path) -> Iterator[Check]:
    setup_hint = f"`holloway setup {dialect.agent}` rewrites it."
    for config_path, entry in _list_servers(dialect, root):
        command = str(server_words(entry)[0])
        if not _path_exists(command):
            yield failed_check(
                dialect.agent, Finding.MCP_STALE, f"{config_path} starts {command!r}, which does not exist", setup_hint
            )
        elif command != launch_command.launch_by_path().mcp[0]:
            yield warning_check(
                dialect.agent, Finding.MCP_STALE, f"{config_path} starts another holloway installation", setup_hint
            )
        elif not launch_command.has_mcp_package():
            hint = f"Install it: {extras.install_command('mcp')}"
            yield failed_check(
                dialect.agent, Finding.MCP_PACKAGE, f"{config_path} needs a package that is not installed", hint
            )
        else:
            yield passed_check(dialect.agent, f"MCP server in {config_path}")


def _list_servers(dialect: Dialect, root: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield our MCP server entries that apply to this project, with their files."""
    for path in _list_mcp_files(dialect, root):
        settings, key = (
            (_read_toml(path), MCP_TOML_KEY) if path.suffix == ".toml" else (_read_settings(path), dialect.mcp_key)
        )
        for section in (settings, as_table(as_table(settings.get(PROJECTS)).get(str(root)))):
            entry = as_table(as_table(section.get(key)).get(SERVER_NAME))
            if is_our_server(entry):
                yield path, entry


def _list_mcp_files(dialect: Dialect, root: Path) -> list[Path]:
    paths = (mcp_file(dialect, scope, root) for scope in ("user", "project"))
    return list(dict.fromkeys(path for path in paths if path))


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        return parse_settings(_read_text(path))
    except HollowayError:
        return {}


def _read_text(path: Path) -> str:
    """Return a configuration file; empty if it is missing or cannot be read."""
    try:
        return decode_file(path, original_files.read_config(path))
    except HollowayError:
        return ""


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(_read_text(path))
    except HollowayError:
        return {}


def _path_exists(command: str) -> bool:
    try:
        return os.path.exists(command)  # noqa: PTH110  (a Path raises on a name that is too long)
    except ValueError:
        return False


def state_key(file: Path, hook: InstalledHook) -> str:
    """Return the key under which Codex stores the user's trust decision for a hook."""
    return f"{file}:{_event_name(hook)}:{hook.entry}:{hook.place}"


def compute_fingerprint(settings: dict[str, Any], hook: InstalledHook) -> str:
    """Compute the hash that Codex uses for a hook: its event, matcher and command in canonical JSON."""
    identity: dict[str, object] = {
        "event_name": _event_name(hook),
        "hooks": [{"async": False, "timeout": DEFAULT_TIMEOUT_S, **hook.value}],
    }
    matcher = as_table(settings["hooks"][hook.event][hook.entry]).get("matcher")
    if isinstance(matcher, str) and hook.event not in WITHOUT_MATCHER:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_trusted(config: dict[str, Any], settings: dict[str, Any], file: Path, hook: InstalledHook) -> bool:
    """Return whether the user has trusted this version of a hook and has not disabled it."""
    state = as_table(as_table(as_table(config.get("hooks")).get("state")).get(state_key(file, hook)))
    return state.get("trusted_hash") == compute_fingerprint(settings, hook) and state.get("enabled") is not False


def _event_name(hook: InstalledHook) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", hook.event).lower()
