"""Purposes of modules written by a language model, for a person who asked for them.

One call describes all modules. Each purpose is checked and stored as an edit of the person: `module NAME --reset`
removes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.codemap.modules.purpose import PURPOSE_CHARS_MAX, is_description
from holloway.config import DESCRIBE_ANSWER_TOKENS, DESCRIBE_DEADLINE_S
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.llm.metered_client import meter_writer
from holloway.llm.prompts import render_prompt
from holloway.llm.provider_choice import choose_writer
from holloway.safety.neutralize import neutralize_text
from holloway.store import contributions
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.codemap.modules.detection import Module
    from holloway.config import Settings
    from holloway.domain.ports import Writer
    from holloway.store.store import Store

MODULES_MAX = 40
FILES_NAMED = 5
SYSTEM = "You describe the parts of a codebase from their file names."


def describe_modules(
    store: Store, settings: Settings, modules: Callable[[], Sequence[Module]], writer: Writer | None = None
) -> list[tuple[str, str]]:
    """Ask a model to describe the modules that no person has described; returns the names and purposes it stored.

    Raises InvalidInput if no language model is configured.
    """
    chosen = choose_writer(settings)
    writer = writer or chosen.writer
    if writer is None:
        raise InvalidInput("No language model is configured.", f"{chosen.reason} See `holloway config list`.")
    described_keys = {
        module for kind, module, _ in contributions.list_module_edits(store.database) if kind == "purpose"
    }
    undescribed_modules = [module for module in modules() if module.key not in described_keys and not module.support][
        :MODULES_MAX
    ]
    if not undescribed_modules:
        return []
    model = meter_writer(store, settings, writer, "modules")
    text = render_prompt(
        "modules", project=store.project.name, modules="\n".join(_line(module) for module in undescribed_modules)
    )
    completion = model.complete(text, system=SYSTEM, max_tokens=DESCRIBE_ANSWER_TOKENS, deadline_s=DESCRIBE_DEADLINE_S)
    purposes = _read(completion.text, undescribed_modules)
    at = format_stamp(store.clock.now())
    for key, purpose in purposes.items():
        contributions.edit_module(store.database, "purpose", key, purpose, at)
    names = {module.key: module.name for module in undescribed_modules}
    return [(names[key], purpose) for key, purpose in purposes.items()]


def _line(module: Module) -> str:
    uses = ", ".join(name for name, _ in module.uses[:FILES_NAMED])
    return neutralize_text(
        f"- {module.name}: {', '.join(module.core[:FILES_NAMED])}" + (f"; uses {uses}" if uses else "")
    )


def _read(answer: str, asked: Sequence[Module]) -> dict[str, str]:
    """Parse the purposes in an answer; skips unknown modules and texts that are no description."""
    keys = {module.name.casefold(): module.key for module in asked}
    purposes: dict[str, str] = {}
    for line in answer.splitlines():
        name, colon, purpose = line.strip().lstrip("-*• ").partition(":")
        key = keys.get(name.strip("`* ").casefold())
        purpose = one_line(neutralize_text(purpose), PURPOSE_CHARS_MAX).strip().rstrip(".")
        if colon and key and purpose and is_description(purpose):
            purposes.setdefault(key, purpose)
    return purposes
