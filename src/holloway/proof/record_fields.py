"""Fields of a session record: one table that defines and documents them, and fills in old records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORD_VERSION = 2
"""Version of a new record. Records without a version are of version 1."""

EARLY_STEPS = 30
"""Searches within this many steps count as orientation; groups are compared by it."""
ACTED_STEPS = 10
"""A memory whose file or command comes up within this many steps of being shown was acted on."""

EVENTS = "events"
LEDGER = "ledger of injections"
CALLER = "caller (SDK)"
STORE = "store"
HOOK = "hook, SDK"


class RecordField(NamedTuple):
    """One figure of a record. In every field null means unknown or not applicable, never zero."""

    name: str
    unit: str
    meaning: str
    source: str


RECORD_FIELDS: tuple[RecordField, ...] = (
    RecordField(
        "version", "number", f"version of the record, {RECORD_VERSION} today; null in records of version 1", "record"
    ),
    RecordField(
        "group",
        "name",
        "what the session was told unasked: everything (`full`), at its start and with prompts only (`passive`), or "
        "nothing (`control`); null if it was read from a transcript alone",
        "record",
    ),
    RecordField(
        "randomised",
        "yes or no",
        "whether chance assigned the group, in an experiment that had begun before the session",
        "record",
    ),
    RecordField("agent", "name", "the agent, as its host or caller names it", EVENTS),
    RecordField("type", "name", "kind of session", EVENTS),
    RecordField("phase", "name", "phase of work", EVENTS),
    RecordField("outcome", "name", "success, partial, failure or cancelled", EVENTS),
    RecordField("evidence", "text", "reasons for type and outcome", EVENTS),
    RecordField("work_unit", "list of names", "names of the work unit, outermost first", CALLER),
    RecordField("methodology", "name", "id of the methodology", CALLER),
    RecordField("role", "name", "role of the agent, if its methodology knows it", CALLER),
    RecordField(
        "modules", "list of names", "modules of the files it read or changed; null without a code map", "code map"
    ),
    RecordField("trust_level", "1 to 3", "trust level in force", "settings, store"),
    RecordField("events", "events", "events that were observed", EVENTS),
    RecordField("failed_events", "events", "events that could not be noted", EVENTS),
    RecordField("slow_events", "events", "events that took more than 2 ms to note", EVENTS),
    RecordField("tool_calls", "calls", "uses of tools; each is one step", EVENTS),
    RecordField(
        "discovery_calls",
        "calls",
        "searches, listings and first reads, each counted where one command does several; this and the other counts of "
        "reads and searches are null if the session was so long that some of its events were dropped",
        EVENTS,
    ),
    RecordField("discovery_calls_early", "calls", f"those of them within the first {EARLY_STEPS} steps", EVENTS),
    RecordField("first_reads", "files", "files it opened by reading them", EVENTS),
    RecordField("known_files_read_again", "files", "those of them that an earlier session had opened", "events, store"),
    RecordField("known_file_reads", "reads", "all reads of files that an earlier session had opened", "events, store"),
    RecordField("search_tokens", "tokens", "estimated size of the results of searches and listings", EVENTS),
    RecordField("explicit_searches", "calls", "questions to holloway itself, by MCP or on the command line", EVENTS),
    RecordField("steps_to_first_edit", "steps", "steps up to its first edit; null without one", EVENTS),
    RecordField("files_edited", "files", "files it changed", EVENTS),
    RecordField("resumed", "yes or no", "whether it continued an earlier session or open work", "journal, caller"),
    RecordField(
        "steps_to_orientation",
        "steps",
        "in a resumed session, steps from there to the first edit or test run; null without one",
        EVENTS,
    ),
    RecordField("planned_steps", "steps", "steps that the caller planned; `tool_calls` has the actual ones", CALLER),
    RecordField("planned_subtasks", "subtasks", "items of the first plan", EVENTS),
    RecordField(
        "actual_subtasks",
        "subtasks",
        "items of the last plan; without a plan, the subtasks that the caller reported finished",
        EVENTS,
    ),
    RecordField(
        "plan_accuracy",
        "0 to 1",
        "the smaller of planned and actual over the larger: of steps where they were planned, else of subtasks",
        EVENTS,
    ),
    RecordField(
        "qa_first_pass",
        "yes or no",
        "whether the first check of the work passed; null without one, and hosts report none yet",
        CALLER,
    ),
    RecordField("qa_fix_cycles", "cycles", "failed checks that were followed by another check", CALLER),
    RecordField("errors", "calls", "calls that failed", EVENTS),
    RecordField("errors_known", "errors", "distinct errors that another session had solved", "events, store"),
    RecordField("errors_told", "errors", "those of them whose fix was shown before they went away", LEDGER),
    RecordField(
        "error_runs",
        "list",
        "for each error: whether it was known, whether its fix was shown, and the steps until it was gone (null: it "
        "was still there)",
        EVENTS,
    ),
    RecordField("dead_ends_entered", "files", "files of known dead ends that it changed", "events, store"),
    RecordField("tokens_in", "tokens", "tokens sent to the model; null if the agent does not report it", EVENTS),
    RecordField("tokens_out", "tokens", "tokens that the model wrote; null if the agent does not report it", EVENTS),
    RecordField("context_peak", "tokens", "largest context; null if the agent does not report it", EVENTS),
    RecordField(
        "shown",
        "list",
        "memories it was shown: id, point (`session_start`, `prompt`, `tool_result`, `step`, roles), tokens, seconds "
        "after its start",
        LEDGER,
    ),
    RecordField("injections", "memories by point", "how many memories it was shown at each point", LEDGER),
    RecordField("injected_tokens", "tokens", "estimated size of the summaries of the memories it was shown", LEDGER),
    RecordField("cited", "list of ids", "memories that the agent cited", EVENTS),
    RecordField(
        "acted_on",
        "list of ids",
        f"memories whose file or command came up within {ACTED_STEPS} steps of being shown",
        "events, ledger",
    ),
    RecordField(
        "used", "list of ids", "memories that were cited, acted on, or that the agent said helped", "events, ledger"
    ),
    RecordField(
        "corrected", "memories", "shown memories that a person or the agent corrected until it was learned from", STORE
    ),
    RecordField("flagged", "memories", "those of them that were called wrong", STORE),
    RecordField(
        "contradicted", "list of ids", "shown memories that a memory learned from it replaces or contradicts", STORE
    ),
    RecordField(
        "saved_tokens",
        "tokens",
        "an estimate: files that it was told of, with a prompt, by a memory or by `locate`, and then opened without "
        "searching, times what searching for a file usually costs here; null if that cost is not known yet",
        "events, ledger",
    ),
    RecordField(
        "prefetched",
        "files",
        "files handed over before the agent asked for them; null in sessions of hosts, which get none",
        CALLER,
    ),
    RecordField("prefetched_tokens", "tokens", "size of these files as handed over", CALLER),
    RecordField("prefetched_read_again", "files", "those of them that the agent opened all the same", CALLER),
    RecordField("prefetch_hit_rate", "0 to 1", "share of these files that the agent read or changed", CALLER),
    RecordField(
        "answers",
        "answers by point and outcome",
        "how often holloway was asked at each point, and how that ended: full, degraded (an earlier step), "
        "dropped (too late or failed) or empty; null, as in the other fields of answers, where nobody counted them",
        HOOK,
    ),
    RecordField(
        "answers_dropped", "answers", "answers that never reached the agent: past the deadline, or failed", HOOK
    ),
    RecordField("answers_degraded", "answers by step", "degraded answers, by the step that was given", HOOK),
    RecordField("answer_ms_p50", "ms", "median time of an answer", HOOK),
    RecordField("answer_ms_p95", "ms", "time that 95 of 100 answers stayed within", HOOK),
    RecordField(
        "graph_boost_rate",
        "0 to 1",
        "share of shown memories that the graph of relations brought up; null until the ledger keeps how a memory was "
        "found",
        LEDGER,
    ),
    RecordField("store_memories", "memories", "memories in the store when the session was learned from", STORE),
    RecordField("store_mean_confidence", "0 to 1", "their mean confidence, before decay", STORE),
    RecordField("store_module_coverage", "0 to 1", "share of the modules that a memory is about", "store, code map"),
    RecordField("signals", "times by signal", "how often each signal fired", EVENTS),
    RecordField("candidates", "candidates by signal and state", "fate of the candidates of each signal", "promotion"),
    RecordField(
        "wording",
        "text",
        "why the wording of a language model was not taken; null if it was, or none was asked",
        "promotion",
    ),
)

RECORD_FIELD_NAMES = tuple(field.name for field in RECORD_FIELDS)

_ZERO_WAS_UNKNOWN = (
    "steps_to_first_edit",
    "tokens_in",
    "tokens_out",
    "context_peak",
    "prefetched",
    "prefetched_read_again",
)
"""In records of version 1, zero may stand for an unknown value of these."""


def complete_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored record with every field of the table; fields that it does not have are None.

    An empty record, of a session that was not processed, stays empty.
    """
    if not record:
        return {}
    figures = {**dict.fromkeys(RECORD_FIELD_NAMES), **record}
    if record.get("version") is None:
        figures |= {name: record.get(name) or None for name in _ZERO_WAS_UNKNOWN}
    return figures
