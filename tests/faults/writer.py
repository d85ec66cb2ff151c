"""Teaches, edits, replaces and forgets without end; says before each change what it does and after it that it is done.

Usage: writer.py PROJECT SEED
"""

import json
import os
import random
import sys
from itertools import count

import holloway

STDOUT = 1


def say(**fields: str) -> None:
    # One write to the pipe: the reader gets the whole line or none of it, whenever this process dies.
    os.write(STDOUT, json.dumps(fields).encode() + b"\n")


def main(project: str, seed: str) -> None:
    rng = random.Random(seed)
    with holloway.open(project) as memory:
        say(said="open")
        living = [kept.id for kept in memory.memories()]
        for number in count():
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
