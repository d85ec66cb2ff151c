"""Teaches, edits, replaces, forgets and embeds without end; says what it does before each change, and when it is done.

Usage: writer.py PROJECT SEED
"""

import json
import os
import random
import sys
from hashlib import sha256
from itertools import count

import holloway
from holloway.store.vectors import VectorRow, VectorStore

STDOUT = 1
MODEL, EDITION = "digest", "1"
EMBEDDED_AT_ONCE = 8


def say(**fields: str) -> None:
    # One write to the pipe: the reader gets the whole line or none of it, whenever this process dies.
    os.write(STDOUT, json.dumps(fields).encode() + b"\n")


def digest(memory: holloway.Memory) -> bytes:
    """What stands for the vector of a text: no other text has it."""
    return sha256(memory.content.encode()).digest()


def vectors_of(memory: holloway.Holloway) -> VectorStore:
    return VectorStore(memory.store.database, memory.store.memories, memory.clock)


def embed(memory: holloway.Holloway) -> None:
    """Give some memories a vector, as the worker does."""
    vectors = vectors_of(memory)
    waiting = vectors.list_outdated(MODEL, EDITION, EMBEDDED_AT_ONCE)
    rows = [
        VectorRow(one.seq, one.memory.id, one.revision, digest(one.memory).hex(), digest(one.memory)) for one in waiting
    ]
    vectors.save_vectors(MODEL, rows, lambda kept: digest(kept).hex())


def main(project: str, seed: str) -> None:
    rng = random.Random(seed)
    with holloway.open(project) as memory:
        say(said="open")
        living = [kept.id for kept in memory.memories()]
        for number in count():
            if rng.random() < 0.2:
                embed(memory)
            words = f"Writer {seed} found in step {number} that {rng.choice(('queues', 'tokens', 'invoices'))} wait"
            change = rng.choices(("teach", "edit", "replace", "forget", "erase"), (10, 4, 3, 2, 1))[0]
            if change == "teach" or not living:
                say(said="doing", change="teach", content=words)
                kept = memory.remember(words, files=["src/shop/auth/tokens.py"]).memory
                assert kept is not None
                say(said="done", id=kept.id)
                living.append(kept.id)
                continue
            chosen = living[rng.randrange(len(living))]
            say(said="doing", change=change, id=chosen, content=words)
            if change == "edit":
                memory.edit(chosen, content=words)
            elif change == "replace":
                living.remove(chosen)
                living.append(memory.wrong(chosen, "outdated", instead=words).id)
            else:
                living.remove(chosen)
                memory.forget([memory.get(chosen)], hard=change == "erase")
            say(said="done", id=living[-1] if change == "replace" else chosen)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
