import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.domain.event import ToolKind
from holloway.observer.scratchpad import Action
from holloway.observer.signals import command_runs
from holloway.observer.signals.error_retry import ErrorFixPair, find_pair, find_pairs, find_unresolved
from holloway.text.failures import fingerprint_failure

COMPILE = "Exit code 1\n# app/store\nstore/open.go:36:21: undefined: dial\nFAIL\tapp/store [build failed]"
RED = "--- FAIL: TestOpen (0.01s)\n    open_test.go:19: Open() = 3, want 4\nFAIL\tapp/store\t0.5s"
GREEN = "ok  \tapp/store\t0.1s"


def session(*deeds: Action) -> list[Action]:
    """Actions in order; their steps are their places."""
    for step, deed in enumerate(deeds):
        deed.step = step
    return list(deeds)


def shell(command: str, text: str = "", ok: bool = True) -> Action:
    return Action(0, 0.0, ToolKind.SHELL, tool="Bash", command=command, text=text, ok=ok)


def bad(command: str, text: str) -> Action:
    return shell(command, text, ok=False)


def edit(path: str, added: str = "", removed: str = "") -> Action:
    lines = tuple(added.splitlines()), tuple(removed.splitlines())
    return Action(0, 0.0, ToolKind.EDIT, path=path, added=lines[0], removed=lines[1], ok=True)


def read(path: str) -> Action:
    return Action(0, 0.0, ToolKind.READ, path=path, ok=True)


def only(actions: list[Action]) -> ErrorFixPair:
    (pair,) = find_pairs(actions)
    return pair


def test_an_edit_between_a_failure_and_the_same_command_passing_is_the_fix() -> None:
    actions = session(
        bad("go test ./store", COMPILE), read("store/open.go"), edit("store/open.go"), shell("go test ./store", GREEN)
    )
    pair = only(actions)
    assert (pair.fix_kind, pair.fix, pair.files) == ("edit", "edit store/open.go", ("store/open.go",))
    assert (pair.failed_at, pair.resolved_at, pair.retries) == (0, 3, 0)
    assert pair.error == "store/open.go:36:21: undefined: dial"
    assert pair.fingerprint == fingerprint_failure(COMPILE)
    assert not pair.telling
    assert find_unresolved(actions) == []


def test_the_edited_file_that_the_error_names_comes_before_others() -> None:
    actions = session(bad("go build ./...", COMPILE), edit("store/open.go"), edit("README.md"), shell("go build ./..."))
    assert only(actions).files == ("store/open.go",)


def test_a_failure_that_never_passes_is_unresolved() -> None:
    actions = session(bad("go test ./store", RED), edit("store/open.go"), bad("go test ./store", RED), read("a.go"))
    assert find_pairs(actions) == []
    (failure,) = find_unresolved(actions)
    assert (failure.failed_at, failure.retries) == (0, 1)


def test_attempts_in_vain_are_one_story_and_counted() -> None:
    again = [bad("go test ./store", RED), edit("store/open.go", "a()", "b()")]
    actions = session(*again, *[bad("go test ./store", RED), edit("store/x.go")], shell("go test ./store", GREEN))
    assert only(actions).retries == 1


def test_a_success_too_late_does_not_count() -> None:
    actions = session(bad("go test ./store", RED), *[read("a.go") for _ in range(12)], shell("go test ./store", GREEN))
    assert find_pair(actions, 0, within=12) is None
    assert find_pair(actions, 0, within=13) is not None


@pytest.mark.parametrize(
    ("failing", "output", "passing", "kind", "fix"),
    [
        (
            "pytest tests/a.py",
            "E   redis.ConnectionError: refused\n1 failed",
            "REDIS_URL=fake:// pytest tests/a.py",
            "env",
            "set REDIS_URL=fake://",
        ),
        (
            "go test ./it | tail",
            "package app/it: build constraints exclude all Go files in /home/ann/app/it",
            "go test -tags integration ./it | tail",
            "flag",
            "add `-tags=integration` to `go test`",
        ),
        (
            "npm run lint --no-stat",
            "Exit code 2\nerror: unrecognized argument: --no-stat",
            "npm run lint",
            "flag",
            "leave `--no-stat` out of `npm run lint`",
        ),
        (
            "gh pr diff 1 --stat",
            "unknown flag: --stat",
            "gh pr diff 1 --name-only",
            "flag",
            "use `--name-only` instead of `--stat` with `gh pr diff`",
        ),
        (
            "pytest",
            "Exit code 4\nERROR: file or directory not found: a",
            "cd web && pytest",
            "directory",
            "run it in web",
        ),
        (
            "python3 -m pytest",
            "/usr/bin/python3: No module named pytest",
            ".venv/bin/python -m pytest",
            "runner",
            "use `.venv/bin/python -m pytest` instead of `python3 -m pytest`",
        ),
    ],
)
def test_what_the_passing_command_had_is_the_fix_where_nothing_was_edited(
    failing: str, output: str, passing: str, kind: str, fix: str
) -> None:
    pair = only(session(bad(failing, output), shell(passing, "3 passed")))
    assert (pair.fix_kind, pair.fix) == (kind, fix)
    assert pair.telling


