"""Runs a peer inside its own environment: turns and questions come as lines of JSON, answers go back in kind.

python -P runner.py ADAPTER FOLDER EMBEDDINGS_URL

An adapter has a class `Peer(folder, embeddings)` with `ingest(turns)`, the turns as (id, session, text), and
`ask(question, limit)`, which returns ids. Nothing of the benchmark is imported here: it is another environment.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path


def main() -> None:
    """Open the peer, then answer until no more lines come."""
    adapter, folder, embeddings = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints must not be taken for an answer

    def answer(value: object) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    try:
        peer = runpy.run_path(adapter)["Peer"](Path(folder), embeddings)
        answer({"opened": True})
        for line in sys.stdin:
            request = json.loads(line)
            if "turns" in request:
                peer.ingest([tuple(turn) for turn in request["turns"]])
                answer({"kept": len(request["turns"])})
            else:
                answer({"found": peer.ask(request["question"], request["limit"])})
    except Exception as error:
        traceback.print_exc()
        answer({"error": f"{type(error).__name__}: {error}"[:500]})
    os._exit(0)  # some peers leave threads behind that never end


if __name__ == "__main__":
    main()
