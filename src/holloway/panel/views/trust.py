"""Trust and settings: how much agents are shown, pause, sources, models and their caps, agents, export."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import Response

from holloway import config
from holloway.config import INJECTION_THRESHOLDS, TRUST_NAMES
from holloway.errors import HollowayError, InvalidInput
from holloway.panel import labels
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from holloway.panel.page import Page

AUTONOMOUS = max(TRUST_NAMES)
EMBEDDER_SETTINGS = {
    key.removeprefix("embedding."): key for key in labels.SETTING_LABELS if key.startswith("embedding.")
}
"""The settings of the embedder by their last word; a switch checks all of them together."""
EXPORT_NAMES = {
    "json": ("memories.json", "application/json"),
    "markdown": ("memories.md", "text/markdown"),
    "claude": ("CLAUDE-block.md", "text/markdown"),
    "archive": ("holloway-archive.jsonl", "application/octet-stream"),
}


def show_trust(page: Page, *, error: HollowayError | None = None) -> Response:
    """Show the trust level and the settings of this project."""
    settings = page.data.load_settings()
    return page.render(
        "trust.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        standing=page.data.get_standing(),
        thresholds=INJECTION_THRESHOLDS,
        paused=page.data.get_paused(),
        values={key: settings.resolve_value(key) for key in labels.SETTING_LABELS},
        choices={key: config.SETTINGS[key].choices for key in labels.SETTING_LABELS},
        reader=page.data.describe_reader(),
        exports=EXPORT_NAMES,
        embedding=page.data.measure_embedding(),
        error=error,
    )


def choose_level(page: Page) -> Response:
    """Set the trust level; the highest one only after the person acknowledged what it changes."""
    level = get_word(page.form, "level")
    if level == str(AUTONOMOUS) and not get_word(page.form, "acknowledged"):
        message = page.gettext("Level 4 shows agents more and asks you less. Tick that you have read what changes.")
        return show_trust(page, error=InvalidInput(message))
    page.data.choose_trust(level)
    page.flash(page.gettext("The new level applies from the next event on."))
    return page.redirect("/trust")


def set_pause(page: Page) -> Response:
    """Pause capturing, injecting or both in this project, or end the pause."""
    target = get_word(page.form, "target")
    page.data.set_pause(target)
    page.flash(page.gettext("Paused from the next event on.") if target else page.gettext("Nothing is paused now."))
    return page.redirect("/trust")


def change_settings(page: Page) -> Response:
    """Store the settings that differ, for this project; a reader needs the person's consent."""
    settings = page.data.load_settings()
    changes = {
        key: get_word(page.form, key)
        for key in labels.SETTING_LABELS
        if key in page.form and get_word(page.form, key) != str(settings.get_value(key))
    }
    count = len(changes)
    starts_reader = changes.get("reader.provider", "off") != "off"
    if starts_reader and not get_word(page.form, "consent"):
        message = page.gettext("A reader sends condensed sessions to its provider. Tick that you agree.")
        return show_trust(page, error=InvalidInput(message))
    embedder = {
        name: changes.pop(key, str(settings.get_value(key)))
        for name, key in EMBEDDER_SETTINGS.items()
        if EMBEDDER_SETTINGS.values() & changes.keys()
    }
    try:
        page.data.change_settings(changes)
        if embedder:
            page.data.switch_embedder(embedder.pop("provider"), embedder)
    except HollowayError as error:
        return show_trust(page, error=error)
    page.flash(
        page.ngettext("%(count)s setting stored.", "%(count)s settings stored.", count)
        if count
        else page.gettext("Nothing was different.")
    )
    return page.redirect("/trust#settings")


def stop_embedder_switch(page: Page) -> Response:
    """Stop embedding with the new model and go back to the one before."""
    page.data.stop_embedder_switch()
    page.flash(page.gettext("Stopped. Searches use the model from before."))
    return page.redirect("/trust#embedder")


def delete_everything(page: Page) -> Response:
    """Delete all that is stored about this project, after its name was typed."""
    name = page.panel.project.name
    if get_word(page.form, "typed") != name:
        message = page.gettext("Nothing was deleted: type %(name)s to confirm.", name=name)
        return show_trust(page, error=InvalidInput(message))
    page.data.delete_everything()
    page.flash(page.gettext("Everything about this project was deleted."))
    return page.redirect("/welcome")


def export_memories(page: Page) -> Response:
    """Send the memories as a file."""
    form = page.path_values["form"]
    if form not in EXPORT_NAMES:
        raise InvalidInput(page.gettext("There is no such export."))
    name, media_type = EXPORT_NAMES[form]
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(page.data.export(form), media_type=media_type, headers=headers)


def show_agents(page: Page) -> Response:
    """Show the checks of this machine, the project and the connected agents."""
    return page.render("agents.html", checks=sorted(page.data.examine(), key=lambda check: check.verdict == "ok"))
