"""Vectors of files: which text stands for a file, and when a cached vector is used."""

from pathlib import Path

import pytest

from holloway.codemap import file_vectors
from holloway.codemap.database import MapDatabase
from holloway.codemap.file_vectors import CACHE_WAIT_MS, NAMES_CHARS, OPENING_CHARS
from holloway.codemap.index import update_index
from tests.codemap.resolve.drawn import mapped

PROJECT = {
    "shop/mail.py": '"""Sends receipts."""\n\n\ndef deliver():\n    pass\n\n\nclass Letter:\n    pass\n',
    "shop/empty.py": "",
    "long.py": f"{'word ' * 500}\n",
}


@pytest.fixture
def database(tmp_path: Path) -> MapDatabase:
    return mapped(tmp_path, PROJECT)


def test_a_file_is_described_by_its_path_its_opening_and_its_names(database: MapDatabase) -> None:
    described = file_vectors.describe_files(database, list(PROJECT), "model")
    assert described["shop/mail.py"].text == "shop/mail.py: sends receipts deliver, Letter"
    assert set(described) == {"shop/mail.py", "long.py"}
    assert len(described["long.py"].text) <= len("long.py: ") + OPENING_CHARS + NAMES_CHARS


def test_a_vector_holds_for_one_text_and_one_model(database: MapDatabase, tmp_path: Path) -> None:
    (text,) = file_vectors.describe_files(database, ["shop/mail.py"], "model").values()
    file_vectors.save_vectors(database, [(text, b"vector")])
    assert file_vectors.load_vectors(database, [text]) == {text.file: b"vector"}
    (other,) = file_vectors.describe_files(database, ["shop/mail.py"], "another model").values()
    assert file_vectors.load_vectors(database, [other]) == {}
    Path(tmp_path, "project/shop/mail.py").write_text('"""Prints receipts."""\n\n\ndef deliver():\n    pass\n')
    update_index(database, tmp_path / "project", workers=1)
    (changed,) = file_vectors.describe_files(database, ["shop/mail.py"], "model").values()
    assert changed.file == text.file
    assert file_vectors.load_vectors(database, [changed]) == {}


def test_the_vector_of_a_deleted_file_is_deleted(database: MapDatabase, tmp_path: Path) -> None:
    described = file_vectors.describe_files(database, list(PROJECT), "model")
    file_vectors.save_vectors(database, [(text, b"vector") for text in described.values()])
    Path(tmp_path, "project/long.py").unlink()
    update_index(database, tmp_path / "project", workers=1)
    rows = database.fetch_rows("SELECT file FROM file_vectors")
    assert [row[0] for row in rows] == [described["shop/mail.py"].file]


def test_a_map_that_another_process_writes_is_not_waited_for(database: MapDatabase) -> None:
    (text,) = file_vectors.describe_files(database, ["shop/mail.py"], "model").values()
    writer = MapDatabase(database.file)
    try:
        with writer.write_transaction():
            file_vectors.save_vectors(database, [(text, b"vector")])
    finally:
        writer.close()
    assert CACHE_WAIT_MS < 1000
    assert file_vectors.load_vectors(database, [text]) == {}
    file_vectors.save_vectors(database, [(text, b"vector")])
    assert file_vectors.load_vectors(database, [text]) == {text.file: b"vector"}
