"""The command that measures what memory changes, with groups of sessions that are told less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holloway.cli.common import (
    confirm_action,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    yes_option,
)
from holloway.config import PROOF_PERCENT_MAX
from holloway.errors import InvalidInput

HARMS_PRINTED_MAX = 20
P_SHOWN_MIN = 0.001
_PERCENT = click.IntRange(0, PROOF_PERCENT_MAX)


@click.command("proof")
@click.argument("action", type=click.Choice(["show", "on", "off"]), default="show")
@click.option(
    "--control", type=_PERCENT, metavar="PERCENT", help="Sessions that are told nothing unasked (default: 5)."
)
@click.option(
    "--passive", type=_PERCENT, metavar="PERCENT", help="Sessions told at start and prompt only (default: 10)."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the figures of each session as CSV, without content.")
@click.option(
    "--pool",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add the sessions that `--csv` wrote on another machine. Repeatable.",
)
@yes_option
@json_option
@project_option
def proof_command(
    action: str,
    control: int | None,
    passive: int | None,
    as_csv: bool,
    files: tuple[Path, ...],
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Measure whether memory helps in this project, against sessions without it.

    It is off until you turn it on. Then chance decides for each session whether its agent is told everything, only
    something at the start and with a prompt, or nothing. Every session is learned from.

    \b
    Examples:
      holloway proof on
      holloway proof on --control 50 --passive 0
      holloway proof
      holloway proof --csv > figures.csv
      holloway proof --pool laptop.csv --pool desktop.csv
    """
    from holloway.service import experiment, proof_report  # loaded when the command runs

    with open_memory(project, create=action == "on") as memory:
        if action == "on":
            percents = [5 if control is None else control, 10 if passive is None else passive]
            for line in experiment.describe_consent(*percents):
                print_text(line)
            if not confirm_action("Measure the effect of memory in this project?", yes=yes):
                return
            experiment.turn_on(memory.project, memory.clock.now(), *percents)
            print_text("Measuring is on, from the next session on. `holloway proof` shows what it finds.", "green")
            return
        if control is not None or passive is not None:
            raise InvalidInput("--control and --passive choose the groups of `holloway proof on`.", "Add `on`.")
        if action == "off":
            experiment.turn_off(memory.project)
            print_text("Measuring is off: every session is told everything. What was measured stays.")
        elif as_csv:
            click.echo(proof_report.export_csv(memory), nl=False)
        else:
            report = proof_report.build_report(memory, proof_report.read_pool(files))
            if as_json:
                print_json(report)
            else:
                _print_report(report)


def _print_report(report: dict[str, Any]) -> None:
    sessions = report["sessions"]
    if report["experiment"]["on"]:
        print_text(f"Measuring {describe_experiment_in_words(report['experiment'])}.")
    else:
        print_text("Measuring is off. `holloway proof on` says what it does, and turns it on.")
    measured = ", ".join(f"{sessions[group]} {group}" for group in ("full", "passive", "control"))
    print_text(f"Sessions assigned by chance: {measured}; {sessions['not_randomised']} others are not compared.")
    for comparison in report["comparisons"]:
        _print_comparison(comparison)
    _print_harms(report["harms"])


def describe_experiment_in_words(figures: dict[str, Any]) -> str:
    """Return since when an experiment runs, with the shares of sessions that are told less."""
    percents = f"{figures['control_percent']} % control, {figures['passive_percent']} % passive"
    return f"since {figures['since'][:10]}: {percents}"


def _print_comparison(comparison: dict[str, Any]) -> None:
    print_text()
    print_text(f"{comparison['first'].capitalize()} against {comparison['second']}:", "bold")
    metrics = comparison["metrics"]
    if any(metric["p"] is not None for metric in metrics):
        for metric in metrics:
            print_text(f"  {metric['label']:<30} {_describe_metric(metric, comparison)}")
    else:
        print_text(f"  {_describe_missing(max(metrics, key=lambda metric: sum(metric['sessions'])), comparison)}")
    for confounder in comparison["confounders"]:
        print_text(
            f"  The groups also differ in {confounder['name']} (p = {confounder['p']:.3f}): "
            "what they show may come from that.",
            "yellow",
        )


def _describe_metric(metric: dict[str, Any], comparison: dict[str, Any]) -> str:
    if metric["p"] is None:
        return _describe_missing(metric, comparison)
    first, second = metric["medians"]
    difference = metric["difference"]
    interval = f"{difference['low']:+.3g} to {difference['high']:+.3g}"
    chance = "p < 0.001" if metric["p"] < P_SHOWN_MIN else f"p = {metric['p']:.3f}"
    return f"{metric['verdict']}: {first:.3g} against {second:.3g} (difference {interval}), {chance}"


def _describe_missing(metric: dict[str, Any], comparison: dict[str, Any]) -> str:
    """Return how many sessions of each group are missing for a verdict."""
    if not any(metric["sessions"]):
        return "not known of any of these sessions"
    groups = zip((comparison["first"], comparison["second"]), metric["sessions"], strict=True)
    missing = [(comparison["sessions_needed"] - sessions, group) for group, sessions in groups]
    parts = [f"{number} more {group}" for number, group in missing if number > 0]
    return f"not enough yet: {' and '.join(parts)} sessions needed"


def _print_harms(harms: list[dict[str, Any]]) -> None:
    print_text()
    if not harms:
        print_text("Harm: no session in which a memory that was told was flagged, contradicted or followed by failure.")
        return
    print_text(f"Possible harm in {format_count(len({harm['session'] for harm in harms}), 'session')}:", "bold")
    for harm in harms[-HARMS_PRINTED_MAX:]:
        memories = ", ".join(memory[:6] for memory in harm["memories"][:5])
        print_text(f"  {harm['session'][:12]}  {harm['reason']}: {memories}")
    if len(harms) > HARMS_PRINTED_MAX:
        print_text(f"  and {len(harms) - HARMS_PRINTED_MAX} earlier ones: `holloway proof --json`", "dim")
