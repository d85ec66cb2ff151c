"""Run the benchmarks and write their results and the page about them.

python -m benchmarks [--quick] [--data DIR] [--repos DIR] [--peers DIR] [--aider PYTHON] [--only NAME]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks import (
    b1_sessions,
    b2_commits,
    b3_issues,
    b4_coding,
    b4_conversations,
    b4_tokens,
    b5_errors,
    b5_replay,
    b5_words,
    b6_graph,
    b7_hooks,
    b7_map,
    b7_search,
    b7_store,
    b8_poison,
    machine,
    report,
)

NAMES = (
    "b1_sessions",
    "b2_commits",
    "b3_issues",
    "b4_conversations",
    "b4_coding",
    "b4_tokens",
    "b5_words",
    "b5_errors",
    "b5_replay",
    "b6_graph",
    "b7_store",
    "b7_hooks",
    "b7_map",
    "b7_search",
    "b8_secrets",
    "b8_poison",
)
NEED_DATA = frozenset(
    {
        "b1_sessions",
        "b2_commits",
        "b3_issues",
        "b4_conversations",
        "b4_coding",
        "b5_words",
        "b5_errors",
        "b5_replay",
        "b8_secrets",
    }
)
NEED_REPOS = frozenset({"b1_sessions", "b2_commits", "b3_issues", "b4_coding", "b4_tokens", "b5_replay", "b7_map"})
QUICK_SAMPLE = 5
QUICK_POISON = 40
HERE = Path(__file__).parent


def main() -> None:
    """Run what can be run, then write the page."""
    options = _options()
    for name in [options.only] if options.only else NAMES:
        if name in NEED_DATA and options.data is None:
            print(f"{name} is skipped: it needs a folder with the data sets (--data DIR).")
        elif name in NEED_REPOS and options.repos is None:
            print(f"{name} is skipped: it needs a folder with clones of the repositories (--repos DIR).")
        elif name == "b6_graph" and (options.graphs is None or options.pycg is None):
            print(f"{name} is skipped: it needs SCIP indexes (--graphs DIR) and PyCG's programs (--pycg DIR).")
        elif name == "b4_tokens" and find_spec(b4_tokens.TOKENIZER) is None:
            print(f"{name} is skipped: it needs a tokenizer (pip install {b4_tokens.TOKENIZER}).")
        elif not (HERE / f"{name}.py").exists():
            print(f"{name} is skipped: it is not here.")
        else:
            print(f"{name} runs ...", flush=True)
            _keep(name, _run(name, options))
    print(f"The page is {report.write().relative_to(HERE.parent)}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure holloway.")
    parser.add_argument("--quick", action="store_true", help="smaller stores and fewer rounds")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--repos", type=Path, help="folder with clones of the repositories, history included")
    parser.add_argument("--graphs", type=Path, help="folder with flask.scip and hono.scip, each beside its checkout")
    parser.add_argument("--pycg", type=Path, help="the folder of PyCG's micro-benchmark")
    parser.add_argument("--peers", type=Path, help="folder with a virtual environment for each peer")
    parser.add_argument("--aider", metavar="PYTHON", default="", help="a Python that has aider-chat, to measure beside")
    parser.add_argument("--only", choices=NAMES, help="one benchmark")
    return parser.parse_args()


def _run(name: str, options: argparse.Namespace) -> dict[str, Any]:
    head = {"name": name, "date": datetime.now(UTC).date().isoformat(), "quick": options.quick}
    head |= {"machine": machine.about(), "command": _command(name, quick=options.quick)}
    if name == "b7_store":
        return head | b7_store.run(quick=options.quick)
    if name == "b7_search":
        return head | b7_search.run(quick=options.quick)
    if name == "b7_hooks":
        return head | b7_hooks.run(quick=options.quick)
    if name == "b7_map":
        return head | b7_map.run(options.repos, quick=options.quick, aider=options.aider)
    if name == "b6_graph":
        return head | b6_graph.run(options.graphs, options.pycg)
    if name == "b2_commits":
        return head | b2_commits.run(options.data, options.repos, sample=QUICK_SAMPLE if options.quick else 1)
    if name == "b4_conversations":
        return head | b4_conversations.run(options.data, options.peers, sample=QUICK_SAMPLE if options.quick else 1)
    if name == "b4_coding":
        return head | b4_coding.run(options.repos, options.data, quick=options.quick)
    if name == "b4_tokens":
        return head | b4_tokens.run(options.repos, quick=options.quick)
    if name == "b1_sessions":
        return head | b1_sessions.run(options.data, options.repos, sample=QUICK_SAMPLE if options.quick else 1)
    if name == "b5_words":
        return head | b5_words.run(options.data)
    if name == "b5_errors":
        return head | b5_errors.run(options.data)
    if name == "b5_replay":
        return head | b5_replay.run(options.data, options.repos, quick=options.quick)
    if name == "b8_poison":
        return head | b8_poison.run(QUICK_POISON if options.quick else 0)
    if name == "b3_issues":
        return head | b3_issues.run(options.data, options.repos, sample=QUICK_SAMPLE if options.quick else 1)
    return head | _secrets(options.data)


def _command(name: str, *, quick: bool) -> str:
    data = f"{' --data DIR' if name in NEED_DATA else ''}{' --repos DIR' if name in NEED_REPOS else ''}"
    data += {
        "b7_map": " --aider PYTHON",
        "b6_graph": " --graphs DIR --pycg DIR",
        "b4_conversations": " --peers DIR",
    }.get(name, "")
    return f"python -m benchmarks --only {name}{data}{' --quick' if quick else ''}"


def _keep(name: str, result: dict[str, Any]) -> None:
    report.RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (report.RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    for one in result["targets"]:
        print(f"  {one['what']}: {report.shown(one['measured'])} {one['unit']}, {'met' if one['met'] else 'NOT met'}")


def _secrets(data: Path) -> dict[str, Any]:
    """The secret scanner's benchmark is a program of its own; its figures become one table, a column a detector."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        script = [sys.executable, str(HERE / "b8_secrets.py"), "--data", str(data), "--json", str(out)]
        subprocess.run(script, check=True, stdout=subprocess.DEVNULL)
        figures: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    detectors = {name: _flat(value) for name, value in figures.items() if isinstance(value, dict)}
    counts = [[name, value] for name, value in figures.items() if not isinstance(value, dict)]
    rows = [
        [name, *(one.get(name) for one in detectors.values())]
        for name in next(iter(detectors.values()))
        if figures.get(f"{name.split('_')[0]}_lines") != 0  # a rate over no lines was not measured
    ]
    return {
        "title": "B8: secrets",
        "question": "How many secrets are cut out of a text before it is kept, and how much else goes with them?",
        "how": [
            "literals are the test strings of another scanner, secret and not; generated are made-up secrets in the "
            "formats that vendors publish, found only if every character is; library is Python's own standard library, "
            "where hardly any line holds a secret.",
        ],
        "seed": import_module("benchmarks.b8_secrets").SEED,
        "targets": [],
        "tables": [
            {"title": "Detectors", "columns": ["figure", *detectors], "rows": rows},
            {"title": "What they ran on", "columns": ["figure", "count"], "rows": counts},
        ],
        "figures": figures,
    }


def _flat(figures: dict[str, Any]) -> dict[str, float]:
    """Two levels of names as one; longer lists stay in the JSON."""
    flat: dict[str, float] = {}
    for name, value in figures.items():
        inner = value if isinstance(value, dict) else {"": value}
        flat |= {f"{name} {key}".strip(): one for key, one in inner.items() if not isinstance(one, dict)}
    return flat


if __name__ == "__main__":
    main()
