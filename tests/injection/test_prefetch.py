"""Files that are handed over before an agent asks for them."""

from __future__ import annotations

from pathlib import Path

from holloway.config import (
    MAP_TEXT_BYTES_MAX,
    PREFETCH_CUT_TOKENS,
    PREFETCH_FILE_TOKENS_MAX,
    PREFETCH_FILES_MAX,
    PREFETCH_TOKENS_MAX,
)
from holloway.domain.memory import Memory, MemoryType
from holloway.domain.memory_details import Prefetch
from holloway.injection.prefetch import plan
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.domain.made import a_memory


def opened(always: tuple[str, ...], frequent: tuple[str, ...] = ()) -> Memory:
    return a_memory(MemoryType.PREFETCH_PATTERN, details=Prefetch("auth", always, frequent, 5))


def words(tokens: int) -> str:
    """A text of lines that costs about so many tokens, with the margin."""
    return "one two three four five six seven eight nine\n" * (int(tokens / MARGIN) // 10)


def test_files_that_are_always_opened_come_before_those_that_are_often_opened(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / name).write_text(f"{name} = 1\n", "utf-8")
    chosen = plan([opened(("a",), ("b", "c")), opened(("c", "a"), ("d",))], str(tmp_path), skip={"d"})
    assert [file.path for file in chosen.files] == ["a", "c", "b"]
    assert (chosen.files[0].text, chosen.files[0].cut) == ("a = 1\n", False)
    assert chosen.files[0].tokens == int(estimate_tokens("a = 1\n") * MARGIN) + 1
    assert chosen.tokens == sum(file.tokens for file in chosen.files)
    assert chosen.left_out == ()


def test_only_text_files_inside_the_project_are_handed_over(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("secret", "utf-8")
    (root / "blob").write_bytes(b"\xff\xfe\x00")
    (root / "link").symlink_to(tmp_path / "outside.txt")
    (root / "text").write_text("text", "utf-8")
    chosen = plan([opened(("../outside.txt", "blob", "missing", "link", "text"))], str(root))
    assert [file.path for file in chosen.files] == ["text"]


def test_a_long_file_is_cut_at_the_end_of_a_line(tmp_path: Path) -> None:
    text = words(2 * PREFETCH_FILE_TOKENS_MAX)
    (tmp_path / "long").write_text(text, "utf-8")
    (file,) = plan([opened(("long",))], str(tmp_path)).files
    assert file.cut
    assert text.startswith(file.text)
    assert file.text.endswith("nine\n")
    assert PREFETCH_CUT_TOKENS * 0.8 < file.tokens <= PREFETCH_CUT_TOKENS + 1
    assert file.tokens == int(estimate_tokens(file.text) * MARGIN) + 1


def test_a_long_line_whose_beginning_is_dear_is_cut_inside(tmp_path: Path) -> None:
    text = "🧨" * PREFETCH_FILE_TOKENS_MAX + "a" * 40_000
    (tmp_path / "line").write_text(text, "utf-8")
    (file,) = plan([opened(("line",))], str(tmp_path)).files
    assert 0 < len(file.text) < len(text)
    assert PREFETCH_CUT_TOKENS * 0.8 < file.tokens <= PREFETCH_CUT_TOKENS + 1


def test_a_file_that_ends_inside_a_character_at_the_limit_is_still_text(tmp_path: Path) -> None:
    (tmp_path / "wide").write_text("a" + "é" * MAP_TEXT_BYTES_MAX, "utf-8")
    (file,) = plan([opened(("wide",))], str(tmp_path)).files
    assert file.cut
    assert file.text.startswith("aé")


def test_files_beyond_the_number_or_the_tokens_are_named_as_left_out(tmp_path: Path) -> None:
    names = tuple(f"f{number:02}" for number in range(PREFETCH_FILES_MAX + 2))
    for name in names:
        (tmp_path / name).write_text("x = 1\n", "utf-8")
    chosen = plan([opened(names)], str(tmp_path))
    assert tuple(file.path for file in chosen.files) == names[:PREFETCH_FILES_MAX]
    assert chosen.left_out == names[PREFETCH_FILES_MAX:]
    for name in names:
        (tmp_path / name).write_text(words(PREFETCH_FILE_TOKENS_MAX - 200), "utf-8")
    chosen = plan([opened(names)], str(tmp_path))
    assert 0 < len(chosen.files) < PREFETCH_FILES_MAX
    assert chosen.tokens <= PREFETCH_TOKENS_MAX < chosen.tokens + chosen.files[0].tokens
    assert len(chosen.files) + len(chosen.left_out) == len(names)
