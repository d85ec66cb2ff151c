from pathlib import Path

import pytest

import holloway
from holloway.config import CONTENT_BYTES_MAX, REASON_CHARS_MAX, SUMMARY_CHARS_MAX
from holloway.domain.memory import Draft, MemoryType, Visibility
from holloway.domain.memory_details import DeadEnd, Decision, ErrorFix
from holloway.domain.work import WorkUnit
from holloway.errors import InvalidInput
from holloway.store.write_gate import (
    sanitize_draft,
    sanitize_foreign_draft,
    sanitize_observed_draft,
    sanitize_reason,
)
from tests.conftest import Repository
from tests.store.test_privacy import places_of

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"


@pytest.mark.promise("no-secret")
def test_a_secret_is_cut_out_and_the_sentence_stays(memory: holloway.Holloway, home: Path) -> None:
    done = memory.remember(
        f"CI deploys with {TOKEN} from the vault",
        type="dead_end",
        tags=[TOKEN],
        details={"approach": f"export TOKEN={TOKEN}", "reason": "expired"},
    )
    assert done.memory is not None
    assert done.memory.content.startswith("CI deploys with [REDACTED: ")
    assert done.memory.content.endswith("] from the vault")
    assert done.redacted
    memory.wrong(done.memory.id, "incorrect", note=f"it was {TOKEN}")
    memory.store.create_backup()
    assert places_of(home, TOKEN) == []


@pytest.mark.promise("no-secret")
def test_an_edit_and_a_replacement_are_searched_for_secrets_too(memory: holloway.Holloway, home: Path) -> None:
    done = memory.remember("CI deploys nightly")
    assert done.memory is not None
    changed, redacted = memory.edit(done.memory.id, content=f"CI uses {TOKEN}", summary=f"uses {TOKEN}")
    assert redacted
    memory.wrong(changed.id, "outdated", instead=f"CI uses {TOKEN} no more")
    assert places_of(home, TOKEN) == []


def test_what_had_a_secret_in_it_is_not_for_the_team() -> None:
    draft = Draft(content=f"use {TOKEN}", visibility=Visibility.TEAM)
    assert sanitize_draft(draft).draft.visibility is Visibility.PROJECT
    assert (
        sanitize_draft(Draft(content="use the vault", visibility=Visibility.TEAM)).draft.visibility is Visibility.TEAM
    )


