"""Which of a project's files have something of ours in them."""

from pathlib import Path

from holloway.install import uninstall
from holloway.service.holloway import Holloway
from tests.store.test_memories import taught


def test_only_rules_files_with_our_block_are_looked_at(memory: Holloway) -> None:
    root = memory.project.root
    taught(memory, "Money is integer cents", pin=True)
    (root / "docs").mkdir()
    (root / "AGENTS.md").write_text("Be brief.\n", "utf-8")
    (root / "GEMINI.md").write_text("", "utf-8")
    memory.export_rules("CLAUDE.md")
    memory.export_rules("docs/AGENTS.md")
    block = (root / "CLAUDE.md").read_bytes()
    for folder in (".hidden", "node_modules/pkg"):
        (root / folder).mkdir(parents=True)
        (root / folder / "CLAUDE.md").write_bytes(block)
    (root / "docs/CLAUDE.md").symlink_to(root / "CLAUDE.md")
    found = [str(each.path.relative_to(root)) for each in uninstall.find_blocks(root)]
    assert found == ["CLAUDE.md", "docs/AGENTS.md"]


def test_a_block_that_somebody_wrote_into_or_broke_is_refused_and_says_why(memory: Holloway) -> None:
    root: Path = memory.project.root
    taught(memory, "Money is integer cents", pin=True)
    memory.export_rules("CLAUDE.md")
    whole = (root / "CLAUDE.md").read_text("utf-8")
    (root / "CLAUDE.md").write_text(whole.replace("Money is", "Money was"), "utf-8")
    (root / "AGENTS.md").write_text(whole.partition("<!-- holloway:end")[0], "utf-8")
    assert [bool(each.refused) for each in uninstall.find_blocks(root)] == [True, True]
    (root / "AGENTS.md").unlink()
    (root / "CLAUDE.md").write_text(whole, "utf-8")
    (block,) = uninstall.find_blocks(root)
    assert block.refused == ""
    uninstall.remove_block(block)
    assert uninstall.find_blocks(root) == []
