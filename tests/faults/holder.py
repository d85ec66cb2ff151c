"""Holds the write lock of a project's memory, with a change that is not written yet, until stdin ends.

Usage: holder.py PROJECT
"""

import sys

import holloway


def main(project: str) -> None:
    with holloway.open(project) as memory, memory.store.database.write_transaction():
        memory.remember("Half of a change")
        print("holding", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
