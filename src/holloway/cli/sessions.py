"""Session commands: learn from past sessions on this machine, list the observed ones, explain what was learned."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import (
    TASK_SHOWN_CHARS,
    describe_memory,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_quotes,
    print_text,
    project_option,
    run_maintenance,
)
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from holloway.domain.work import SessionSummary
    from holloway.service.holloway import Holloway
    from holloway.service.past_sessions import PastLessons, PastSessions
    from holloway.service.results import StoredCandidate
    from holloway.service.session_pages import TimelineRow
    from holloway.service.session_report import SessionReport

CANDIDATE_MARKS = {"promoted": "+", "reinforced": "=", "held": "~", "dropped": "-"}
CANDIDATE_STYLES = {"promoted": "green", "reinforced": "green", "held": "yellow", "dropped": "dim"}
LISTED = 10
READABLE_AGENTS = ("claude-code", "codex", "copilot", "gemini", "qwen", "droid", "opencode", "kilo", "pi")
"""Agents whose past sessions can be read; importing the list would load every reader before `--help` answers."""
TRANSCRIPT_TEXTS = {
    "gone": "The agent's transcript is gone; only what holloway told it is shown.",
    "none": "This session has no transcript; only what holloway told it is shown.",
    "too_large": "The agent's transcript is too large to be shown.",
}
"""Line for each state of a transcript that was not read."""


@click.command("sessions")
@click.option("--limit", "-n", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of results.")
@click.option("--raw", is_flag=True, help="Show whole prompts and every branch name, also text that may be hostile.")
@click.option(
    "--mirror", is_flag=True, help="Instead, show what all sessions have in common: errors and files that came again."
)
@click.option("--after", default="", metavar="KEY", help="The page after this key, which --json printed as next_key.")
@json_option
@project_option
def sessions_command(limit: int, raw: bool, mirror: bool, after: str, as_json: bool, project: str) -> None:
    """List the observed sessions of this project, newest first: their task, outcome and what was learned.

    With --mirror, show which errors came again and which of them agents are told how to solve from now on, which
    commands failed before the right one, which files sessions open again and again, and what finding the way takes.

    \b
    Examples:
      holloway sessions
      holloway sessions --limit 5 --json
      holloway sessions --mirror
    """
    from holloway.service.session_pages import list_session_page  # loaded when the command runs

    with open_memory(project) as memory:
        if mirror:
            _show_mirror(memory, as_json=as_json)
            return
        page = list_session_page(memory, after=after, limit=limit)
        if as_json:
            rows = [session_json(row.session, row.record, raw=raw) | row.to_json() for row in page.sessions]
            print_json({"sessions": rows, "next_key": page.next_key})
            return
        if not page.sessions:
            print_text("No session yet. `holloway setup claude-code` connects an agent; its next session is observed.")
        for row in page.sessions:
            _print_session(row.session, row.record, raw=raw)
        withheld = sum(first_paragraph(row.session.task) != row.session.task.strip() for row in page.sessions)
        if withheld and not raw:
            print_text(f"{format_count(withheld, 'prompt')} shortened to the first paragraph, --raw shows all.", "dim")


def _show_mirror(memory: Holloway, *, as_json: bool) -> None:
    from holloway.cli.mirror import print_mirror
    from holloway.service.mirror import build_mirror, mirror_json

    facts = build_mirror(memory)
    if as_json:
        print_json(mirror_json(facts))
    elif facts.has_facts:
        print_mirror(facts)
    else:
        print_text("Nothing came again yet. `holloway learn` reads the sessions that are already on this disk.")


@click.command("explain")
@click.argument("session")
@click.option("--dropped", is_flag=True, help="Also list every candidate that was dropped.")
@click.option("--timeline", is_flag=True, help="Instead, show what happened in it and what holloway told the agent.")
@click.option("--from", "first", type=click.IntRange(0), default=0, metavar="ROW", help="First row of the timeline.")
@click.option("--raw", is_flag=True, help="Show the texts of the transcript in the timeline; they may be hostile.")
@json_option
@project_option
def explain_command(
    session: str, dropped: bool, timeline: bool, first: int, raw: bool, as_json: bool, project: str
) -> None:
    """Show what was learned from a session: signals, stored and dropped candidates, and why. `last` is the latest one.

    With --timeline, show its prompts and tool calls, read from the agent's own transcript, and what holloway told it in
    between.

    \b
    Examples:
      holloway explain last
      holloway explain 2026-01-05-0bb9a2 --dropped
      holloway explain last --timeline
    """
    from holloway.service.session_report import explain_session  # loaded when the command runs

    with open_memory(project) as memory:
        if timeline:
            _show_timeline(memory, session, first, raw=raw, as_json=as_json)
            return
        explanation = explain_session(memory, session)
        if as_json:
            print_json(explained_json(explanation))
        else:
            _print_explanation(memory, explanation, dropped=dropped)


def _show_timeline(memory: Holloway, reference: str, first: int, *, raw: bool, as_json: bool) -> None:
    from holloway.service.session_pages import load_story  # loaded when the command runs

    story = load_story(memory, reference, first=first)
    if as_json:
        print_json(session_json(story.row.session, story.row.record, raw=raw) | story.to_json(raw=raw))
        return
    _print_session(story.row.session, story.row.record, raw=raw)
    if story.transcript != "read":
        print_text(f"  {TRANSCRIPT_TEXTS[story.transcript]}", "yellow")
    for row in story.timeline:
        _print_row(row, raw=raw)
    left_count = story.timeline_total - first - len(story.timeline)
    if left_count > 0:
        print_text(f"{format_count(left_count, 'row')} more: --from {first + len(story.timeline)}", "dim")


def _print_row(row: TimelineRow, *, raw: bool) -> None:
    """Print a row of a timeline: what was told whole, an entry of the transcript in a line."""
    from holloway.safety.repository_text import only_paths  # loaded when the command runs

    time = row.at[11:19]
    if row.told is not None:
        uses = ", ".join(f"{entry.memory.id} {entry.use.replace('_', ' ')}" for entry in row.told.memories)
        print_text(f"  {time}  told at {row.told.point.replace('_', ' ')}: {uses}", "bold")
        for line in (row.told.text or "").splitlines():
            print_text(f"            {line}")
    elif row.entry is not None:
        entry = row.entry
        subjects = " ".join(filter(None, (entry.tool, *only_paths(entry.paths)[:3])))
        failed_text = " (failed)" if entry.succeeded is False else ""
        text = one_line(entry.text or entry.command, TASK_SHOWN_CHARS) if raw else ""
        print_text(f"  {time}  {entry.kind}: {' '.join(filter(None, (subjects, text)))}{failed_text}", "dim")


def session_json(session: SessionSummary, record: dict[str, Any], *, raw: bool = False) -> dict[str, Any]:
    """Return a session as JSON fields; unless `raw`, only the first paragraph of its prompt and an admitted branch."""
    from holloway.safety.repository_text import admit  # loaded when the command runs

    return {
        "id": session.id,
        "agent": session.agent,
        "started_at": session.started_at,
        "ended_at": session.ended_at or None,
        "type": session.type,
        "phase": session.phase,
        "outcome": session.outcome,
        "evidence": session.evidence,
        "task": session.task if raw else first_paragraph(session.task),
        "branch": session.branch if raw else admit("branch", session.branch),
        "commit": session.commit,
        "record": record,
    }


def explained_json(explanation: SessionReport) -> dict[str, Any]:
    """Return the explanation of a session as JSON fields."""
    return {
        **session_json(explanation.session, explanation.record),
        "candidates": [
            {
                "signal": candidate.signal,
                "step": candidate.step,
                "state": candidate.state,
                "reason": candidate.reason,
                "memory": candidate.memory or None,
                "content": candidate.draft.get("content"),
                "type": candidate.draft.get("type"),
                "quotes": candidate.draft.get("quotes", []),
            }
            for candidate in explanation.candidates
        ],
        "used": [memory.id for memory in explanation.used],
        "learned": [memory.id for memory in explanation.learned],
    }


def _print_session(session: SessionSummary, record: dict[str, Any], *, raw: bool = False) -> None:
    task = session.task if raw else first_paragraph(session.task)
    learned_count = sum(states.get("promoted", 0) for states in (record.get("candidates") or {}).values())
    outcome_text = (
        f"{session.outcome}: {_describe_evidence(session)}" if session.outcome else "running, or not processed yet"
    )
    print_text(f"{session.id}  {session.started_at[:16].replace('T', ' ')}  {session.agent}", "bold cyan")
    task_placeholder = "(no prompt)" if session.outcome else "(task not read yet: session still running)"
    print_text(f"  {one_line(task, TASK_SHOWN_CHARS) or task_placeholder}")
    details = [_format_figure(record, "tool_calls", "tool call")] if record else []
    details += [f"used {len(used)}"] if (used := record.get("used")) else []
    details += [f"learned {learned_count}"] if learned_count else []
    details += [f"saved about {saved:,} tokens (an estimate)"] if (saved := record.get("saved_tokens")) else []
    print_text("; ".join(filter(None, (f"  {outcome_text}", ", ".join(details)))), "dim")


def _format_figure(record: dict[str, Any], field: str, noun: str = "") -> str:
    """Format a figure of a session record; a missing one is reported as unknown."""
    number = record.get(field)
    if number is None:
        return f"an unknown number of {noun}s" if noun else "an unknown number"
    return format_count(number, noun) if noun else str(number)


def _describe_evidence(session: SessionSummary) -> str:
    """Return the evidence for a session's type and outcome, without the labels."""
    evidence = session.evidence.removeprefix(f"{session.type}: ").replace(f"; {session.outcome}: ", ", ", 1)
    return evidence or str(session.type)


