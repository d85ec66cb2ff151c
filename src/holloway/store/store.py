"""A store: one folder with its database; opens it, makes its backups, also before a migration, and restores them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import BACKUP_EVERY_HOURS, VACUUM_ABOVE_WASTE_BYTES
from holloway.domain.ports import RandomIds, SystemClock, format_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.store import migrations, vectors
from holloway.store.database import (
    BUSY_TIMEOUT_MS,
    Database,
    DatabaseDamaged,
    build_damage_error,
    copy_file,
    is_sound,
    list_replaced_databases,
    list_rolling_backups,
    prune_backups,
    translate_errors,
)
from holloway.store.memories import Memories

if TYPE_CHECKING:
    from holloway.domain.ports import Clock, Ids
    from holloway.store.project import Project


def read_meta(database: Database, key: str) -> str:
    """Return the value that a store has under a key; empty if it was never stored."""
    return database.fetch_value("SELECT value FROM meta WHERE key = ?", (key,)) or ""


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
        self.database = Database(project.database_path, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)
        self.memories = Memories(self.database, self.clock, self.ids)
        try:
            self._prepare_schema()
        except BaseException:
            self.close()
            raise

    def _prepare_schema(self) -> None:
        """Run the pending migrations; a file that already holds data is backed up first."""
        if not self.project.database_path.exists() or self.project.database_path.stat().st_size == 0:
            refuse_emptied_database(self.project)
        if not migrations.list_pending(self.database):
            return
        if migrations.list_applied(self.database):
            self.create_backup()
        else:
            refuse_emptied_database(self.project)
        migrations.migrate_database(self.database, self.clock, self.ids)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def set_meta(self, key: str, value: str) -> None:
        """Store a value under a key, where hooks can read it without parsing settings."""
        if self.database.fetch_value("SELECT value FROM meta WHERE key = ?", (key,)) != value:
            with self.database.write_transaction():
                self.database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def get_meta(self, key: str) -> str:
        """Return the value of a key; empty if it was never stored."""
        return read_meta(self.database, key)

    def create_backup(self) -> Path:
        """Back up the database now; only the newest backups are retained."""
        target = (
            self.project.backups_folder
            / f"memory-{format_stamp(self.clock.now()).replace(':', '').replace('.', '')}.db"
        )
        self.database.backup_to(target)
        prune_backups(self.project.backups_folder)
        return target

    def backup_if_due(self) -> Path | None:
        """Back up the database if the newest backup is a day old; return the new backup, or None."""
        newest = next(iter(list_rolling_backups(self.project.backups_folder)), None)
        oldest_allowed = self.clock.now() - timedelta(hours=BACKUP_EVERY_HOURS)
        if newest is not None and newest.stat().st_mtime > oldest_allowed.timestamp():
            return None
        return self.create_backup()

    def vacuum_if_due(self) -> bool:
        """Return free pages to the disk if they exceed the limit; return whether it was done."""
        free_bytes = self.database.fetch_value("PRAGMA freelist_count") * self.database.fetch_value("PRAGMA page_size")
        if free_bytes < VACUUM_ABOVE_WASTE_BYTES:
            return False
        self.database.execute("VACUUM")
        return True


def refuse_emptied_database(project: Project) -> None:
    """Raise DatabaseDamaged if the database is missing or empty although backups exist.

    A new project has no backups: an empty file next to them is a loss, and must not be taken for a new store.
    """
    if list_rolling_backups(project.backups_folder):
        raise build_damage_error(project.database_path, "it is empty, although it has backups")


def restore_backup_file(project: Project, backup_name: str, clock: Clock | None = None) -> tuple[Path, Path | None]:
    """Replace the database with a backup; the replaced state is saved next to the backups.

    Returns the backup that was used and the path of the replaced state. Raises HollowayError if the backup is damaged.
    """
    source = find_backup_file(project, backup_name)
    if not is_sound(source):
        raise HollowayError(f"The backup {source} is damaged; nothing was changed.", "Choose an older one.")
    timestamp = format_stamp((clock or SystemClock()).now()).replace(":", "").replace(".", "")
    replaced_path = project.backups_folder / f"replaced-{timestamp}.db"
    if not project.database_path.is_file():
        had_database = project.database_path.exists()
        _put_in_place(project, source, replaced_path)
        vectors.purge_caches(project.folder)
        return source, replaced_path if had_database else None
    database = Database(project.database_path)
    try:
        if database.fetch_value("PRAGMA quick_check(1)") != "ok":
            raise DatabaseDamaged(f"{project.database_path} is damaged.")
        database.backup_to(replaced_path)
        database.replace_with(source)
    except DatabaseDamaged:
        database.close()
        _put_in_place(project, source, replaced_path)
    finally:
        database.close()
    vectors.purge_caches(project.folder)
    return source, replaced_path


def _put_in_place(project: Project, source: Path, replaced_path: Path) -> None:
    """Replace files that SQLite cannot read any more. The copy is complete before anything is moved.

    A log that stayed behind would be replayed into the copy, so logs are moved before the file they belong to.
    """
    prepared_copy = project.database_path.with_name("memory.db.restoring")
    with translate_errors(project.database_path):
        try:
            copy_file(source, prepared_copy)
            for suffix in ("-wal", "-shm", ""):
                current_file = project.database_path.with_name(project.database_path.name + suffix)
                if current_file.exists():
                    current_file.replace(replaced_path.with_name(replaced_path.name + suffix))
            prepared_copy.replace(project.database_path)
        finally:
            prepared_copy.unlink(missing_ok=True)


def find_backup_file(project: Project, backup_name: str) -> Path:
    """Return the backup of that name, or for `latest` the newest sound one; raises an error if it is missing."""
    copies = [*list_rolling_backups(project.backups_folder), *list_replaced_databases(project.backups_folder)]
    if not copies:
        raise HollowayError(f"There is no backup of {project.name} yet.", f"They would be in {project.backups_folder}.")
    if backup_name == "latest":
        return next((copy for copy in list_rolling_backups(project.backups_folder) if is_sound(copy)), copies[0])
    for copy in copies:
        if backup_name in (copy.name, copy.stem, str(copy)):
            return copy
    names = ", ".join(copy.name for copy in copies)
    raise InvalidInput(f"There is no backup {backup_name!r}.", f"Existing backups: {names}.")
