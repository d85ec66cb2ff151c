import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text import failures
from holloway.text.failures import (
    find_error_line,
    fingerprint_errors,
    fingerprint_failure,
    is_failure,
    is_frame,
    list_errors,
    normalise_error,
    read_verdict,
)

GO_COMPILE = (
    "Exit code 1\n# example.com/app/store\nstore/open.go:36:21: undefined: dial\n"
    'store/open.go:58:2: "io" imported and not used\nFAIL\texample.com/app/store [build failed]\nFAIL'
)
GO_TEST = (
    "=== RUN   TestOpen\n    open_test.go:12: opening\n    open_test.go:19: Open() = 3, want 4\n"
    "    open_test.go:20: done\n"
    "--- FAIL: TestOpen (0.01s)\nFAIL\nFAIL\texample.com/app/store\t0.512s"
)
GO_SUBTEST = "--- FAIL: TestOpen (0.04s)\n    --- FAIL: TestOpen/locked (0.01s)\n        open_test.go:9: got true\nFAIL"
PYTEST = (
    "F\n=== FAILURES ===\n    def test_add():\n>       assert add(1, 2) == 4\nE       assert 3 == 4\n\n"
    "tests/test_a.py:7: AssertionError\n"
    "=== short test summary info ===\nFAILED tests/test_a.py::test_add - assert 3 == 4\n1 failed, 3 passed in 0.12s"
)
CONFTEST = (
    "Exit code 4\nImportError while loading conftest '/home/ann/app/tests/conftest.py'.\n"
    "tests/conftest.py:9: in <module>\n    import trustme\nE   ModuleNotFoundError: No module named 'trustme'"
)
SHORT = (
    "=== FAILURES ===\n___ test_send ___\ntests/test_a.py:120: in test_send\n    client.send(request)\n"
    "src/app/client.py:31: in send\n    return headers['host']\nE   KeyError: 'host'\n1 failed, 30 passed in 0.9s"
)
TRACEBACK = (
    'Traceback (most recent call last):\n  File "/home/ann/app/a.py", line 3, in <module>\n    import flask\n'
    "ModuleNotFoundError: No module named 'flask'"
)
JEST = "FAIL src/a.test.ts\n  ● adds › two numbers\n\n    expect(a).toBe(b)\n\nTests: 1 failed, 4 passed, 5 total"
RUST = "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:4:5\n\nerror: could not compile `app`"
NPM = "npm ERR! code ELIFECYCLE\nnpm ERR! missing script: tset\nnpm ERR! A complete log of this run can be found in: /x"
TSC = "src/a.ts(12,5): error TS2304: Cannot find name 'foo'."


@pytest.mark.parametrize(
    "output", [GO_COMPILE, GO_TEST, GO_SUBTEST, PYTEST, JEST, RUST, "panic: no\n", "2 failed, 1 passed"]
)
def test_a_failure_behind_a_pipe_is_seen_without_a_flag(output: str) -> None:
    assert is_failure(output, False, "make test 2>&1 | tail -30")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("mise run lint 2>&1 | tail", "cmd/a.go:1:2: os/exec.Command must not be called (noctx)"),
        ("npm run build | tail -5", NPM),
        ("npx tsc | head", TSC),
        ("python a.py | tail", TRACEBACK),
        ("git push | tail", " ! [rejected]  main -> main (fetch first)"),
        ("foo --x | head", "zsh: command not found: foo"),
        ("foo | head", "bash: foo: command not found"),
        ("ls nowhere | head", "ls: nowhere: No such file or directory"),
        ("gh pr diff 1 --stat | head", "unknown flag: --stat"),
    ],
)
def test_other_commands_say_it_in_their_own_way(command: str, output: str) -> None:
    assert is_failure(output, False, command)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("mise run lint | tail -3", "0 issues."),
        ("eslint . | tail", "✔ 0 problems (0 errors, 0 warnings)"),
        ("pytest | tail -3", "5 passed, 0 failed in 0.1s"),
        ("go test ./... | tail", "ok  \texample.com/app/errors\t0.1s\n--- PASS: TestErrorHandling (0.00s)"),
        ("grep -rn error src", 'src/a.go:12:3: return errors.New("error: no")'),
        ("cat log.txt", "error: disk full\npanic: oh\n" + "more\n" * 10),
        ("git log --oneline", "abc error: handle the failure\ndef FAIL"),
        ("git diff", "-fatal: x\n+error: y\n"),
        ("curl https://example.com", "<p>Error: 404</p>\n" * 9),
    ],
)
def test_talk_of_errors_is_no_failure(command: str, output: str) -> None:
    assert not is_failure(output, False, command)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -rn foo src", "Exit code 1"),
        ("diff a b", "Exit code 1\n1c1\n< error: x\n---\n> y"),
        ("git config gc.auto; echo ---", "Exit code 1\n---"),
        ("which foo", "Exit code 1"),
        ("mise run test", "<tool_use_error>Sibling tool call errored</tool_use_error>"),
        ("git push", "The user doesn't want to proceed with this tool use."),
    ],
)
def test_an_answer_in_the_status_and_a_command_never_run_are_no_failures(command: str, output: str) -> None:
    assert not is_failure(output, True, command)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep foo src", "Exit code 2\ngrep: src: Is a directory"),
        ("git diff --no-stat", "Exit code 129\nusage: git diff [<options>]"),
        ("rg foo(", "Exit code 2\nregex parse error"),
        ("anything", "Exit code 1"),
        ("", "boom"),
    ],
)
def test_a_probe_that_complains_has_failed_like_anything_else(command: str, output: str) -> None:
    assert is_failure(output, True, command)


