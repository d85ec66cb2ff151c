"""Modules: the map of the code, a card for each module, and the edits that a person makes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from holloway.errors import InvalidInput
from holloway.panel.map_layout import draw_map
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page
    from holloway.service.module_map import ModuleCard


def show_modules(page: Page) -> Response:
    """Show the map and the cards; the module named `open` is expanded to its files and shown in full."""
    cards, everything = page.data.list_modules(), get_word(page.query, "all") == "1"
    opened = _find_card(page, cards, name) if (name := get_word(page.query, "open")) else None
    visible_cards = [
        card for card in cards if everything or card is opened or not (card.module.hidden or card.module.support)
    ]
    graph = page.data.build_module_graph(visible_cards, opened.module.name if opened else "")
    return page.render(
        "modules.html",
        cards=visible_cards,
        opened=opened,
        everything=everything,
        more=len(cards) - len(visible_cards),
        graph=graph,
        drawing=draw_map(graph) if graph.nodes else None,
        overview=page.data.get_overview(),
        progress=page.data.get_map_progress(),
    )


def edit_module(page: Page) -> Response:
    """Rename or describe a module, or move files to it. A name that another module has asks whether to merge them."""
    cards, name = page.data.list_modules(), get_word(page.form, "module")
    module = _find_card(page, cards, name).module
    rename, purpose = get_word(page.form, "rename"), get_word(page.form, "purpose")
    if rename != name and any(card.module.name == rename for card in cards):
        return page.redirect(f"/modules/merge?{urlencode({'module': name, 'into': rename})}")
    patterns = tuple(filter(None, map(str.strip, get_word(page.form, "add").splitlines())))
    page.data.edit_module(
        name,
        rename=rename if rename != name else "",
        purpose=purpose if purpose != module.purpose else "",
        add=patterns,
    )
    page.flash(page.gettext("Saved. It stays so after every update of the map."))
    return _return_to(page, rename or name)


def hide_module(page: Page) -> Response:
    """Hide a module from lists and from what agents read at the start, or show it again."""
    name, is_hidden = get_word(page.form, "module"), get_word(page.form, "on") == "1"
    page.data.edit_module(name, hide=is_hidden)
    text = page.gettext("Hidden from lists and from agents.") if is_hidden else page.gettext("Shown again.")
    page.flash(text, undo="/modules/hide", undo_fields={"module": name, "on": "" if is_hidden else "1"})
    return page.redirect("/modules")


def reset_module(page: Page) -> Response:
    """Remove all edits of a module."""
    name = get_word(page.form, "module")
    key = _find_card(page, page.data.list_modules(), name).module.key
    page.data.reset_module(name)
    page.flash(page.gettext("Your edits are removed; the module is as it was detected."))
    name = next((card.module.name for card in page.data.list_modules() if card.module.key == key), "")
    return _return_to(page, name)


def show_merge(page: Page) -> Response:
    """Show what merging a module into another one means, and ask."""
    cards = page.data.list_modules()
    merged = _find_card(page, cards, get_word(page.query, "module"))
    target = _find_card(page, cards, get_word(page.query, "into"))
    if merged is target:
        raise InvalidInput(page.gettext("A module cannot be merged into itself."), page.gettext("Choose another one."))
    return page.render("modules_merge.html", merged=merged, target=target)


def merge_modules(page: Page) -> Response:
    """Merge a module into another one."""
    into = get_word(page.form, "into")
    _find_card(page, page.data.list_modules(), into)
    page.data.edit_module(get_word(page.form, "module"), rename=into)
    page.flash(page.gettext("Merged."), undo="/modules/reset", undo_fields={"module": into})
    return _return_to(page, into)


def _find_card(page: Page, cards: list[ModuleCard], name: str) -> ModuleCard:
    module = page.data.get_module(name)
    return next(card for card in cards if card.module.name == module.name)


def _return_to(page: Page, name: str) -> Response:
    return page.redirect(f"/modules?{urlencode({'open': name})}" if name else "/modules")
