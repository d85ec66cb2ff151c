"""Output gate: text of a repository is shown only if it looks like what it claims to be, such as a path or a command.

The author of a repository chooses its file names, identifiers and commands, so a sentence in one of them would speak to
the agent that reads our response. `KINDS` lists the kinds of text that may be shown, with the check of each. Text that
fails is left out, never repaired, and prose (commit subjects, headings, descriptions, author names) has no kind. The
words by which a text reads as a sentence are in `data/repository_text.toml`.
"""

from __future__ import annotations

import re
import shlex
from functools import cache, lru_cache
from itertools import dropwhile, pairwise
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from holloway.config import LESSON_CHARS_MAX
from holloway.data import load_table
from holloway.safety.guarded_commands import lowers_protection
from holloway.text import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

REPOSITORY_TEXT_CHARS_MAX = 300
NAME_WORDS_MAX = 7
"""Maximum number of words of one identifier, a leading `test` aside; with more it is a sentence."""
STATEMENT_WORDS_MAX = 13
"""Maximum number of words of one that only states something, as long names of tests do."""
TOLD_SUBJECT_CHARS_MAX = 120
PATH_PART_CHARS_MAX = 100
PATH_WORDS_MAX = 7
"""Maximum number of words of one folder or file name."""
SPACED_WORDS_MAX = 4
"""Maximum number of words of a file name that are separated by spaces."""
ORDER_WORDS_MIN = 3
PHRASE_WORDS_MIN = 4
"""Minimum number of words that can instruct a reader: with an order in them, or otherwise."""
COMMAND_WORDS_MAX = 12
BARE_WORDS_MAX = 4
"""Maximum number of arguments of letters only: subcommands, tasks, folders."""
EXPRESSION_WORDS_MAX = 5
FOREIGN_WORDS_MIN = 2
"""Distinct function words of other languages from which on the gate cannot read a text; one may be a loan word."""
NAME_CHECKS_CACHED_MAX = 20_000