@pytest.mark.parametrize(
    ("command", "output", "flagged", "said"),
    [
        ("pytest -q", "3 passed in 0.1s", False, "green"),
        ("pytest -q", PYTEST, True, "red"),
        ("pytest -q | tail -1", "1 failed, 3 passed in 0.12s", False, "red"),
        ("go test ./...", "", False, "green"),
        ("go test ./... | grep FAIL", "", False, ""),
        ("go test ./... | tail -3", "ok  \texample.com/a\t0.1s", False, "green"),
        ("npm test && git commit -m x", "4 passing\nerror: pathspec", True, "green"),
        ("mise run lint", "1 failed", True, ""),
        ("pytest", "The user doesn't want to proceed with this tool use.", True, ""),
        ("cargo test | tail", "test result: ok. 5 passed; 0 failed", False, "green"),
        ("make test", "", True, "red"),
    ],
)
def test_a_run_of_tests_is_green_red_or_silent(command: str, output: str, flagged: bool, said: str) -> None:
    assert read_verdict(command, output, flagged) == said


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (GO_COMPILE, "store/open.go:36:21: undefined: dial"),
        (GO_TEST, "--- FAIL: TestOpen: open_test.go:19: Open() = 3, want 4"),
        (GO_SUBTEST, "--- FAIL: TestOpen/locked: open_test.go:9: got true"),
        (PYTEST, "FAILED tests/test_a.py::test_add - assert 3 == 4"),
        (CONFTEST, "ModuleNotFoundError: No module named 'trustme'"),
        (SHORT, "KeyError: 'host'"),
        (TRACEBACK, "ModuleNotFoundError: No module named 'flask'"),
        (RUST, "error[E0425]: cannot find value `x` in this scope"),
        (NPM, "npm ERR! missing script: tset"),
        (TSC, TSC),
        ("Exit code 128\nfatal: unrecognized argument: --no-stat", "fatal: unrecognized argument: --no-stat"),
        ("\x1b[31merror:\x1b[0m bad\nhint: try", "error: bad"),
        ("Rebasing (1/4)\rRebasing (2/4)\rerror: no lock\nhelp", "error: no lock"),
        ("Exit code 1\nall was well\nuntil it was not\n", "until it was not"),
        ("Exit code 1\n", "Exit code 1"),
        ("", ""),
    ],
)
def test_the_telling_line_is_found(output: str, line: str) -> None:
    assert find_error_line(output) == line


def test_every_error_of_an_output_is_told_and_only_once() -> None:
    assert list_errors(GO_COMPILE) == (
        "store/open.go:36:21: undefined: dial",
        'store/open.go:58:2: "io" imported and not used',
    )
    assert len(fingerprint_errors(GO_COMPILE)) == 2
    assert list_errors("a.go:1:2: undefined: x\na.go:1:2: undefined: x\n") == ("a.go:1:2: undefined: x",)


def test_the_cause_comes_before_the_import_that_it_breaks() -> None:
    output = "main.go:3:2: could not import app/x (-: # app/x\nx/x.go:7:9: undefined: y"
    assert find_error_line(output) == "x/x.go:7:9: undefined: y"


def test_a_compiler_that_gives_up_says_nothing_new() -> None:
    assert list_errors("a.go:1:2: undefined: x\na.go:9:9: too many errors") == ("a.go:1:2: undefined: x",)


def test_a_line_that_says_no_error_has_no_fingerprint_of_its_own() -> None:
    assert fingerprint_errors("Exit code 1\nStaging files\n0 issues.") == ()


