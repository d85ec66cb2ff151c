"""A row of the rule tables, and the two pieces of pattern that most rows are built from."""

from __future__ import annotations

# Zero-width in effect: a search goes on from the end of the value, so what follows it may be consumed.
END = r"(?:[^A-Za-z0-9_+/=.~-]|[.][^A-Za-z0-9]|[.]?$)"

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

_BEFORE = r"(?:^|[^A-Za-z0-9_]|\\[nrt])"
_TAIL = r"[\w.\- ]{0,30}"
_OPERATOR = r"""[\\"'`\])]{0,4}\s{0,8}(?::=|=>|->|={1,3}|[:,>|(])?\s{0,8}[\\"'`(<\[]{0,3}"""


class Rule:
    """One kind of secret: when it is tried, what it looks like, and examples of both sides.

    `pattern` is RE2; the secret is its first group, else the whole match. `entropy` is the least bits per character.
    `judged` names the test of `values` for patterns that tell where a secret stands but not how it looks.
    Examples are templates: `{alnum:36}` stands for 36 random letters and digits, so no token is written out here.
    """

    __slots__ = ("benign", "entropy", "id", "judged", "keywords", "pattern", "secret")

    def __init__(
        self,
        name: str,
        keywords: tuple[str, ...],
        pattern: str,
        entropy: float,
        secret: tuple[str, ...],
        benign: tuple[str, ...],
        judged: str = "",
    ) -> None:
        self.id = name
        self.keywords = keywords
        self.pattern = pattern
        self.entropy = entropy
        self.secret = secret
        self.benign = benign
        self.judged = judged

    @property
    def stands_alone(self) -> bool:
        """Whether its own form gives the secret away, so that it is as long as a token."""
        return self.pattern.startswith(_BEFORE)


def token(value: str) -> str:
    """A pattern for a value that its own prefix gives away, standing alone."""
    return rf"{_BEFORE}({value}){END}"


def near(vendor: str, value: str) -> str:
    """A pattern for a value that is only known by the vendor's name before it, as in `VENDOR_API_KEY=value`."""
    return rf"(?:\b|_)(?i:{vendor}){_TAIL}{_OPERATOR}({value}){END}"
