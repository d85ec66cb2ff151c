"""The server as hosts run it: a real process, the SDK's own client, and hosts that just close or kill it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import holloway
from holloway import extras
from holloway.mcp.server import INSTRUCTIONS, MCP_TOOLS
from holloway.mcp.tools import Tools
from holloway.service import told
from holloway.service.project_finder import pause
from holloway.store import contributions
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.conftest import Repository
from tests.mcp.connection import COMMAND, Raw, called, connected, refused

HOST_CUTS_AT_BYTES = 2_048
"""Claude Code cuts descriptions and instructions here."""
LIST_TOKENS_MAX = 1_300
TRAP = "refresh() is not checked against the session store"


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A mapped shop with a trap and a recipe."""
    with holloway.open(repository.root) as memory:
        memory.remember(TRAP, type="gotcha", files=["src/shop/auth/tokens.py"])
        steps = {"task": "add an endpoint", "steps": [{"description": "write the view"}, {"description": "route it"}]}
        memory.remember("An endpoint is added in two steps", type="workflow_recipe", details=steps)
        memory.map.update()
    return repository


def left(root: Path) -> list[str]:
    """What connections left in the data folder."""
    with holloway.open(root) as memory:
        return [path.name for path in memory.project.folder.rglob("mcp-*")]


def waiting(root: Path) -> list[str]:
    """What waits for the person."""
    with holloway.open(root) as memory:
        return [each.content for each in memory.to_review()]


@pytest.mark.promise("mcp")
def test_every_tool_is_listed_and_answers_as_its_schema_says(shop: Repository) -> None:
    asyncio.run(_every_tool(shop.root))
    assert waiting(shop.root) == ["Invoices are rounded once, at the end, because of VAT"]
    assert left(shop.root) == []


async def _every_tool(root: Path) -> None:
    async with connected(root / "src" / "shop") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {name: tool.annotations and tool.annotations.read_only_hint for name, tool in tools.items()} == MCP_TOOLS
        found = await called(client, "search_memory", query="refresh session store")
        memory = found["memories"][0]["id"]
        answers = {
            "search_memory": found,
            "get_memory": await called(client, "get_memory", id=f"[hw:{memory}, taught]"),
            "locate": await called(client, "locate", task="refresh a token"),
            "analyze_impact": await called(client, "analyze_impact", target="auth/tokens.py"),
            "get_workflow_recipe": await called(client, "get_workflow_recipe", task="add an endpoint"),
            "session_context": await called(client, "session_context"),
            "memory_feedback": await called(client, "memory_feedback", id=memory, verdict="used"),
            "update_module": await called(client, "update_module", module="auth", purpose="Tokens and sessions"),
            "record_memory": await called(
                client,
                "record_memory",
                text="Invoices are rounded once, at the end, because of VAT",
                files=["src/shop/billing/invoice.py"],
                relation={"source": "billing/invoice.py", "kind": "flows_to", "target": "src/shop/auth/session.py"},
            ),
        }
        for name, answer in answers.items():
            jsonschema.validate(answer, tools[name].output_schema or {})
        assert set(answers) == set(tools)
        assert answers["get_memory"]["text"] == TRAP
        assert answers["locate"]["files"][0]["path"] == "src/shop/auth/tokens.py"
        assert answers["get_workflow_recipe"]["recipes"][0]["steps"] == ["write the view", "route it"]
        assert answers["memory_feedback"] == {"outcome": "counted"}
        assert "approves" in answers["update_module"]["note"]
        assert TRAP not in answers["session_context"]["brief"]
        assert answers["record_memory"]["in_session"] == 1


@pytest.mark.promise("mcp")
def test_what_the_tools_answer_is_noted_as_the_agent_read_it(shop: Repository) -> None:
    answer = asyncio.run(_ask_twice(shop.root))
    with holloway.open(shop.root) as memory:
        (text,) = told.list_told_texts(memory).texts
    assert (text.point, text.event, json.loads(text.text)) == ("mcp", "search_memory", answer)
    assert text.session.startswith("mcp-")


async def _ask_twice(root: Path) -> dict[str, Any]:
    """One question, and one note, which is no answer from the memory."""
    async with connected(root) as client:
        await called(client, "record_memory", text="Invoices are rounded once, at the end")
        return await called(client, "search_memory", query="refresh")


