"""Failures as text: did it fail, which line says why, and a fingerprint that is the same on every machine.

The one way to fingerprint an error: what the observer stores and what a hook looks up must agree. The hook process
imports this module, so it loads nothing but `re`.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from holloway.text import command_compare, programs
from holloway.text.commands import understand

OUTPUT_CHARS_MAX = 16_000
LINE_CHARS_MAX = 500
TELLING_CHARS_MAX = 300
REFUSAL_LINES_MAX = 3
VERDICTS_KEPT = 256
"""Several questions are asked about the same run of tests."""
ERRORS_MAX = 12
"""How many errors of one output are told apart."""


class _Pattern:
    """Alternatives as one pattern, compiled when first used: a hook needs few of them, and compiling takes long."""

    def __init__(self, *alternatives: str, flags: int = 0) -> None:
        self._text = "|".join(alternatives)
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def match(self, text: str) -> re.Match[str] | None:
        return self._compiled.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def sub(self, placeholder: str, text: str) -> str:
        return self._compiled.sub(placeholder, text)


_ANSI = _Pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*\x07?|\x1b.")
_EXIT = _Pattern(
    r"^Exit code \d{1,3}$|^\[?exit(?: code| status)?[:= ]+\d{1,3}\]?$|^rc[:=]\s*\d{1,3}$", flags=re.IGNORECASE
)
_NOT_RUN = _Pattern(
    r"\s*(?:<tool_use_error>|\[Request interrupted|The user doesn't want|User rejected|Permission to use|"
    r"Cancelled: parallel|The agent was interrupted)"
)
"""What a host says where the command itself was never run or never answered."""

# The kinds of lines that say what went wrong, the most telling first.
_EXT = r"[A-Za-z][A-Za-z0-9]{0,9}"
_LOCATED = _Pattern(
    rf"(?:-->\s*)?(?P<path>(?:[A-Za-z]:)?[^\s:()\"'`,;|]{{1,300}}\.{_EXT})"
    r"(?::\d+(?:[:.]\d+)?(?:-\d+)?|\(\d+(?:,\d+)?\)):? (?:-\s)?(?P<said>(?!\+0x).*\S)"
)
_TEST = _Pattern(
    r"\s*(?:--- FAIL: (?P<go>\S+)",
    r"FAILED (?P<py>\S*::\S.*)",
    r"(?:FAIL|ERROR): (?P<unit>\w+ \(.*\))",
    r"test (?P<rust>\S+) \.\.\. FAILED",
    r"(?:[✕✗×]|●) (?P<js>\S.*)",
    r"FAIL\s+(?P<file>\S+\.\w+(?: > .*)?)$",
    r"not ok \d+ -? ?(?P<tap>\S.*))",
)
_EXCEPTION = _Pattern(
    r"(?:E\s+)?[A-Za-z_][\w.]{0,100}(?:Error|Exception|Exit|Interrupt|Timeout|Warning|NotFound)\b(?:: ?(?P<said>.*))?$"
)
_ASSERTION = _Pattern(r"(?:E\s+)?(?:AssertionError|AssertionFailedError)\b|\S+:\d+: \w+(?:Error|Exception)$")
_PREFIXED = _Pattern(
    r"(?:\[[\w:.-]+\] )?(?:[\w./+-]{1,60}: )?(?:fatal|error|panic|ERROR|Error|FATAL|ERR!|Fatal error|error\[\w+\])"
    r"[:!]? ?(?:-\s)?\S",
    r"npm (?:ERR!|error) (?!A complete log|code |errno )\S",
    r"thread '.{0,100}' panicked",
    r"CONFLICT ",
    r"\s*! \[rejected\]",
    r".{0,200}error TS\d+: ",
)
_COMPLAINT = _Pattern(
    r"command not found",
    r"[Nn]o such file or directory",
    r"[Pp]ermission denied",
    r"not a git repository",
    r"(?:[Uu]nknown|[Uu]nrecognized|[Ii]nvalid|[Ii]llegal) (?:flag|option|argument|(?:sub)?command|shorthand|linter)",
    r"[Pp]arse error|[Ss]yntax error",
    r"[Cc]ould not (?:resolve|find|connect|read|open|import)",
    r"[Cc]annot (?:find|open|use|import|access|read|connect)",
    r"[Cc]onnection refused|timed? ?out\b",
    r"does not exist|not found\b|unable to|must be|is required|are ignored by",
    r"missing (?:required|operand|argument)",
    r"build constraints exclude",
    r"Automatic merge failed",
    r"Segmentation fault|Killed",
)
_BOILERPLATE = _Pattern(
    r"\s*(?:Exit code \d+",
    r"\[?exit.{0,12}\d+\]?",
    r"\[[\w:.-]+\] (?:\$ |ERROR task failed).*",
    r"FAIL(?:\s+\S+)?(?:\s+\[?[\w.() ]+\]?)?",
    r"ok\s.*|\?\s.*|PASS",
    r"make(?:\[\d+\])?: \*\*\*.*",
    r"# \S+.*|\$ .*|> .*|=+ .*|-+|\d+ issues?:|\* \w+: \d+",
    r"npm (?:ERR!|error) (?:code|errno|A complete).*",
    r"error: recipe .*|mise ERROR.*|\S*ELIFECYCLE.*|error Command failed.*|info Visit .*",
    r"hint: .*|[Uu]sage:.*|.*task failed",
    r"\W*)$",
)
_GO_LOG = _Pattern(r"\s+(?P<place>[\w.-]+\.go:\d+): (?P<said>.*\S)")
_FRAME = _Pattern(
    r"\s*(?:at |File \"|\S+\.go:\d+ \+0x|goroutine |from \S+:\d+:in)",
    r"\S+:\d+: in (?:<\w+>|[\w.]+)$",  # pytest says so where it was, not what was wrong there
)

_GREEN = _Pattern(
    r"^ok\s+\S+|^PASS$|^OK(?: \(.*\))?$",
    r"\b[1-9]\d* (?:passed|passing|tests? passed)\b",
    r"test result: ok|BUILD SUCCESS|All tests passed",
    r"\b0 fail(?:ed|ures|ing)?\b|^# fail 0$|, 0 failures",
    flags=re.MULTILINE,
)
_RED = _Pattern(
    r"^[ \t]*--- FAIL:|^FAIL(?:\s|$)(?!:? 0)|^FAILED[ (]|^E {3}|^not ok \d",
    r"^Traceback \(most recent|^panic: |^thread '.{0,100}' panicked",
    r"^[ \t]*● |^[ \t]*[✕✗] ",
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b",
    r"test result: FAILED|BUILD FAILED|\[build failed\]|build constraints exclude",
    r"^ERROR collecting",
    flags=re.MULTILINE,
)
_STOPPED = _Pattern(
    r"ERROR task failed|npm ERR!|ELIFECYCLE|^make(?:\[\d+\])?: \*\*\*",
    r"^Exit code [1-9]|exit (?:status|code)[:= ]+[1-9]",
    r"^error(?:\[\w+\])?: |^ERROR:",
    flags=re.MULTILINE,
)
_BROKEN = _Pattern(
    r"^(?:fatal|error|Error|ERROR|panic)(?:\[\w+\])?: |^[\w./+-]{1,60}: (?:fatal|error): ",
    rf"^[^\s:]{{1,300}}\.{_EXT}:\d+:\d+: (?!note|warning)\S|\berror TS\d+: ",
    r": command not found|^[\w./-]{1,200}: (?:line \d+: )?[^\n]{0,300}: No such file or directory",
    r"^CONFLICT |! \[rejected\]|Segmentation fault|^\(eval\):\d+: |^✖ [1-9]",
    r"(?:unknown|unrecognized|illegal|invalid) (?:flag|option|argument|shorthand)",
    flags=re.MULTILINE,
)
_LOOKS = frozenset((programs.READ, programs.SEARCH, programs.LIST))
_GIT_LOOKS = frozenset(
    "git log|git diff|git show|git blame|git status|git ls-files|git grep|git branch|git cat-file".split("|")
)
_PROBES = frozenset("grep egrep fgrep rg ag diff cmp which type pgrep test command fd find jq".split()) | {
    "git diff",
    "git config",
    "git grep",
    "git check-ignore",
    "git merge-base",
    "git show-ref",
    "git check-ref-format",
    "git rev-parse",
    "gofmt",
}
"""Programs whose failing status is an answer: nothing found, something differs, not set."""


def failed(output: str, flagged: bool, command: str = "") -> bool:
    """Whether a result is a failure: the host's flag, or signs in the output where a pipe hides the status.

    A search that finds nothing, a difference that is shown and a command that the host never ran are no failures.
    """
    text = _plain(output)
    if _NOT_RUN.match(text):
        return False
    step = command_compare.purpose(command) if command else None
    if flagged:
        return step is None or not _answers(step.program, text)
    if step is None:
        return any(sign.search(text) for sign in (_RED, _STOPPED, _BROKEN))
    if step.kind == programs.TEST:
        return verdict(command, output, flagged) == "red"
    if step.kind in _LOOKS or step.program in _GIT_LOOKS or step.kind == programs.FETCH:
        return _refused(step.program, text)
    runs = step.kind in (programs.CHECK, programs.RUN, programs.INSTALL)
    return bool(_BROKEN.search(text) or (runs and (_RED.search(text) or _STOPPED.search(text))))


def _answers(program: str, text: str) -> bool:
    """Whether the failing status of a probe is its answer; it is not where the program complains."""
    if program not in _PROBES or _SERIOUS.match(text):
        return False
    body = _body(text)
    shows = program in ("diff", "cmp", "git diff", "gofmt")
    complains = _BROKEN.match(body) if shows else _BROKEN.search(body)
    return not complains and not _COMPLAINT.search(body.split("\n", 1)[0][:LINE_CHARS_MAX])


_SERIOUS = _Pattern(r"Exit code (?:[2-9]|\d{2,3})\b")


def _refused(program: str, text: str) -> bool:
    """What only shows text has failed where its own complaint is all there is to see."""
    body = _body(text)
    if len(body) >= LINE_CHARS_MAX or body.count("\n") >= REFUSAL_LINES_MAX:
        return False
    own = body.startswith(f"{program.split(' ', 1)[0]}: ") and _COMPLAINT.search(body)
    return bool(own or _REFUSES.match(body))


_REFUSES = _Pattern(
    r"(?:fatal|error|Error|usage): |\(eval\):|(?:/bin/)?(?:ba|z|da)?sh: |(?:unknown|unrecognized|illegal|invalid) \w+: "
)


def _body(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _EXIT.match(line.strip())).strip()


@lru_cache(maxsize=VERDICTS_KEPT)
def verdict(command: str, output: str, flagged: bool) -> str:
    """What a run of tests said: "green", "red", or "" where it ran none or does not say."""
    if not any(step.kind == programs.TEST for step in understand(command)):
        return ""
    text = _plain(output)
    if _NOT_RUN.match(text):
        return ""
    green = bool(_GREEN.search(text))
    if _RED.search(text):
        return "red"
    if flagged:
        step = command_compare.purpose(command)
        return "green" if green and step is not None and step.kind != programs.TEST else "red"
    if not green and (_STOPPED.search(text) or _BROKEN.search(text)):
        return "red"
    return "green" if green or not command_compare.hides_status(command) else ""


def errors(output: str) -> tuple[str, ...]:
    """The errors that an output tells of, one line each, the first first; empty where it says nothing."""
    text = _plain(output)
    lines = [line[:LINE_CHARS_MAX].rstrip() for line in text.split("\n")]
    found = _strong(lines)
    if any(line.startswith("FAILED ") for line in found):
        found = [line for line in found if not _ASSERTION.match(line)]  # the test's own line says which test it was
    elif "Traceback (most recent" in text:
        found = [line for line in found if _EXCEPTION.match(line)][-1:] or found
    found = found or [line for line in lines if _PREFIXED.match(line) and not _BOILERPLATE.match(line)]
    found = found or [line for line in lines if _COMPLAINT.search(line) and not _BOILERPLATE.match(line)]
    squeezed = (" ".join(line.removeprefix("E  ").split())[:TELLING_CHARS_MAX].rstrip() for line in found)
    return tuple(dict.fromkeys(line for line in squeezed if line))[:ERRORS_MAX]


def telling(output: str) -> str:
    """The line that says what went wrong, at most 300 characters; a single line speaks for itself."""
    text = _plain(output).strip()
    if "\n" not in text and len(text) <= TELLING_CHARS_MAX:
        return " ".join(text.split())
    return next(iter(errors(text)), "") or _last(text)


def _last(text: str) -> str:
    """The last line with something in it, where no line says that it is an error."""
    lines = [
        line for line in text.split("\n") if not _BOILERPLATE.match(line[:LINE_CHARS_MAX]) and not _FRAME.match(line)
    ]
    return " ".join(lines[-1].split())[:TELLING_CHARS_MAX].rstrip() if lines else ""


def _strong(lines: list[str]) -> list[str]:
    """Failing tests with what they said, compilers' and linters' findings, exceptions, in the order of the output."""
    found: list[str] = []
    head, log = "", ""
    for line in lines:
        if noted := _GO_LOG.match(line):
            log = _better(log, f"{noted['place']}: {noted['said']}")
            if head:
                found[-1] = f"{head}: {log}"
        elif line.startswith("=== RUN"):
            head, log = "", ""
        elif test := _TEST.match(line):
            _add_test(found, test, log)
            head, log = found[-1] if test["go"] and not log else "", ""
        elif line.startswith("panic: ") and head:
            found[-1], head = f"{head}: {line}", ""
        elif not _FRAME.match(line) and (_located(line) or _EXCEPTION.match(line)):
            found.append(line)
    return sorted(found, key=lambda line: "could not import" in line)  # the import fails for another error's sake


def _better(log: str, other: str) -> str:
    """Of two lines that a failing test logged the one that says what was wrong; else the later."""
    return log if _JUDGES.search(log) and not _JUDGES.search(other) else other


_JUDGES = _Pattern(r"\b(?:want|expect|got|should|fail|error|must|unexpected|invalid|cannot|not)", flags=re.IGNORECASE)


def _add_test(found: list[str], test: re.Match[str], log: str) -> None:
    name = next(part for part in test.groups() if part)
    if found and name.startswith(found[-1].removeprefix("--- FAIL: ") + "/"):
        found.pop()  # a test fails with its subtest; the subtest says why
    head = f"--- FAIL: {name}" if test["go"] else test[0].strip()
    found.append(f"{head}: {log}" if log else head)


def _located(line: str) -> bool:
    """Whether a compiler or linter speaks of a place: `a/b.go:12:5: undefined: x`."""
    found = _LOCATED.match(line.lstrip())
    return bool(
        found and not line[:1].isspace() and not found["said"].startswith((": #", "+0x", "note:", "too many errors"))
    )


_NORMAL: tuple[tuple[_Pattern, str], ...] = tuple(
    (_Pattern(pattern), placeholder)
    for pattern, placeholder in (
        (r" \(typecheck\)$", ""),  # a linter that only passes on what the compiler said
        (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<uuid>"),
        (r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b", "<time>"),
        (
            r"(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s:'\"`,;)\]]+|[A-Za-z]:[\\/][^\s:'\"`,;]*[Tt]emp[\\/][^\s:'\"`,;]+",
            "<tmp>",
        ),
        (
            r"(?<![\w.<>:/-])(?:~|\$HOME|[A-Za-z]:)?[/\\](?:[^\s/\\:'\"`,;()\[\]]+[/\\])+(?=[^\s/\\:'\"`,;()\[\]])",
            "<path>/",
        ),
        (r"\b0x[0-9a-fA-F]+\b\??", "<hex>"),
        (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "<hex>"),
        (r"(?<=[A-Za-z0-9])(?::\d+){1,2}(?=[:\s)\],]|$)(?!\w)", ""),
        (r"\((?:\d+,\s?\d+|\d+)\)(?=:)", ""),
        (r"\b\d+(?:\.\d+)?(?:ns|µs|us|ms|s|m|h|sec|seconds|min|minutes)\b(?:\d+(?:\.\d+)?s\b)?", "<duration>"),
        (r"\bv?\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?|\bv\d+(?:\.\d+)+", "<version>"),
        (r"(?<![\w.<-])(?<!HTTP )(?<!status )(?<!errno )(?<!code )-?\d+(?:[.,]\d+)*(?![\w.>-])", "<n>"),
    )
)
_PLACE = _Pattern(
    rf"^(--- FAIL: [^\s:]+: |)(?:-->\s*)?[^\s:()\"'`,;|]{{1,300}}\.{_EXT}"
    r"(?:\(\d[\d,]*\))?(?::\d+){0,2}:? (?:-\s)?(?=\S)"
)


def normalised(text: str) -> str:
    """An error without what differs between machines and runs: place, numbers, times, addresses, temporary names."""
    text = " ".join(_plain(text)[: LINE_CHARS_MAX * 4].split())
    placed = _PLACE.match(text)
    if placed and (placed[1] or _LOCATED.match(text)):
        text = placed[1] + text[placed.end() :]
    for pattern, placeholder in _NORMAL:
        text = pattern.sub(placeholder, text)
    return text


def fingerprint(text: str) -> str:
    """The same for the same failure on every machine; 16 hex digits, or nothing where the text says nothing.

    An output and the line that `telling` takes from it have one fingerprint.
    """
    import hashlib  # it loads OpenSSL, and most commands do not fail

    said = normalised(telling(text))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest() if said else ""


def fingerprints(output: str) -> tuple[str, ...]:
    """One for each error that the output tells of, the first first; none where no line says that it is an error."""
    return tuple(dict.fromkeys(fingerprint(error) for error in errors(output)))


def _plain(output: str) -> str:
    """Without colours and overwritten lines; of a long output its beginning and, twice as long, its end."""
    if len(output) > OUTPUT_CHARS_MAX:
        head = OUTPUT_CHARS_MAX // 3
        output = output[:head] + "\n" + output[head - OUTPUT_CHARS_MAX :]
    return _ANSI.sub("", output).replace("\r\n", "\n").replace("\r", "\n")
