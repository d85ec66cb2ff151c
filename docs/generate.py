"""Write the generated parts of the project anew: `make docs`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from holloway.store import migrations
from holloway.store.database import Database
from holloway.testing import CountedIds, FakeClock
from tests.store.test_migrations import SCHEMA, schema_of


def write_schema() -> None:
    """`schema.sql`, from the migrations."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "memory.db")
        migrations.migrate(database, FakeClock(), CountedIds())
        SCHEMA.write_text(schema_of(database), "utf-8")
        database.close()


if __name__ == "__main__":
    write_schema()
