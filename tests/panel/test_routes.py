"""Every path of the panel answers hostile values with a page, never with an error of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from holloway.panel import routes
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel
    from holloway.panel.routes import PanelRoute

pytestmark = pytest.mark.promise("panel-is-yours")

HOSTILE = {
    "null": "\0",
    "digits": "9" * 5_000,
    "path": "../../../../etc/passwd",
    "absolute": "/etc/passwd",
    "markup": "<script>alert(1)</script>{{7*7}}",
    "quotes": "' OR 1=1 --\"",
    "direction": "\u202etxt.exe",
    "negative": "-1",
    "brackets": "((((((((",
    "percent": "%",
    "breaks": "x\r\nSet-Cookie: y=1",
    "elsewhere": "//evil.example/x",
    "script": "javascript:alert(1)",
}
FIELDS = sorted(
    set(
        re.findall(
            r"""(?:name="|get_word\([\w.]+, "|form\.get\("|query\.get\(")([a-z_]+)""",
            "".join(
                path.read_text("utf-8")
                for path in Path(routes.__file__).parent.rglob("*")
                if path.is_file() and path.suffix != ".pyc"
            ),
        )
    )
)
"""The names of all values that a page or a view names."""


def fill_path(route: PanelRoute, value: str) -> str:
    """Return the path of a route with a value in each variable part."""
    return re.sub(r"\{\w+(?::path)?\}", quote(value, safe="")[:1_000], route.path)


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_path_breaks_by_a_hostile_value(client: TestClient, panel: Panel, kind: str) -> None:
    value = HOSTILE[kind]
    (memory_id,) = teach(panel, "Money is integer cents")
    for route in routes.ROUTES:
        for path in (fill_path(route, value), fill_path(route, memory_id)):
            answer = (
                client.get(path, params=dict.fromkeys(FIELDS, value[:100]))
                if route.method == "GET"
                else client.post(path, data=dict.fromkeys(FIELDS, value))
            )
            assert answer.status_code < 500, (route, answer.text)
            assert "<script>alert" not in answer.text
            assert answer.headers.get("location", "/").startswith("/")
            assert not answer.headers.get("location", "/").startswith("//")