_LETTER = "A-Za-z0-9_\u00c0-\u024f"
_NAME = re.compile(rf"[{_LETTER}$@#.:~-]{{1,160}}[?!=]?\Z")
_PATH = re.compile(rf"[{_LETTER}$@#.~+,&'()\[\]=!% /-]{{1,{REPOSITORY_TEXT_CHARS_MAX}}}\Z")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\u00c0-\u024f]+")
"""A word of a name; a number is no word."""
_EXTENSION = re.compile(r"(?<=.)\.\w{1,8}\Z")
_NAME_PARTS = re.compile(r"[.:#]+")
_ARGUMENT = re.compile(r"[A-Za-z0-9_@%+=:,./*\[\]~^-]{1,100}\Z")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]{0,40}=[\w./:,@+-]{0,60}\Z", re.ASCII)
_PUNCTUATED = re.compile(r"[A-Za-z][,:.;!?]\Z")
"""An argument that ends as a part of a sentence does."""
_STATING = frozenset({"to", "not", "cannot", "couldn", "didn", "t"})
"""Words before a verb that make it a statement of what failed."""
_OPERATORS = frozenset({"and", "or", "not"})
_VERSIONED = re.compile(r"[\w-]@")
_EXPRESSION = re.compile(r"[A-Za-z0-9_.:* -]{1,60}\Z")
_FOLDER_CHANGE = re.compile(r"cd ([\w./@+-]{1,120}) && ", re.ASCII)
_READABLE = re.compile(r"[ -~\u00a0-\u00bf\u2010-\u2026]+\Z")
"""Characters of a failure line that the gate can read: ASCII, with signs and typographic quotes."""
_MARKUP = re.compile(r"[<`]|\[\s*hw\s*:|\]\(", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`(?=[^`]*[A-Z.:_(])([\w.:*()&\[\]-]{1,60})`")
"""An identifier in backticks, as linters quote it; a plain word may be a program."""
_HOST = re.compile(
    r"://|\bwww\.|[\w-]\.(?:com|org|net|io|dev|sh|app|ai|co|info|xyz|ru|cn|tk|uk|eu|invalid|example)\b", re.IGNORECASE
)
_TAG_OR_LINK = re.compile(r"<[A-Za-z/!]|\[\s*hw\s*:|\]\(", re.IGNORECASE)
_ROLE = re.compile(r"(?:^\W*|\b(?=(?-i:[A-Z])))(?:system|human|user|assistant|developer)\s*:(?!:)", re.IGNORECASE)
"""The role of a speaker in a conversation, before what it says."""
_SHOUTED_ROLE = re.compile(r"\b(?:SYSTEM|HUMAN|ASSISTANT|DEVELOPER)\s*:(?!:)")
"""The role of a speaker in an error line, where `User:` and `system:` name accounts and programs."""
_ARROWS = str.maketrans({"→": ">", "←": "<", "≥": ">", "≤": "<", "×": "x"})
_SENTENCE_START = r"(?:^|[.!?:;\u2010-\u2015-][\"')\u2019\u201d]?\s+|[(\[])[\"'*\u2018\u201c]*\s*"
_ORDER = re.compile(rf"{_SENTENCE_START}(?:{'|'.join(load_table('repository_text')['order'])})\b", re.IGNORECASE)
"""A sentence that begins with a verb in the imperative, which reads as an order."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_NO_CODE = re.compile(
    r"[\w-]\.(?:sh|bash|zsh|fish|ps1|bat|cmd|exe|command|appimage)\b"  # a file that exists to be run
    r"|\bhxxps?\b|\bdot\s+(?:com|org|net|io|dev|sh)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-f]{0,4}:[0-9a-f:]{2,40}\]"
    r"|&(?:lt|gt|#\d{1,6});|``|\]\[|^\s*#{1,6}\s"
    r"|\b(?:turn|switch)(?:e?s|ed|ing)?\s(?:[\w-]{1,40}\s){1,4}off\b"
    r"|\b(?:checks?|verification|validation|protection)\b[^.;]{0,80}\b(?:is|are|was|were|stays?)\s(?:off|disabled|skipped)\b"
    r"|(?:^|[\s`\"'(])~/|\bdot\s+\w{1,40}\s+slash\b"
    r"|\(1\).{1,160}\(2\)|\b1[.)]\s.{1,160}\b2[.)]\s"  # steps in a row
    r"|\?(?:\s|\Z)"  # a question, which the next sentence answers as it likes
    r"|\b\d[a-z]{5,}\b",  # a digit that poses as the first letter of a word
    re.IGNORECASE,
)
"""Programs, hosts, markup, steps, questions and disguised words, which an explanation of code does without."""
_SCRIPT_FILE = re.compile(
    r"[\w-]\.(?:py|rb|pl|php|js|mjs|cjs|ts|lua|jar|run|bin|mk)\b|(?:^|[\s`\"'(])\.{0,2}/\w", re.IGNORECASE
)
_CALL_WORD = re.compile(r"[\w./:@=+-]+")
_CALL_ARGUMENT = re.compile(r"--?[a-z]|[a-z][\w:./-]*\Z")
_LATE_ORDER = re.compile(
    r"(?:(?:^|[.!?;]\s+)(?:after|as|because|before|for|if|in order|once|since|to|when|whenever)\b[^,.;]{3,160},\s*"
    r"|\bthen\s+)(?:(?:then|just|simply|first|always|never)\s+)?"
    rf"(?:{'|'.join(load_table('repository_text')['order'])})\b",
    re.IGNORECASE,
)
"""An order below a subordinate clause: "when the index is stale, start ..."."""
_OUTSIDE_PATH = re.compile(r"(?:^|[=:,])(?:/|~)")
"""An argument, or a value in one, that is a path outside of the project."""
_SCRIPT = re.compile(r"(?:\./)?(?:[\w.@+-]{1,60}/){0,6}[\w.@+-]{1,60}\Z", re.ASCII)

_SENTENCE_WORDS = {role: frozenset(words) for role, words in load_table("repository_text").items()}
_ACTING_ROLES = (
    *("address", "reader", "act", "fetch", "tell", "launch", "operation", "transfer", "dismiss", "foreign"),
)
"""Roles of words by which a long name instructs somebody."""
_ORDER_ADVERBS = _SENTENCE_WORDS["adverb"] | _SENTENCE_WORDS["urge"]
_PROGRAMS = frozenset(programs.TABLE["project_programs"])
_INSTALL_SUBCOMMANDS = frozenset(programs.TABLE["install_subcommands"])
_GROUP_OPTIONS = frozenset(programs.TABLE["group_options"])
_PACKAGE_OPTIONS = tuple(programs.TABLE["package_options"])
_PACKAGE_RUNNERS = frozenset(programs.TABLE["package_runners"])
_PACKAGE_MANAGERS = frozenset(programs.TABLE["package_managers"])
_PACKAGE_RUNS = frozenset(programs.TABLE["package_runs"])
_EXPRESSION_OPTIONS = frozenset(programs.TABLE["expression_options"])
_DEPENDENCY_FILES = tuple(programs.TABLE["dependency_files"])