def _print_candidate(candidate: StoredCandidate) -> None:
    name = candidate.signal.replace("_", " ")
    print_text(
        f"{CANDIDATE_MARKS[candidate.state]} step {candidate.step}: {name}, {candidate.state}",
        CANDIDATE_STYLES[candidate.state],
    )
    if content := candidate.draft.get("content"):
        print_text(f"    {content}")
    if reason_text := " ".join(filter(None, (candidate.reason, f"[{candidate.memory}]" if candidate.memory else ""))):
        print_text(f"    {reason_text}", "dim")
    print_quotes(candidate)


def _print_explanation(memory: Holloway, explanation: SessionReport, *, dropped: bool) -> None:
    session, record = explanation.session, explanation.record
    _print_session(session, record)
    if not session.evidence:
        print_text("  This session has not been processed yet.", "dim")
    if record:
        print_text(
            f"  {_format_figure(record, 'first_reads', 'file')} opened, "
            f"{_format_figure(record, 'known_files_read_again')} of them seen in earlier sessions; "
            f"{_format_figure(record, 'files_edited')} edited; "
            f"{_format_figure(record, 'errors', 'error')}",
            "dim",
        )
    if signal_counts := record.get("signals"):
        print_text(
            "Signals: "
            + ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in sorted(signal_counts.items()))
        )
    for candidate in explanation.candidates:
        if candidate.state != "dropped" or dropped:
            _print_candidate(candidate)
    reasons = Counter(candidate.reason for candidate in explanation.candidates if candidate.state == "dropped")
    if reasons and not dropped:
        print_text(f"Dropped {sum(reasons.values())}:")
        for reason, number in reasons.most_common():
            print_text(f"  {number} x {reason}", "dim")
    for used in explanation.used:
        print_text(f"Used {used.id}: {used.summary}", "green")
        print_text(f"    {describe_memory(used, memory.clock.now())}", "dim")
    if saved := record.get("saved_tokens"):
        print_text(f"Saved about {saved:,} tokens of searching (an estimate).")


