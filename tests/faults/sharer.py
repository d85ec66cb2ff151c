"""A device that edits and exchanges until it is killed: `python sharer.py PROJECT HOME SEED`. Says what it stored."""

import random
import sys
from contextlib import suppress
from pathlib import Path

import holloway
from holloway.git.transfer import TransferFailed


def main(project: str, home: str, seed: int) -> None:
    """Edit one of the memories, say so, exchange, and begin again."""
    rng = random.Random(seed)
    with holloway.open(project, home=Path(home)) as memory:
        number = 0
        while True:
            number += 1
            text = f"device {seed} says {number} after {rng.random()}"
            taught = memory.remember(text, visibility="project").memory
            assert taught is not None
            print(text, flush=True)
            with suppress(TransferFailed):  # an exchange that fails is tried again by the next one
                memory.sharing().membership.synchronize()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
