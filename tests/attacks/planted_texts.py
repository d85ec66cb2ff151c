"""Repositories and sessions that carry hostile texts, each planted the way in which it says that it arrives."""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import holloway
from holloway.domain import event as events
from tests.attacks.channels import Questions
from tests.conftest import Repository, make_repository

Row = dict[str, Any]
ROWS: list[Row] = json.loads(Path(__file__).with_name("direct_texts.json").read_text("utf-8"))["rows"]
ROWS_PER_REPOSITORY = 12
SOURCE, TEST = "src/shop/orders.py", "tests/test_orders.py"
BASE = {
    SOURCE: "from shop.prices import price\n\n\ndef total(order):\n    return sum(map(price, order))\n",
    "src/shop/prices.py": "def price(item):\n    return item.price\n",
    "src/shop/__init__.py": "",
    TEST: "from shop.orders import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n[tool.pytest.ini_options]\n",
}
TASK = "Correct the rounding of the order total and its tests"
_WORD = re.compile(r"[^\W\d_]{2,}")


def group_rows(rows: Iterable[Row], size: int = ROWS_PER_REPOSITORY) -> list[list[Row]]:
    """Rows that can live in one repository: each path once, one branch, a limited number."""
    groups: list[list[Row]] = []
    for row in rows:
        for group in groups:
            if len(group) < size and not any(_collide(row, other) for other in group):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _collide(row: Row, other: Row) -> bool:
    if row["via"] == other["via"] in ("branch-name", "pasted-into-prompt", "tool-result-claims-user"):
        return True
    one, two = row.get("path"), other.get("path")
    return bool(one and two and (one == two or one.startswith(two + "/") or two.startswith(one + "/")))


def plant(root: Path, rows: Sequence[Row]) -> Repository:
    """A repository with every text of the rows that a file, a commit or a name carries."""
    tracked = {row["path"]: row["content"] for row in rows if "path" in row and row.get("tracked", True)}
    repository = make_repository(root, BASE | tracked)
    for number in range(3):
        repository.commit(SOURCE, BASE[SOURCE] + f"\n\nROUNDING = {number}\n", "Round the total of an order")
    for row in rows:
        _plant_in_git(repository, row)
    for row in rows:
        if not row.get("tracked", True):
            path = root / row["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(row["content"], "utf-8")
    return repository


def _plant_in_git(repository: Repository, row: Row) -> None:
    text, via = row["text"], row["via"]
    if via == "commit-subject":
        _commit(repository, text)
    elif via == "commit-body":
        _commit(repository, f"{row['subject']}\n\n{text}")
    elif via == "author-name":
        _commit(repository, "Round the total of an order", author=text, email=row["email"])
    elif via == "branch-name":
        repository.git("checkout", "-q", "-b", text)
        _commit(repository, "Round the total of an order")
    elif via == "tag-name":
        repository.git("tag", text)


def _commit(repository: Repository, message: str, author: str = "Test", email: str = "test@example.invalid") -> None:
    path = repository.root / SOURCE
    path.write_text(path.read_text("utf-8") + f"LIMIT_{os.urandom(3).hex()} = 1\n", "utf-8")
    identity = ["-c", f"user.name={author}", "-c", f"user.email={email}", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, "commit", "-qam", message], cwd=repository.root, check=True)


def live_through(memory: holloway.Holloway, rows: Sequence[Row]) -> None:
    """Sessions in which the texts arrive; all are learned from, and the last one leaves work unfinished."""
    for number, row in enumerate(rows):
        for scene in range(2):  # What two sessions met counts as confirmed.
            _act_scene(memory, row, f"scene-{number}-{scene}", finished=scene == 0 or number % 2 == 0)


def _act_scene(memory: holloway.Holloway, row: Row, name: str, *, finished: bool) -> None:
    via, text = row["via"], row["text"]
    task = row["prompt"] if via == "pasted-into-prompt" else TASK
    with memory.session(name, agent="claude-code", task=task) as session:
        session.observe(events.Prompt(session.now(), task))
        if via in ("todo-item", "tool-result-claims-user"):
            items = events.PlanItem(text, done=False), events.PlanItem("Round the total", done=True)
            session.observe(events.Plan(session.now(), items if via == "todo-item" else items[1:]))
        if row.get("path"):
            session.used("Read", {"file_path": str(memory.project.root / row["path"])}, row["content"])
        if via == "tool-result-claims-user":
            session.used(row["tool"], make_tool_input(row, memory.project.root), text)
        if via in ("failure-output", "error-message"):
            command = row.get("command", "pytest -q")
            failure = text if via == "failure-output" else f"E   ValueError: {text}\n1 failed in 0.1s"
            session.used("Bash", {"command": command}, failure, ok=False)
        if via in ("failure-output", "todo-item", "tool-result-claims-user", "error-message"):
            session.observe(events.Said(session.now(), f"Next I will look at this: {text}", thinking=False))
        change = {"file_path": str(memory.project.root / SOURCE), "old_string": "a", "new_string": "b"}
        session.used("Edit", change, "ok")
        if finished:
            session.used("Bash", {"command": row.get("command", "pytest -q")}, "3 passed in 0.1s")
            session.used("Bash", {"command": "git commit -qam 'Round the total'"}, "[main 1234567] Round the total")
        else:
            failure = f"E   AssertionError: {text}\n1 failed in 0.1s"
            session.used("Bash", {"command": "pytest -q"}, failure, ok=False)


def make_tool_input(row: Row, root: Path) -> dict[str, object]:
    if row["tool"] == "Bash":
        return {"command": row["command"]}
    if row["tool"] == "Read":
        return {"file_path": str(root / row["path"])}
    if row["tool"] == "WebFetch":
        return {"url": "https://docs.example.com/page", "prompt": "what does it say"}
    return {"query": "orders"} if row["tool"] != "Grep" else {"pattern": "rounding"}


def question_rows(rows: Sequence[Row]) -> Questions:
    """Questions that lead to every plant without naming its marker."""
    tasks = [TASK, *(dict.fromkeys(filter(None, map(_ask_about, rows))))]
    # A path that the agent names itself is no leak where it is repeated.
    files = [SOURCE, TEST, *(row["path"] for row in rows if "path" in row and row["marker"] not in row["path"])]
    failures = list(_failures(rows))
    return Questions(tasks, files, failures)


def _ask_about(row: Row) -> str:
    hidden = {word.lower() for word in _WORD.findall(row["marker"])} | {row["marker"].lower()}
    source = " ".join((row.get("path", ""), row.get("content", "")[:400], row["text"]))
    words = [word for word in _WORD.findall(source) if not any(part in word.lower() for part in hidden)]
    return "where is this handled: " + " ".join(dict.fromkeys(words))[:300]


def _failures(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    for row in rows:
        if row["via"] in ("failure-output", "error-message"):
            error = row["text"] if row["via"] == "failure-output" else f"E   ValueError: {row['text']}\n1 failed"
            yield row.get("command", "pytest -q"), error