class _DateOption(click.DateTime):
    """Date option whose error message shows an example date instead of format codes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a date like 2026-01-31.", param, ctx)


@click.command("learn")
@click.option(
    "--since", type=_DateOption(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Only sessions started on this day or later."
)
@click.option(
    "--agent",
    type=click.Choice(READABLE_AGENTS),
    help="Only sessions of this agent.",
)
@click.option("--dry-run", is_flag=True, help="List the sessions that would be read.")
@click.option(
    "--read",
    "read_count",
    type=click.IntRange(1, 200),
    metavar="N",
    help="Afterwards have the reader, a language model, read the newest N sessions; shows the cost first.",
)
@click.option("--yes", "-y", is_flag=True, help="Read without asking.")
@json_option
@project_option
def learn_command(
    since: datetime | None,
    agent: str | None,
    dry_run: bool,
    read_count: int | None,
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Learn from agent sessions that are already on this disk, from any worktree of this project.

    Each session is read only once, so you can run it again at any time. After Ctrl-C the finished part is kept.
    Nothing leaves this machine unless you configured a language model (llm.provider).

    \b
    Examples:
      holloway learn --dry-run
      holloway learn --since 2026-01-01 --agent claude-code
    """
    from holloway.cli.common import ProgressBar  # loaded when the command runs
    from holloway.service import past_sessions

    with open_memory(project, create=not dry_run) as memory:
        past = past_sessions.find(memory, since=since.timestamp() if since else 0.0, agent=agent or "")
        if dry_run:
            _print_plan(past, as_json=as_json)
            return
        result = past_sessions.PastLessons()
        if past.sessions:
            with ProgressBar(hidden=as_json) as tell:
                memory.map.update(workers=0, progress=tell)
                result = past_sessions.learn(memory, past, tell)
            run_maintenance(memory)
        reading = _read_past(memory, past, read_count, yes=yes, as_json=as_json) if read_count else None
    if as_json:
        print_json(_result_fields(past, result) | ({"reader": reading} if reading else {}))
    else:
        print_learned(past, result)
        if reading:
            print_text(f"Reader: {reading['summary']}")
    if result.interrupted:
        raise click.Abort