def test_of_the_flags_that_went_the_one_in_the_error_is_named() -> None:
    failing = bad("golangci-lint run --no-config --out-format=line", "Error: unknown flag: --out-format")
    pair = only(session(failing, shell("golangci-lint run", "0 issues.")))
    assert pair.fix == "leave `--out-format=line` out of `golangci-lint run`"


def test_an_install_before_the_success_is_the_fix() -> None:
    actions = session(
        bad("npm test", "Error: Cannot find module 'react'"), shell("npm install"), shell("npm test", "4 passing")
    )
    assert (only(actions).fix_kind, only(actions).fix) == ("install", "run `npm install` first")


def test_a_command_in_the_same_line_as_the_success_is_the_fix() -> None:
    missing = "Exit code 1\nerror: generated/api.ts does not exist"
    actions = session(bad("npm run lint", missing), shell("npm run codegen && npm run lint"))
    assert (only(actions).fix_kind, only(actions).fix) == ("command", "run `npm run codegen` first")
    assert only(actions).telling


def test_a_command_that_passes_when_run_again_tells_nothing() -> None:
    pair = only(session(bad("go test ./store", RED), shell("go test ./store", GREEN)))
    assert (pair.fix_kind, pair.telling) == ("other", False)


def test_where_the_shell_happened_to_stand_tells_nothing() -> None:
    missing = "(eval):cd:1: no such file or directory: web"
    pair = only(session(bad("cd web && pytest tests/a.py", missing), shell("pytest tests/a.py", "1 passed")))
    assert not pair.telling
    pair = only(session(bad("pytest tests/a.py", missing), shell("cd web && pytest tests/a.py", "1 passed")))
    assert not pair.telling


def test_a_run_that_fails_otherwise_proves_nothing() -> None:
    actions = session(bad("go test ./store", COMPILE), edit("store/open.go"), bad("go test ./store", RED))
    assert find_pairs(actions) == []
    assert [failure.failed_at for failure in find_unresolved(actions)] == [0, 2]


def test_a_run_of_other_tests_does_not_show_that_a_test_passes() -> None:
    actions = session(
        bad("go test ./store -run TestOpen", RED), edit("store/open.go"), shell("go test ./web", "ok  \tapp/web\t1s")
    )
    assert find_pairs(actions) == []
    actions = session(
        bad("go test ./store", RED), edit("store/open.go"), shell("go test ./store -run TestClose", GREEN)
    )
    assert find_pairs(actions) == []


def test_a_wider_run_shows_it() -> None:
    actions = session(bad("go test ./store -run TestOpen", RED), edit("store/open.go"), shell("go test ./store", GREEN))
    assert only(actions).resolved_at == 2
    actions = session(bad("pytest tests/a.py", "E   KeyError\n1 failed"), edit("a.py"), shell("pytest", "4 passed"))
    assert only(actions).resolved_at == 2


def test_another_tool_over_unchanged_files_shows_nothing() -> None:
    assert find_pairs(session(bad("mise run lint:all", "a.go:1:2: too long (lll)"), shell("mise run lint"))) == []


def test_a_pass_whose_verdict_is_filtered_away_shows_nothing() -> None:
    assert (
        find_pairs(session(bad("go test ./store", RED), edit("store/open.go"), shell("go test ./store | grep FAIL")))
        == []
    )


def test_an_edit_of_the_test_itself_tells_nothing() -> None:
    loosened = edit("store/open_test.go", "if Open() != 3 {", "if Open() != want {")
    actions = session(bad("go test ./store", RED), loosened, shell("go test ./store", GREEN))
    assert (only(actions).fix_kind, only(actions).telling) == ("edit", False)


