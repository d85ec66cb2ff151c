"""A store: one folder with its database, which is opened, migrated, backed up and restored."""

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
        """Run the pending migrations; a file that already holds data is backed up first."""
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
        """Close the database."""
        self.database.close()

    def note(self, key: str, value: str) -> None:
        """Store a value under a key, where hooks can read it without parsing settings."""
        if self.database.value("SELECT value FROM meta WHERE key = ?", (key,)) != value:
            with self.database.write():
                self.database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str:
        """Return the value of a key; empty if it was never stored."""
        return self.database.value("SELECT value FROM meta WHERE key = ?", (key,)) or ""

    def backup(self) -> Path:
        """Back up the database now; only the newest backups are retained."""
        target = self.project.backups / f"memory-{stamp(self.clock.now()).replace(':', '').replace('.', '')}.db"
        self.database.backup(target)
        roll(self.project.backups)
        return target

    def backup_if_due(self) -> Path | None:
        """Back up the database if the newest backup is a day old; return the new backup, or None."""
        newest = next(iter(rolling(self.project.backups)), None)
        oldest_allowed = self.clock.now() - timedelta(hours=BACKUP_EVERY_HOURS)
        if newest is not None and newest.stat().st_mtime > oldest_allowed.timestamp():
            return None
        return self.backup()

    def vacuum_if_due(self) -> bool:
        """Return free pages to the disk if they exceed the limit; return whether it was done."""
        free_bytes = self.database.value("PRAGMA freelist_count") * self.database.value("PRAGMA page_size")
        if free_bytes < VACUUM_ABOVE_WASTE_BYTES:
            return False
        self.database.run("VACUUM")
        return True


def refuse_emptied(project: Project) -> None:
    """Raise DatabaseDamaged if the database is missing or empty although backups exist.

    A new project has no backups: an empty file next to them is a loss, and must not be taken for a new store.
    """
    if rolling(project.backups):
        raise damage(project.database, "it is empty, although it has backups")


def restore(project: Project, wanted: str, clock: Clock | None = None) -> tuple[Path, Path | None]:
    """Replace the database with a backup; the replaced state is saved next to the backups.

    Returns the backup that was used and the path of the replaced state. Raises HollowayError if the backup is damaged.
    """
    source = backup_named(project, wanted)
    if not is_sound(source):
        raise HollowayError(f"The backup {source} is damaged; nothing was changed.", "Choose an older one.")
    timestamp = stamp((clock or SystemClock()).now()).replace(":", "").replace(".", "")
    replaced_path = project.backups / f"replaced-{timestamp}.db"
    if not project.database.is_file():
        had_database = project.database.exists()
        _put_in_place(project, source, replaced_path)
        vectors.purge(project.folder)
        return source, replaced_path if had_database else None
    database = Database(project.database)
    try:
        if database.value("PRAGMA quick_check(1)") != "ok":
            raise Damaged(f"{project.database} is damaged.")
        database.backup(replaced_path)
        database.replace_with(source)
    except Damaged:
        database.close()
        _put_in_place(project, source, replaced_path)
    finally:
        database.close()
    vectors.purge(project.folder)
    return source, replaced_path


def _put_in_place(project: Project, source: Path, kept: Path) -> None:
    """Replace files that SQLite cannot read any more. The copy is complete before anything is moved.

    A log that stayed behind would be replayed into the copy, so logs are moved before the file they belong to.
    """
    prepared_copy = project.database.with_name("memory.db.restoring")
    with translated(project.database):
        try:
            copy_file(source, prepared_copy)
            for suffix in ("-wal", "-shm", ""):
                current_file = project.database.with_name(project.database.name + suffix)
                if current_file.exists():
                    current_file.replace(kept.with_name(kept.name + suffix))
            prepared_copy.replace(project.database)
        finally:
            prepared_copy.unlink(missing_ok=True)


def backup_named(project: Project, wanted: str) -> Path:
    """Return the backup of that name, or for `latest` the newest sound one; raises an error if it is missing."""
    copies = [*rolling(project.backups), *replaced(project.backups)]
    if not copies:
        raise HollowayError(f"There is no backup of {project.name} yet.", f"They would be in {project.backups}.")
    if wanted == "latest":
        return next((copy for copy in rolling(project.backups) if is_sound(copy)), copies[0])
    for copy in copies:
        if wanted in (copy.name, copy.stem, str(copy)):
            return copy
    names = ", ".join(copy.name for copy in copies)
    raise InvalidInput(f"There is no backup {wanted!r}.", f"Existing backups: {names}.")
