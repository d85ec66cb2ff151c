"""Text search finds the piece that says it and the file that is about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from holloway.codemap import search
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import update_index

Mapped = Callable[[dict[str, str]], MapDatabase]


@pytest.fixture
def mapped(tmp_path: Path) -> Mapped:
    def make(files: dict[str, str]) -> MapDatabase:
        for name, text in files.items():
            path = tmp_path / "project" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        database = open_map(tmp_path / "map.db")
        update_index(database, tmp_path / "project", workers=1)
        return database

    return make


def function(name: str, body: str) -> str:
    return f"def {name}():\n    return '{body}'\n\n\n"


FILES = {
    "close.py": function("refresh_token", "the token is refreshed when it expires") + function("other", "nothing"),
    "about.py": "".join(function(f"step_{n}", "tokens") + function(f"more_{n}", "expiry refresh") for n in range(8)),
    "elsewhere.py": function("draw", "a line from here to there"),
}


def test_a_piece_has_the_words_close_together(mapped: Mapped) -> None:
    database = mapped(FILES)
    found = search.search_chunks(database, search.select_terms(database, {"token": 1, "refreshed": 1, "expires": 1}))
    assert (found[0].path, found[0].name) == ("close.py", "refresh_token")
    assert "elsewhere.py" not in {piece.path for piece in found}


def test_a_whole_file_is_about_words_that_no_piece_of_it_has_together(mapped: Mapped) -> None:
    database = mapped(FILES)
    best = search.search_files(database, search.select_terms(database, {"tokens": 1, "expiry": 1}))
    assert [whole.path for whole in best] == ["about.py", "close.py"]
    assert best[0].words == ["expiry", "tokens"]


def test_forms_of_a_word_count_as_one(mapped: Mapped) -> None:
    database = mapped(FILES)
    terms = search.select_terms(database, {"refresh": 2, "refreshed": 1, "refreshing": 1})
    assert [(term.word, term.weight) for term in terms] == [("refresh", 2.0)]


def test_words_that_nobody_or_most_pieces_have_are_left_out(mapped: Mapped) -> None:
    database = mapped({f"common_{n}.py": function(f"do_{n}", "words" + " rare" * (n == 7)) for n in range(60)})
    assert [term.word for term in search.select_terms(database, {"common": 5, "rare": 1, "absent": 9})] == ["rare"]


def test_a_word_that_the_project_is_about_is_looked_for(mapped: Mapped) -> None:
    said = {n: "template" if n % 3 == 0 else f"nothing{n}" for n in range(90)}
    database = mapped({f"part_{n}.py": function(f"do_{n}", body) for n, body in said.items()})
    assert [term.word for term in search.select_terms(database, {"template": 1})] == ["template"]


def test_what_is_repeated_counts_more_but_not_in_proportion(mapped: Mapped) -> None:
    database = mapped({"a.py": function("a", "apples"), "b.py": function("b", "pears")})
    assert {t.word: t.weight for t in search.select_terms(database, {"apples": 9, "pears": 1})} == {
        "apples": 3,
        "pears": 1,
    }


def test_the_cost_of_a_search_is_bounded_and_its_best_word_stays(
    mapped: Mapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = mapped({f"part_{n}.py": function(f"do_{n}", f"often seen{n % 4}") for n in range(12)})
    words = {"often": 1, "seen0": 1, "seen1": 1, "seen2": 1}
    assert len(search.select_terms(database, words)) == 4
    monkeypatch.setattr(search, "CHUNKS_RANKED_MAX", 7)
    assert [term.word for term in search.select_terms(database, words)] == ["seen0", "seen1"]
    monkeypatch.setattr(search, "CHUNKS_RANKED_MAX", 1)
    assert [term.word for term in search.select_terms(database, words)] == ["seen0"]


@pytest.mark.parametrize(
    "word", ['"', "NEAR(", "a AND b", "head:", "*", "\x00", "ﬀ", "日本語", "e\u0301", "x" * 10_000]
)
def test_a_word_is_data_whatever_it_holds(mapped: Mapped, word: str) -> None:
    database = mapped(FILES)
    terms = search.select_terms(database, {word: 1, "token": 1})
    assert "close.py" in {piece.path for piece in search.search_chunks(database, terms)}
    assert "close.py" in {whole.path for whole in search.search_files(database, terms)}


def test_nothing_asked_or_nothing_there_finds_nothing(mapped: Mapped) -> None:
    empty = mapped({})
    assert search.select_terms(empty, {"token": 1}) == []
    assert search.search_chunks(empty, []) == []
    assert search.search_files(empty, []) == []


def test_files_that_have_several_words_of_a_task_are_found_by_the_file_of_the_map_alone(
    mapped: Mapped, tmp_path: Path
) -> None:
    files = {"auth/tokens.py": "def refresh(token):\n    return token\n", "web/page.py": "def page():\n    return 1\n"}
    mapped(files).close()
    place = str(tmp_path / "map.db")
    (best,) = search.find_matching_files(place, "the token is not refreshed, refresh it", 5)
    assert best.path == "auth/tokens.py"
    assert len(best.words) >= search.TASK_WORDS_SHARED_MIN
    assert search.find_matching_files(place, "zebra quagga", 5) == []
    assert search.find_matching_files(place + ".gone", "the token is not refreshed", 5) == []


def test_the_score_of_a_file_is_that_of_bm25(mapped: Mapped) -> None:
    database = mapped({"a.py": function("pay", "zebra"), "b.py": function("go", "plain") * 2})
    (term,) = search.select_terms(database, {"zebra": 2})
    (match,) = search.search_files(database, [term])
    lines = dict(tuple(row) for row in database.fetch_rows("SELECT path, lines FROM files"))
    (count,) = (row[0] for row in database.fetch_rows("SELECT COUNT(*) FROM chunk_mentions WHERE term = 'zebra'"))
    relative_length = lines["a.py"] / (sum(lines.values()) / 2)
    rarity = term.weight * math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    length = search.SATURATION * (1 - search.LENGTH_SHARE + search.LENGTH_SHARE * relative_length)
    assert match.path == "a.py"
    assert match.score == pytest.approx(rarity * count * (search.SATURATION + 1) / (count + length))