@pytest.mark.parametrize(
    "put_back",
    [
        edit("store/open.go", "return 4", "return 3"),
        shell("git checkout -- store/open.go"),
        shell("git stash"),
        shell("git restore store/open.go"),
    ],
)
def test_a_run_that_passes_once_the_agent_put_its_edit_back_is_neither_a_pair_nor_unresolved(put_back: Action) -> None:
    mutated = edit("store/open.go", "return 3", "return 4")
    actions = session(mutated, bad("go test ./store", RED), put_back, shell("go test ./store", GREEN))
    assert find_pairs(actions) == []
    assert find_unresolved(actions) == []


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("grep -rn foo src", "Exit code 1"),
        ("diff a b", "Exit code 1\n1c1"),
        ("git push", "The user doesn't want to proceed with this tool use."),
        ("./x 'a b' # should fail", "error: bad name"),
        ("git check-ref-format x..y || echo rejected", "fatal: bad name"),
    ],
)
def test_probes_answers_and_wanted_failures_are_neither_pairs_nor_unresolved(command: str, text: str) -> None:
    actions = session(bad(command, text), shell(command))
    assert find_pairs(actions) == []
    assert find_unresolved(actions) == []


LINT = (
    "Exit code 1\na.go:3:9: error is not nil (line 1) but it returns nil (nilerr)\n\treturn nil\n"
    "b.go:7:2: os/exec.Command must not be called. use os/exec.CommandContext (noctx)\n2 issues:"
)


def test_each_finding_of_a_linter_has_its_own_fix_with_the_line_that_changed() -> None:
    silenced = edit("a.go", "return nil //nolint:nilerr // best effort", "return nil")
    replaced = edit("b.go", 'x := exec.CommandContext(ctx, "git")', 'x := exec.Command("git")')
    first, second = find_pairs(
        session(bad("mise run lint", LINT), silenced, replaced, shell("mise run lint", "0 issues."))
    )
    assert first.fix == "edit a.go: `return nil` becomes `return nil //nolint:nilerr // best effort`"
    assert second.fix == 'edit b.go: `x := exec.Command("git")` becomes `x := exec.CommandContext(ctx, "git")`'
    assert not first.telling, "a silenced rule passes by not being checked"
    assert second.telling
    assert first.fingerprint != second.fingerprint


def test_of_a_long_line_the_fix_quotes_what_differs() -> None:
    rest = '"git", "config", "core.excludesfile", globalIgnoreFile)'
    replaced = edit("b.go", f"cmd := exec.CommandContext(ctx, {rest}", f"cmd := exec.Command({rest}")
    found = find_pairs(session(bad("mise run lint", LINT), replaced, shell("mise run lint", "0 issues.")))
    assert found[-1].fix == "edit b.go: `exec.Command(` becomes `exec.CommandContext(ctx,`"


def test_a_change_that_silences_another_rule_does_not_explain_a_finding() -> None:
    other = edit("a.go", "x() //nolint:gosec // fine", "x()")
    pairs = find_pairs(session(bad("mise run lint", LINT), other, edit("b.go"), shell("mise run lint", "0 issues.")))
    assert [(pair.fix, pair.telling) for pair in pairs] == [("edit a.go", False), ("edit b.go", False)]


def test_a_change_that_a_later_edit_replaced_does_not_explain_a_finding() -> None:
    silenced = edit("a.go", "return nil //nolint:nilerr", "return nil")
    replaced = edit("a.go", "return fmt.Errorf(1)", "return nil //nolint:nilerr")
    first, _ = find_pairs(session(bad("mise run lint", LINT), silenced, replaced, shell("mise run lint", "0 issues.")))
    assert (first.fix, first.telling) == ("edit a.go", False)


def test_the_same_edit_in_another_file_has_the_same_key() -> None:
    keys = set()
    for line in ("return nil //nolint:nilerr // best effort", "return false //nolint:nilerr // no branch"):
        silenced = edit("a.go", line, line.split(" //")[0])
        keys.add(
            find_pairs(session(bad("mise run lint", LINT), silenced, shell("mise run lint", "0 issues.")))[0].fix_key
        )
    assert keys == {"nilerr"}


def test_the_only_edit_of_a_configuration_file_is_telling() -> None:
    failed = bad("npm test", "Error: bad preset\nFAIL")
    preset = edit("jest.config.js", "preset: 'ts-jest'", "preset: 'jest-ts'")
    pair = only(session(failed, preset, shell("npm test", "4 passing")))
    assert (pair.fix_kind, pair.telling) == ("config", True)
    assert pair.fix == "edit jest.config.js: `preset: 'jest-ts'` becomes `preset: 'ts-jest'`"


