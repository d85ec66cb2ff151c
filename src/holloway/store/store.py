"""A store: one folder with its database, opened, migrated and backed up."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import BACKUP_EVERY_HOURS, VACUUM_ABOVE_WASTE_BYTES
from holloway.domain.ports import RandomIds, SystemClock, stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.store import migrations, vectors
from holloway.store.database import (
    BUSY_TIMEOUT_MS,
    Damaged,
    Database,
    copy_file,
    damage,
    is_sound,
    replaced,
    roll,
    rolling,
    translated,
)
from holloway.store.memories import Memories

if TYPE_CHECKING:
    from holloway.domain.ports import Clock, Ids
    from holloway.store.project import Project


class Store:
    """The memory of one project, or of the user."""

    def __init__(
        self,
        project: Project,
        *,
        synchronous: str = "normal",
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        clock: Clock | None = None,
        ids: Ids | None = None,
    ) -> None:
        self.project = project
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self.database = Database(project.database, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)
        self.memories = Memories(self.database, self.clock, self.ids)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        """Bring the schema up to date; a file that already holds something is copied first."""
        if not self.project.database.exists() or self.project.database.stat().st_size == 0:
            refuse_emptied(self.project)
        if not migrations.pending(self.database):
            return
        if migrations.applied(self.database):
            self.backup()
        else:
            refuse_emptied(self.project)
        migrations.migrate(self.database, self.clock, self.ids)

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def note(self, key: str, value: str) -> None:
        """Leave a value where hooks can read it without a parser."""
        if self.database.value("SELECT value FROM meta WHERE key = ?", (key,)) != value:
            with self.database.write():
                self.database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str:
        """A value that was left so; empty where there is none."""
        return self.database.value("SELECT value FROM meta WHERE key = ?", (key,)) or ""

    def backup(self) -> Path:
        """Copy the database now; the newest three copies are kept."""
        target = self.project.backups / f"memory-{stamp(self.clock.now()).replace(':', '').replace('.', '')}.db"
        self.database.backup(target)
        roll(self.project.backups)
        return target

    def backup_if_due(self) -> Path | None:
        """Copy the database if the newest copy is a day old."""
        newest = next(iter(rolling(self.project.backups)), None)
        oldest_allowed = self.clock.now() - timedelta(hours=BACKUP_EVERY_HOURS)
        if newest is not None and newest.stat().st_mtime > oldest_allowed.timestamp():
            return None
        return self.backup()

    def vacuum_if_due(self) -> bool:
        """Give free pages back to the disk once they are many."""
        free = self.database.value("PRAGMA freelist_count") * self.database.value("PRAGMA page_size")
        if free < VACUUM_ABOVE_WASTE_BYTES:
            return False
        self.database.run("VACUUM")
        return True


def refuse_emptied(project: Project) -> None:
    """A new project has no copies. A missing or empty file beside them is a loss, and must not become the truth."""
    if rolling(project.backups):
        raise damage(project.database, "nothing is in it, although there are copies of it")


def restore(project: Project, wanted: str, clock: Clock | None = None) -> tuple[Path, Path | None]:
    """Put a backup in the database's place; what stood there is kept beside the backups.

    Returns the backup that was used and where the replaced state now lies.
    """
    source = backup_named(project, wanted)
    if not is_sound(source):
        raise HollowayError(f"The backup {source} is damaged; nothing was changed.", "Choose an older one.")
    moment = stamp((clock or SystemClock()).now()).replace(":", "").replace(".", "")
    kept = project.backups / f"replaced-{moment}.db"
    if not project.database.is_file():
        was_there = project.database.exists()
        _put_in_place(project, source, kept)
        vectors.purge(project.folder)
        return source, kept if was_there else None
    database = Database(project.database)
    try:
        if database.value("PRAGMA quick_check(1)") != "ok":
            raise Damaged(f"{project.database} is damaged.")
        database.backup(kept)
        database.replace_with(source)
    except Damaged:
        database.close()
        _put_in_place(project, source, kept)
    finally:
        database.close()
    vectors.purge(project.folder)
    return source, kept


def _put_in_place(project: Project, source: Path, kept: Path) -> None:
    """Replace files that SQLite cannot read any more. The copy is complete before anything is moved.

    A log that stayed behind would be played into the copy, so logs go before the file that they belong to.
    """
    ready = project.database.with_name("memory.db.restoring")
    with translated(project.database):
        try:
            copy_file(source, ready)
            for suffix in ("-wal", "-shm", ""):
                present = project.database.with_name(project.database.name + suffix)
                if present.exists():
                    present.replace(kept.with_name(kept.name + suffix))
            ready.replace(project.database)
        finally:
            ready.unlink(missing_ok=True)


def backup_named(project: Project, wanted: str) -> Path:
    """The backup of that name, or for `latest` the newest that is sound; one that is not there is an error."""
    copies = [*rolling(project.backups), *replaced(project.backups)]
    if not copies:
        raise HollowayError(f"There is no backup of {project.name} yet.", f"They would be in {project.backups}.")
    if wanted == "latest":
        return next((copy for copy in rolling(project.backups) if is_sound(copy)), copies[0])
    for copy in copies:
        if wanted in (copy.name, copy.stem, str(copy)):
            return copy
    names = ", ".join(copy.name for copy in copies)
    raise InvalidInput(f"There is no backup {wanted!r}.", f"There are: {names}.")
