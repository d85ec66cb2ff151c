"""Whether a block tells an agent what to do, or only tells of the product. By its words, and by its heading."""

from __future__ import annotations

import re

_STRONG = re.compile(
    r"\b(?:must(?:n't)?|do not|don't|shall|should(?:n't)?|ought to|required|mandatory|forbidden|prohibited|not allowed"
    r"|disallowed|(?<!to )avoid|prefer(?:red)?|(?<!to )ensure|make sure|be sure|be careful|beware|watch out|needs? to"
    r"|has to|have to|strictly|not optional|reserved for|at all times|only (?:use|after)"
    r"|before (?:each |every |any |you )?(?:commit|push|merg|open|submit|start|writ|edit|chang|implement)\w*)\b"
    # "Cobra never prints" tells of a program; "never print" tells a reader what to do.
    r"|\b(?:never|always)\s+(?!(?:in|on|at|the|a|an|be|been)\b)(?!\w+(?:[^su]s|ed)\b)[a-z`*]"
    r"|必须|禁止|不要|不得|应该|避免|务必|してください|しないで|必ず",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"\b(?:IMPORTANT|CRITICAL|WARNING|CAUTION|REQUIRED|NEVER|ALWAYS|MUST|ONLY|NOT|NO)\b")
_WEAK = re.compile(
    r"\b(?:fails?|breaks?|hangs?|panics?|crash(?:es)?|bug|workaround|silently|gotcha|pitfall|will (?:fail|break|panic)"
    r"|won't|does not work|doesn't work|requires?|otherwise|or else|blocks? on|instead of|rather than|no longer|never"
    r"|always|deprecated|cannot|can't|unless|only (?:when|if|in)|exactly"
    r"|after (?:each |every |any )?(?:chang|edit)\w*)\b",
    re.IGNORECASE,
)
_VERBS = (
    "use run write add keep put place name follow check test verify update create return import export call pass set "
    "define document mock wrap handle validate format lint commit push rebase squash regenerate leave preserve ignore "
    "stop ask read start begin include exclude limit log store treat match mirror sort group split extract reuse favor "
    "favour choose pick consult respect remember consider install build generate delete remove declare annotate throw "
    "raise catch escape sanitize parse compare assert cover separate load bump tag release target stick default make "
    "do no not only never always avoid prefer ensure maintain review confirm look search find "
    "open close guard express state spell capitalize indent order sign reference cite link fix implement refactor "
    "minimize minimise reduce report summarize summarise propose plan think stay let give apply provide describe "
    "explain focus respond answer show output print inject mark skip rely replace rename move copy edit change modify "
    "touch bundle deploy publish merge fork clone pin upgrade wait fail expose hide require accept spawn "
    "reject allow deny derive inherit extend compose convert cast encode decode serialize align pair "
    "isolate cache memoize debounce throttle batch retry"
)
_NOUNS = (
    "test start build format log target commit release review report default check document name place branch state "
    "order link copy lock cache"
)
"""Verbs that are as often the first word of a title; they count before a small letter only."""
_IMPERATIVE = re.compile(
    rf"^(?:please |then |also |first,? |if [^,]{{3,80}}, (?:then )?|when [^,]{{3,80}}, |for [^,]{{3,60}}, "
    rf"|in [^,]{{3,60}}, |before [^,]{{3,60}}, |after [^,]{{3,60}}, )*"
    rf"(?:(?!(?:{'|'.join(_NOUNS.split())})\b)(?:{'|'.join(_VERBS.split())})\b"
    rf"|(?:{'|'.join(_NOUNS.split())}) (?-i:[a-z`]))",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[^.:!?\n]{2,60}?(?::|\s[-–—])\s+(?=\S)")
_RULES = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|standards?|styles?|best practices?|practices?|principles?|constraints?|do'?s"
    r"|don'?ts?|do not|never|always|must|naming|tests?|testing|commits?|pull requests?|prs?|reviews?|formatting|format"
    r"|lint(?:ing)?|quality|pitfalls?|gotchas?|caveats?|traps?|known issues?|warnings?|important|critical|notes?"
    r"|mandatory|required|security|error handling|logging|workflows?|process|polic(?:y|ies)|checklist|before"
    r"|common mistakes|anti-?patterns?|patterns?|preferences?|expectations?|instructions?|coding"
    r"|documentation|comments?|branch(?:es|ing)?|boundaries|guardrails|limits|tone|contributing|how to work)\b",
    re.IGNORECASE,
)
_PRODUCT = re.compile(
    r"\b(?:overview|architecture|structure|director(?:y|ies)|layout|key files|files|tech(?:nology)? stack|stack|about"
    r"|licen[cs]e|contents|features?|references?|resources?|links|changelog|roadmap|acknowledge?ments?|introduction"
    r"|mission|status|background|what is|how it works|examples?|glossary|see also|contact|installation|install"
    r"|getting started|usage|quick ?start|roster|history|community|support|sponsors?|authors?|credits|faq|interface"
    r"|components|modules|packages|design|data model|schema|api|details|strategies|how .{1,40} works?)\b",
    re.IGNORECASE,
)
_CONVENTIONS = re.compile(
    r"\b(?:conventions?|code style|coding|style|guidelines?|standards?|naming|commits?|commit messages?|pull requests?"
    r"|testing|tests?|lint(?:ing)?|formatting|best practices|rules|branch(?:es|ing)?|policy|changelog entries)\b",
    re.IGNORECASE,
)
_OUTSIDERS = re.compile(
    r"\b(?:issues?|bug reports?|report(?:ing)? (?:a )?bugs?|feature requests?|code of conduct|licen[cs]e|cla\b|donat"
    r"|funding|financial|accepted|vulnerabilit|questions?|maintainers?|first contribution|fork|getting help)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"^(?:`[^`]+`|[\w./*-]+/[\w./*-]*)(?:\s*[,/&+]\s*`[^`]+`)*(?:\s*\([^)]*\))?\s*(?:[-–—:→=]|->|is\b|are\b)"
)
_DESCRIBED_CHARS_MAX = 300
"""Within so many characters a description has named what it is of; a path of that length is none."""
_ABOUT_ITSELF = re.compile(
    r"^(?:this|the) (?:file|document|repo(?:sitory)?|project|guide|page|section|codebase|folder)\b[^.]{0,120}"
    r"\b(?:provides?|contains?|describes?|is|gives?|offers?|guides?|explains?|defines?|covers?|implements?)\b"
    r"|^how [\w ]{2,30} works?\b|^(?:see|for more|refer to|you are an?|welcome|thanks?|thank you)\b"
    r"|^examples?(?: [\w-]{1,30}){0,3}:",
    re.IGNORECASE,
)
_BARE = re.compile(r"^(?:`[^`]*`|https?://\S+|[\w./@*-]+)[.:;]?$", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDS_MIN = 2


def commands(text: str) -> bool:
    """Whether a sentence asks for something in so many words."""
    return bool(_STRONG.search(text) or _SHOUTED.search(text))


def imperative(text: str) -> bool:
    """Whether it begins with what to do, at its start or behind a label."""
    return bool(_IMPERATIVE.match(text)) or bool(
        (label := _LABEL.match(text)) and _IMPERATIVE.match(text[label.end() :])
    )


def _asks_in_steps(text: str) -> bool:
    """Whether most lines of a list begin with what to do."""
    lines = [line.lstrip(" -0123456789.") for line in text.split("\n")[1:]]
    return bool(lines) and sum(map(imperative, lines)) * 2 >= len(lines)


def is_rule(text: str, headings: tuple[str, ...], *, item: bool, strict: bool = False) -> bool:
    """Whether a block is worth keeping; `strict` for files that are written for readers of the product."""
    if _says_nothing(text):
        return False
    must = commands(text)
    if _DESCRIBES.match(text[:_DESCRIBED_CHARS_MAX]) or about_product(headings):
        return must and not strict
    if strict:
        return must
    if must or imperative(text) or _asks_in_steps(text):
        return True
    about_rules = _about_rules(headings)
    return (about_rules and (item or bool(_WEAK.search(text)))) or (item and _is_foreign(text))


def conventions(headings: tuple[str, ...]) -> bool:
    """Whether a section of a README or CONTRIBUTING is about how code is written here."""
    return any(map(_CONVENTIONS.search, headings[-2:])) and not any(map(_OUTSIDERS.search, headings[-2:]))


def about_product(headings: tuple[str, ...]) -> bool:
    """Whether the nearest heading that says anything announces a description."""
    own = headings[-1] if headings else ""
    return bool(_PRODUCT.search(own)) and not _RULES.search(own)


def _about_rules(headings: tuple[str, ...]) -> bool:
    return any(_RULES.search(title) for title in headings[-2:])


def _says_nothing(text: str) -> bool:
    if _BARE.match(text) or "\ufffd" in text or text.rstrip().endswith("?"):
        return True
    label = _LABEL.match(text)
    rest = text[label.end() :] if label else text
    if (_ABOUT_ITSELF.match(text) or _ABOUT_ITSELF.match(rest)) and not commands(text):
        return True
    return len(_WORD.findall(text)) < _WORDS_MIN and not _is_foreign(text)


def _is_foreign(text: str) -> bool:
    """Whether most letters are not Latin: our cues do not know that language, so its items are taken as they are."""
    letters = [char for char in text if char.isalpha()]
    return len(letters) > _WORDS_MIN and sum(ord(char) > 0x24F for char in letters) * 3 > len(letters)
