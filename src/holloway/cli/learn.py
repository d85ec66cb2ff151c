"""Learning from the sessions that agents have left on this machine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import emit, json_option, maintained, many, opened, project_option, say

if TYPE_CHECKING:
    from holloway.service.past_sessions import PastLessons, PastSessions

LISTED = 10


class _Day(click.DateTime):
    """A day; what is none is answered with one, not with the signs that a program reads it by."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a day such as 2026-01-31.", param, ctx)


@click.command("learn")
@click.option(
    "--since", type=_Day(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Only sessions begun on this day or later."
)
@click.option("--agent", type=click.Choice(["claude-code", "codex"]), help="Only sessions of this agent.")
@click.option("--dry-run", is_flag=True, help="Only say which sessions would be read.")
@json_option
@project_option
def learn_command(since: datetime | None, agent: str | None, dry_run: bool, as_json: bool, project: str) -> None:
    """Learn from the agent sessions that are already on this disk, in any worktree of this project.

    Each session is read once; run it again whenever you like. Ctrl-C keeps what was done. Nothing leaves this machine,
    unless you configured a language model (llm.provider).

    \b
    Examples:
      holloway learn --dry-run
      holloway learn --since 2026-01-01 --agent claude-code
    """
    from holloway.cli.progress import progress_bar  # loaded when the command runs
    from holloway.service import past_sessions

    with opened(project, create=not dry_run) as memory:
        found = past_sessions.find(memory, since=since.timestamp() if since else 0.0, agent=agent or "")
        if dry_run:
            _planned(found, as_json=as_json)
            return
        done = past_sessions.PastLessons()
        if found.sessions:
            with progress_bar(hidden=as_json) as tell:
                memory.map.update(workers=0, progress=tell)
                done = past_sessions.learn(memory, found, tell)
            maintained(memory)
    if as_json:
        emit(_fields(found, done))
    else:
        told(found, done)
    if done.interrupted:
        raise click.Abort


def _planned(found: PastSessions, *, as_json: bool) -> None:
    rows = [
        {
            "session": each.session,
            "agent": each.agent,
            "started_at": _day(each.started_at),
            "bytes": each.size,
            "path": str(each.path),
        }
        for each in found.sessions
    ]
    if as_json:
        emit({"sessions": rows, "known": found.known, "running": found.running})
        return
    size = sum(each.size for each in found.sessions) / 1024 / 1024
    say(f"{many(len(rows), 'session')} would be read ({size:,.1f} MB){_rest(found)}", "bold")
    for row in rows[:LISTED]:
        say(f"  {str(row['started_at'])[:16].replace('T', ' ')}  {row['agent']}  {row['session']}")
    if len(rows) > LISTED:
        say(f"  and {len(rows) - LISTED:,} more")


def told(found: PastSessions, done: PastLessons) -> None:
    """What came of it, for people."""
    if not found.sessions:
        say(f"Nothing new to learn from{_rest(found) or ': no agent has left a session of this project here'}.")
        return
    say(f"{many(done.read, 'session')} read{_rest(found)}", "bold green")
    if done.kept or done.held:
        waiting = f"{done.held} held until their work is committed or tested"
        say(f"  {many(len(done.kept))} kept, {done.to_review} of them waiting for review; {waiting}")
    else:
        say("  nothing to keep; `holloway explain SESSION --dropped` tells why")
    for line in done.failed[:LISTED]:
        say(f"  could not learn from {line}", "yellow")
    if done.interrupted:
        say("Interrupted: what was done is kept, `holloway learn` goes on from there.", "yellow")
    if done.kept:
        say("What next: `holloway review` goes through what was learned.")


def _rest(found: PastSessions) -> str:
    """The sessions that were passed over."""
    parts = [f"{found.known:,} known already"] if found.known else []
    parts += [f"{found.running:,} still going on"] if found.running else []
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