def _read_past(memory: Holloway, past: PastSessions, count: int, *, yes: bool, as_json: bool) -> dict[str, Any]:
    """Have the reader read the newest past sessions, if the person agrees to the cost; return the result."""
    from holloway.service import session_reading  # loaded when the command runs

    plan = session_reading.plan_reading(memory, past.transcripts, count)
    if plan.reason:
        return {"read": 0, "stored": 0, "summary": plan.reason}
    cost = f"{format_count(len(plan.transcripts), 'session')}, about {plan.tokens:,} tokens of prompts"
    may_ask = not as_json and sys.stdin.isatty()
    if not yes and not (may_ask and click.confirm(f"Have the reader read {cost}?", default=False)):
        return {"read": 0, "stored": 0, "summary": f"not read: {cost}; --yes reads them"}
    result = session_reading.read_past(memory, plan)
    return {"read": result.read, "stored": result.stored, "summary": result.describe() or "nothing to read"}


def _print_plan(past: PastSessions, *, as_json: bool) -> None:
    rows = [
        {
            "session": session.session,
            "agent": session.agent,
            "started_at": _format_time(session.started_at),
            "bytes": session.size,
            "path": str(session.path),
        }
        for session in past.sessions
    ]
    if as_json:
        print_json({"sessions": rows, "known": past.known, "running": past.running})
        return
    size = sum(session.size for session in past.sessions) / 1024 / 1024
    print_text(f"{format_count(len(rows), 'session')} would be read ({size:,.1f} MB){_describe_skipped(past)}", "bold")
    for row in rows[:LISTED]:
        print_text(f"  {str(row['started_at'])[:16].replace('T', ' ')}  {row['agent']}  {row['session']}")
    if len(rows) > LISTED:
        print_text(f"  and {len(rows) - LISTED:,} more")


def print_learned(past: PastSessions, result: PastLessons) -> None:
    """Print the result of learning from past sessions."""
    if not past.sessions:
        reason = _describe_skipped(past) or ": no agent session of this project is on this machine"
        print_text(f"Nothing new to learn from{reason}.")
        return
    print_text(f"{format_count(result.read, 'session')} read{_describe_skipped(past)}", "bold green")
    if result.kept or result.held:
        waiting = f"{result.held} held until their work is committed or tested"
        print_text(
            f"  {format_count(len(result.kept))} stored, {result.to_review} of them waiting for review; {waiting}"
        )
    else:
        print_text("  no memory stored; `holloway explain SESSION --dropped` shows why")
    for failure in result.failed[:LISTED]:
        print_text(f"  could not learn from {failure}", "yellow")
    if result.interrupted:
        print_text("Interrupted: finished sessions are stored; `holloway learn` continues from there.", "yellow")
    if result.kept:
        print_text("Next: review what was learned with `holloway review`.")


def _describe_skipped(past: PastSessions) -> str:
    """Return the counts of skipped sessions, as a suffix for a line."""
    parts = [f"{past.known:,} already read"] if past.known else []
    parts += [f"{past.running:,} still running"] if past.running else []
    return f"; {', '.join(parts)}" if parts else ""


def _result_fields(past: PastSessions, result: PastLessons) -> dict[str, Any]:
    return {
        "read": result.read,
        "known": past.known,
        "running": past.running,
        "failed": result.failed,
        "kept": sorted(result.kept),
        "to_review": result.to_review,
        "held": result.held,
        "interrupted": result.interrupted,
    }


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
