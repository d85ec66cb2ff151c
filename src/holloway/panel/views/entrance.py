"""Entrance: signs a browser in with a one-time link, and keeps its choice of language and theme."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.extras import find_invocation
from holloway.panel import error_pages
from holloway.panel.locale import load_languages
from holloway.panel.page import LOOK_COOKIE, LOOK_DAYS, THEMES, Look, check_local, get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page

DAY_S = 86_400


def sign_in(page: Page) -> Response:
    """Exchange the token of a one-time link for a cookie, and leave the address that has the token."""
    if not page.panel.folder.redeem(get_word(page.query, "token")):
        return error_pages.show_status(page, HTTPStatus.FORBIDDEN)
    response = page.redirect(check_local(get_word(page.query, "next") or "/"))
    policy = page.panel.policy
    response.set_cookie(policy.cookie_name, policy.sessions.sign_in(), httponly=True, samesite="strict")
    return response


def follow_link(page: Page) -> Response:
    """Lead to the page of a link in another program's window.

    The browser may hold the cookie back, because another site opened the link; a click on our own page sends it.
    """
    query = page.request.url.query
    path = check_local(f"/{page.path_values['path']}" + (f"?{query}" if query else ""))
    if page.is_signed_in:
        return page.redirect(path)
    return page.render("go.html", path=path, command=f"{find_invocation()} panel --link")


def choose_look(page: Page) -> Response:
    """Keep a language or a theme for this browser."""
    language, theme = get_word(page.form, "language"), get_word(page.form, "theme")
    look = Look(
        language if language in load_languages() else page.look.language,
        theme if theme in THEMES else page.look.theme,
    )
    response = page.redirect(get_word(page.form, "next") or "/")
    response.set_cookie(LOOK_COOKIE, str(look), max_age=LOOK_DAYS * DAY_S, httponly=True, samesite="strict")
    return response
