"""Splits the parsed Markdown of a rules file into rules: one list item or paragraph each, with its code and lead-in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from holloway.config import CONTENT_BYTES_MAX
from holloway.promotion.rules_files import instruction_check
from holloway.promotion.rules_files.markdown import CODE, ITEM, MarkdownElement, RuleBlock, parse_elements, strip_markup
from holloway.text.identifiers import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.promotion.rules_files.markdown import RulesText

TOGETHER_CHARS_MAX = 600
"""A short list is one block with the line that leads up to it; a longer one is a block for each item."""
STEPS_CHARS_MAX = 1_200
PARAGRAPH_CHARS_MAX = 900
"""Of a longer paragraph only the sentences that ask for something are kept."""
CODE_LINES_MAX = 12
SHELL_LANGUAGES = frozenset({"", "bash", "sh", "shell", "zsh", "console", "shell-session", "powershell", "fish", "cmd"})
BLOCKS_PER_FILE_MAX = 400

_COMMAND = re.compile(r"^ {0,8}(?:\$ )?(?:\./)?[a-z][\w.-]*(?: [\w./:@=-]+)+ *(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _BlockCandidate:
    """A candidate for a block."""

    text: str
    line: int
    headings: tuple[str, ...]
    code: tuple[MarkdownElement, ...] = ()
    item: bool = False
    lead: str = ""


def split_rule_blocks(source: RulesText) -> list[RuleBlock]:
    """Return the rules that a file states, in its order."""
    blocks: list[RuleBlock] = []
    for headings, group in groupby(parse_elements(source.text), key=lambda element: element.headings):
        if source.sections and not instruction_check.is_about_conventions(headings):
            continue
        for piece in _split_section(list(group)):
            if text := _render_rule(piece, strict=source.sections):
                heading = headings[-1] if headings else ""
                blocks.append(RuleBlock(source.path, piece.line, text, heading, source.folder, source.globs))
    return blocks[:BLOCKS_PER_FILE_MAX]


def _render_rule(piece: _BlockCandidate, *, strict: bool) -> str:
    """Return the text of a rule with its code, or an empty string if the candidate is not a rule."""
    text = _shorten_paragraph(piece.text) if not piece.item else piece.text
    sentence = f"{piece.lead} {text}".strip()
    if not instruction_check.is_rule(sentence, piece.headings, item=piece.item, strict=strict) and not _is_recipe(
        piece, strict
    ):
        return ""
    code = "\n".join(f"```{element.language}\n{element.text}\n```" for element in piece.code)
    whole = f"{sentence}\n{code}" if code else sentence
    return whole if len(whole.encode("utf-8", "replace")) <= CONTENT_BYTES_MAX else sentence


def _is_recipe(piece: _BlockCandidate, strict: bool) -> bool:
    """Return whether the candidate is a title with a few commands, as in `Running the tests: make test`."""
    lines = [line for element in piece.code for line in element.text.splitlines() if line.strip()]
    shell = all(element.language in SHELL_LANGUAGES for element in piece.code)
    drawn = any(mark in line for line in lines for mark in "├└│↓→")
    short = len(lines) <= CODE_LINES_MAX and len(piece.text) <= PARAGRAPH_CHARS_MAX // 4
    plain_code = any(not element.language and not _COMMAND.search(element.text) for element in piece.code)
    return bool(lines) and shell and short and not (strict or drawn or plain_code)


def _shorten_paragraph(text: str) -> str:
    if len(text) <= PARAGRAPH_CHARS_MAX:
        return text
    commands = (sentence for sentence in split_sentences(text) if instruction_check.is_obligation(sentence))
    return "".join(commands).rstrip()[:STEPS_CHARS_MAX]


def _split_section(section: list[MarkdownElement]) -> Iterator[_BlockCandidate]:
    """Split a section into candidates: a line with its list, an item with its parts, a sentence with its code."""
    at = 0
    if section[0].kind == CODE and section[0].headings:
        code, at = _take_code(section, 0)
        yield _BlockCandidate(f"{section[0].headings[-1]}:", section[0].line, section[0].headings, code)
    while at < len(section):
        element = section[at]
        if element.kind == ITEM:
            run, at = _take_list(section, at)
            yield from _split_list(run)
        elif element.kind == CODE:
            at += 1
        else:
            code, after = _take_code(section, at + 1)
            text = strip_markup(element.text)
            if not code and text.endswith(":") and after < len(section) and section[after].kind == ITEM:
                run, at = _take_list(section, after)
                yield from _split_list(run, element)
            else:
                yield _BlockCandidate(text, element.line, element.headings, code)
                at = after


def _take_code(section: list[MarkdownElement], at: int) -> tuple[tuple[MarkdownElement, ...], int]:
    """The code that stands right here, the first piece of it; and where it ends."""
    end = at
    while end < len(section) and section[end].kind == CODE:
        end += 1
    return tuple(section[at:end])[:1], end


def _take_list(section: list[MarkdownElement], at: int) -> tuple[list[MarkdownElement], int]:
    """A list with the code in it: items in a row, and where they end."""
    end = at
    while end < len(section) and (section[end].kind == ITEM or (section[end].kind == CODE and section[end].depth)):
        end += 1
    return section[at:end], end


def _split_list(run: list[MarkdownElement], lead: MarkdownElement | None = None) -> Iterator[_BlockCandidate]:
    """Yield a list as one candidate if it is short or a sequence of steps, otherwise one for each item."""
    lead_text, items = _render_lead(lead) if lead else "", list(_group_items(run))
    whole = "\n".join(_render_item(element, run[0].depth) for element in run if element.kind == ITEM)
    if (
        run[0].ordered
        and not lead
        and run[0].headings
        and not all(instruction_check.is_obligation(item[0].text) for item in items)
    ):
        lead_text = f"{run[0].headings[-1]}:"
    chars_max = STEPS_CHARS_MAX if run[0].ordered else TOGETHER_CHARS_MAX
    if lead_text and len(whole) + len(lead_text) <= chars_max and (run[0].ordered or _are_parts(items)):
        yield _BlockCandidate(
            f"{lead_text}\n{whole}", (lead or run[0]).line, run[0].headings, item=bool(run[0].ordered)
        )
        return
    before = lead_text if instruction_check.is_obligation(lead_text) else ""
    for head, parts, code in items:
        yield from _split_item(head, parts, code, before)


def _render_lead(lead: MarkdownElement) -> str:
    """Return the line before a list; a single word such as `Steps:` is prefixed with its heading."""
    text = strip_markup(lead.text)
    alone = text.endswith(":") and " " not in text and lead.headings
    return f"{lead.headings[-1]}, {text[0].lower()}{text[1:]}" if alone else text


def _are_parts(items: list[tuple[MarkdownElement, list[MarkdownElement], tuple[MarkdownElement, ...]]]) -> bool:
    """Return whether items make sense only together: not all of them are long imperative sentences."""
    heads = [strip_markup(head.text) for head, _, _ in items]
    return not all(instruction_check.is_imperative(text) and len(text) > 60 for text in heads)


def _split_item(
    head: MarkdownElement, parts: list[MarkdownElement], code: tuple[MarkdownElement, ...], lead: str
) -> Iterator[_BlockCandidate]:
    """Yield an item with its parts; long parts become separate candidates with the item as their lead-in."""
    text = _render_lead(head)
    whole = "\n".join([text, *(_render_item(part, head.depth) for part in parts)])
    if not parts or len(whole) <= TOGETHER_CHARS_MAX:
        yield _BlockCandidate(whole, head.line, head.headings, code, item=True, lead=lead)
        return
    if not text.endswith(":"):
        yield _BlockCandidate(text, head.line, head.headings, code, item=True, lead=lead)
    for part in parts:
        yield _BlockCandidate(
            strip_markup(part.text), part.line, part.headings, item=True, lead=text if text.endswith(":") else ""
        )


def _group_items(
    run: list[MarkdownElement],
) -> Iterator[tuple[MarkdownElement, list[MarkdownElement], tuple[MarkdownElement, ...]]]:
    """Yield each item of the outermost level with its nested parts and code."""
    at = 0
    while at < len(run):
        end = at + 1
        while end < len(run) and (run[end].kind == CODE or run[end].depth > run[at].depth):
            end += 1
        inner = run[at + 1 : end]
        if run[at].kind == ITEM:
            parts = [element for element in inner if element.kind == ITEM]
            yield run[at], parts, tuple(element for element in inner if element.kind == CODE)[:1]
        at = end


def _render_item(element: MarkdownElement, base: int) -> str:
    inset = "  " * min((element.depth - base) // 2, 3) if element.depth > base else ""
    return f"{inset}{f'{element.ordered}.' if element.ordered else '-'} {strip_markup(element.text)}"
