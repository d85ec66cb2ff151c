"""The command that turns the reader on and off, and the question that setup asks once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import format_count, json_option, open_memory, print_json, print_text, project_option
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.reader import ReaderOffer

HOW_TO_TURN_ON = "The reader is off. `holloway reader on` says what it would do and cost, and turns it on."


@click.command("reader")
@click.argument("action", type=click.Choice(["on", "off", "status"]), default="status")
@click.option("--provider", metavar="NAME", help="claude-code, codex, openai (any compatible service) or anthropic.")
@click.option("--model", default="", metavar="NAME", help="Model (default: the usual one of the provider).")
@click.option("--base-url", default="", metavar="URL", help="URL of the service, such as http://127.0.0.1:11434/v1.")
@click.option("--key-env", default="", metavar="VARIABLE", help="Environment variable that holds the API key.")
@click.option("--here", "is_local", is_flag=True, help="For this project only.")
@json_option
@project_option
def reader_command(
    action: str,
    provider: str | None,
    model: str,
    base_url: str,
    key_env: str,
    is_local: bool,
    as_json: bool,
    project: str,
) -> None:
    """Turn on or off the language model that reads finished sessions, or show what it costs.

    It is off until you choose a provider: an agent that you already have (claude-code, codex), a server with OpenAI's
    chat API, Ollama included (openai), or Anthropic. `off` also ends a call that is running.

    \b
    Examples:
      holloway reader on
      holloway reader on --provider claude-code
      holloway reader on --provider openai --base-url http://127.0.0.1:11434/v1 --model qwen3
      holloway reader off
    """
    from holloway.service import reader  # loaded when the command runs
    from holloway.service.project_finder import known_project

    key = known_project(project, create=action == "on").key if is_local else ""
    note = ""
    if action == "on":
        chosen = provider or _require_answer(ask_for_reader(key))
        if chosen != reader.OFF:
            note = reader.turn_on(chosen, {"model": model, "base_url": base_url, "key_env": key_env}, key)
        else:
            reader.turn_off(key)
    elif action == "off":
        ended = reader.turn_off(key)
        note = f"{format_count(ended, 'running call')} ended." if ended else ""
    with open_memory(project) as memory:
        figures = reader.describe_reader(memory.settings, memory.store.database, memory.clock)
    if as_json:
        print_json(figures)
        return
    _print_reader(action, figures, note)


def _print_reader(action: str, figures: dict[str, object], note: str) -> None:
    from holloway.cli.project import describe_reader_lines  # loaded when the command runs
    from holloway.service import reader

    if action == "on" and figures["provider"] != reader.OFF:
        for line in reader.describe_consent(reader.load_settings()):
            print_text(line, "dim")
        print_text("The reader is on.", "green")
    for line in describe_reader_lines(figures):
        print_text(line)
    if note and not figures["problem"]:
        print_text(note, "yellow")
    if action == "status" and figures["provider"] == reader.OFF:
        offers = ", ".join(offer.provider for offer in reader.list_offers()) or "no agent"
        print_text(f"           on this machine: {offers}; also openai (any compatible service) and anthropic", "dim")


def ask_for_reader(key: str = "") -> str | None:
    """Ask the person which reader they want; return the provider or `off`, or None without a terminal or an answer.

    No answer is preselected: an empty one asks again.
    """
    from holloway.service import reader  # loaded when a command runs

    offers = reader.list_offers()
    if not sys.stdin.isatty() or not offers:
        return None
    for line in reader.describe_consent(reader.load_settings(key)):
        print_text(line)
    for offer in offers:
        print_text(f"  {offer.provider:<12} {offer.label}, which you have; it counts on your plan or key there")
    print_text(f"  {reader.OFF:<12} no reader")
    print_text("A local server or an API: holloway reader on --provider openai --base-url URL", "dim")
    return _prompt_for_provider(offers)


def _prompt_for_provider(offers: Sequence[ReaderOffer]) -> str | None:
    from holloway.service.reader import OFF  # loaded when a command runs

    choices = click.Choice([*(offer.provider for offer in offers), OFF])
    try:
        return str(click.prompt("Which one reads your sessions?", type=choices))
    except click.Abort:
        print_text()
        return None


def _require_answer(answer: str | None) -> str:
    """Return the answer; raise InvalidInput if there is none."""
    from holloway.service import reader  # loaded when the command runs

    if answer is None:
        names = ", ".join([*(offer.provider for offer in reader.list_offers()), "openai", "anthropic"])
        raise InvalidInput("No provider was chosen; nothing was changed.", f"Add --provider: {names}.")
    return answer


def offer_reader(*, ask: bool) -> None:
    """Ask once, after an agent was connected, whether sessions are to be read; a later setup does not ask again.

    Without `ask` the reader stays as it is, and a line says how to turn it on.
    """
    from holloway.service import reader  # loaded when a command runs

    if reader.was_asked():
        return
    answer = ask_for_reader() if ask else None
    if answer is None:
        print_text(HOW_TO_TURN_ON, "dim")
    elif answer == reader.OFF:
        reader.turn_off()
        print_text("No reader. `holloway reader on` turns it on later.", "green")
    else:
        problem = reader.turn_on(answer, {})
        print_text(
            problem or "The reader is on. `holloway reader off` ends it at once.", "yellow" if problem else "green"
        )
