"""Parses the output of commands and tests: whether one failed, and by which error; recognises an error when it recurs.

That takes the line that says why, and a normalised fingerprint of it. The fingerprint is the same on every machine, and
this is the only way to compute it: the observer stores what a hook looks up. The formats of tools are in
`data/failures.toml`. The hook process imports this module, so it loads nothing but `re` and `json`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from holloway.data import load_table
from holloway.text import command_compare, programs, tools
from holloway.text.commands import parse_command

OUTPUT_CHARS_MAX = 16_000
FAILURE_LINE_CHARS_MAX = 500
TELLING_CHARS_MAX = 300
REFUSAL_LINES_MAX = 3
VERDICTS_CACHED = 256
"""The same test run is asked about several times."""
ERRORS_MAX = 12
"""Maximum number of errors of one output that are told apart."""

_TABLE = load_table("failures")
_PROBES = frozenset(_TABLE["probes"])
_GIT_VIEWS = frozenset(_TABLE["git_views"])
_VIEWS = frozenset((tools.READ, tools.SEARCH, tools.LIST))


@cache
def _compile_sign(name: str) -> re.Pattern[str]:
    """Compile a sign when it is first used: a hook needs few of them, and compiling takes long."""
    return re.compile(_TABLE["signs"][name])


@cache
def _normalisations() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(regex), placeholder) for regex, placeholder in _TABLE["normalisations"]]


def is_frame(line: str) -> bool:
    """Whether a line is a frame of a stack trace."""
    return bool(_compile_sign("frame").match(line))


def is_failure(output: str, flagged: bool, command: str = "") -> bool:
    """Whether a result is a failure: by the host's flag, or by signs in the output where a pipe hides the status.

    A search that finds nothing, a difference that is shown and a command that the host never ran are no failures.
    """
    text = _clean_output(output)
    if _compile_sign("not_run").match(text):
        return False
    step = command_compare.main_step(command) if command else None
    if flagged:
        return step is None or not _is_probe_answer(step.program, text)
    if step is None:
        return any(_compile_sign(name).search(text) for name in ("red", "stopped", "broken"))
    if step.kind == programs.TEST:
        return read_verdict(command, output, flagged) == "red"
    if step.kind in _VIEWS or step.program in _GIT_VIEWS or step.kind == programs.FETCH:
        return _is_refusal(step.program, text)
    runs_code = step.kind in (programs.CHECK, programs.RUN, programs.INSTALL)
    return bool(
        _compile_sign("broken").search(text)
        or (runs_code and (_compile_sign("red").search(text) or _compile_sign("stopped").search(text)))
    )


def _is_probe_answer(program: str, text: str) -> bool:
    """Whether a failing status is the answer of a probe, and the program does not complain."""
    if program not in _PROBES or _compile_sign("serious_exit").match(text):
        return False
    body = _remove_exit_lines(text)
    shows_difference = program in ("diff", "cmp", "git diff", "gofmt")
    complains = _compile_sign("broken").match(body) if shows_difference else _compile_sign("broken").search(body)
    return not complains and not _compile_sign("complaint").search(body.split("\n", 1)[0][:FAILURE_LINE_CHARS_MAX])


def _is_refusal(program: str, text: str) -> bool:
    """Whether a program that only shows text printed nothing but its own complaint."""
    body = _remove_exit_lines(text)
    if len(body) >= FAILURE_LINE_CHARS_MAX or body.count("\n") >= REFUSAL_LINES_MAX:
        return False
    complains = body.startswith(f"{program.split(' ', 1)[0]}: ") and _compile_sign("complaint").search(body)
    return bool(complains or _compile_sign("refusal").match(body))


def _remove_exit_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _compile_sign("exit_line").match(line.strip())).strip()


@lru_cache(maxsize=VERDICTS_CACHED)
def read_verdict(command: str, output: str, flagged: bool) -> str:
    """Read the verdict of a test run: "green", "red", or "" if it ran no tests or does not say."""
    if not any(step.kind == programs.TEST for step in parse_command(command)):
        return ""
    text = _clean_output(output)
    if _compile_sign("not_run").match(text):
        return ""
    is_green = bool(_compile_sign("green").search(text))
    if _compile_sign("red").search(text):
        return "red"
    if flagged:
        step = command_compare.main_step(command)
        return "green" if is_green and step is not None and step.kind != programs.TEST else "red"
    if not is_green and (_compile_sign("stopped").search(text) or _compile_sign("broken").search(text)):
        return "red"
    return "green" if is_green or not command_compare.hides_status(command) else ""


def list_errors(output: str) -> tuple[str, ...]:
    """List the errors of an output in their order, one line each; empty if it names none."""
    text = _clean_output(output)
    lines = [line[:FAILURE_LINE_CHARS_MAX].rstrip() for line in text.split("\n")]
    lines = [line for line in lines if not _compile_sign("passed").match(line)]
    error_lines = _find_strong_lines(lines)
    if any(line.startswith("FAILED ") for line in error_lines):
        # The line of the test itself says which test it was.
        error_lines = [line for line in error_lines if not _compile_sign("assertion").match(line)]
    elif "Traceback (most recent" in text:
        error_lines = [line for line in error_lines if _compile_sign("exception").match(line)][-1:] or error_lines
    if not error_lines:
        candidates = [line for line in lines if not _compile_sign("boilerplate").match(line)]
        error_lines = [line for line in candidates if _compile_sign("prefixed").match(line)]
        error_lines = error_lines or [line for line in candidates if _compile_sign("complaint").search(line)]
    squeezed = (" ".join(line.removeprefix("E  ").split())[:TELLING_CHARS_MAX].rstrip() for line in error_lines)
    return tuple(dict.fromkeys(line for line in squeezed if line))[:ERRORS_MAX]


def is_usage_error(error: str) -> bool:
    """Whether a program rejected how it was called, or was not found."""
    return bool(_compile_sign("usage").search(error))


def is_missing(error: str) -> bool:
    """Whether an error says that something is not there: a module, a file, a command, a service."""
    return bool(_compile_sign("missing").search(error))


def find_error_line(output: str) -> str:
    """Find the line that says what went wrong, at most 300 characters; a single line is taken as it is."""
    text = _clean_output(output).strip()
    if "\n" not in text and len(text) <= TELLING_CHARS_MAX:
        return " ".join(text.split())
    return next(iter(list_errors(text)), "") or _find_last_line(text)


def _find_last_line(text: str) -> str:
    """Find the last line that is neither boilerplate nor a frame, for an output in which no line is an error."""
    lines = [
        line
        for line in text.split("\n")
        if not _compile_sign("boilerplate").match(line[:FAILURE_LINE_CHARS_MAX])
        and not _compile_sign("frame").match(line)
    ]
    return " ".join(lines[-1].split())[:TELLING_CHARS_MAX].rstrip() if lines else ""


def _find_strong_lines(lines: list[str]) -> list[str]:
    """Find failing tests with their logs, findings of compilers and linters, and exceptions, in the output's order."""
    strong_lines: list[str] = []
    head, log = "", ""
    for line in lines:
        if logged := _compile_sign("go_log").match(line):
            log = _choose_log(log, f"{logged['place']}: {logged['said']}")
            if head:
                strong_lines[-1] = f"{head}: {log}"
        elif line.startswith("=== RUN"):
            head, log = "", ""
        elif test := _compile_sign("failing_test").match(line):
            _add_test(strong_lines, test, log)
            head, log = strong_lines[-1] if test["go"] and not log else "", ""
        elif line.startswith("panic: ") and head:
            strong_lines[-1], head = f"{head}: {line}", ""
        elif not _compile_sign("frame").match(line) and (_has_location(line) or _compile_sign("exception").match(line)):
            strong_lines.append(line)
    return sorted(
        strong_lines, key=lambda line: "could not import" in line
    )  # the import fails because of another error


