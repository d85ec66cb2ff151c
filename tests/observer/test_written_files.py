"""The files that a session wrote, with the source of their text, and the files that a command writes."""

from __future__ import annotations

import pytest

from holloway.observer import written_files
from holloway.observer.written_files import (
    WrittenFiles,
    copies_from_elsewhere,
    extracts_archive,
    list_extracted_files,
    list_written_paths,
    names_files,
    resolve_path,
    resolve_paths,
    split_copied_paths,
)
from holloway.text.commands import parse_command


def test_a_file_that_was_not_written_has_no_source() -> None:
    files = WrittenFiles()
    files.record_edit("a.md", "")
    assert files.find_source("a.md") is None
    assert files.has_edits


def test_nothing_is_edited_at_first() -> None:
    assert not WrittenFiles().has_edits


def test_a_new_file_has_the_source_of_its_text() -> None:
    files = WrittenFiles()
    files.record_new_file("a.md", "mcp:wiki")
    files.record_new_file("b.md", "")
    assert (files.find_source("a.md"), files.find_source("b.md")) == ("mcp:wiki", "")
    assert files.has_edits


def test_only_a_whole_new_file_forgets_the_first_source() -> None:
    files = WrittenFiles()
    files.record_edit("a.md", "mcp:wiki")
    files.record_edit("a.md", "web:x")
    files.record_edit("a.md", "")
    assert files.find_source("a.md") == "mcp:wiki"
    files.record_new_file("a.md", "")
    assert files.find_source("a.md") == ""
    files.record_edit("a.md", "web:x")
    assert files.find_source("a.md") == "web:x"


def test_a_session_has_written_foreign_text_if_one_file_has_it() -> None:
    files = WrittenFiles()
    assert not files.has_foreign
    files.record_new_file("a.md", "")
    assert not files.has_foreign
    files.record_new_file("b.md", "web:x")
    assert files.has_foreign


def test_the_nearest_folder_decides() -> None:
    files = WrittenFiles()
    files.record_new_file("lib", "web:x")
    files.record_new_file("lib/own", "")
    assert files.find_source("lib/a.py") == "web:x"
    assert files.find_source("lib/own/deep/a.py") == ""
    assert files.find_source("library/a.py") is None
    assert files.find_source("src/lib") is None


def test_an_absolute_folder_covers_its_files() -> None:
    files = WrittenFiles()
    files.record_new_file("/tmp/try", "")
    assert files.find_source("/tmp/try/a/b.md") == ""
    assert files.find_source("/tmp/other") is None


@pytest.mark.parametrize("method", ["record_edit", "record_new_file"])
def test_a_bounded_number_of_files_is_recorded(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(written_files, "WRITTEN_FILES_MAX", 2)
    files = WrittenFiles()
    for path in ("a", "b", "c"):
        getattr(files, method)(path, "mcp:wiki")
    assert [files.find_source(path) for path in ("a", "b", "c")] == ["mcp:wiki", "mcp:wiki", None]


@pytest.mark.parametrize("word", ["a.py", "src/a.py", ".env.md", "src/", "*.md", "docs/*", "a-b.json"])
def test_files_and_patterns_are_recognised_by_their_form(word: str) -> None:
    assert names_files(word)


@pytest.mark.parametrize("word", ["src", "main", "release/v2", "a.toolongsuffix", "a b.c d", ""])
def test_folders_and_branches_are_not_files(word: str) -> None:
    assert not names_files(word)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat a.md", "a.md"),
        ("cd docs && cat a.md", "docs/a.md"),
        ("cd docs && cat /tmp/a.md", "/tmp/a.md"),
        ("cd docs && cat ~/a.md", "~/a.md"),
    ],
)
def test_a_path_is_relative_to_the_folder_of_its_step(command: str, path: str) -> None:
    step = parse_command(command)[0]
    assert list(resolve_paths(step)) == [path]
    assert resolve_path(step, step.paths[0]) == path