def is_path(text: str) -> bool:
    """Whether a path reads as a path, not as a sentence."""
    if len(text) > REPOSITORY_TEXT_CHARS_MAX or not _PATH.match(text):
        return False
    return _reads_as_path(text)


@lru_cache(maxsize=NAME_CHECKS_CACHED_MAX)
def _reads_as_path(text: str) -> bool:
    names = text.split("/")
    if any(not name or len(name) > PATH_PART_CHARS_MAX or len(name.split()) > SPACED_WORDS_MAX for name in names):
        return False
    if sum(" " in name for name in names) > 1:
        return False
    parts = [_split_words(_EXTENSION.sub("", name)) for name in names]
    if any(len(words) > PATH_WORDS_MAX or _is_sentence(words) for words in parts):
        return False
    all_words = [word for words in parts for word in words]
    # Folders in a row read as a sentence only with the words that join one together.
    joining = _SENTENCE_WORDS["join"] | _SENTENCE_WORDS["foreign"]
    return joining.isdisjoint(all_words) or not _is_sentence(all_words)


def is_name(text: str) -> bool:
    """Whether the name of a symbol, a module or a package reads as a name, not as a sentence."""
    text = text.removesuffix("{}").replace("{}.", ".")  # the map's mark of an anonymous class
    return bool(_NAME.match(text)) and _reads_as_name(text)


@lru_cache(maxsize=NAME_CHECKS_CACHED_MAX)
def _reads_as_name(text: str) -> bool:
    parts = [_split_words(part) for part in _NAME_PARTS.split(text)]
    if any(_is_too_long(words[words[:1] == ["test"] :]) or _is_order(words) for words in parts):
        return False
    return not _is_sentence([word for words in parts for word in words])


def _is_too_long(words: list[str]) -> bool:
    """Whether a name has more words than a name needs, and one of them could instruct somebody."""
    if len(words) <= NAME_WORDS_MAX:
        return False
    return len(words) > STATEMENT_WORDS_MAX or any(
        not _SENTENCE_WORDS[role].isdisjoint(words) for role in _ACTING_ROLES
    )


def _is_order(words: list[str]) -> bool:
    """Whether the words of an identifier order an action on an asset, or an action with a clause."""
    if len(words) < ORDER_WORDS_MIN:
        return False
    verb, *objects = [*dropwhile(_ORDER_ADVERBS.__contains__, words), ""]
    if verb not in _SENTENCE_WORDS["action"]:
        return False
    if not _SENTENCE_WORDS["asset"].isdisjoint(objects):
        return True
    is_clause = len(words) >= PHRASE_WORDS_MIN and not _SENTENCE_WORDS["clause"].isdisjoint(objects)
    return is_clause and verb not in _SENTENCE_WORDS["routine"]


def is_command(text: str) -> bool:
    """Whether a line parses as a known program, or a script of the project, with plain arguments.

    Commands that widen trust or lower a protection are never shown.
    """
    if len(text) > REPOSITORY_TEXT_CHARS_MAX or lowers_protection(text):
        return False
    change = _FOLDER_CHANGE.match(text)
    if change and not is_path(change[1]):
        return False
    try:
        words = shlex.split(text[change.end() :] if change else text)
    except ValueError:
        return False
    while words and _ASSIGNMENT.match(words[0]):
        words.pop(0)
    if not words or len(words) > COMMAND_WORDS_MAX or not _is_program(words[0]):
        return False
    return _are_plain_arguments(words[1:]) and _adds_no_package(words)


def is_failure(text: str) -> bool:
    """Whether the error line of a program states what failed: no advice, no program to run, no host, no markup."""
    if len(text) > REPOSITORY_TEXT_CHARS_MAX:
        return False
    text = _CODE_SPAN.sub(r"\1", text)
    if not _READABLE.match(text) or _MARKUP.search(text) or _HOST.search(text) or _SHOUTED_ROLE.search(text):
        return False
    words = _split_words(text)
    present = set(words)
    if present & (_SENTENCE_WORDS["address"] | _SENTENCE_WORDS["fetch"] | _SENTENCE_WORDS["tell"]):
        return False
    if _advice_pattern().search(text) or _is_sentence(words):
        return False
    # "failed to run" states, "run X to continue" instructs: a statement has the verb after "to" or a negation.
    followers = (word for before, word in zip(["", *words], words, strict=False) if before not in _STATING)
    return _SENTENCE_WORDS["act"].isdisjoint(followers)


def is_explanation(text: str) -> bool:
    """Whether a passage of a commit or a document explains: no order, no reader addressed, no host, no markup."""
    if _ORDER.search(text) or _LATE_ORDER.search(text) or _demands_operation(text):
        return False
    return _is_statement(text, LESSON_CHARS_MAX)


