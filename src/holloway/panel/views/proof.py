"""Proof: whether memory changes the work here, by sessions that chance told less."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import Response

from holloway.config import PROOF_PERCENT_MAX
from holloway.errors import InvalidInput
from holloway.panel import labels, proof_plots
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from holloway.errors import HollowayError
    from holloway.panel.page import Page

HARMS_SHOWN = 50


def show_proof(page: Page, *, error: HollowayError | None = None) -> Response:
    """Show the groups, their comparisons, how a figure went over time, and possible harm."""
    metric = get_word(page.query, "metric")
    metric = metric if metric in labels.PROOF_METRICS else next(iter(labels.PROOF_METRICS))
    report = page.data.measure_proof()
    medians = page.data.trace_medians(metric)
    return page.render(
        "proof.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        report=report,
        bars={
            (comparison["second"], comparison["first"], row["metric"]): proof_plots.scale_interval(row)
            for comparison in report["comparisons"]
            for row in comparison["metrics"]
        },
        metric=metric,
        curves=proof_plots.draw_curves(medians),
        top=proof_plots.find_top(medians),
        harms=report["harms"][: -HARMS_SHOWN - 1 : -1],
        percent_max=PROOF_PERCENT_MAX,
        error=error,
    )


def start_experiment(page: Page) -> Response:
    """Assign sessions to groups from the next one on; needs the person's consent."""
    if not get_word(page.form, "consent"):
        return show_proof(page, error=InvalidInput(page.gettext("Tick that you agree to measure.")))
    try:
        percents = [_read_percent(page, name) for name in ("control", "passive")]
        page.data.start_experiment(*percents)
    except InvalidInput as error:
        return show_proof(page, error=error)
    page.flash(page.gettext("Measuring is on, from the next session on."))
    return page.redirect("/proof")


def _read_percent(page: Page, name: str) -> int:
    word = get_word(page.form, name)
    if not re.fullmatch(r"[0-9]{1,3}", word) or int(word) > PROOF_PERCENT_MAX:
        limit = page.gettext("A share is a number from 0 to %(max)s.", max=PROOF_PERCENT_MAX)
        raise InvalidInput(limit)
    return int(word)


def stop_experiment(page: Page) -> Response:
    """Tell every session everything again."""
    page.data.stop_experiment()
    page.flash(page.gettext("Measuring is off: every session is told everything. What was measured stays."))
    return page.redirect("/proof")


def download_figures(page: Page) -> Response:
    """Send the figures of the measured sessions as CSV."""
    headers = {"Content-Disposition": 'attachment; filename="holloway-figures.csv"'}
    return Response(page.data.export_proof(), media_type="text/csv", headers=headers)
