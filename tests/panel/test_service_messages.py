"""Messages of the service on a French page: those that the code can raise are in the list of templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.panel.locale import load_languages
from holloway.panel.service_messages import load_templates, translate_message
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel

SOURCE = Path("src/holloway")
FRENCH = load_languages()["fr"].texts
PAGES_REACH = (
    "config.py",
    "domain/memory.py",
    "install/connection_checks.py",
    "retrieval/recall.py",
    "safety/paths.py",
    "service/activity_feed.py",
    "service/bulk_actions.py",
    "service/code_map.py",
    "service/doctor.py",
    "service/embedder_switch.py",
    "service/memory_list.py",
    "service/open_project.py",
    "service/project_paths.py",
    "service/review_cards.py",
    "service/session_pages.py",
    "service/session_report.py",
    "service/share.py",
    "service/share_offer.py",
    "sharing/conflicts.py",
    "sharing/membership.py",
    "store/database.py",
    "store/memories.py",
    "store/memory_list.py",
    "store/pause_state.py",
    "store/write_gate.py",
)
"""Modules whose messages a page can show."""
MESSAGE_CALLS = {"HollowayError", "InvalidInput", "UnknownMemory", "failed_check", "passed_check", "warning_check"}
ONE_LANGUAGE = {
    "%(value)s",
    "%(value)s (%(value)s)",
    "%(value)s: %(value)s",
    "%(value)s: %(value)s.",
    "%(value)s.",
    "%(value)s; %(value)s",
    "%(value)sKnown: %(value)s.",
    "git",
    "google-re2",
    "python",
    "sqlite",
    "%(value)s was opened by another thread.",
    "Open the memory in the thread that uses it; its sessions may be used from any thread.",
}
"""Texts that are values only or names, and an error of programs in Python that no page shows."""


def render(node: ast.AST) -> str | None:
    """Return the template of a text in the code; None if it is composed elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value.value) if isinstance(value, ast.Constant) else "%(value)s" for value in node.values)
    return None


def list_raised(path: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((SOURCE / path).read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MESSAGE_CALLS:
                yield from filter(None, map(render, node.args))


@pytest.mark.parametrize("path", PAGES_REACH)
def test_every_message_that_a_page_can_show_has_a_template(path: str) -> None:
    patterns = [template.pattern for template in load_templates()]
    unknown = [
        text
        for text in list_raised(path)
        if text not in ONE_LANGUAGE
        and not any(pattern.fullmatch(text.replace("%(value)s", "x")) for pattern in patterns)
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("message", "french"),
    [
        ("There is no memory 7f3a2c.", "Il n’y a pas de souvenir 7f3a2c."),
        ("12 MB free", "12 Mo libres"),
        (
            "off (5 of 10 tokens today, 6 of 20 this month)",
            "éteint (5 tokens sur 10 aujourd’hui, 6 sur 20 ce mois-ci)",
        ),
        ("A text of nobody", "A text of nobody"),
        ("", ""),
        ("There is no memory " + "x" * 3_000, "There is no memory " + "x" * 3_000),
        ("%(name)s is not in the map.", "%(name)s n’est pas dans la carte."),
    ],
)
def test_a_message_is_translated_with_its_values(message: str, french: str) -> None:
    assert translate_message(message, FRENCH) == french


def test_french_punctuation_is_not_torn_from_its_word() -> None:
    catalog = Path("src/holloway/panel/locales/fr.po").read_text("utf-8")
    texts = re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', catalog, re.MULTILINE)
    assert [text for text in texts if re.search(r"\S [;!?»]|« \S|\w :(?: |$)", text)] == []


def test_a_french_page_shows_an_error_in_french(client: TestClient, panel: Panel) -> None:
    client.headers["Accept-Language"] = "fr"
    memory_id = teach(panel, "Tokens rotate on use")[0]
    assert "Il n’y a pas de souvenir 123456." in client.get("/memories/123456").text
    assert "Les souvenirs ne peuvent pas être triés par" in client.get("/memories?order=size").text
    client.post(f"/memories/{memory_id}/forget")
    assert "Oublié par vous." in client.get(f"/memories/{memory_id}").text


def test_the_checks_are_in_french(client: TestClient) -> None:
    client.headers["Accept-Language"] = "fr"
    page = client.get("/trust/agents").text
    assert "dossier des données" in page
    assert "pas connecté" in page or "pas sur cette machine" in page
    assert not [english for english in ("not made yet", "none in 7 days", "no session failed") if english in page]