def is_subject(text: str) -> bool:
    """Whether a commit subject describes a change: it names no host and no program to run, and addresses nobody."""
    is_statement = _SENTENCE_WORDS["act"].isdisjoint(_split_words(text)) and _is_statement(text, TOLD_SUBJECT_CHARS_MAX)
    return is_statement and not _demands_operation(text)


def is_wish(text: str) -> bool:
    """Whether what a person seems to have typed may be told unasked; pasted text would name a host or a program.

    People say "you" to their agent, so the reader may be addressed.
    """
    return _is_statement(text, LESSON_CHARS_MAX, frozenset())


def is_unread_wish(text: str) -> bool:
    """Whether a person seems to have typed a wish in a language that the gate cannot read; only a person may admit it.

    A host, a tag, a link or the role of a speaker gives pasted text away in any language.
    """
    is_marked = _TAG_OR_LINK.search(text) or _HOST.search(text) or _ROLE.search(text)
    is_read = _READABLE.match(text.translate(_ARROWS)) and is_readable(text)
    return len(text) <= LESSON_CHARS_MAX and not is_marked and not is_read


def _is_statement(text: str, chars_max: int, address: frozenset[str] = _SENTENCE_WORDS["address"]) -> bool:
    plain = text.translate(_ARROWS)
    if len(plain) > chars_max or not _READABLE.match(plain) or not is_readable(plain):
        return False
    if _TAG_OR_LINK.search(plain) or _HOST.search(plain) or _ROLE.search(plain):
        return False
    words = _split_words(plain)
    present = set(words)
    if present & (address | _SENTENCE_WORDS["fetch"]):
        return False
    return not (
        (present & _SENTENCE_WORDS["reader"] and present & _SENTENCE_WORDS["oblige"])
        or (present & _SENTENCE_WORDS["dismiss"] and present & _SENTENCE_WORDS["dismissed"])
        or (present & _SENTENCE_WORDS["act"] and present & _SENTENCE_WORDS["urge"])
    )


def _demands_operation(text: str) -> bool:
    """Whether a text wants something done to the machine or the repository: in the passive voice, or of nobody."""
    if _NO_CODE.search(text) or _has_phrase("suspect", text) or lowers_protection(text):
        return True
    return any(map(_demands_in_sentence, _SENTENCE_END.split(text)))


def _demands_in_sentence(sentence: str) -> bool:
    has_operation = _has_phrase("operation", sentence)
    if (has_operation or _has_phrase("transfer", sentence)) and _has_phrase("secret", sentence):
        return True
    if _has_phrase("launch", sentence) and (_SCRIPT_FILE.search(sentence) or _names_program_call(sentence)):
        return True
    return has_operation and _has_phrase("demand", sentence)


def _has_phrase(role: str, text: str) -> bool:
    return _phrase_pattern(role).search(text) is not None


@cache
def _phrase_pattern(role: str) -> re.Pattern[str]:
    """Compile the words of a role; hooks, which show no prose, do not pay for it."""
    return re.compile(rf"\b(?:{'|'.join(_SENTENCE_WORDS[role])})\b".replace("_", r"[\s-]+"), re.IGNORECASE)


@cache
def _advice_pattern() -> re.Pattern[str]:
    """Compile the forms of a clause by which an error line says what to do about it."""
    return re.compile(
        rf"(?:[,;(\u2014]\s*|\bto [a-z]{{3,10}}\b[^,;]{{0,60}},\s*)(?:(?:please|then|just|or|and|simply)\s+)?"
        rf"(?:{'|'.join(load_table('repository_text')['order'])})\s+(?!of\b)\w"
        r"|\bto (?:fix|silence|suppress|proceed)\b|\bask (?:the|your|for)\b"
        r"|\bdot (?:com|org|net|io|dev|example)\b|\brequires? (?:force|disabling|skipping|bypassing)\b",
        re.IGNORECASE,
    )


def _names_program_call(sentence: str) -> bool:
    """Whether a sentence has a known program with a subcommand or an option: `make setup`, `npm run x`."""
    words = _CALL_WORD.findall(sentence)
    return any(word in _PROGRAMS and _CALL_ARGUMENT.match(argument) for word, argument in pairwise(words))


KINDS: dict[str, Callable[[str], bool]] = {
    "path": is_path,
    "branch": is_path,
    "name": is_name,
    "command": is_command,
    "failure": is_failure,
    "explanation": is_explanation,
    "subject": is_subject,
    "wish": is_wish,
}
"""Kinds of repository text that may be shown, with the check that a text of the kind passes."""