WRITES = {
    "echo x > a.md": ["a.md"],
    "cd docs && echo x >> a.md": ["docs/a.md"],
    "tee a.md b.md": ["a.md", "b.md"],
    "sed -i s/a/b/ a.md": ["a.md"],
    "cp a.md b.md c": ["c"],
    "mv a.md b.md": ["b.md"],
    "ln -s a.md b.md": ["b.md"],
    "mkdir -p /tmp/try docs": ["/tmp/try"],
    "mkdir -p /tmp/../srv/x /srv/../tmp/try": ["/tmp/try"],
    "cd docs && scp host:a.md b.md": ["docs/b.md"],
    "mkdir /private/tmp/try /var/folders/try /tmpfiles/try": ["/private/tmp/try", "/var/folders/try"],
    "curl -so a.md https://example.org/x": ["a.md", "x"],
    "curl -s -o a.md https://example.org/": ["a.md"],
    "curl --output a.md https://example.org/x": ["a.md", "x"],
    "cd docs && wget -O a.md https://example.org/x": ["docs/a.md", "docs/x"],
    "wget --output-document a.md https://example.org/x": ["a.md", "x"],
    "curl https://example.org/x -o": ["x"],
    "curl -sodocs/a.md https://example.org/x": ["docs/a.md", "x"],
    "curl --output=a.md https://example.org/x": ["a.md", "x"],
    "wget --output-document=a.md https://example.org/x": ["a.md", "x"],
    "wget -P docs https://example.org/x": ["x", "docs/x"],
    "wget --directory-prefix=docs https://example.org/x": ["x", "docs/x"],
    "curl --output-dir docs -o a.md https://example.org/x": ["a.md", "x", "docs/a.md", "docs/x"],
    "dd if=/tmp/a.md of=docs/b.md": ["docs/b.md"],
    "cd docs && gunzip -f a.md.gz": ["docs/a.md"],
    "tar -xf a.tar -C docs": ["docs"],
    "tar -xf a.tar --directory=docs": ["docs"],
    "cd lib && unzip a.zip -d docs": ["lib/docs"],
    "7z x a.7z -odocs": ["docs"],
    "unzip -o a.zip": [],
    "tar -xpf a.tar -C docs": ["docs"],
    "tar -cf a.tar -C docs .": [],
    "tar -xOf a.tar -C docs": [],
    "cp -t docs a.md b.md": ["docs"],
    "cp a.md b.md --target-directory=docs": ["docs"],
    "install -m 644 a.md b.md": ["b.md"],
    "git clone https://example.org/a/tool.git": ["tool"],
    "git clone https://example.org/a/tool/": ["tool"],
    "git clone https://example.org/a/tool got": ["got"],
    "git clone --depth 1 https://example.org/a/tool": ["tool"],
    "git clone https://example.org/a/tool --depth 1": ["1", "tool"],
    "git clone https://example.org/a/tool --depth 1 got": ["1", "got"],
    "cd lib && git clone https://example.org/a/tool": ["lib/tool"],
    "gh repo clone acme/tool": ["tool"],
    "gh repo clone acme/tool got": ["got"],
    "docker cp web:/a.md b.md": ["b.md"],
    "scp host:a.md b.md": ["b.md"],
    "aws s3 cp s3://x/a.md b.md": ["b.md"],
    "cat a.md": [],
    "pytest -q a.py": [],
    "zqx --output a.md": [],
    "aws s3 ls": [],
}


@pytest.mark.parametrize("command", WRITES)
def test_the_files_that_a_command_writes_are_listed(command: str) -> None:
    assert list_written_paths(parse_command(command)[0]) == WRITES[command]


@pytest.mark.parametrize(
    ("command", "is_copy"),
    [
        ("docker cp web:/a b", True),
        ("rsync -a host:a b", True),
        ("kubectl cp web:/a b", True),
        ("docker run web", False),
        ("scp", False),
        ("cp a b", False),
    ],
)
def test_copies_from_containers_and_machines_are_recognised(command: str, is_copy: bool) -> None:
    assert copies_from_elsewhere(parse_command(command)[0]) is is_copy