def test_a_configuration_file_that_the_session_had_edited_itself_tells_nothing() -> None:
    failed = bad("npm test", "Error: bad preset\nFAIL")
    broken, preset = edit("jest.config.js", "preset: 'jest-ts'"), edit("jest.config.js", "preset: 'ts-jest'", "x: 1")
    pair = only(session(broken, failed, preset, shell("npm test", "4 passing")))
    assert (pair.fix_kind, pair.fix_key) == ("edit", "preset")


def test_digests_of_lines_are_not_quoted() -> None:
    changed = edit("store/open.go", "9fceb02d0a", "1a410efbd1")
    actions = session(bad("go build ./...", COMPILE), changed, shell("go build ./..."))
    assert only(actions).fix == "edit store/open.go"


def test_an_error_that_no_line_names_has_no_fingerprint() -> None:
    actions = session(bad("mise run test", "Exit code 1\nStaging files"), edit("a.go"), shell("mise run test", GREEN))
    assert (only(actions).fingerprint, only(actions).telling) == ("", False)


def test_a_call_without_a_result_is_passed_over() -> None:
    waiting = Action(0, 0.0, ToolKind.SHELL, command="go test ./store", text=RED)
    assert find_pairs(session(waiting, shell("go test ./store", GREEN))) == []


KINDS = st.sampled_from(list(ToolKind))
COMMANDS = st.sampled_from(
    ["go test ./a", "mise run lint", "git push", "cd x && A=1 make test | tail", "cat a.go", "'", ""]
)
TEXTS = st.sampled_from([COMPILE, RED, GREEN, LINT, "", "CONFLICT (content): a", "unknown flag: --x", "0 issues."])
ACTIONS = st.builds(
    lambda kind, command, text, ok, path: Action(0, 0.0, kind, command=command, text=text, ok=ok, path=path),
    KINDS,
    COMMANDS,
    TEXTS,
    st.sampled_from([True, False, None]),
    st.sampled_from(["", "a.go", "a_test.go"]),
)


@given(st.lists(ACTIONS, max_size=25))
def test_every_story_ends_once_and_after_it_began(deeds: list[Action]) -> None:
    actions = session(*deeds)
    found, open_ = find_pairs(actions), find_unresolved(actions)
    assert all(pair.failed_at < pair.resolved_at for pair in found)
    assert not {pair.failed_at for pair in found} & {failure.failed_at for failure in open_}
    assert all(pair.fix and pair.error for pair in found)
    assert find_pairs(actions) == found


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("SHOP_LEDGER='memory'", "set SHOP_LEDGER=memory"),
        ("SHOP_DATA=/home/ann/data", "set SHOP_DATA"),
        ("SHOP_DATA=C:/Users/ann/data", "set SHOP_DATA"),
        ("SHOP_DATA=$(pwd)", "set SHOP_DATA"),
        ("SHOP_PATH=ledger", "set SHOP_PATH=ledger"),
        ("SHOP_PAT=abc", "set SHOP_PAT"),
        ("SHOP_CREDS=abc", "set SHOP_CREDS"),
        ("SHOP_DSN=shop:abc", "set SHOP_DSN"),
        ("SHOP_TOKEN=abc", "set SHOP_TOKEN"),
        ("DATABASE_URL=postgres://ann:secret@db/shop", "set DATABASE_URL"),
        ("SHOP_HOST=ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2", "set SHOP_HOST"),
        ("SHOP_NOTE=" + "x" * 100, "set SHOP_NOTE"),
    ],
)
def test_a_variable_is_told_with_its_value_unless_that_is_private(given: str, fix: str) -> None:
    failed = bad("pytest -q", "E   shop.LedgerError: refused\n1 failed")
    assert only(session(failed, shell(f"{given} pytest -q", "3 passed"))).fix == fix


@pytest.mark.promise("no-secret")
def test_a_secret_in_a_changed_line_or_a_long_command_is_cut_out_before_they_are_shortened() -> None:
    login = 'cmd := exec.Command("psql", "postgres://shop:{}@db/shop", globalIgnoreFile, globalDataFolder)'
    mended = edit("b.go", login.format("Harbour7Quay21x"), login.format("Quay21xHarbour"))
    found = find_pairs(session(bad("mise run lint", LINT), mended, shell("mise run lint", "0 issues.")))
    assert found[-1].fix == "edit b.go"

    seeds = f"./seed --tables {'a' * 53} --to postgres://shop:Harbour7Quay21x@db/shop"
    failed = bad("pytest -q", "E   shop.LedgerError: refused\n1 failed")
    assert "Harbour7" not in only(session(failed, shell(seeds), shell("pytest -q", "3 passed"))).fix


