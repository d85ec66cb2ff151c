"""The commands as operations of the panel's HTTP API: the same code, the same options, and the same JSON.

Commands that connect agents, read or write files of the user's choice, or send data to a provider are left out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from holloway.cli import CLI_COMMANDS, holloway
from holloway.cli.common import json_documents
from holloway.errors import InvalidInput
from holloway.panel.api import ApiOperation, ApiParameter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

READ_COMMANDS = (
    "brief config doctor explain impact list locate module modules recall review sessions show status told trust why"
).split()
"""Commands that GET runs, without the options that change something."""
WRITE_COMMANDS = (
    "ask bulk config edit forget index module mute note pause pin prune remember restore resume review rules trust "
    "wrong"
).split()
"""Commands that POST runs."""
CHANGING_OPTIONS = {
    "config": {"value", "is_local"},
    "module": {"rename", "purpose", "add", "hide", "reset"},
    "modules": {"with_descriptions"},
    "review": {"ok_ids", "drop_ids", "later_ids", "ok_files"},
    "trust": {"level"},
}
HIDDEN_OPTIONS = {"as_json", "project", "yes", "watch", "quiet", "scip"}
"""Options for a terminal, and those that name a file to read."""
_SUMMARIES = {name: text for section in CLI_COMMANDS.values() for name, (_, text) in section.items()}


def build_operations(root: Path) -> list[ApiOperation]:
    """Return the operations of the project at `root`."""
    reads = [_build_operation("GET", name, root) for name in READ_COMMANDS]
    return [*reads, *(_build_operation("POST", name, root) for name in WRITE_COMMANDS)]


def _build_operation(method: str, name: str, root: Path) -> ApiOperation:
    command = holloway.get_command(_group_context(), name)
    assert command is not None  # noqa: S101  (the names above are commands; a test builds them all)
    hidden = HIDDEN_OPTIONS | (CHANGING_OPTIONS.get(name, set()) if method == "GET" else set())
    parameters = {_get_name(parameter): parameter for parameter in command.params if parameter.name not in hidden}
    described = tuple(_describe_parameter(name, parameter) for name, parameter in parameters.items())
    return ApiOperation(method, name, _SUMMARIES[name], partial(_run_command, command, parameters, root), described)


def _get_name(parameter: click.Parameter) -> str:
    """Return the name of a value: that of an argument, or an option without its dashes."""
    if isinstance(parameter, click.Argument):
        return str(parameter.name)
    return max(parameter.opts, key=len).lstrip("-").replace("-", "_")


def _describe_parameter(name: str, parameter: click.Parameter) -> ApiParameter:
    is_list = parameter.multiple or parameter.nargs == -1
    schema: dict[str, Any] = {"type": "string"}
    if isinstance(parameter, click.Option) and parameter.is_flag:
        schema = {"type": "boolean"}
    elif isinstance(parameter.type, click.Choice):
        schema["enum"] = list(parameter.type.choices)
    elif isinstance(parameter.type, click.types.IntParamType):
        schema = {"type": "integer"}
    elif isinstance(parameter.type, click.types.FloatParamType):
        schema = {"type": "number"}
    meaning = (parameter.help or "") if isinstance(parameter, click.Option) else ""
    return ApiParameter(name, {"type": "array", "items": schema} if is_list else schema, meaning, parameter.required)


def _group_context() -> click.Context:
    """The context that commands get from the command line. A command keeps the help option of its first context."""
    return click.Context(holloway, info_name="holloway", **holloway.context_settings)


def _run_command(
    command: click.Command, parameters: Mapping[str, click.Parameter], root: Path, values: Mapping[str, Any]
) -> object:
    """Run a command with `--json` and return what it prints. Raises InvalidInput for what the command refuses."""
    names = {parameter.name for parameter in command.params}
    arguments = ["--json"] if "as_json" in names else []
    arguments += ["--yes"] if "yes" in names else []
    arguments += ["--project", str(root), *_list_arguments(parameters, values)]
    documents: list[object] = []
    token = json_documents.set(documents)
    try:
        with command.make_context(str(command.name), arguments, parent=_group_context()) as context:
            command.invoke(context)
    except click.UsageError as error:
        raise InvalidInput(error.format_message(), "The description of the API lists its values.") from None
    except (SystemExit, click.exceptions.Exit):
        pass  # a command that reports problems ends with a status of its own
    finally:
        json_documents.reset(token)
    return documents[-1] if documents else {}


def _list_arguments(parameters: Mapping[str, click.Parameter], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options, then the arguments after `--`, so that no value reads as an option."""
    positional: list[str] = []
    for name, parameter in parameters.items():
        if name not in values:
            continue
        words = [str(word) for word in (values[name] if isinstance(values[name], list) else [values[name]])]
        if "-" in words:
            raise InvalidInput(f"{name!r} cannot be '-'.", "Send the text itself.")
        if isinstance(parameter, click.Argument):
            positional += words
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            yield from parameter.opts[:1] if values[name] else ()
        else:
            yield from (f"{parameter.opts[0]}={word}" for word in words)
    yield from ("--", *positional)