@pytest.mark.parametrize(
    ("command", "read", "written"),
    [
        ("cp a.md b.md c", ["a.md", "b.md"], ["c"]),
        ("cp -t docs a.md b.md", ["a.md", "b.md"], ["docs"]),
        ("cd lib && cp a.md b.md", ["lib/a.md"], ["lib/b.md"]),
        ("cd lib && cp -tdocs a.md", ["lib/a.md"], ["lib/docs"]),
        ("install -m 644 a.md b.md", ["a.md"], ["b.md"]),
        ("cp", [], []),
    ],
)
def test_a_copy_reads_all_files_but_the_target(command: str, read: list[str], written: list[str]) -> None:
    assert split_copied_paths(parse_command(command)[0]) == (read, written)


@pytest.mark.parametrize(
    "command",
    [
        *("tar xf a.tar", "tar -xzf a.tgz", "tar --extract -f a.tar", "tar -f a.tar -x", "tar -xpf a.tar"),
        *("bsdtar -xf a", "unzip a.zip", "unzip -o a.zip", "7z x a.7z", "7za e a.7z"),
    ],
)
def test_a_command_that_extracts_an_archive_is_recognised(command: str) -> None:
    assert extracts_archive(parse_command(command)[0])


@pytest.mark.parametrize(
    "command",
    [
        *("tar cf a.tar x", "tar -tf a.tar", "tar -cf a.tar --exclude x", "tar -xOf a.tar", "tar -x --to-stdout -f a"),
        *("unzip -p a.zip", "unzip -l a.zip", "unzip", "7z l x", "7z x -so a.7z", "zcat x", "cat x"),
    ],
)
def test_a_command_that_lists_packs_or_prints_an_archive_extracts_nothing(command: str) -> None:
    assert not extracts_archive(parse_command(command)[0])


@pytest.mark.parametrize(
    ("command", "output", "files"),
    [
        ("tar xvf a.tar", "docs/\ndocs/setup.md\n./b.md\n", ["docs/setup.md", "b.md"]),
        ("tar -xzv -f a.tgz", "a.md\n", ["a.md"]),
        ("tar --extract --verbose -f a.tar", "a.md\n", ["a.md"]),
        ("bsdtar -xvf a.tar", "x docs/setup.md\nx docs/\n", ["docs/setup.md"]),
        ("cd docs && tar xvf a.tar", "setup.md\n", ["docs/setup.md"]),
        ("unzip a.zip", "Archive: a.zip\n   creating: docs/\n  inflating: docs/setup.md  \n", ["docs/setup.md"]),
        ("unzip -o a.zip", " extracting: a b.md\n    linking: c.md  -> ../d.md \n", ["a b.md", "c.md"]),
    ],
)
def test_the_files_of_an_archive_are_those_that_its_program_names(command: str, output: str, files: list[str]) -> None:
    assert list_extracted_files(parse_command(command)[-1], output) == files


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("tar xf a.tar", "docs/setup.md\n"),
        ("tar xvvf a.tar", "-rw-r--r-- a/b 7 2026-01-01 00:00 setup.md\n"),
        ("tar -v -xvf a.tar", "-rw-r--r-- a/b 7 2026-01-01 00:00 setup.md\n"),
        ("tar -xvf a.tar --verbose", "-rw-r--r-- a/b 7 2026-01-01 00:00 setup.md\n"),
        ("tar xvf a.tar --strip-components=1", "a/setup.md\n"),
        ("tar xvf a.tar --transform s/a/b/", "a/setup.md\n"),
        ("bsdtar -xvf a.tar -s /a/b/", "x a/setup.md\n"),
        ("tar xvf a.tar", ""),
        ("tar xvf a.tar", "docs/\n"),
        ("unzip -q a.zip", ""),
        ("7z x a.7z", "- docs/setup.md\n"),
    ],
)
def test_an_archive_whose_files_are_not_named_may_have_written_any(command: str, output: str) -> None:
    assert list_extracted_files(parse_command(command)[-1], output) is None
