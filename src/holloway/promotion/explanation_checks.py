"""Checks of what the commits and agents of a session explained, before it becomes a memory.

Words of agents are cheap: on labelled sessions two thirds of their conclusions taught nothing. So a conclusion must
name code of the project that exists, state a cause or a constraint, and not report the session's work; it waits until
the work is proved. A commit's explanation passes the same checks as one of the history, with the files of the commit.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.history import git_log
from holloway.config import HISTORY_BODY_CHARS_MAX
from holloway.domain.work import Outcome
from holloway.observer.passages import Speaker
from holloway.observer.signals.signal import SignalName
from holloway.observer.words.explaining import is_change_summary, is_report, names_code, states_reason
from holloway.promotion.commit_checks import (
    PASSAGES_PER_COMMIT_MAX,
    clean_subject,
    find_present_words,
    is_cleanup,
    is_squashed,
    is_tellable,
    list_living_files,
    split_names,
    stands_alone,
    still_stands,
)
from holloway.promotion.gates import GateDecision
from holloway.text.fingerprint import normalise_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.codemap.history.git_log import Commit
    from holloway.promotion.candidate import Candidate, FinishedSession

CONCLUSIONS_PER_SESSION_MAX = 3
COMMITS_OF_SUBJECT_MAX = 20
_BY_AGENT = frozenset({Speaker.AGENT, Speaker.SUMMARY, Speaker.PULL_REQUEST, Speaker.REVIEW})


def check_explanations(finished: FinishedSession, candidates: Iterable[Candidate], root: str) -> None:
    """Drop explanations of commits and agents that fail a check; a commit's gets the files of the commit."""
    explanations = [item for item in candidates if item.is_undecided and _speaker(item) in {Speaker.COMMIT, *_BY_AGENT}]
    if not explanations:
        return
    names = {item.number: split_names(_text(item)) for item in explanations}
    words = set().union(*names.values())
    present = find_present_words(root, words) if git.find_root(root) else words
    commits = _CommitReader(root)
    counts: Counter[str] = Counter()
    for candidate in sorted(explanations, key=lambda item: -_score(item)):
        missing = names[candidate.number] - present
        fault = f"it names {min(missing)}, which the project does not have" if missing else ""
        if _speaker(candidate) is Speaker.COMMIT:
            fault = fault or _check_commit(candidate, commits, counts)
        else:
            fault = fault or _check_words(candidate)
            if not fault and candidate.signal.name is SignalName.CONCLUSION:
                fault = _check_conclusion(candidate, finished, counts)
        if fault:
            candidate.drop(fault)


def _speaker(candidate: Candidate) -> Speaker | None:
    speaker = candidate.signal.facts.get("speaker")
    return Speaker(str(speaker)) if speaker else None


def _text(candidate: Candidate) -> str:
    return str(candidate.signal.facts["text"])


def _score(candidate: Candidate) -> float:
    score = candidate.signal.facts.get("score")
    return score if isinstance(score, float) else 0.0


def _check_words(candidate: Candidate) -> str:
    """Return why the words of an agent teach nothing; empty if they may."""
    text, context = _text(candidate), str(candidate.signal.facts.get("context") or "")
    if _speaker(candidate) in (Speaker.REVIEW, Speaker.PULL_REQUEST) and not is_tellable(text):
        return "it gives an order, addresses a reader or names a host"
    if not names_code(text):
        return "it names no code of the project"
    if is_report(text) or is_report(f"{context.rstrip(': ')}: {text}"):
        return "it reports the work of the session"
    if text.count("`") % 2 or not stands_alone(text, context):
        return "it cannot be understood alone"
    return "" if states_reason(text) else "it states no cause and no constraint"


def _check_conclusion(candidate: Candidate, finished: FinishedSession, counts: Counter[str]) -> str:
    """Return why a conclusion is one too many; hold it if the work is not proved yet."""
    counts["conclusions"] += 1
    if counts["conclusions"] > CONCLUSIONS_PER_SESSION_MAX:
        return f"more than {CONCLUSIONS_PER_SESSION_MAX} conclusions of one session"
    if finished.classification.outcome is not Outcome.SUCCESS:
        candidate.gate_decision = GateDecision("held", "the session's work is not proved yet")
    return ""


def _check_commit(candidate: Candidate, commits: _CommitReader, counts: Counter[str]) -> str:
    """Return why the explanation of a commit may not be told; otherwise give it the files of the commit."""
    facts, text = candidate.signal.facts, _text(candidate)
    subject = str(facts.get("context") or "")
    if not is_tellable(text):
        return "it gives an order, addresses a reader or names a host"
    if not stands_alone(text, subject):
        return "it refers to a subject that may not be told"
    if is_change_summary(text):
        return "it says what its commit changed, or what was wrong before"
    if is_cleanup(subject):
        return "its commit only answers a review or cleans up"
    commit = commits.find_commit(str(facts.get("sha") or ""), subject, text)
    if commit is None:
        return "its commit is not in the repository"
    files = list_living_files(commit, commits.root)
    if is_squashed(commit.body) or not files or not still_stands(commit, files, commits.root):
        return "what its commit changed is no longer there"
    counts[commit.hash] += 1
    if counts[commit.hash] > PASSAGES_PER_COMMIT_MAX:
        return f"more than {PASSAGES_PER_COMMIT_MAX} explanations of one commit"
    commit_facts = {"sha": commit.hash[:10], "context": clean_subject(commit.subject)}
    candidate.signal = replace(candidate.signal, files=files, facts={**facts, **commit_facts})
    return ""


class _CommitReader:
    """Reads the commits of a session, each once."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._commits: dict[tuple[str, str], list[Commit]] = {}

    def find_commit(self, sha: str, subject: str, text: str) -> Commit | None:
        """Return the commit with this hash, or else the newest one that says this; None if there is none."""
        if (sha, subject) not in self._commits:
            self._commits[sha, subject] = self._read_commits(sha, subject)
        passage = normalise_text(text)
        commits = self._commits[sha, subject]
        return next((commit for commit in commits if sha or passage in normalise_text(commit.body)), None)

    def _read_commits(self, sha: str, subject: str) -> list[Commit]:
        by_subject = (f"--max-count={COMMITS_OF_SUBJECT_MAX}", "--all", "--fixed-strings", f"--grep={subject}")
        hashes: list[str] = []
        with suppress(git.GitInterrupted):
            hashes = git_log.list_commits(self.root, *(("--max-count=1", sha) if sha else by_subject))
        chosen = [commit for commit in hashes if commit.startswith(sha)]
        return git_log.read_commits(self.root, chosen, has_contents=True, body_chars=HISTORY_BODY_CHARS_MAX).commits