def test_a_file_that_a_shell_changed_is_named_from_the_project_not_from_where_the_shell_stood() -> None:
    failing = "Exit code 1\nsrc/app.ts(3,1): error TS2304: Cannot find name 'total'."
    mended = shell("cd web && sed -i 's/total/sum/' src/app.ts")
    pair = only(session(bad("cd web && npx tsc", failing), mended, shell("cd web && npx tsc", "")))
    assert (pair.fix_kind, pair.files) == ("edit", ("web/src/app.ts",))


def test_the_number_of_a_process_tells_the_next_session_nothing() -> None:
    busy = "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000"
    pair = only(session(bad("npm start", busy), shell("kill 4242"), shell("npm start", "listening on 3000")))
    assert not pair.telling


@pytest.mark.parametrize("place", ["/tmp/lint.yaml", "/private/tmp/lint.yaml", "/var/folders/x1/T/lint.yaml"])
def test_a_file_that_was_there_for_a_moment_tells_the_next_session_nothing(place: str) -> None:
    failing = bad("golangci-lint run --conf=none", "Error: unknown flag: --conf")
    pair = only(session(failing, shell(f"golangci-lint run -c={place}", "0 issues.")))
    assert place in pair.fix
    assert not pair.telling


def test_a_folder_of_the_project_with_such_a_name_is_no_such_place() -> None:
    failing = bad("golangci-lint run --conf=none", "Error: unknown flag: --conf")
    assert only(session(failing, shell("golangci-lint run -c=build/tmp/lint.yaml", "0 issues."))).telling


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("// open returns what dial found", "edit store/conf.go"),
        ("# open returns what dial found", "edit store/conf.go"),
        ("dial := net.Dial", "edit store/conf.go: add `dial := net.Dial`"),
        ("//nolint:dial // open needs it", "edit store/conf.go: add `//nolint:dial // open needs it`"),
    ],
)
def test_a_comment_is_no_fix_unless_it_silences_a_rule(line: str, fix: str) -> None:
    actions = session(bad("go build ./...", COMPILE), edit("store/conf.go", line), shell("go build ./...", ""))
    assert only(actions).fix == fix


@pytest.mark.parametrize(
    ("action", "paths"),
    [
        (edit("src/a.py"), ["src/a.py"]),
        (edit(""), []),
        (Action(0, 0.0, ToolKind.WRITE, path="b.py", ok=True), ["b.py"]),
        (Action(0, 0.0, ToolKind.EDIT, path="a.py", ok=False), []),
        (read("a.py"), []),
        (shell("cd src && sed -i s/a/b/ x.py && echo 1 > ../y.toml"), ["src/x.py", "y.toml"]),
        (shell("rm a.py && git rm b.py"), []),
        (shell("echo 1 > /tmp/x.py; echo 1 > notes"), []),
        (Action(0, 0.0, ToolKind.MCP, tool="mcp__box__run", command="sed -i s/a/b/ x.py", ok=True), []),
    ],
)
def test_files_count_as_changed_by_an_edit_tool_or_a_shell(action: Action, paths: list[str]) -> None:
    assert command_runs.list_changed_files(action) == paths


@pytest.mark.parametrize(
    "unknown",
    [Action(0, 0.0, ToolKind.EDIT, ok=True), Action(0, 0.0, ToolKind.SUBAGENT, ok=True), shell("git pull", "1 file")],
)
def test_a_difference_that_nobody_knows_makes_the_others_unproved(unknown: Action) -> None:
    failed, passed = bad("pytest", "E   OSError: refused\n1 failed"), shell("A=1 pytest", "3 passed")
    assert only(session(failed, passed)).telling
    assert not only(session(failed, unknown, passed)).telling


def test_of_several_differences_the_one_that_the_error_names_is_the_fix() -> None:
    failed = bad("pytest", "E   KeyError: 'SHOP_LEDGER'\n1 failed")
    pair = only(session(failed, edit("src/a.py"), shell("SHOP_LEDGER=memory pytest", "3 passed")))
    assert (pair.fix, pair.telling) == ("set SHOP_LEDGER=memory", True)


