"""Answers of a reader and the decision on them, for tests of the checks."""

import json

from holloway.promotion.reader.checkout_search import CheckoutSearch
from holloway.promotion.reader.lesson_evidence import SessionEvidence
from holloway.promotion.reader.lesson_store import store_lessons
from holloway.promotion.reader.reader import JudgedLesson, judge_answers
from holloway.promotion.reader.session_view import build_session_view
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.store import session_ledger
from holloway.store.candidates import StoredCandidate
from tests.observer.story import Story

TOKENS = "src/shop/auth/tokens.py"
INVOICE = "src/shop/billing/invoice.py"


def lesson(
    text: str,
    *quotes: str,
    kind: str = "gotcha",
    files: tuple[str, ...] = (),
    why: str = "it fails",
    trigger: tuple[str, str] = ("topic", "login"),
) -> dict[str, object]:
    """One lesson as a model writes it."""
    return {
        "text": text,
        "why": why,
        "kind": kind,
        "files": list(files),
        "trigger": {"on": trigger[0], "value": trigger[1]},
        "quotes": [{"row": 0, "text": quote} for quote in quotes],
    }


def answer(*lessons: dict[str, object]) -> str:
    """The answer of a model to one stretch."""
    return json.dumps({"lessons": list(lessons)})


def collect_evidence(memory: Holloway, story: Story) -> SessionEvidence:
    """The evidence of a session in the checkout of a project."""
    pad, root = story.pad(), str(memory.project.root)
    return SessionEvidence(pad, build_session_view(pad), CheckoutSearch(root), root)


def judge(memory: Holloway, story: Story, *lessons: dict[str, object]) -> list[JudgedLesson]:
    """The decisions on the lessons of one stretch of a session."""
    return judge_answers({1: answer(*lessons)}, collect_evidence(memory, story), Learning(memory.opened).trust())


def judge_one(memory: Holloway, story: Story, proposal: dict[str, object]) -> JudgedLesson:
    """The decision on one lesson."""
    (judged,) = judge(memory, story, proposal)
    return judged


def reason(judged: JudgedLesson) -> str:
    """The treatment of a lesson, the check and its reason; empty if it passed."""
    finding = judged.finding
    return f"{finding.treatment} by {finding.check}: {finding.reason}" if finding.treatment else ""


def read_and_store(memory: Holloway, story: Story, *lessons: dict[str, object]) -> list[StoredCandidate]:
    """Learn from a session, then store the lessons that a model proposed."""
    learning = Learning(memory.opened)
    learned = learning.learn(story.pad())
    (session,) = session_ledger.find_sessions(memory.store.database, learned.session.id)
    return store_lessons(memory.store, session, judge(memory, story, *lessons), learning.places)
