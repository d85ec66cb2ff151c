"""`docs/benchmarks.md` from the results: questions, figures with their baselines, and commands to reproduce them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import plots

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
FIRST = ("learning_curve",)
"""Results that the page begins with; the others follow by name."""
INTRODUCTION = """# Benchmarks

Every figure here comes from `benchmarks/` and can be measured again with the command next to it, two sections excepted:
errors with their fixes and self-corrections rest on labels that quote people's words, which are not published. The
numbers are also in `benchmarks/results/` as JSON. This page is generated: change the benchmark, not the page.

Times are p50 and p95 on the machine that is named, or ratios within one run. Machines are noisy and these runs had
neighbours, so trust ratios and CPU time before milliseconds. Each figure is compared with the simplest baseline that
could do the same job, measured in the same run.

```sh
make bench QUICK=1                       # a sample of everything that needs nothing, minutes in all; writes nothing
make bench                               # everything that needs nothing
make bench DATA=folder REPOS=folder      # everything that these folders have data and clones for
make bench ONLY=b7_hooks                 # one of them
```

A benchmark that lacks something says what, and where to get it, and the others go on; one of which a part can do
without shows that part. At the end stands what each took.

`python -m benchmarks.attack_runner TOOL.toml --corpus carriers` plays the attacks of the test suite against this or
another memory tool: [try to break it](security.md#try-to-break-it).

## Words

- **Recall@10**, R@10: of what was wanted, the share among the first ten answers. **Precision**: of what was answered,
  the share that is right. **F1**: their harmonic mean. **Acc@k**: how often the wanted one is among the first k.
- **95 % interval**: where the figure would lie if other cases of the same kind had been drawn. **p**: how often chance
  alone would make two methods differ as much.
- **p50, p95**: half of the measurements, and 95 % of them, are no larger.
- **BM25**: ranking by shared words, the rare ones counting more, as search engines do. **FTS5**: SQLite's own text
  search, which does that. **Dense**: nearness of vectors, which stand for the meaning. **kNN**: what the most similar
  earlier cases had. **RRF**: lists fused by the sum of one over k plus the place.
- **SCIP**: an index of who uses what, made by a language's own type checker; here it stands for the truth.
"""

Result = Mapping[str, Any]


def results() -> list[Result]:
    """All results there are, in the order of the page."""
    all_results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    return sorted(all_results, key=lambda result: (result["name"] not in FIRST, result["name"]))


def write() -> Path:
    """Write the page and its pictures from all stored results."""
    from benchmarks import readme, sources  # these read the table of all benchmarks, which reads this module

    all_results = results()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join([INTRODUCTION, sources.section(), *map(section, all_results)]), encoding="utf-8")
    readme.write()
    return PAGE


def section(result: Result) -> str:
    """One benchmark."""
    parts = [f"## {result['title']}", result["question"], _where(result), f"```sh\n{result['command']}\n```"]
    parts += [f"![{title}]({file})" for title, file in plots.write(result)]
    if result["targets"]:
        parts.append(_targets(result["targets"]))
    parts += [f"### {table['title']}\n\n{grid(table['columns'], table['rows'])}" for table in result["tables"]]
    parts.append("### How\n\n" + "\n".join(f"- {sentence}" for sentence in result["how"]))
    return "\n\n".join(parts) + "\n"


def _where(result: Result) -> str:
    machine = result["machine"]
    return (
        f"Measured on {result['date']}: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, load "
        f"{machine['load']} at the start; Python {machine['python']}, SQLite {machine['sqlite']}, holloway "
        f"{machine['holloway']}" + (f"; seed {result['seed']}." if "seed" in result else ".")
    )


def _targets(targets: list[dict[str, Any]]) -> str:
    rows = [
        [target["what"], target["measured"], f"{format_value(target['at_most'])} {target['unit']}", target["met"]]
        for target in targets
    ]
    return "### Targets\n\n" + grid(["figure", "measured", "at most", "met"], rows)


def grid(columns: list[str], rows: list[list[Any]]) -> str:
    """A table in Markdown; numbers stand to the right."""
    rule = ["---" if isinstance(value, str) else "---:" for value in rows[0]]
    lines = [columns, rule, *([format_value(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def format_value(value: object) -> str:
    """A value as a person reads it: three digits that count."""
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    print(write())
