"""B1's result: per project the ranked list, the paired differences between arms, and the text that an agent reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from benchmarks import machine, trivial
from benchmarks.b1_sessions import (
    ASKED_MAX,
    FOREIGN,
    LEARNED_MIN,
    NO_SESSIONS,
    PLACEBO,
    RANKED_MAX,
    SAME_TOPIC_SESSIONS,
    SAME_TOPIC_SHARE,
    SESSIONS,
)
from benchmarks.projects import HELD_OUT, SEEN, TUNED
from benchmarks.scoring import SEED, estimate, recall_at
from benchmarks.told import measure_prediction
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from benchmarks.b1_sessions import Question

TOP = 10
DIFFERENCES = (
    (SESSIONS, trivial.ALL_FUSED),
    (SESSIONS, NO_SESSIONS),
    (SESSIONS, PLACEBO),
    (SESSIONS, FOREIGN),
)
TOPICS: Mapping[str, Callable[[Question], bool]] = {
    "all": lambda question: True,
    "same topic": lambda question: question.is_same_topic,
    "new topic": lambda question: not question.is_same_topic,
}
Questions = Mapping[str, Sequence["Question"]]


def build_result(questions: Questions) -> dict[str, Any]:
    """Build the tables and figures of all projects."""
    return {
        "title": "B1: session replay",
        "question": "From a session's first prompt, which files will the agent need?",
        "seed": SEED,
        "targets": [],
        "tables": [
            _tabulate_ranked(questions),
            _tabulate_differences(questions),
            _tabulate_texts(questions),
        ],
        "figures": {project: _summarize(project_questions) for project, project_questions in questions.items()},
        "how": HOW,
    }


def recalls_at(questions: Sequence[Question], method: str, limit: int) -> list[float]:
    """Return the recall of each question's ranked list."""
    return [recall_at(limit, question.lists[method], question.session.gold) for question in questions]


def _saved_shares(questions: Sequence[Question], method: str) -> list[float]:
    """Return the share of discovery calls that the first files of each list could have saved."""
    return [measure_prediction(question.session, question.lists[method][:TOP])[1] for question in questions]


def shown_recalls(questions: Sequence[Question]) -> tuple[list[float], list[float]]:
    """Return the recall of each text, and of the fused baselines' first files with as many tokens."""
    gold = [question.session.gold for question in questions]
    ours = [
        len(needed & set(question.shown[SESSIONS])) / len(needed)
        for needed, question in zip(gold, questions, strict=True)
    ]
    theirs = [
        len(needed & set(question.baseline_shown)) / len(needed)
        for needed, question in zip(gold, questions, strict=True)
    ]
    return ours, theirs


def _summarize(questions: Sequence[Question]) -> dict[str, Any]:
    methods = questions[0].lists if questions else {}
    return {
        name: {f"recall_{limit}": fmean(recalls_at(questions, name, limit)) for limit in (TOP, RANKED_MAX)}
        | {"dca": fmean(_saved_shares(questions, name))}
        for name in methods
    }


def _tabulate_ranked(questions: Questions) -> dict[str, Any]:
    rows = []
    for project, project_questions in questions.items():
        for name in project_questions[0].lists:
            figures = [recalls_at(project_questions, name, limit) for limit in (1, TOP, RANKED_MAX)]
            first = [float(bool(recall)) for recall in figures.pop(0)]
            values = (first, *figures, _saved_shares(project_questions, name))
            rows.append([project, name, len(project_questions), *map(str, map(estimate, values))])
    held_out = [project_questions for project, project_questions in questions.items() if project in HELD_OUT]
    for name in held_out[0][0].lists if held_out else ():
        means = [
            fmean(fmean(recalls_at(project_questions, name, limit)) for project_questions in held_out)
            for limit in (TOP, RANKED_MAX)
        ]
        hits = fmean(fmean(map(bool, recalls_at(project_questions, name, 1))) for project_questions in held_out)
        saved = fmean(fmean(_saved_shares(project_questions, name)) for project_questions in held_out)
        figures_shown = [f"{mean:.3f}" for mean in (hits, *means, saved)]
        rows.append(["mean of the held-out", name, sum(map(len, held_out)), *figures_shown])
    columns = [
        "project",
        "method",
        "sessions",
        "first is needed",
        f"recall@{TOP}",
        f"recall@{RANKED_MAX}",
        f"DCA@{TOP}",
    ]
    return {"title": "Ranked list, before the cut", "columns": columns, "rows": rows}