@pytest.mark.promise("mcp")
def test_the_list_of_tools_is_short(shop: Repository) -> None:
    async def listed() -> list[tuple[str, str, str]]:
        async with connected(shop.root) as client:
            assert client.instructions == INSTRUCTIONS
            tools = (await client.list_tools()).tools
            return [(tool.name, tool.description or "", str(tool.input_schema)) for tool in tools]

    tools = asyncio.run(listed())
    assert len(tools) <= 9
    assert all(len(text.encode()) < HOST_CUTS_AT_BYTES for text in (INSTRUCTIONS, *(tool[1] for tool in tools)))
    assert sum(estimate_tokens(part) for tool in tools for part in tool) * MARGIN < LIST_TOKENS_MAX


@pytest.mark.promise("mcp")
def test_wrong_and_hostile_arguments_get_a_clear_answer_and_the_server_goes_on(shop: Repository) -> None:
    asyncio.run(_hostile(shop.root))


async def _hostile(root: Path) -> None:
    huge = "a" * 1_000_000
    async with connected(root) as client:
        assert "valid string" in await refused(client, "search_memory", query=5)
        assert "Field required" in await refused(client, "record_memory")
        assert "'used', 'wrong' or 'outdated'" in await refused(client, "memory_feedback", id="a1", verdict="delete")
        assert "1,000,000 characters" in await refused(client, "search_memory", query=huge)
        assert "1,000,000 characters" in await refused(client, "record_memory", text=huge)
        assert "1,000,000 characters" in await refused(client, "analyze_impact", target=huge)
        assert "1,000,000 characters" in await refused(client, "update_module", module=huge)
        assert "1,000,000 characters" in await refused(client, "locate", task=huge)
        assert "There is no memory ffffff" in await refused(client, "get_memory", id="ffffff")
        assert "is not an id" in await refused(client, "get_memory", id="../../etc/passwd")
        assert "outside of the project" in await refused(client, "search_memory", query="x", files=["/etc/passwd"])
        assert "outside of the project" in await refused(client, "record_memory", text="A fact", files=["../../x"])
        assert "does not exist" in await refused(client, "record_memory", text="A fact", files=["src/none.py"])
        assert "outside of the project" in await refused(client, "analyze_impact", target="/etc/passwd:root")
        assert "empty" in await refused(client, "record_memory", text="\u200b\u202e ")
        assert "Unknown tool" in await refused(client, "forget_memory", id="a1")
        said = await refused(client, "search_memory", query="x", type="dead_end")
        assert said.endswith("search_memory takes no 'type'. It takes: query, files, limit, types.")
        assert "dead_end" in await refused(client, "search_memory", query="x", types=["feeling"])
        said = await refused(client, "record_memory", text="Redis", type="dead_end", approach_tried="Redis")
        assert "A dead end needs reason" in said
        assert (await called(client, "search_memory", query="session store"))["memories"][0]["text"] == TRAP


@pytest.mark.promise("mcp")
def test_lines_that_are_no_messages_do_not_end_the_server(shop: Repository) -> None:
    host = Raw(shop.root)
    assert host.process.stdin
    host.process.stdin.write(b"no json\n\xff\xfe\x00\n" + b"[" * 100_000 + b'\n{"jsonrpc": "2.0", "id": 7}\n')
    host.record("Refunds go through the ledger first")
    host.process.stdin.close()
    assert host.ended()[0] == 0
    assert waiting(shop.root) == ["Refunds go through the ledger first"]


@pytest.mark.promise("mcp")
def test_a_message_with_half_a_character_is_answered(shop: Repository) -> None:
    host = Raw(shop.root)
    assert host.process.stdin
    for query in ("session \ud83d store", "\udc00session store"):
        answer = host.asked("tools/call", {"name": "search_memory", "arguments": {"query": query}})
        assert answer["result"]["structuredContent"]["memories"][0]["text"] == TRAP
    host.record("Refunds go through \ud800 the ledger first")
    host.process.stdin.close()
    assert host.ended()[0] == 0
    assert waiting(shop.root) == ["Refunds go through ? the ledger first"]


def test_a_damaged_memory_is_said_by_the_tools_and_the_server_starts(shop: Repository) -> None:
    with holloway.open(shop.root) as memory:
        file = memory.project.database_path
    file.write_bytes(b"SQLite format 3\0" + b"\xff" * 8_000)

    async def asked() -> str:
        async with connected(shop.root) as client:
            return await refused(client, "search_memory", query="tokens")

    assert "damaged" in asyncio.run(asked())


