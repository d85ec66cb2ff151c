"""The learn command: learn from past agent sessions (transcripts) on this machine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import emit, json_option, maintained, many, opened, project_option, say

if TYPE_CHECKING:
    from holloway.service.past_sessions import PastLessons, PastSessions

LISTED = 10


class _Day(click.DateTime):
    """Date option whose error message shows an example date instead of format codes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a date like 2026-01-31.", param, ctx)


@click.command("learn")
@click.option(
    "--since", type=_Day(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Only sessions started on this day or later."
)
@click.option("--agent", type=click.Choice(["claude-code", "codex"]), help="Only sessions of this agent.")
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
    from holloway.cli.progress import ProgressBar  # loaded when the command runs
    from holloway.service import past_sessions

    with opened(project, create=not dry_run) as memory:
        past = past_sessions.find(memory, since=since.timestamp() if since else 0.0, agent=agent or "")
        if dry_run:
            _planned(past, as_json=as_json)
            return
        result = past_sessions.PastLessons()
        if past.sessions:
            with ProgressBar(hidden=as_json) as tell:
                memory.map.update(workers=0, progress=tell)
                result = past_sessions.learn(memory, past, tell)
            maintained(memory)
    if as_json:
        emit(_fields(past, result))
    else:
        told(past, result)
    if result.interrupted:
        raise click.Abort


def _planned(found: PastSessions, *, as_json: bool) -> None:
    rows = [
        {
            "session": session.session,
            "agent": session.agent,
            "started_at": _day(session.started_at),
            "bytes": session.size,
            "path": str(session.path),
        }
        for session in found.sessions
    ]
    if as_json:
        emit({"sessions": rows, "known": found.known, "running": found.running})
        return
    size = sum(session.size for session in found.sessions) / 1024 / 1024
    say(f"{many(len(rows), 'session')} would be read ({size:,.1f} MB){_rest(found)}", "bold")
    for row in rows[:LISTED]:
        say(f"  {str(row['started_at'])[:16].replace('T', ' ')}  {row['agent']}  {row['session']}")
    if len(rows) > LISTED:
        say(f"  and {len(rows) - LISTED:,} more")


def told(found: PastSessions, done: PastLessons) -> None:
    """Print the result of learning from past sessions."""
    if not found.sessions:
        say(f"Nothing new to learn from{_rest(found) or ': no agent session of this project is on this machine'}.")
        return
    say(f"{many(done.read, 'session')} read{_rest(found)}", "bold green")
    if done.kept or done.held:
        waiting = f"{done.held} held until their work is committed or tested"
        say(f"  {many(len(done.kept))} stored, {done.to_review} of them waiting for review; {waiting}")
    else:
        say("  no memory stored; `holloway explain SESSION --dropped` shows why")
    for failure in done.failed[:LISTED]:
        say(f"  could not learn from {failure}", "yellow")
    if done.interrupted:
        say("Interrupted: finished sessions are stored; `holloway learn` continues from there.", "yellow")
    if done.kept:
        say("Next: review what was learned with `holloway review`.")


def _rest(found: PastSessions) -> str:
    """Return the counts of skipped sessions, as a suffix for a line."""
    parts = [f"{found.known:,} already read"] if found.known else []
    parts += [f"{found.running:,} still running"] if found.running else []
    return f"; {', '.join(parts)}" if parts else ""


def _fields(found: PastSessions, done: PastLessons) -> dict[str, Any]:
    return {
        "read": done.read,
        "known": found.known,
        "running": found.running,
        "failed": done.failed,
        "kept": sorted(done.kept),
        "to_review": done.to_review,
        "held": done.held,
        "interrupted": done.interrupted,
    }


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
