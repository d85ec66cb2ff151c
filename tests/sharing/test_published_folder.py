"""Publishing writes chosen memories as reviewed files: idempotent, removable, and blind to what others write there."""

from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Memory, State
from holloway.errors import HollowayError, InvalidInput
from holloway.sharing import published_folder
from holloway.sharing.published_folder import PUBLISHED_MARK, parse_file, plan_publication, render_file
from tests.conftest import Repository


def choose(memory: holloway.Holloway, text: str, **fields: object) -> Memory:
    card = memory.remember(text, visibility="project", **fields).memory  # type: ignore[arg-type]
    assert card is not None
    return card


def publish(memory: holloway.Holloway, folder: str = ".holloway", *, removes: bool = False) -> list[str]:
    """Publish, and return what happened to which file."""
    publication = plan_publication(memory.store, folder, removes=removes)
    published_folder.publish(memory.store, publication)
    return [f"{file.action} {file.path}" for file in publication.changes]


def read(repository: Repository, name: str) -> str:
    return (repository.root / ".holloway" / name).read_text()


def test_there_is_one_file_for_each_module_with_a_line_for_each_memory(
    memory: holloway.Holloway, repository: Repository
) -> None:
    first = choose(memory, "tokens rotate\non use", modules=["auth"], type="gotcha", files=["src/shop/auth/tokens.py"])
    choose(memory, "we chose JWT", modules=["auth"], type="decision")
    choose(memory, "commits are small", type="preference")
    memory.remember("said to myself", modules=["auth"])
    assert publish(memory) == ["added .holloway/auth.md", "added .holloway/general.md"]
    text = read(repository, "auth.md")
    assert text.startswith(PUBLISHED_MARK)
    assert f"## Gotchas\n\n- tokens rotate on use (`src/shop/auth/tokens.py`) [hw:{first.uid[:10]}]\n" in text
    assert "## Decisions\n\n- we chose JWT [hw:" in text
    assert "said to myself" not in text
    assert "commits are small" in read(repository, "general.md")


def test_publishing_again_changes_nothing_and_what_ended_is_removed(
    memory: holloway.Holloway, repository: Repository
) -> None:
    gone, staying = choose(memory, "tokens rotate", modules=["auth"]), choose(memory, "keys rotate", modules=["auth"])
    publish(memory)
    assert publish(memory) == []
    memory.forget([gone.id])
    assert publish(memory) == ["changed .holloway/auth.md"]
    assert "tokens rotate" not in read(repository, "auth.md")
    memory.edit(staying.id, visibility="personal")
    assert publish(memory) == ["removed .holloway/auth.md"]
    assert not (repository.root / ".holloway").exists()


def test_lines_of_colleagues_stay_and_a_text_is_published_once(
    memory: holloway.Holloway, repository: Repository
) -> None:
    folder = repository.root / ".holloway"
    folder.mkdir()
    theirs = f"{PUBLISHED_MARK}\n\n# auth\n\n## Gotchas\n\n- theirs [hw:aaaaaaaaaa]\n- both [hw:bbbbbbbbbb]\n"
    (folder / "auth.md").write_text(theirs)
    choose(memory, "both", modules=["auth"], type="gotcha")
    choose(memory, "mine", modules=["auth"], type="gotcha")
    publish(memory)
    entries = parse_file(read(repository, "auth.md"))[1]
    assert sorted(entry.text for entry in entries) == ["both", "mine", "theirs"]
    publish(memory, removes=True)
    assert [entry.text for entry in parse_file(read(repository, "auth.md"))[1]] == ["theirs", "both"]


def test_a_text_that_was_erased_here_leaves_the_files(memory: holloway.Holloway, repository: Repository) -> None:
    card = choose(memory, "the answer is 42", modules=["auth"])
    publish(memory)
    forgotten = memory.forget([card.id], hard=True)
    assert any("auth.md, which publishes the text" in place for place in forgotten.left)
    assert publish(memory) == ["removed .holloway/auth.md"]


def test_markup_of_a_memory_cannot_end_a_line_or_begin_a_comment(
    memory: holloway.Holloway, repository: Repository
) -> None:
    choose(memory, "never\n# title\n<!-- hidden --> [click](http://evil.example)", modules=["../../etc/auth"])
    publish(memory)
    names = [path.name for path in (repository.root / ".holloway").iterdir()]
    assert names == ["etc-auth.md"]
    text = read(repository, names[0])
    assert "<!-- hidden" not in text
    assert "](http" not in text
    assert len(parse_file(text)[1]) == 1


def test_a_folder_outside_of_the_project_and_a_foreign_file_are_refused(
    memory: holloway.Holloway, repository: Repository, tmp_path: Path
) -> None:
    choose(memory, "tokens rotate", modules=["auth"])
    (repository.root / "out").symlink_to(tmp_path)
    for folder in ("..", "out", ".git", "README.md", str(tmp_path)):
        with pytest.raises(InvalidInput):
            plan_publication(memory.store, folder)
    (repository.root / "notes").mkdir()
    (repository.root / "notes" / "auth.md").write_text("# my own notes\n")
    with pytest.raises(InvalidInput, match="not a file of holloway's"):
        plan_publication(memory.store, "notes")


def test_a_file_that_changed_meanwhile_is_not_overwritten(memory: holloway.Holloway, repository: Repository) -> None:
    choose(memory, "tokens rotate", modules=["auth"])
    publication = plan_publication(memory.store)
    (repository.root / ".holloway").mkdir()
    (repository.root / ".holloway" / "auth.md").write_text("somebody was faster")
    with pytest.raises(HollowayError, match="changed meanwhile"):
        published_folder.publish(memory.store, publication)


def test_an_imported_folder_waits_for_review(memory: holloway.Holloway, repository: Repository) -> None:
    folder = repository.root / ".holloway"
    folder.mkdir()
    (folder / "auth.md").write_text(f"{PUBLISHED_MARK}\n\n# auth\n\n## Gotchas\n\n- theirs [hw:aaaaaaaaaa]\n")
    (folder / "notes.md").write_text("- not published by anybody\n")
    assert memory.sharing().count_published() == 1
    assert memory.import_file(folder).added == 1
    assert [(card.content, card.state) for card in memory.memories()] == [("theirs", State.QUARANTINED)]
    assert memory.sharing().count_published() == 0
    with pytest.raises(InvalidInput, match="has no published ones"):
        memory.import_file(repository.root / "src")


def test_a_file_reads_back_as_it_was_rendered() -> None:
    title, entries = parse_file(f"{PUBLISHED_MARK}\n# auth\n## Dead ends\n- no [hw:abcdef0123]\n- broken line\n")
    assert parse_file(render_file(title, entries)) == ("auth", entries)
    assert render_file("auth", []) == ""
