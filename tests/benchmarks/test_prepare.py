"""The data folder's files can be made from public repositories."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks import literals, prepare
from benchmarks.sessions import DEV, load_sessions
from benchmarks.told import read_recording
from tests.conftest import make_repository

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def line(kind: str, *blocks: dict[str, Any], at: str = "2026-01-05T10:00:00Z", **more: object) -> str:
    message = {"role": kind, "content": list(blocks)}
    return json.dumps({"type": kind, "timestamp": at, "cwd": "/Users/ada/cli", "message": message} | more)


def transcript(day: str) -> str:
    at = f"{day}T10:00:00Z"
    read = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/Users/ada/cli/cmd/root.go"}}
    return "\n".join(
        [
            line("user", {"type": "text", "text": "Why is /Users/ada/cli so slow"}, at=at, gitBranch="main"),
            line("assistant", {"type": "thinking", "thinking": "I look."}, read, at=at, gitBranch="fast"),
            line("user", {"type": "tool_result", "tool_use_id": "t1", "content": "x" * 5_000}, at=at),
            line("assistant", {"type": "text", "text": "aside"}, at=at, isSidechain=True),
            "not json",
        ]
    )


def test_sessions_are_made_from_the_checkpoints_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy(place: str, session: str, text: str, agent: str = "Claude Code") -> dict[str, str]:
        about = {"session_id": session, "branch": "fast", "files_touched": ["cmd/root.go"], "agent": agent}
        return {f"{place}/metadata.json": json.dumps(about), f"{place}/full.jsonl": text}

    files = copy("00/aa/0", "one", transcript("2026-01-05").splitlines()[0]) | copy(
        "00/bb/0", "one", transcript("2026-01-05")
    )
    files |= copy("00/cc/0", "later", transcript("2026-03-01")) | copy(
        "00/dd/0", "other", transcript("2026-01-06"), "Gemini CLI"
    )
    repository = make_repository(tmp_path / "cli", files)
    monkeypatch.setattr(prepare, "CHECKPOINTS", repository.git("rev-parse", "HEAD"))
    assert prepare.write_sessions(repository.root, tmp_path) == 1
    (session,) = load_sessions(tmp_path / DEV)
    assert (session.id, session.began_on, session.branch) == ("one", "main", "fast")
    assert session.files_touched == ("cmd/root.go",)
    assert [row["k"] for row in session.rows] == ["user", "think", "call", "result"]
    assert session.rows[0]["text"] == "Why is /home/u/cli so slow"
    assert session.rows[2]["paths"] == ["cmd/root.go"]
    assert len(session.rows[3]["text"]) == prepare.CHARS_MAX
    assert read_recording(session).gold == {"cmd/root.go"}


def test_commits_are_listed_in_time_order_with_their_files_and_releases_left_out(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "flask", {"a.py": "1\n"})
    repository.commit("b.py", "2\n", "Add b\n\nBecause of a." + "x" * 1_000)
    repository.commit("b.py", "3\n", "Release 2.0")
    assert prepare.write_commits(repository.root, tmp_path) == 2
    first, second = map(json.loads, (tmp_path / "cochange_flask.jsonl").read_text().splitlines())
    assert first["files"] == ["a.py"]
    assert (second["s"], second["b"][:13], second["files"]) == ("Add b", "Because of a.", ["b.py"])
    assert len(second["b"]) == prepare.BODY_CHARS_MAX
    assert second["h"] == repository.git("rev-parse", "HEAD^")


RULE = """
func Key() *config.Rule {
	r := config.Rule{Regex: regexp.MustCompile(`[a-z]{3}`)}
	tps := []string{
		"key=\\"a,b\\"", // a comment, with "a string"
		`raw \\d{2}`,
		"drawn" + secrets.NewSecret("x"),
		utils.Sample("inner", "value"),
		`more than
one line`,
	}
	fps := []string{"nothing", "nothing"}
	return utils.Validate(r, tps, fps)
}
"""


def test_the_strings_of_another_scanner_are_read_from_its_sources(tmp_path: Path) -> None:
    rules = tmp_path / "gitleaks" / literals.RULES
    rules.mkdir(parents=True)
    (rules / "acme.go").write_text(RULE)
    assert literals.write_literals(tmp_path / "gitleaks", tmp_path) == 3
    made = json.loads((tmp_path / literals.FILE).read_text())
    assert made == {"pos": [["acme", 'key="a,b"'], ["acme", "raw \\d{2}"]], "neg": [["acme", "nothing"]]}