def test_a_paused_project_answers_with_a_note_and_records_nothing(shop: Repository) -> None:
    pause(str(shop.root))
    asyncio.run(_paused(shop.root))
    assert waiting(shop.root) == []
    with holloway.open(shop.root) as memory:
        assert contributions.list_module_edits(memory.store.database) == []
        assert memory.memories()[0].use_count == 0


async def _paused(root: Path) -> None:
    async with connected(root) as client:
        for tool, arguments in (
            ("search_memory", {"query": "session store"}),
            ("locate", {"task": "tokens"}),
            ("analyze_impact", {"target": "src/shop/auth/tokens.py"}),
            ("get_workflow_recipe", {"task": "endpoint"}),
            ("session_context", {}),
            ("record_memory", {"text": "A fact that nobody keeps"}),
            ("memory_feedback", {"id": "a1", "verdict": "used"}),
            ("update_module", {"module": "auth", "purpose": "Tokens"}),
        ):
            answer = await called(client, tool, **arguments)
            assert "paused" in answer["note"]
            assert TRAP not in str(answer)
        assert "paused" in await refused(client, "get_memory", id="a1")


def test_two_clients_at_once_each_have_a_session_of_their_own(shop: Repository, tmp_path: Path) -> None:
    asyncio.run(_two(shop.root, tmp_path))
    assert sorted(waiting(shop.root)) == ["The first client found a trap", "The second client found another trap"]
    assert left(shop.root) == []


async def _two(root: Path, elsewhere: Path) -> None:
    async with connected(root) as one, connected(elsewhere, "--project", str(root)) as other:
        answers = await asyncio.gather(
            called(one, "record_memory", text="The first client found a trap"),
            called(other, "record_memory", text="The second client found another trap"),
        )
        assert [answer["in_session"] for answer in answers] == [1, 1]


@pytest.mark.promise("mcp")
def test_a_host_that_closes_stdin_ends_the_server_and_leaves_nothing_behind(shop: Repository) -> None:
    host = Raw(shop.root)
    host.record("Refunds go through the ledger first")
    assert len(left(shop.root)) == 2
    assert host.process.stdin
    host.process.stdin.close()
    assert host.ended() == (0, b"")
    assert waiting(shop.root) == ["Refunds go through the ledger first"]
    assert left(shop.root) == []


def test_a_host_that_sends_a_signal_ends_the_server_as_well(shop: Repository) -> None:
    host = Raw(shop.root)
    host.record("Refunds go through the ledger first")
    host.process.terminate()
    assert host.ended() == (0, b"")
    assert waiting(shop.root) == ["Refunds go through the ledger first"]
    assert left(shop.root) == []


@pytest.mark.promise("records-wait")
def test_what_a_killed_server_had_is_learned_by_the_next_one(shop: Repository) -> None:
    host = Raw(shop.root)
    host.record("Refunds go through the ledger first")
    Tools(shop.root).learn_leftovers()
    assert waiting(shop.root) == []
    host.process.kill()
    host.ended()
    Tools(shop.root).learn_leftovers()
    assert waiting(shop.root) == ["Refunds go through the ledger first"]
    assert left(shop.root) == []


def test_a_project_without_a_memory_gets_none(repository: Repository, home: Path) -> None:
    async def asked() -> str:
        async with connected(repository.root) as client:
            return await refused(client, "record_memory", text="A fact")

    assert "holloway init" in asyncio.run(asked())
    assert not home.exists()


@pytest.mark.promise("extras-named")
def test_without_the_optional_package_the_error_names_what_to_install(repository: Repository) -> None:
    code = "import sys; sys.modules['mcp'] = None; from holloway.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=repository.root, capture_output=True, text=True)
    assert done.returncode != 0
    assert extras.install_command("mcp") in done.stderr
    assert done.stdout == ""


def test_a_folder_that_is_none_is_said_before_anything_is_served(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "-p", str(tmp_path / "none")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a folder" in done.stderr


def test_the_model_is_loaded_by_the_first_search_and_not_before(shop: Repository) -> None:
    code = (
        "import sys; from pathlib import Path; from holloway.mcp.server import Server; from holloway.mcp.tools import "
        "Tools; tools = Tools(Path('.')); Server(tools); tools.session_context(); "
        "print('onnxruntime' in sys.modules); tools.search_memory('session store'); print('onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=shop.root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
