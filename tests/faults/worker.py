"""One of many processes on one store: counts and adds, copies, or searches. Prints what it did as one line of JSON.

Usage: worker.py write|copy|search PROJECT NAME COUNT; begins when a line comes in, `copy` and `search` end with stdin.
"""

import json
import select
import sys

import holloway
from holloway.domain.memory import Draft, MemoryType
from holloway.store.database import is_sound
from holloway.store.write_gate import sanitize_draft

COUNTER = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'counter'"
BOTH = f"SELECT ({COUNTER}), (SELECT count(*) FROM memories)"  # noqa: S608  (a constant of this file)


def write(memory: holloway.Holloway, name: str, count: int) -> dict[str, object]:
    """Read a number and write the next one, and add a memory with it, in one transaction; again and again."""
    database = memory.store.database
    for number in range(count):
        draft = sanitize_draft(Draft(f"{name} counted {number}", MemoryType.GOTCHA))
        with database.write_transaction():
            seen = database.fetch_value(COUNTER) or 0
            database.execute("INSERT OR REPLACE INTO meta VALUES ('counter', ?)", (str(seen + 1),))
            assert memory.store.memories.add_memory(draft).outcome == "added"
    return {"written": count}


def copy(memory: holloway.Holloway) -> dict[str, object]:
    """Back up as often as possible while the others write."""
    done, unsound = 0, 0
    while not stopped() or not done:
        unsound += not is_sound(memory.store.create_backup())
        done += 1
    return {"copies": done, "unsound": unsound}


def search(memory: holloway.Holloway) -> dict[str, object]:
    """Search, and look whether a half of a transaction can be seen."""
    done, found, torn = 0, 0, 0
    while not stopped() or not done:
        found += len(memory.recall("counted"))
        row = memory.store.database.fetch_row(BOTH)
        assert row is not None
        torn += (row[0] or 0) != row[1]
        done += 1
    return {"searches": done, "found": found, "torn": torn}


def stopped() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main(role: str, project: str, name: str, count: str) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    with holloway.open(project) as memory:
        if role == "write":
            report = write(memory, name, int(count))
        else:
            report = copy(memory) if role == "copy" else search(memory)
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