def _tabulate_differences(questions: Questions) -> dict[str, Any]:
    rows = []
    for project, project_questions in questions.items():
        for topic, is_chosen in TOPICS.items():
            if chosen := [question for question in project_questions if is_chosen(question)]:
                rows.append([project, topic, len(chosen), *(_difference(chosen, *pair) for pair in DIFFERENCES)])
    columns = ["project", "topic", "sessions", *(f"{ours} against {other}" for ours, other in DIFFERENCES)]
    return {"title": f"Paired differences of recall@{TOP}", "columns": columns, "rows": rows}


def _difference(questions: Sequence[Question], ours: str, other: str) -> str:
    pairs = zip(recalls_at(questions, ours, TOP), recalls_at(questions, other, TOP), strict=True)
    difference = estimate([mine - theirs for mine, theirs in pairs])
    return f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"


def _tabulate_texts(questions: Questions) -> dict[str, Any]:
    columns = [
        *("project", "answered", "files, median", "tokens, median", "tokens, p95", "precision", "recall"),
        *("recall of the baselines with as many tokens", "recall per 100 tokens", "of the baselines"),
        "named files that it lists",
    ]
    return {
        "title": "The text that an agent reads",
        "columns": columns,
        "rows": [[project, *_measure_texts(project_questions)] for project, project_questions in questions.items()],
    }


def _measure_texts(questions: Sequence[Question]) -> list[Any]:
    texts = [question.texts[SESSIONS] for question in questions]
    tokens = [estimate_tokens(text) for text in texts]
    shown_files = [question.shown[SESSIONS] for question in questions]
    right = [
        len(question.session.gold & set(files)) / len(files)
        for question, files in zip(questions, shown_files, strict=True)
        if files
    ]
    ours, theirs = shown_recalls(questions)
    hundreds = max(fmean(tokens) / 100, 0.01)
    named = sum(len(question.session.named) for question in questions)
    return [
        f"{sum(map(bool, texts))} of {len(questions)}",
        median(map(len, shown_files)),
        median(tokens),
        machine.quantile([float(count) for count in tokens], 0.95),
        str(estimate(right)) if right else "",
        str(estimate(ours)),
        str(estimate(theirs)),
        round(fmean(ours) / hundreds, 3),
        round(fmean(theirs) / hundreds, 3),
        f"{sum(question.named_shown for question in questions)} of {named}",
    ]


HOW = [
    f"Recorded sessions of public projects in time order: {TUNED}, on which weights and limits were set; "
    f"{' and '.join(SEEN)}, whose figures led to one change; and {', '.join(HELD_OUT)}, which were only measured. "
    f"Asked are the latest {ASKED_MAX} sessions with a prompt, each "
    f"after at least {LEARNED_MIN} others were learned. The branch and the checkout are as they were when a session "
    "began, and only sessions that had ended are known.",
    "The question is the whole first prompt: what a person typed, or the message with which the lead of a team of "
    "agents started this one. Needed are files that the agent opened or edited and that were in the checkout when it "
    "began, without those whose path or name stands in the prompt; these count neither for nor against an answer.",
    "The ranked list is what the prompt hook ranks before it cuts. The baselines get the same prompt, sessions and "
    f"branch; RRF (k {trivial.RRF_K}) fuses the first {trivial.RRF_DEPTH} of each of the seven lists.",
    "Placebo: the same past sessions, with each file replaced by an equally popular one. Foreign: as many sessions of "
    "another project, with their files mapped by popularity. Without sessions the branch and git are still known.",
    f"Same topic: the latest {SAME_TOPIC_SESSIONS} sessions had opened {SAME_TOPIC_SHARE:.0%} of the needed files.",
    "The text is what the prompt hook says, with all that it knows by then. The baselines' text is a bare list of the "
    "first files of the fusion that has no more tokens.",
    "DCA@10 is the share of discovery calls that the ten files could have saved: the first read of a predicted file "
    "and the searches since the read before. It is an upper bound.",
    "Intervals are the middle 95 % of bootstrap means over sessions.",
]
