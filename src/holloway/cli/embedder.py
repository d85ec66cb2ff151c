"""The embedder command: which model search by meaning uses, switched with progress and stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import json_option, open_memory, print_json, print_text, project_option
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from holloway.service.embedder_switch import EmbeddingProgress


@click.command("embedder")
@click.argument("action", type=click.Choice(["status", "use", "stop"]), default="status")
@click.argument("provider", required=False)
@click.option("--model", default="", metavar="NAME", help="Model of the server; its default without it.")
@click.option("--base-url", default="", metavar="URL", help="Address of the server.")
@click.option("--key-env", default="", metavar="NAME", help="Environment variable that holds the key, if it needs one.")
@click.option("--dims", default="", metavar="NUMBER", help="Dimensions to ask the server for.")
@json_option
@project_option
def embedder_command(
    action: str, provider: str | None, model: str, base_url: str, key_env: str, dims: str, as_json: bool, project: str
) -> None:
    """Show or switch the embedding model of this project: builtin, ollama, openai (any such API) or off.

    The model is asked for one vector first; if that fails, nothing is changed. The worker then embeds all memories in
    the background. `stop` goes back to the model before, whose vectors are still there.

    \b
    Examples:
      holloway embedder use ollama --model embeddinggemma
      holloway embedder status
      holloway embedder stop
    """
    from holloway.service import embedder_switch  # loaded when the command runs

    with open_memory(project, create=action == "use") as memory:
        if action == "use":
            if not provider:
                raise InvalidInput("The provider is missing.", "It takes one of: builtin, ollama, openai, off.")
            options = {"model": model, "base_url": base_url, "key_env": key_env, "dims": dims}
            progress = embedder_switch.switch_embedder(memory, provider, options)
        elif action == "stop":
            progress = embedder_switch.stop_switch(memory)
        else:
            progress = embedder_switch.measure_embedding(memory)
    if as_json:
        print_json(progress.to_json())
        return
    _print_progress(progress)


def _print_progress(progress: EmbeddingProgress) -> None:
    print_text(f"{progress.provider}  {progress.model or 'search by words only'}", "bold")
    if progress.model:
        state = "the worker is at it" if progress.running else "the worker goes on when it next runs"
        waiting_text = f"; {progress.waiting:,} waiting, {state}" if progress.waiting else ""
        print_text(f"  {progress.embedded:,} of {progress.total:,} memories embedded{waiting_text}")
    if progress.problem:
        print_text(f"  {progress.problem}", "yellow")
    if progress.previous:
        print_text(f"  `holloway embedder stop` goes back to {progress.previous}.", "dim")
