"""Run the benchmarks and write their results, the plots and the page about them.

python -m benchmarks [--quick] [--data DIR] [--repos DIR] [--graphs DIR] [--pycg DIR] [--peers DIR] [--aider PYTHON]
                     [--only NAME]

A quick run takes a bounded sample of everything, prints its tables and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import catalogue, machine, report
from benchmarks.needs import Given

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.catalogue import Benchmark


def main() -> None:
    """Run what can be run, then write the page."""
    options = _options()
    resources = Given(**{name: value for name, value in vars(options).items() if name != "only"})
    took_s: dict[str, float] = {}
    skipped: list[str] = []
    failed: list[str] = []
    for benchmark in [catalogue.BY_NAME[options.only]] if options.only else catalogue.ALL:
        if missing := benchmark.missing(resources):
            print(f"{benchmark.name} is skipped. It needs", *missing, sep="\n  ")
            skipped.append(benchmark.name)
            continue
        try:
            took_s[benchmark.name] = _run(benchmark, resources)
        except Exception:  # a broken clone or peer costs its own figures, not the hours of the others
            traceback.print_exc()
            failed.append(benchmark.name)
    if not resources.quick:
        print(f"The page is {report.write().relative_to(report.PAGE.parents[1])}.")
    print(*summary(took_s, skipped, failed), sep="\n")
    if failed:
        raise SystemExit(1)


def summary(took_s: Mapping[str, float], skipped: Sequence[str], failed: Sequence[str]) -> list[str]:
    """How long each benchmark took, which were left out, and which failed."""
    lines = [f"  {name:<20}{seconds:>6.0f} s" for name, seconds in took_s.items()]
    lines += [f"  {'in all':<20}{sum(took_s.values()):>6.0f} s"] if took_s else []
    lines += [f"Skipped, for want of what is named above: {', '.join(skipped)}."] if skipped else []
    return lines + ([f"Failed, as told above; what was measured before stands: {', '.join(failed)}."] if failed else [])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure holloway.")
    parser.add_argument("--quick", action="store_true", help="a bounded sample of each, printed and not kept")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--repos", type=Path, help="folder with clones of the repositories, history included")
    parser.add_argument("--graphs", type=Path, help="folder with flask.scip and hono.scip, each beside its checkout")
    parser.add_argument("--pycg", type=Path, help="the folder of PyCG's micro-benchmark")
    parser.add_argument("--peers", type=Path, help="folder with a virtual environment for each peer")
    parser.add_argument("--aider", metavar="PYTHON", default="", help="a Python that has aider-chat, to measure beside")
    parser.add_argument("--only", choices=list(catalogue.BY_NAME), help="one benchmark")
    return parser.parse_args()


def _run(benchmark: Benchmark, resources: Given) -> float:
    """Run a benchmark and keep or show its result; returns the seconds that it took."""
    left_out = benchmark.left_out(resources)
    if left_out:
        print(
            f"{benchmark.name} is measured in part, which is shown and not kept. For the rest it needs",
            *left_out,
            sep="\n  ",
        )
    print(
        f"{benchmark.name} runs" + ("" if resources.quick else f", about {benchmark.minutes:g} minutes") + " ...",
        flush=True,
    )
    head: dict[str, Any] = {"name": benchmark.name, "date": datetime.now(UTC).date().isoformat()}
    head |= {"machine": machine.about(), "command": benchmark.command}
    began = time.perf_counter()
    result = head | benchmark.run(resources)
    if resources.quick or left_out:
        for table in result["tables"]:
            print(f"\n{table['title']}\n\n{report.grid(table['columns'], table['rows'])}")
    else:
        _keep(result)
    for row in result["targets"]:
        print(f"  {row['what']}: {report.format_value(row['measured'])} {row['unit']}, {_met(row)}")
    took_s = time.perf_counter() - began
    print(f"{benchmark.name} took {took_s:.0f} s.\n", flush=True)
    return took_s


def _met(target: dict[str, Any]) -> str:
    return "met" if target["met"] else "NOT met"


def _keep(result: dict[str, Any]) -> None:
    report.RESULTS.mkdir(exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (report.RESULTS / f"{result['name']}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
