"""The request of one page: the values that the browser sent, the project's data, and the ways to answer.

A view is a plain function that takes a `Page` and returns a response. It runs in a worker thread with the project's
memory open, so it may call the service directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.responses import HTMLResponse, RedirectResponse, Response

from holloway.domain.memory import RelationType
from holloway.domain.ports import parse_stamp
from holloway.errors import InvalidInput
from holloway.panel import labels
from holloway.panel.citations import split_citations
from holloway.panel.data import ProjectData
from holloway.panel.flash import Flash
from holloway.panel.locale import SOURCE_LANGUAGE, choose_language, load_languages
from holloway.panel.navigation import NAVIGATION
from holloway.panel.service_messages import translate_message
from holloway.panel.template_environment import get_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from holloway.panel.citations import CitedText
    from holloway.panel.locale import PanelLanguage
    from holloway.panel.panel import Panel
    from holloway.service.ask import Conversation
    from holloway.service.holloway import Holloway

FIELDS_MAX = 2_000
LOOK_COOKIE = "holloway-look"
SMALLEST_P = 0.001
"""Smallest probability that is printed as a number."""
LOOK_DAYS = 365
THEMES = ("auto", "light", "dark")


@dataclass(slots=True)
class Look:
    """How a browser wants its pages: the language code (empty: as the browser says) and the theme."""

    language: str = ""
    theme: str = "auto"

    @classmethod
    def parse(cls, cookie: str) -> Look:
        """Return the look in a cookie; unknown values are ignored."""
        language, _, theme = cookie.partition(".")
        return cls(language[:8], theme if theme in THEMES else "auto")

    def __str__(self) -> str:
        return f"{self.language}.{self.theme}"


class Page:
    """One request, with the project's memory open for its thread."""

    def __init__(self, request: Request, panel: Panel, memory: Holloway | None, form: Mapping[str, list[str]]) -> None:
        self.request = request
        self.panel = panel
        self.form = form
        self._memory = memory

    @property
    def memory(self) -> Holloway:
        """The open memory."""
        assert self._memory is not None  # noqa: S101  (only the page of a refused request has none)
        return self._memory

    @cached_property
    def data(self) -> ProjectData:
        """The interface through which pages read and change the project."""
        return ProjectData(self.memory)

    @cached_property
    def query(self) -> Mapping[str, list[str]]:
        """The values in the address."""
        return parse_fields(self.request.url.query)

    @property
    def next_path(self) -> str:
        """The page of the panel to return to after an action; empty if the form names none."""
        path = get_word(self.form, "next") or get_word(self.query, "next")
        return check_local(path) if path else ""

    @property
    def path_values(self) -> Mapping[str, str]:
        """The variable parts of the path."""
        return self.request.path_params

    @cached_property
    def look(self) -> Look:
        """The language and theme that this browser chose."""
        return Look.parse(self.request.cookies.get(LOOK_COOKIE, ""))

    @cached_property
    def language(self) -> PanelLanguage:
        """The language of the answer."""
        return choose_language(self.look.language, self.request.headers.get("accept-language", ""))

    @property
    def languages(self) -> list[PanelLanguage]:
        """All languages of the panel."""
        return list(load_languages().values())

    @property
    def is_signed_in(self) -> bool:
        """Whether the browser may see more than an error page."""
        return self.panel.policy.sessions.has(self._browser)

    @property
    def address(self) -> str:
        """The path and query of this page, to come back to it; the card of a memory after an action that failed."""
        return self.with_query() if self.request.method == "GET" else self.next_path or "/"

    @property
    def review_path(self) -> str:
        """The page on which what waits is decided."""
        return "/review"

    @property
    def conversation(self) -> Conversation:
        """The conversation of this browser on the page Ask."""
        return self.panel.conversations.get(self._browser)

    def forget_conversation(self) -> None:
        """Drop the conversation of this browser."""
        self.panel.conversations.drop(self._browser)

    @property
    def is_read_only(self) -> bool:
        """Whether this panel changes nothing."""
        return self.panel.policy.read_only

    def is_below(self, path: str) -> bool:
        """Return whether this page is a path of the navigation, or below one."""
        current_path = self.request.url.path
        return current_path == path or (path != "/" and current_path.startswith(f"{path}/"))

    def gettext(self, text: str, **values: object) -> str:
        """Translate a text and fill in its values."""
        return self.language.texts.gettext(text) % values if values else self.language.texts.gettext(text)

    def ngettext(self, singular: str, many: str, count: int, **values: object) -> str:
        """Translate a text with a count, which it names `%(count)s`."""
        text = self.language.texts.ngettext(singular, many, count)
        return text % {"count": self.number(count), **values}

    def translate(self, message: str) -> str:
        """Return a message that the service wrote in English in the language of the page."""
        return message if self.language.code == SOURCE_LANGUAGE else translate_message(message, self.language.texts)

    def describe_evidence(self, evidence: str) -> str:
        """Return why a session has its type and outcome: parts such as `success: tests green after the last edit`."""
        return "; ".join(map(self._describe_proof, evidence.split("; ")))

    def _describe_proof(self, part: str) -> str:
        name, colon, proof = part.partition(": ")
        if not colon or name not in labels.SESSION_VERDICTS:
            return self.translate(part)
        return f"{self.gettext(labels.SESSION_VERDICTS[name])}{self.gettext(': ')}{self.translate(proof)}"

    def number(self, value: float) -> str:
        """Return a number as the language writes it."""
        return self.language.format_number(value)

    def rounded(self, value: float, digits: int = 1) -> str:
        """Return a number with at most that many digits after the point."""
        shortened = round(value, digits)
        return self.number(int(shortened) if shortened == int(shortened) else shortened)

    def p_value(self, value: float) -> str:
        """Return a probability to three digits, with its sign."""
        return f"p = {self.number(round(value, 3))}" if value >= SMALLEST_P else f"p < {self.number(SMALLEST_P)}"

    def percent(self, share: float) -> str:
        """Return a share of one in percent."""
        return self.gettext("%(number)s%%", number=round(100 * share))

    def moment(self, stamp: str) -> str:
        """Return a moment to the minute."""
        return f"{stamp[:16].replace('T', ' ')} UTC"

    def ago(self, stamp: str) -> str:
        """Return how long ago a moment was."""
        return labels.format_age((self.panel.clock.now() - parse_stamp(stamp)).total_seconds(), self.language)

    def split_citations(self, text: str) -> CitedText:
        """Return a text with its citations as chips."""
        return split_citations(text, self.data.find_memory)

    def describe_detail(self, detail: str) -> str:
        """Return the detail of a history entry, with the words for the source that it names."""
        relation, _, memory = detail.partition(" ")
        if memory and relation in labels.RELATIONS:
            return f"{self.gettext(labels.RELATIONS[RelationType(relation)])} {memory}"
        source, comma, agent = detail.removeprefix("by ").partition(", ")
        if not detail.startswith("by ") or source not in labels.SOURCES:
            return self.translate(detail)
        return f"{self.gettext(labels.SOURCES[source])}{comma}{agent}"

    def with_query(self, **changes: str | None) -> str:
        """Return this page's address with some values changed, or removed if None."""
        values: dict[str, Sequence[str]] = {name: words for name, words in self.query.items() if name not in changes}
        values |= {name: [word] for name, word in changes.items() if word is not None}
        return f"{self.request.url.path}?{urlencode(values, doseq=True)}" if values else self.request.url.path

    def flash(self, text: str, *, undo: str = "", undo_fields: Mapping[str, str] | None = None, link: str = "") -> None:
        """Show a message on the next page, with an undo button if there is a path for it, or with a link."""
        self.panel.flashes.add(self._browser, Flash(text, undo=undo, undo_fields=undo_fields or {}, link=link))

    @property
    def _browser(self) -> str:
        return self.request.cookies.get(self.panel.policy.cookie_name, "")

    @property
    def _is_refresh(self) -> bool:
        """Whether an open page fetches itself again: the messages are for the page that the person goes to."""
        return "hx-request" in self.request.headers

    def redirect(self, path: str) -> Response:
        """Send the browser to another page of the panel, after an action."""
        return RedirectResponse(check_local(path), 303)

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Answer with a template. Every template may use `page` besides the values of its view."""
        environment = get_environment(self.language)
        waiting = self._memory.count_to_review() if self._memory else 0
        html = environment.get_template(template).render(
            page=self,
            panel=self.panel,
            look=self.look,
            language=self.language,
            flashes=[] if self._is_refresh else self.panel.flashes.take(self._browser),
            waiting=waiting,
            state_number=self.data.get_state_number() if self._memory else 0,
            navigation=NAVIGATION,
            **values,
        )
        return HTMLResponse(html, status)


def parse_fields(text: str) -> dict[str, list[str]]:
    """Return the values of a form or a query. Raises InvalidInput for too many or unreadable ones."""
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict")
    except ValueError:
        raise InvalidInput("The form cannot be read.", f"At most {FIELDS_MAX:,} fields in UTF-8.") from None


def get_word(fields: Mapping[str, list[str]], name: str) -> str:
    """Return the first value of a field without surrounding space; empty if the browser sent none."""
    return next(iter(fields.get(name, ())), "").strip()


def check_local(path: str) -> str:
    """Return a path of this panel unchanged, and `/` instead of an address elsewhere."""
    parts = urlsplit(path)
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return path if is_local and path.isprintable() and "\\" not in path else "/"