def admit(kind: str, text: str) -> str:
    """Return a text that looks like its kind, otherwise an empty string."""
    return text if KINDS[kind](text) else ""


def only_paths(texts: Iterable[str]) -> tuple[str, ...]:
    """Keep the texts that read as paths."""
    return tuple(text for text in texts if is_path(text))


def only_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Keep the texts that read as names."""
    return tuple(text for text in texts if is_name(text))


def _is_program(word: str) -> bool:
    if programs.is_check(word) or programs.normalise_name(word) in _PROGRAMS or word in _PROGRAMS:
        return True
    # A script of the project: it is in a folder, or is run from the current one.
    return "/" in word and bool(_SCRIPT.match(word)) and is_path(word)


def _are_plain_arguments(arguments: list[str]) -> bool:
    for option, argument in zip(["", *arguments], arguments, strict=False):
        if " " in argument:
            is_expression = option in _EXPRESSION_OPTIONS and _EXPRESSION.match(argument)
            if (
                not is_expression
                or len(argument.split()) > EXPRESSION_WORDS_MAX
                or _is_sentence(_split_words(argument))
            ):
                return False
        elif not _ARGUMENT.match(argument) or _OUTSIDE_PATH.search(argument) or _is_sentence(_split_words(argument)):
            return False
    if any(_PUNCTUATED.search(argument) for argument in arguments):
        return False
    bare = [argument.lower() for argument in arguments if argument.isalpha()]
    in_expressions = {word for argument in arguments if " " in argument for word in _split_words(argument)} - _OPERATORS
    if len(bare) > BARE_WORDS_MAX or _SENTENCE_WORDS["function"] & ({*bare} | in_expressions):
        return False
    return not _is_sentence([word for argument in arguments for word in _split_words(argument)])


def _adds_no_package(words: list[str]) -> bool:
    """Whether a command runs and installs only the project, what its files list, and listed checks."""
    program, arguments = programs.normalise_name(words[0]), words[1:]
    package_options = () if program == "poetry" else _PACKAGE_OPTIONS  # There, --with names a group of the project.
    if any(argument.startswith(package_options) for argument in arguments) or any(map(_VERSIONED.search, arguments)):
        return False
    if program in _PACKAGE_MANAGERS and _PACKAGE_RUNS.intersection(arguments[:1]):
        program, arguments = "npx", arguments[1:]
    if program in _PACKAGE_RUNNERS:
        package = next((argument for argument in arguments if not argument.startswith("-") and argument != "run"), "")
        return programs.is_check(package) or programs.has_subcommands(package)
    return _installs_only_project(arguments)


def _installs_only_project(arguments: list[str]) -> bool:
    """Whether a command installs nothing but the project and what its files list."""
    installation = dropwhile(lambda argument: argument not in _INSTALL_SUBCOMMANDS, arguments)
    packages = [
        word for option, word in pairwise(installation) if not word.startswith("-") and not _takes_group(option)
    ]
    return all(package.startswith(".") or package.endswith(_DEPENDENCY_FILES) for package in packages)


def _takes_group(option: str) -> bool:
    return option in _GROUP_OPTIONS or option == "--with"


def is_readable(text: str) -> bool:
    """Whether the gate can read a text: it has few function words of other languages, and mostly Latin letters."""
    words = _split_words(text)
    letters = [letter for letter in text if letter.isalpha()]
    is_latin = 2 * sum(letter < "\u0250" for letter in letters) >= len(letters)
    return is_latin and len(set(words) & _SENTENCE_WORDS["foreign"]) < FOREIGN_WORDS_MIN


def _split_words(text: str) -> list[str]:
    """Split a name into its words, in lower case and without accents."""
    if not text.isascii():
        text = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    return [word.lower() for word in _WORD.findall(text)]


def _is_sentence(words: list[str]) -> bool:
    """Whether the words of a name, read one after the other, address or instruct a reader, or cannot be read."""
    present = set(words)
    if len(words) >= ORDER_WORDS_MIN and len(present & _SENTENCE_WORDS["foreign"]) >= FOREIGN_WORDS_MIN:
        return True
    if len(words) >= ORDER_WORDS_MIN and (
        (present & _SENTENCE_WORDS["dismiss"] and present & _SENTENCE_WORDS["dismissed"])
        or (present & _SENTENCE_WORDS["act"] and present & _SENTENCE_WORDS["urge"])
    ):
        return True
    if len(words) < PHRASE_WORDS_MIN:
        return False
    return bool(
        present & _SENTENCE_WORDS["address"]
        or (present & _SENTENCE_WORDS["reader"] and present & _SENTENCE_WORDS["oblige"])
    )