SAME = [
    ("a.go:1:2: undefined: errors (typecheck)", "b.go:3:4: undefined: errors"),
    ("store/a.go:36:21: undefined: dial", "pkg/b.go:9:1: undefined: dial"),
    ("open /home/ann/app/config.json: no such file", "open /Users/bob/src/app/config.json: no such file"),
    ("error: Unable to create '/home/a/app/.git/index.lock'", "error: Unable to create '/srv/x/.git/index.lock'"),
    ("cannot write /tmp/abc123/x.db", "cannot write /var/folders/zz/T/q9/y.db"),
    ("panic at 0xc000123 after 1.53s", "panic at 0x7ffe12 after 12ms"),
    ("dial tcp 127.0.0.1:5432: refused", "dial tcp 127.0.0.1:6000: refused"),
    ("timeout 2026-01-05T12:17:31.459Z pid 412", "timeout 2026-02-11T01:00:00Z pid 77"),
    ("needs foo 1.2.3", "needs foo 1.4.0-rc1"),
    ("run 5f2b1c3a-1111-2222-3333-444455556666 failed", "run 00000000-1111-2222-3333-4444deadbeef failed"),
    (
        "missing object 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "missing object 1a410efbd13591db07496601ebc7a059dd55cfe9",
    ),
    ("string `x` has 3 occurrences", "string `x` has 7 occurrences"),
    ("--- FAIL: TestA: a_test.go:12: got 3, want 4", "--- FAIL: TestA: a_test.go:90: got 1, want 4"),
    ("src/a.ts(12,5): error TS2304: Cannot find name 'foo'.", "lib/b.ts(1,50): error TS2304: Cannot find name 'foo'."),
]
OTHER = [
    ("a.go:1:1: undefined: dial", "a.go:1:1: undefined: listen"),
    ("--- FAIL: TestA: a_test.go:12: no", "--- FAIL: TestB: a_test.go:12: no"),
    ("FAILED tests/a.py::test_x - assert 1", "FAILED tests/a.py::test_y - assert 1"),
    ("ModuleNotFoundError: No module named 'flask'", "ModuleNotFoundError: No module named 'click'"),
    ("gh: not found (HTTP 404)", "gh: not found (HTTP 500)"),
    ("error TS2304: x", "error TS2305: x"),
    ("open /a/b/config.json: no", "open /a/b/secrets.json: no"),
    ("G104: Errors unhandled (gosec)", "G304: Errors unhandled (gosec)"),
]


@pytest.mark.promise("one-failure")
@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_failure_on_two_machines_has_one_fingerprint(one: str, other: str) -> None:
    assert normalise_error(one) == normalise_error(other)
    assert fingerprint_failure(one) == fingerprint_failure(other) != ""


@pytest.mark.promise("one-failure")
@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_failures_have_two_fingerprints(one: str, other: str) -> None:
    assert fingerprint_failure(one) != fingerprint_failure(other)


@pytest.mark.parametrize("output", [GO_COMPILE, GO_TEST, PYTEST, CONFTEST, SHORT, TRACEBACK, JEST, RUST, NPM, TSC])
def test_an_output_and_its_telling_line_have_one_fingerprint(output: str) -> None:
    assert fingerprint_failure(output) == fingerprint_failure(find_error_line(output)) == fingerprint_errors(output)[0]
    assert len(fingerprint_failure(output)) == 16


def test_nothing_has_no_fingerprint() -> None:
    assert fingerprint_failure("") == fingerprint_failure(" \n") == ""


ANY = st.text(alphabet="aE1 .:/\\-_()[]'\"`\n\r\t\x1b[m0x●✗#=>FAILerror", max_size=400) | st.text(max_size=200)


@given(ANY, st.booleans(), st.sampled_from(["", "pytest | tail", "grep x a", "git diff", "mise run lint"]))
def test_any_output_is_judged(output: str, flagged: bool, command: str) -> None:
    said = find_error_line(output)
    assert "\n" not in said
    assert len(said) <= failures.TELLING_CHARS_MAX
    assert find_error_line(said) == said
    assert fingerprint_failure(said) == fingerprint_failure(output)
    assert len(list_errors(output)) <= failures.ERRORS_MAX
    assert is_failure(output, flagged, command) in (True, False)
    assert read_verdict(command, output, flagged) in ("", "green", "red")


def test_words_alone_stay_as_they_are() -> None:
    assert normalise_error("undefined:  the  thing") == "undefined: the thing"


def test_a_module_is_missing_alike_in_a_test_and_in_a_script() -> None:
    in_test = "E   ModuleNotFoundError: No module named 'flask'\nFAILED tests/a.py::test_x - ModuleNotFoundError"
    assert fingerprint_failure(in_test) == fingerprint_failure(TRACEBACK)


def test_a_long_output_is_read_at_both_ends() -> None:
    middle = "noise\n" * 10_000
    assert find_error_line("a.go:1:2: undefined: x\n" + middle).startswith("a.go:1:2")
    assert find_error_line(middle + "fatal: no\nhint: x") == "fatal: no"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('  File "/app/src/cart.py", line 9, in total', True),
        ("    at total (/app/src/cart.ts:9:3)", True),
        ("\t/app/cart.go:12 +0x1d", True),
        ("Fix src/cart.py, it is at fault", False),
        ("KeyError: 'b'", False),
    ],
)
def test_frames_of_a_stack_trace_are_told_from_other_lines(line: str, expected: bool) -> None:
    assert is_frame(line) is expected
