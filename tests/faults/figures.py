"""What the long runs measured: small files in build/reliability, of which docs/reliability.md is made.

Runs of a commit are too short to be quoted, so they only print their figures.
"""

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from benchmarks import machine

FOLDER = Path(__file__).parents[2] / "build" / "reliability"
NIGHTLY = bool(os.environ.get("HOLLOWAY_NIGHTLY"))


def record(run: str, **figures: float) -> None:
    """Tell what a test measured; several tests may be parts of a run.

    Names that end in `_max` are maxima, all others are added up.
    """
    told = {"run": run, "at": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine.about(), "figures": figures}
    print(json.dumps(figures))
    if NIGHTLY:
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        FOLDER.mkdir(parents=True, exist_ok=True)
        path = FOLDER / f"{run}-{sha256(test.encode()).hexdigest()[:12]}.json"
        path.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