@pytest.mark.promise("paths-inside")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../outside.py", "outside"),
        ("/etc/passwd", "outside"),
        ("~/.ssh/id_rsa", "outside"),
        ("src/../../outside", "outside"),
        ("a\x00b", "not a usable path"),
        ("a\nb", "not a usable path"),
        ("x" * 5_000, "not a usable path"),
        ("", "not a usable path"),
    ],
)
def test_paths_stay_inside_the_project(repository: Repository, path: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        sanitize_draft(Draft(content="x", files=(path,)), str(repository.root))


@pytest.mark.promise("paths-inside")
def test_a_link_that_leads_out_of_the_project_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (repository.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InvalidInput, match="outside"):
        sanitize_draft(Draft(content="x", files=("link.txt",)), str(repository.root))


def test_a_neighbour_whose_name_begins_alike_is_outside(repository: Repository) -> None:
    twin = repository.root.with_name(repository.root.name + "x")
    twin.mkdir()
    with pytest.raises(InvalidInput, match="outside"):
        sanitize_draft(Draft(content="x", files=(str(twin / "a.py"),)), str(repository.root))


@pytest.mark.parametrize("path", ["/etc/passwd", "..\\..\\x", "C:\\x", "~/x", "a/../../x"])
def test_paths_of_a_foreign_file_are_checked_without_a_project(path: str) -> None:
    with pytest.raises(InvalidInput, match="outside"):
        sanitize_draft(Draft(content="x", files=(path,)))


def test_a_colon_in_a_name_is_no_drive(repository: Repository) -> None:
    draft = sanitize_draft(Draft(content="x", files=("ab:c.py", "src\\a.py"))).draft
    assert draft.files == ("ab:c.py", "src/a.py")


@pytest.mark.parametrize("content", ["", "   ", "\u202e", "x" * (CONTENT_BYTES_MAX + 1), "é" * CONTENT_BYTES_MAX])
def test_empty_and_overlong_memories_are_refused(content: str) -> None:
    with pytest.raises(InvalidInput):
        sanitize_draft(Draft(content=content))


def test_the_longest_memory_that_is_allowed_is_kept_whole(memory: holloway.Holloway) -> None:
    content = "word " * (CONTENT_BYTES_MAX // 5)
    done = memory.remember(content)
    assert done.memory is not None
    assert done.memory.content == content.strip()
    assert 160 < len(done.memory.summary) <= SUMMARY_CHARS_MAX


def test_hidden_characters_do_not_reach_the_store(memory: holloway.Holloway) -> None:
    done = memory.remember("ignore\u202e this\u200b \x1b[31mred\x1b[0m")
    assert done.memory is not None
    assert done.memory.content == "ignore this [31mred[0m"


def test_details_of_another_type_are_refused() -> None:
    with pytest.raises(InvalidInput, match="make no sense"):
        sanitize_draft(Draft(content="x", type=MemoryType.DECISION, details=DeadEnd("a", "b")))


@pytest.mark.parametrize("field", ["tags", "files", "modules"])
def test_a_memory_about_too_much_is_refused(field: str) -> None:
    many = tuple(f"name{number}" for number in range(100))
    with pytest.raises(InvalidInput, match="too many"):
        sanitize_draft(Draft(content="x", **{field: many}))  # type: ignore[arg-type]


def test_an_error_is_summed_up_by_its_words_and_its_fix() -> None:
    error, fix = "require-error: use require (testifylint)", "edit cli/strategy/commit_test.go: `a(t` becomes `b(t`"
    content = f"`mise run lint` failed with “{error}”; what solved it: {fix}"
    draft = Draft(content, type=MemoryType.ERROR_PATTERN, details=ErrorFix(error, fix))
    assert sanitize_draft(draft).draft.summary == f"“{error}”: edit commit_test.go: `a(t` becomes `b(t`"
    long = Draft(f"{error * 9} {fix}", type=MemoryType.ERROR_PATTERN, details=ErrorFix(error * 9, fix))
    assert len(sanitize_draft(long).draft.summary) <= SUMMARY_CHARS_MAX
    assert sanitize_draft(long).draft.summary.endswith("edit commit_test.go: `a(t` becomes `b(t`")


def test_the_names_of_a_work_unit_are_searched_for_secrets_and_a_commit_is_a_hash() -> None:
    unit = WorkUnit("native", ("spec-42", TOKEN), f"Spec {TOKEN}")
    draft = Draft("Money is integer cents", work_unit=unit, commit=f"ref: {TOKEN}")
    admitted = sanitize_draft(draft)
    assert TOKEN not in repr(admitted.draft)
    assert admitted.draft.commit == ""
    assert admitted.draft.work_unit is not None
    assert admitted.draft.work_unit.path[0] == "spec-42"
    assert admitted.redacted


@pytest.mark.promise("no-secret")
def test_a_secret_in_a_detail_is_cut_and_told_of(memory: holloway.Holloway) -> None:
    key = "AKIA" + "Z7QH3KDLMWPXRTVB"
    done = memory.remember("No Redis", type="dead_end", details={"approach": "Redis", "reason": f"needs {key}"})
    assert done.redacted == ("aws-access-key-id",)
    assert done.memory is not None
    assert key not in str(done.memory.details)


def test_an_observed_draft_is_kept_without_its_unusable_parts(repository: Repository) -> None:
    root = str(repository.root)
    files = ("README.md", "/etc/passwd", "../outside.py", f"src/{TOKEN}")
    kept = sanitize_observed_draft(Draft("x" * (CONTENT_BYTES_MAX + 50), files=files), root)
    assert kept is not None
    assert kept.draft.files == ("README.md",)
    assert len(kept.draft.content.encode()) <= CONTENT_BYTES_MAX
    assert sanitize_observed_draft(Draft("  "), root) is None


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_a_confidence_is_between_zero_and_one(confidence: float) -> None:
    assert sanitize_draft(Draft("x", confidence=1.0)).draft.confidence == 1.0
    with pytest.raises(InvalidInput, match="A confidence cannot be"):
        sanitize_draft(Draft("x", confidence=confidence))


def test_a_reason_is_one_short_line_without_secrets() -> None:
    reason = sanitize_reason(f"it was {TOKEN}\nand " + "more " * 1_000)
    assert reason.startswith("it was [REDACTED: github-pat] and more")
    assert len(reason) <= REASON_CHARS_MAX


def test_a_summary_adds_the_gist_of_the_details_unless_the_content_says_it() -> None:
    details = DeadEnd("Redis in tests", "it is not in CI")
    draft = Draft("Redis for test sessions", type=MemoryType.DEAD_END, details=details)
    assert sanitize_draft(draft).draft.summary == "Redis for test sessions (it is not in CI)"
    told = Draft("No Redis in tests: it is not in CI", type=MemoryType.DEAD_END, details=details)
    assert sanitize_draft(told).draft.summary == "No Redis in tests: it is not in CI"
    bare = Draft("Redis for test sessions", type=MemoryType.DEAD_END)
    assert sanitize_draft(bare).draft.summary == "Redis for test sessions"


def test_a_reason_that_would_cut_its_statement_is_left_out_of_the_summary() -> None:
    statement = "Sessions are tied to commits and not to branches. " * 6
    draft = Draft(statement, type=MemoryType.DECISION, details=Decision("a branch is deleted after its merge"))
    assert sanitize_draft(draft).draft.summary == statement.strip().rstrip(".")
    short = Draft("Sessions are tied to commits", type=MemoryType.DECISION, details=Decision("branches are deleted"))
    assert sanitize_draft(short).draft.summary == "Sessions are tied to commits (branches are deleted)"


def test_a_long_content_and_a_long_gist_share_the_space_of_the_summary() -> None:
    details = DeadEnd("x", "reason " * 100)
    summary = sanitize_draft(Draft("content " * 100, type=MemoryType.DEAD_END, details=details)).draft.summary
    assert SUMMARY_CHARS_MAX - 20 < len(summary) <= SUMMARY_CHARS_MAX
    assert abs(summary.count("content") * 8 - summary.count("reason") * 7) < 20


def test_a_foreign_draft_with_a_secret_is_refused_and_not_redacted(repository: Repository) -> None:
    with pytest.raises(InvalidInput, match="contains a secret"):
        sanitize_foreign_draft(Draft(f"CI deploys with {TOKEN}"), str(repository.root))


def test_a_foreign_draft_loses_the_paths_that_leave_the_project(repository: Repository) -> None:
    draft = sanitize_foreign_draft(Draft("one", files=("../out", "src/a.py")), str(repository.root))
    assert draft.files == ("src/a.py",)