def _choose_log(log: str, other: str) -> str:
    """Choose, of two lines that a failing test logged, the one that says what was wrong; else the later."""
    return (
        log
        if _compile_sign("verdict_words").search(log) and not _compile_sign("verdict_words").search(other)
        else other
    )


def _add_test(strong_lines: list[str], test: re.Match[str], log: str) -> None:
    name = next(part for part in test.groups() if part)
    if strong_lines and name.startswith(strong_lines[-1].removeprefix("--- FAIL: ") + "/"):
        strong_lines.pop()  # a test fails with its subtest; the subtest says why
    head = f"--- FAIL: {name}" if test["go"] else test[0].strip()
    strong_lines.append(f"{head}: {log}" if log else head)


def _has_location(line: str) -> bool:
    """Whether a line is a finding of a compiler or linter: `a/b.go:12:5: undefined: x`."""
    match = _compile_sign("located").match(line.lstrip())
    return bool(
        match and not line[:1].isspace() and not match["said"].startswith((": #", "+0x", "note:", "too many errors"))
    )


def normalise_error(text: str) -> str:
    """Remove what differs between machines and runs: position, numbers, times, addresses, temporary names."""
    text = " ".join(_clean_output(text)[: FAILURE_LINE_CHARS_MAX * 4].split())
    position = _compile_sign("position").match(text)
    if position and (position[1] or _compile_sign("located").match(text)):
        text = position[1] + text[position.end() :]
    for pattern, placeholder in _normalisations():
        text = pattern.sub(placeholder, text)
    return text


def fingerprint_failure(text: str) -> str:
    """Fingerprint a failure, the same on every machine: 16 hex digits, or "" if the text says nothing.

    An output and the line that `find_error_line` takes from it have the same fingerprint.
    """
    import hashlib  # it loads OpenSSL, and most commands do not fail

    error = normalise_error(find_error_line(text))
    return hashlib.blake2b(error.encode("utf-8", "replace"), digest_size=8).hexdigest() if error else ""


def fingerprint_errors(output: str) -> tuple[str, ...]:
    """Fingerprint each error of an output, in their order; empty if no line is an error."""
    return tuple(dict.fromkeys(fingerprint_failure(error) for error in list_errors(output)))


def _clean_output(output: str) -> str:
    """Remove terminal codes; cut a long output to its beginning and, twice as long, its end."""
    if len(output) > OUTPUT_CHARS_MAX:
        head = OUTPUT_CHARS_MAX // 3
        output = output[:head] + "\n" + output[head - OUTPUT_CHARS_MAX :]
    return _compile_sign("ansi_code").sub("", output).replace("\r\n", "\n").replace("\r", "\n")
