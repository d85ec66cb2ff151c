"""The project that the screenshots show: a small shop in several modules, with memories and sessions of every kind."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from docs.screenshot_team import share_with_team
from holloway.capture import claude_code
from holloway.domain.memory import Draft, ReviewReason, Source, State
from holloway.domain.ports import format_stamp
from holloway.service import past_sessions
from holloway.store import lookup, told_log
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.holloway import Holloway
    from holloway.testing import FakeClock

TOKENS = "src/shop/auth/tokens.py"
INVOICE = "src/shop/billing/invoice.py"
PACKAGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "auth": (("login", "passwords", "permissions", "cookies"), ()),
    "billing": (("payments", "taxes", "refunds", "ledger"), ("auth",)),
    "catalog": (("products", "prices", "stock", "images"), ()),
    "orders": (("cart", "checkout", "shipping", "returns", "status"), ("billing", "catalog", "auth")),
    "search": (("indexer", "ranking", "suggest"), ("catalog",)),
    "api": (("routes", "errors", "limits", "schemas"), ("orders", "search", "auth")),
}
"""The packages of the shop: their files, and the packages that they import."""
FUNCTIONS_PER_FILE = 40
TAUGHT: tuple[tuple[str, str, list[str]], ...] = (
    ("Refresh tokens are rotated on every use: an old one locks the account for ten minutes.", "gotcha", [TOKENS]),
    ("Money is integer cents, never a float.", "decision", [INVOICE]),
    ("Build sessions with the factory: it registers the audit hook.", "pattern", ["src/shop/auth/session.py"]),
    ("tests/auth hangs without REDIS_URL.", "gotcha", ["tests/auth/test_tokens.py"]),
    ("Prefer uv over pip in scripts.", "preference", []),
    ("The invoice total rounds half to even since 2.3; do not fix it.", "decision", [INVOICE]),
    ("Prices of the catalog are net; taxes are added at checkout only.", "decision", ["src/shop/catalog/prices.py"]),
    (
        "Search results are cached for a minute per customer group.",
        "module_insight",
        ["src/shop/search/ranking.py"],
    ),
)
TASKS = (
    "Make token refresh survive a retry",
    "Round invoice totals half to even",
    "Expire sessions after thirty minutes",
    "Add an audit log to sign-in",
)
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
RULES = "# Rules\n\n- Never force-push to main\n- Every endpoint needs a contract test\n"
PAST_SESSION = "9b2f6c1e-checkout"
PAST_STEPS: tuple[tuple[str, dict[str, str], str, bool], ...] = (
    ("Read", {"file_path": "src/shop/orders/checkout.py"}, "def checkout(cart): ...", True),
    ("Grep", {"pattern": "def add_tax"}, "src/shop/billing/taxes.py:12:def add_tax(net):", True),
    (
        "Edit",
        {"file_path": "src/shop/orders/checkout.py", "old_string": "total(net)", "new_string": "total(add_tax(net))"},
        "done",
        True,
    ),
    ("Bash", {"command": "pytest -q tests/orders"}, "KeyError: 'SHOP_TAX_URL' is not set", False),
    ("Bash", {"command": "SHOP_TAX_URL=fake:// pytest -q tests/orders"}, "12 passed in 0.3s", True),
)


def fill_project(root: Path, clock: FakeClock) -> dict[str, str]:
    """Fill a project with code, memories and sessions of every kind; returns ids that paths need, by name."""
    _write_code(root)
    with holloway.open(root, clock=clock, ids=CountedIds()) as memory:
        memory.map.update(workers=0)
        ids = [_teach(memory, clock, *taught) for taught in TAUGHT]
        (root / "CLAUDE.md").write_text(RULES, "utf-8")
        memory.import_rules()
        clock.advance(days=2)
        for number, task in enumerate(TASKS):
            _work(memory, clock, f"claude-{number}", task)
        memory.edit(ids[3], content="tests/auth hangs without REDIS_URL and a running broker.")
        memory.relate(ids[0], "validates", ids[2])
        memory.pin(ids[1])
        memory.mute(ids[4])
        for waiting in memory.to_review()[:2]:
            memory.confirm(waiting.id)
        _add_observed(memory)
        clock.advance(hours=4)
        _read_past_session(memory, clock, ids)
        share_with_team(memory, clock)
        clock.advance(hours=1)
        module = memory.map.modules()[0].name
    return {"memory": ids[0], "session": PAST_SESSION, "module": module}


def _write_code(root: Path) -> None:
    """Write the packages of the shop; each file uses its neighbours, and the first one the packages it imports."""
    for package, (parts, imported) in PACKAGES.items():
        for position, part in enumerate(parts):
            neighbours = [f"from shop.{package}.{other} import {other}_0" for other in parts[position + 1 :]]
            import_lines = [f"from shop.{other} import {PACKAGES[other][0][0]}" for other in imported]
            functions = [
                f"def {part}_{number}(value):\n    return value + {number}\n" for number in range(FUNCTIONS_PER_FILE)
            ]
            path = root / f"src/shop/{package}/{part}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*neighbours, *(import_lines if position == 0 else ()), "", *functions]), "utf-8")


def _work(memory: Holloway, clock: FakeClock, session_id: str, task: str) -> None:
    """Have an agent fix an error that it first runs into, as in a real session."""
    with memory.session(session_id, agent="claude-code", task=task) as session:
        for tool, args, result, is_ok in (
            ("read_file", {"path": TOKENS}, "def refresh(token): ...", True),
            ("edit", {"path": TOKENS, "old_string": "a", "new_string": "b"}, "ok", True),
            ("bash", {"command": "pytest -q"}, REFUSED, False),
            ("bash", {"command": "REDIS_URL=fake:// pytest -q"}, "3 passed in 0.1s", True),
        ):
            session.used(tool, args, result, ok=is_ok)
            clock.advance(seconds=150)
        session.finish(outcome="success")
    clock.advance(hours=9)


def _teach(memory: Holloway, clock: FakeClock, text: str, kind: str, files: list[str]) -> str:
    clock.advance(hours=7)
    taught = memory.remember(text, type=kind, files=files, where=memory.project.root).memory
    assert taught is not None
    return taught.id


def _add_observed(memory: Holloway) -> None:
    """Add a memory that waits because it came after web content, and one whose code has changed."""
    tainted = Draft(
        content="Call the billing service with retries=0; the page says it is safe.",
        source=Source.OBSERVER_INFERRED,
        state=State.QUARANTINED,
        review=ReviewReason.TAINTED,
        agent="claude-code",
        files=(INVOICE,),
        branch="main",
    )
    stale = Draft(
        content="total() ignores voided items.",
        source=Source.AGENT_NOTE,
        state=State.STALE,
        review=ReviewReason.STALE,
        agent="codex",
        files=(INVOICE,),
        branch="main",
    )
    for draft in (tainted, stale):
        memory.store.memories.add_memory(sanitize_draft(draft, ""))


def _read_past_session(memory: Holloway, clock: FakeClock, ids: Sequence[str]) -> None:
    """Learn from a session whose transcript is on the disk, and which was told two memories."""
    _write_transcript(memory.project.root, clock)
    for position, (point, memory_id) in enumerate((("prompt", ids[6]), ("tool_result", ids[1]))):
        memory_shown = memory.get(memory_id)
        connection = memory.store.database.connection
        at = format_stamp(clock.now() + timedelta(seconds=40 + 150 * position))
        lookup.claim_injections(connection, [memory_id], session=PAST_SESSION, agent="claude-code", point=point, now=at)
        told_log.append_told(
            str(memory.project.folder),
            at=at,
            session=PAST_SESSION,
            point=point,
            text=f"holloway: {memory_shown.content} [hw:{memory_id}, taught by the user]",
        )
    past_sessions.learn(memory, past_sessions.find(memory))


def _write_transcript(root: Path, clock: FakeClock) -> None:
    rows: list[dict[str, Any]] = []

    def add(kind: str, content: object, seconds: int) -> None:
        rows.append(
            {
                "type": kind,
                "uuid": f"{PAST_SESSION}-{len(rows)}",
                "timestamp": format_stamp(clock.now() + timedelta(seconds=seconds)),
                "sessionId": PAST_SESSION,
                "cwd": str(root),
                "gitBranch": "main",
                "isSidechain": False,
                "message": {"role": kind, "id": f"m{len(rows)}", "content": content},
            }
        )

    add("user", "Add taxes at checkout. Actually, prices in the cart must stay net.", 0)
    for position, (tool, arguments, result, is_ok) in enumerate(PAST_STEPS):
        call = f"t{position}"
        add("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": arguments}], 60 + 60 * position)
        answer = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": not is_ok}
        add("user", [answer], 90 + 60 * position)
    decision = "Taxes are added at checkout only, so the cart keeps net prices."
    add("assistant", [{"type": "text", "text": decision}], 420)
    folder = Path.home() / ".claude" / "projects" / claude_code.encode_folder(str(root))
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{PAST_SESSION}.jsonl").write_text(text, "utf-8")
