"""The learn command: learn from past agent sessions (transcripts) on this machine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import (
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    run_maintenance,
)

if TYPE_CHECKING:
    from holloway.service.past_sessions import PastLessons, PastSessions

LISTED = 10


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
    type=click.Choice(["claude-code", "codex", "copilot", "opencode"]),
    help="Only sessions of this agent.",
)
@click.option("--dry-run", is_flag=True, help="List the sessions that would be read.")
@json_option
@project_option
def learn_command(since: datetime | None, agent: str | None, dry_run: bool, as_json: bool, project: str) -> None:
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
    if as_json:
        print_json(_result_fields(past, result))
    else:
        print_learned(past, result)
    if result.interrupted:
        raise click.Abort


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