def test_an_error_names_a_difference_only_by_a_whole_word() -> None:
    failed = bad("pytest", "E   KeyError: 'A-SHOP'\n1 failed")
    assert not only(session(failed, edit("src/a.py"), shell("SHOP=1 pytest", "3 passed"))).telling


def test_another_agent_of_the_session_proves_nothing() -> None:
    passed = shell("A=1 pytest", "3 passed")
    passed.actor = "reviewer"
    assert find_pairs(session(bad("pytest", "E   OSError: refused\n1 failed"), passed)) == []


REDIS = "E   redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.\n1 failed"
NO_REACT = "Error: Cannot find module 'react'"


@pytest.mark.parametrize(
    ("deeds", "kind", "fix", "is_telling"),
    [
        (
            [bad("pytest -q", REDIS), shell("A=1 R_URL=fake:// pytest -q", "3 passed")],
            "env",
            "set A=1, R_URL=fake://",
            True,
        ),
        ([bad("CI=1 npm test", "Error: CI is set"), shell("npm test", "4 passing")], "env", "do not set CI", True),
        ([bad("make", "error: no HOME_DIR"), shell("HOME_DIR=/home/ada make", "ok")], "env", "set HOME_DIR", True),
        ([bad("make", "sh: cc: not found"), shell("PATH=$PATH:cc make", "ok")], "env", "set PATH=$PATH:cc", True),
        (
            [bad("cargo build", "error: the option --locked is required"), shell("cargo build --locked", "done")],
            *("flag", "add `--locked` to `cargo build`", True),
        ),
        (
            [bad("node build.js --old", "error: unknown option '--old'"), shell("node build.js --new", "done")],
            *("flag", "use `--new` instead of `--old` with `node build.js`", True),
        ),
        (
            [
                bad("npm run dev", "Error: relation users does not exist"),
                *(shell("npm run migrate"), shell("npm run seed"), shell("npm run dev", "ready")),
            ],
            *("command", "run `npm run migrate`, then `npm run seed` first", True),
        ),
        (
            [
                bad("npm test", NO_REACT),
                *(shell("make build"), shell("npm ci"), shell("make seed"), shell("npm test", "4 passing")),
            ],
            *("install", "run `npm ci` first", True),
        ),
        (
            [
                bad("cd wep && npm run build", "bash: cd: wep: No such file or directory"),
                shell("cd web && npm run build"),
            ],
            *("directory", "run it in web", False),
        ),
        (
            [bad("pytest -q", "E   OSError: no file"), shell("make setup"), shell("A=1 pytest -q", "3 passed")],
            *("other", "", False),
        ),
        (
            [bad("make", "sh: cc: not found"), shell("make setup"), shell("A=1 make", "ok")],
            *("install", "run `make setup` first", True),
        ),
        ([bad("make", "error: stale cache"), shell("rm -rf build/cache"), shell("make")], "other", "", False),
        ([bad("make lint && npm test", NO_REACT), shell("npm test", "4 passing")], "other", "", False),
        ([bad("git commit -m x", "error: hook failed"), shell("git commit -m x --no-verify")], "other", "", False),
    ],
)
def test_the_only_difference_is_the_fix(deeds: list[Action], kind: str, fix: str, is_telling: bool) -> None:
    pair = only(session(*deeds))
    assert (pair.fix_kind, pair.fix, pair.telling) == (kind, fix or "another run of it passed", is_telling)


def test_tests_that_the_program_refused_to_begin_are_fixed_once_they_begin() -> None:
    refused = "package app/it: build constraints exclude all Go files in it"
    cut = "    it_test.go:12: first order\n    it_test.go:19: second order"
    actions = session(shell("go test ./it | tail -2", refused), shell("go test -tags it ./it | tail -2", cut))
    assert only(actions).fix == "add `-tags=it` to `go test`"
    red = session(shell("go test ./it | tail -2", RED), shell("go test -tags it ./it | tail -2", cut))
    assert find_pairs(red) == []


def test_a_package_without_tests_hides_no_pass_of_another_one() -> None:
    nothing = "ok  \tapp/id\t0.1s [no tests to run]"
    passed = session(
        bad("go test ./...", COMPILE), edit("store/open.go"), shell("go test ./...", f"{GREEN}\n{nothing}")
    )
    assert len(find_pairs(passed)) == 1
    empty = session(bad("go test ./...", COMPILE), edit("store/open.go"), shell("go test ./...", nothing))
    assert find_pairs(empty) == []
