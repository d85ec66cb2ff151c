"""Every benchmark is in the table, and one that lacks something says what and where to get it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import benchmarks
from benchmarks import catalogue, needs, sources
from benchmarks.__main__ import main, summary
from benchmarks.needs import Given

FOLDER = Path(benchmarks.__file__).parent


def test_every_benchmark_of_the_folder_is_in_the_table() -> None:
    modules = {path.stem for path in FOLDER.glob("b[0-9]_*.py")}
    assert modules <= set(catalogue.BY_NAME)


def test_what_is_missing_is_named_with_a_public_source(tmp_path: Path) -> None:
    said = "\n".join(catalogue.BY_NAME["b1_sessions"].missing(Given(data=tmp_path)))
    assert "https://github.com/entireio/cli" in said
    assert f"git clone https://github.com/entireio/cli {'DIR'}/cli" in said


def test_a_folder_of_clones_means_the_same_repository_to_every_benchmark() -> None:
    said = "\n".join(missing for one in catalogue.ALL for missing in one.missing(Given()))
    asked = set(re.findall(r"git clone (\S+) DIR/(\S+)", said))
    folders = [folder for _, folder in asked]
    assert "cli" in folders
    assert len(folders) == len(set(folders))


def test_what_is_there_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "cli").mkdir()
    (tmp_path / "sessions_entireio_cli_dev.jsonl.gz").touch()
    assert catalogue.BY_NAME["b1_sessions"].missing(Given(data=tmp_path, repos=tmp_path)) == []


def test_a_quick_run_of_the_coding_memories_takes_the_clone_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "django").mkdir()
    (tmp_path / "locomo_dev.json").touch()
    coding = catalogue.BY_NAME["b4_coding"]
    assert coding.missing(Given(data=tmp_path, repos=tmp_path, quick=True)) == []
    assert coding.missing(Given(data=tmp_path, repos=tmp_path)) != []


def test_the_map_is_measured_in_part_without_clones_and_says_where_they_are(tmp_path: Path) -> None:
    mapped = catalogue.BY_NAME["b7_map"]
    assert mapped.missing(Given()) == []
    (said,) = mapped.left_out(Given())
    assert "git clone https://github.com/django/django DIR/django" in said
    for name in ("flask", "django"):
        (tmp_path / name).mkdir()
    assert mapped.left_out(Given(repos=tmp_path)) == []


def test_an_index_that_is_not_in_its_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "snippets").mkdir()
    said = "\n".join(catalogue.BY_NAME["b6_graph"].missing(Given(graphs=tmp_path, pycg=tmp_path)))
    assert str(tmp_path / "flask.scip") in said
    assert "scip-python index" in said


def test_a_run_ends_with_what_each_benchmark_took_and_what_was_skipped_or_failed() -> None:
    assert summary({"b7_store": 40.4, "b7_hooks": 19.6}, ["b6_graph"], ["b3_issues"]) == [
        "  b7_store                40 s",
        "  b7_hooks                20 s",
        "  in all                  60 s",
        "Skipped, for want of what is named above: b6_graph.",
        "Failed, as told above; what was measured before stands: b3_issues.",
    ]


def test_a_benchmark_that_fails_does_not_keep_the_others_from_being_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(given: Given) -> dict[str, object]:
        raise OSError("the clone is broken")

    nothing: dict[str, list[object]] = {"targets": [], "tables": []}
    both = (catalogue.Benchmark("first", broken, 1), catalogue.Benchmark("second", lambda given: {**nothing}, 1))
    monkeypatch.setattr(catalogue, "ALL", both)
    monkeypatch.setattr("sys.argv", ["benchmarks", "--quick"])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    assert stopped.value.code == 1
    assert "the clone is broken" in said.err
    assert "second took 0 s." in said.out
    assert said.out.endswith("Failed, as told above; what was measured before stands: first.\n")


def test_every_file_of_the_data_folder_has_a_source_on_the_page() -> None:
    page = sources.section()
    assert all(name in page for name in needs.FILES)
    assert all(one.command in page for one in catalogue.ALL)


def test_a_benchmark_that_cannot_run_is_skipped_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks", "--quick", "--only", "b6_graph"])
    main()
    said = capsys.readouterr().out
    assert said.startswith("b6_graph is skipped. It needs\n")
    assert "git clone https://github.com/vitsalis/PyCG" in said
    assert "The page is" not in said
