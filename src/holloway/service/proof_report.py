"""The report on what memory changes in a project: groups of sessions compared, and harms case by case."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from holloway.errors import InvalidInput
from holloway.injection.experiment import GROUPS
from holloway.proof import comparison
from holloway.proof.record_fields import complete_record
from holloway.proof.session_figures import (
    CSV_BYTES_MAX,
    dump_csv,
    extract_figures,
    is_randomised,
    parse_csv,
    pool_figures,
)
from holloway.service.experiment import describe_experiment
from holloway.store import session_ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holloway.proof.session_figures import Figures
    from holloway.service.holloway import Holloway


def list_figures(memory: Holloway) -> list[Figures]:
    """Return the figures of the sessions of a project that chance assigned to a group."""
    return [
        extract_figures(session, started_at, record)
        for session, started_at, record in session_ledger.list_session_records(memory.store.database)
        if is_randomised(record)
    ]


def export_csv(memory: Holloway) -> str:
    """Return the figures of the measured sessions as CSV, without any content."""
    return dump_csv(list_figures(memory))


def read_pool(files: Sequence[Path]) -> list[list[Figures]]:
    """Read exports of other machines. Raises InvalidInput for a file that is none, or too large."""
    tables = []
    for file in files:
        try:
            if file.stat().st_size > CSV_BYTES_MAX:
                raise InvalidInput(f"{file} is larger than {CSV_BYTES_MAX // 2**20} MB.", "Pool fewer sessions.")
            tables.append(parse_csv(file.read_text("utf-8"), str(file)))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"{file} cannot be read: {error}", "Name files that `holloway proof --csv` wrote."
            ) from None
    return tables


def build_report(memory: Holloway, pooled: Sequence[Sequence[Figures]] = ()) -> dict[str, Any]:
    """Return what was measured: groups, comparisons of each pair with a control group, and harms case by case."""
    records = session_ledger.list_session_records(memory.store.database)
    rows = pool_figures([list_figures(memory), *pooled])
    return {
        "experiment": describe_experiment(memory.settings),
        "sessions": {
            **{group: sum(row["group"] == group for row in rows) for group in GROUPS},
            "not_randomised": sum(bool(record) and not is_randomised(record) for _, _, record in records),
        },
        "comparisons": [_compare(rows, first, second) for first, second in comparison.COMPARED_PAIRS],
        "harms": [asdict(harm) for harm in _find_harms(memory, records)],
    }


def _find_harms(memory: Holloway, records: Sequence[tuple[str, str, dict[str, Any]]]) -> list[comparison.Harm]:
    flagged = session_ledger.list_flagged_by_session(memory.store.database)
    return comparison.find_harms([(session, complete_record(record)) for session, _, record in records], flagged)


def trace_medians(memory: Holloway, metric: str) -> dict[str, list[tuple[float, float]]]:
    """Return the running median of a figure over the sessions of each group."""
    return comparison.trace_medians(list_figures(memory), metric)


def _compare(rows: Sequence[Figures], first: str, second: str) -> dict[str, Any]:
    """Return the comparison of two groups as JSON."""
    metrics = []
    for compared in comparison.compare_groups(rows, first, second):
        metric = asdict(compared)
        metric["difference"] = compared.difference._asdict() if compared.difference else None
        metrics.append(metric)
    confounders = [asdict(confounder) for confounder in comparison.find_confounders(rows, first, second)]
    needed = comparison.GROUP_SESSIONS_MIN
    return {"first": first, "second": second, "sessions_needed": needed, "metrics": metrics, "confounders": confounders}
