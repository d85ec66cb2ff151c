"""The HTTP API: what the commands print with --json, over HTTP."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import holloway
from holloway.cli import holloway as command_line
from holloway.cli.http_api import READ_COMMANDS, WRITE_COMMANDS, build_operations
from holloway.panel.api import API_PATH, describe_api
from holloway.panel.app import create_app
from holloway.panel.panel import Panel
from holloway.panel.security import Policy
from holloway.service.project_finder import known_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Repository

pytestmark = pytest.mark.promise("serve")

TOKEN = "token"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LEFT_OUT = {"setup", "uninstall", "init", "import", "export", "backup", "learn", "reader", "embedder", "panel", "mcp"}


@pytest.fixture
def served(repository: Repository, home: Path) -> Panel:
    """A panel of the small shop, whose code is mapped."""
    with holloway.open(repository.root) as memory:
        memory.map.update(workers=0)
    return Panel(known_project(str(repository.root)), home, Policy(8800, TOKEN))


@pytest.fixture
def api(served: Panel) -> Iterator[TestClient]:
    """A program with the token."""
    app = create_app(served, build_operations(served.project.root))
    with TestClient(app, base_url=f"http://127.0.0.1:8800{API_PATH}", headers=HEADERS) as client:
        yield client


def post(api: TestClient, name: str, **values: object) -> dict[str, Any]:
    """Return the answer of an operation that changes something."""
    answer = api.post(name, json=values)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_a_memory_is_taught_found_changed_and_forgotten(api: TestClient) -> None:
    taught = post(api, "remember", text=["Tokens rotate on use"], type="gotcha", file=["src/shop/auth/tokens.py"])
    memory_id = taught["id"]
    found = api.get("recall", params={"words": "how do tokens rotate"}).json()["results"]
    assert [result["id"] for result in found] == [memory_id]
    post(api, "edit", memory_id=memory_id, text=["Tokens rotate on each use"])
    assert api.get("show", params={"memory_id": memory_id}).json()["content"] == "Tokens rotate on each use"
    post(api, "wrong", memory_id=memory_id, reason="outdated")
    assert api.get("list").json()["results"] == []
    post(api, "restore", ids=[memory_id])
    post(api, "forget", ids=[memory_id], hard=True)
    assert api.get("show", params={"memory_id": memory_id}).status_code == 404


@pytest.mark.parametrize(
    "name", ["status", "list", "modules", "sessions", "trust", "review", "told", "config", "brief"]
)
def test_an_operation_answers_what_its_command_prints(api: TestClient, served: Panel, name: str) -> None:
    printed = CliRunner().invoke(command_line, [name, "--json", "--project", str(served.project.root)])
    over_http, on_terminal = api.get(name).json(), json.loads(printed.stdout)
    for volatile in ("bytes", "worker_running", "last_backup"):
        over_http.pop(volatile, None)
        on_terminal.pop(volatile, None)
    assert over_http == on_terminal


def test_a_command_keeps_its_short_help_option_after_it_was_served(api: TestClient) -> None:
    for name in READ_COMMANDS:
        api.get(name)
        assert "-h, --help" in CliRunner().invoke(command_line, [name, "-h"]).stdout, name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("locate", {"words": "refresh a token"}),
        ("impact", {"target": "src/shop/auth/tokens.py"}),
        ("module", {"name": "auth"}),
        ("doctor", {}),
    ],
)
def test_the_code_and_the_checks_are_read(api: TestClient, name: str, values: dict[str, str]) -> None:
    answer = api.get(name, params=values)
    assert answer.status_code == 200, answer.text
    assert answer.json()


@pytest.mark.parametrize(
    ("name", "values", "status"),
    [
        ("remember", {}, 400),
        ("remember", {"text": "a string"}, 400),
        ("remember", {"text": ["-"]}, 400),
        ("remember", {"text": ["x"], "unknown": 1}, 400),
        ("remember", {"text": ["x"], "project": "/etc"}, 400),
        ("remember", {"text": ["x"], "file": ["../../etc/passwd"]}, 400),
        ("remember", {"text": ["x"], "type": "--help"}, 400),
        ("pin", {"memory_id": "../.."}, 400),
        ("pin", {"memory_id": "abcdef"}, 404),
        ("pin", {"memory_id": "abcdef", "off": "yes"}, 400),
        ("trust", {"level": "9"}, 400),
        ("config", {"action": "set", "key": "nonsense", "value": "1"}, 400),
    ],
)
def test_a_value_that_does_not_fit_is_named(api: TestClient, name: str, values: object, status: int) -> None:
    answer = api.post(name, json=values)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'"x"', b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(api: TestClient, body: bytes) -> None:
    assert api.post("remember", content=body).status_code == 400


def test_a_text_with_a_dash_is_a_text(api: TestClient) -> None:
    post(api, "remember", text=["--hard is needed to erase a memory"])
    assert api.get("list").json()["results"][0]["content"] == "--hard is needed to erase a memory"


def test_reading_changes_nothing_and_a_read_only_panel_lets_it_in(served: Panel) -> None:
    policy = replace(served.policy, read_only=True)
    app = create_app(replace(served, policy=policy), build_operations(served.project.root))
    with TestClient(app, base_url=f"http://127.0.0.1:8800{API_PATH}", headers=HEADERS) as client:
        assert client.get("list").status_code == 200
        assert client.get("module", params={"name": "auth", "rename": "sign-in"}).status_code == 400
        assert client.post("remember", json={"text": ["x"]}).status_code == 423


def test_commands_that_touch_files_or_agents_are_not_served() -> None:
    assert not LEFT_OUT & {*READ_COMMANDS, *WRITE_COMMANDS}


def test_the_description_is_openapi_and_lists_every_operation(api: TestClient, served: Panel) -> None:
    description = api.get("openapi.json").json()
    assert description == json.loads(json.dumps(describe_api(build_operations(served.project.root))))
    assert description["openapi"] == "3.1.0"
    served_operations = {
        (method, path.removeprefix(f"{API_PATH}/"))
        for path, methods in description["paths"].items()
        for method in methods
    }
    assert served_operations == {("get", name) for name in READ_COMMANDS} | {("post", name) for name in WRITE_COMMANDS}
    operations = [operation for methods in description["paths"].values() for operation in methods.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    references = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(description)))
    assert references == set(description["components"]["schemas"])


@pytest.mark.parametrize("limit", ["--5", "9" * 5_000, "1e5", "", "nan", "0x10"])
def test_a_number_that_cannot_be_read_is_refused_by_name(api: TestClient, limit: str) -> None:
    answer = api.get("list", params={"limit": limit})
    assert answer.status_code == 400
    assert "limit" in answer.json()["error"]


def test_no_operation_reads_a_file_that_the_request_names(api: TestClient) -> None:
    assert api.post("index", json={"scip": "/etc/passwd"}).status_code == 400
