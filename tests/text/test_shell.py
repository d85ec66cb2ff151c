"""A command line is split as a shell splits it: operators, quotes, assignments, redirections, here-documents."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text import shell
from holloway.text.shell import Simple, split_commands
from tests.outside_input import bounded_time, text_of


def split_one(command: str) -> Simple:
    (simple,) = split_commands(command)
    return simple


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls -la src", ["ls", "-la", "src"]),
        ("  ls\t-l \\\n  src  ", ["ls", "-l", "src"]),
        ("ls # the folder", ["ls"]),
        ("echo a#b", ["echo", "a#b"]),
        ("echo 'a b'", ["echo", "a b"]),
        ("echo 'a \\ $x'", ["echo", "a \\ $x"]),
        ('echo "a b"', ["echo", "a b"]),
        ("echo \"a\"'b'c", ["echo", "abc"]),
        ('echo "a \\" b"', ["echo", 'a " b']),
        ('echo "\\\\ \\$x \\`y \\n"', ["echo", "\\ $x `y \\n"]),
        ('echo "a\\\nb"', ["echo", "ab"]),
        ('echo ""', ["echo", ""]),
        ("echo a\\ b", ["echo", "a b"]),
        ("echo \\$x", ["echo", "$x"]),
        ("\\ls src", ["ls", "src"]),
        (r"type C:\Users\me\.env", ["type", r"C:\Users\me\.env"]),
        ("echo a\\'b", ["echo", "a'b"]),
        ("echo a\\\nb", ["echo", "ab"]),
        ("echo $HOME/a", ["echo", "$HOME/a"]),
        ("echo `date -u; id` x", ["echo", "`date -u; id`", "x"]),
        ("echo $(date; id) x", ["echo", "$(date; id)", "x"]),
        ("echo $(a (b) c) x", ["echo", "$(a (b) c)", "x"]),
        ("echo $(a ')' \")\" \\) `)` b) x", ["echo", "$(a ')' \")\" \\) `)` b)", "x"]),
        ('echo "$(a "b)" c) d" x', ["echo", '$(a "b)" c) d', "x"]),
        ("diff <(ls a) >(ls b) x", ["diff", "<(ls a)", ">(ls b)", "x"]),
        ("echo $(cat <<E\n)\nE\n) x", ["echo", "$(cat <<E\n)\nE\n)", "x"]),
        ("echo $(cat <<E\n)\nE) x", ["echo", "$(cat <<E\n)\nE)", "x"]),
        ("echo $(cat <<<a) x", ["echo", "$(cat <<<a)", "x"]),
        ("echo 'open end", ["echo", "open end"]),
        ('echo "open end', ["echo", "open end"]),
        ("echo $(open end", ["echo", "$(open end"]),
        ("echo `open end", ["echo", "`open end"]),
    ],
)
def test_a_word_ends_where_a_shell_ends_it(command: str, words: list[str]) -> None:
    assert split_one(command).words == words


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_words_that_are_quoted_for_a_shell_come_back_as_they_were(words: list[str]) -> None:
    assert split_one("run " + " ".join(map(shlex.quote, words))).words == ["run", *words]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a && b", [("", "a"), ("&&", "b")]),
        ("a || b", [("", "a"), ("||", "b")]),
        ("a | b", [("", "a"), ("|", "b")]),
        ("a |& b", [("", "a"), ("|", "b")]),
        ("a ; b", [("", "a"), (";", "b")]),
        ("a & b", [("", "a"), (";", "b")]),
        ("a\nb", [("", "a"), (";", "b")]),
        ("a;; b", [("", "a"), (";", "b")]),
        ("(a; b)", [("", "a"), (";", "b")]),
        ("a && (b | c)", [("", "a"), ("&&", "b"), ("|", "c")]),
        ("a;b&&c|d", [("", "a"), (";", "b"), ("&&", "c"), ("|", "d")]),
        ("a && \n b", [("", "a"), ("&&", "b")]),
        ("&& ; |", []),
        ("", []),
    ],
)
def test_a_command_is_preceded_by_its_operator(command: str, expected: list[tuple[str, str]]) -> None:
    assert [(simple.after, " ".join(simple.words)) for simple in split_commands(command)] == expected


def test_assignments_count_only_before_the_program() -> None:
    simple = split_one("A=1 B+='x y' make C=3")
    assert (simple.assignments, simple.words) == (["A=1", "B+=x y"], ["make", "C=3"])
    assert split_one("A=1").assignments == ["A=1"]
    assert split_one("1A=1 make").words == ["1A=1", "make"]


@pytest.mark.parametrize(
    ("command", "words", "redirects"),
    [
        ("run > out.txt", ["run"], [(">", "out.txt")]),
        ("run >out.txt", ["run"], [(">", "out.txt")]),
        ("run >> 'a b'", ["run"], [(">>", "a b")]),
        ("run 2> err.txt x", ["run", "x"], [("2>", "err.txt")]),
        ("run &> all.txt", ["run"], [("&>", "all.txt")]),
        ("run >| out.txt", ["run"], [(">|", "out.txt")]),
        ("run < in.txt > out.txt", ["run"], [("<", "in.txt"), (">", "out.txt")]),
        ("run <> both.txt", ["run"], [("<>", "both.txt")]),
        ("run 2>&1 x", ["run", "x"], [("2>&", "1")]),
        ("run 2>&- x", ["run", "x"], [("2>&", "-")]),
        ("run >; next", ["run"], []),
        ("> empty.txt", [], [(">", "empty.txt")]),
        ("run > $(name a) x", ["run", "x"], [(">", "$(name a)")]),
    ],
)
def test_a_redirection_has_its_sign_and_its_target(
    command: str, words: list[str], redirects: list[tuple[str, str]]
) -> None:
    simple = split_commands(command)[0]
    assert (simple.words, simple.redirects) == (words, redirects)


def test_a_redirection_without_a_target_does_not_take_the_next_command() -> None:
    assert [simple.words for simple in split_commands("run >; next")] == [["run"], ["next"]]
    assert [simple.words for simple in split_commands("run >")] == [["run"]]


@pytest.mark.parametrize(
    ("command", "documents"),
    [
        ("cat <<EOF\na\nb\nEOF\nls", ["a\nb"]),
        ("cat <<'EOF'\na $x\nEOF\nls", ["a $x"]),
        ('cat << "EOF" > a.txt\na\nEOF\nls', ["a"]),
        ("cat <<-EOF\n\ta\n\tEOF\nls", ["\ta"]),
        ("cat <<A <<B\na\nA\nb\nB\nls", ["a", "b"]),
        ("cat <<EOF\nEOF\nls", [""]),
        ("cat <<EOF\nEOFX\nEOF\nls", ["EOFX"]),
        ("cat <<< 'a b'\nls", ["a b"]),
        ("cat <<<word\nls", ["word"]),
        ("cat 0<<<word\nls", ["word"]),
        ("cat <<EOF\r\na\r\nEOF\r\nls", ["a\r"]),
    ],
)
def test_a_here_document_belongs_to_its_command_and_ends_at_its_tag(command: str, documents: list[str]) -> None:
    first, second = split_commands(command)
    assert (first.words, first.documents) == (["cat"], documents)
    assert (second.words, second.documents, second.after) == (["ls"], [], ";")


def test_a_here_document_begins_after_the_line_of_its_command() -> None:
    cat, grep = split_commands("cat <<EOF | grep b\na\nEOF")
    assert (cat.documents, grep.words, grep.documents) == (["a"], ["grep", "b"], [])


def test_a_here_document_without_an_end_runs_to_the_end_of_the_text() -> None:
    assert split_one("cat <<EOF\na\nls").documents == ["a\nls"]


def test_text_beyond_the_limit_is_not_split() -> None:
    command = "a" * (shell.SHELL_COMMAND_CHARS_MAX - 2) + " bc"
    assert split_one(command).words[1:] == ["b"]


def test_substitutions_nested_too_deep_are_read_as_plain_text() -> None:
    depth = shell.SHELL_NESTING_MAX + 4
    command = 'echo "$(' * depth + ")" * 2
    assert split_one(command).words[0] == "echo"
    nested = 'a "$(' * 3 + "b" + ')"' * 3
    assert split_one(nested).words == ["a", '$(a "$(a "$(b)")")']


@given(
    text_of("$(", "`", "'", '"', "\\", "<<E\n", "E\n", "((", ")", "{", "}", "&&", "|", ";", "#", ">", "<(", "a", "=")
)
def test_any_text_is_split_into_no_more_words_than_it_has_characters(command: str) -> None:
    with bounded_time():
        commands = split_commands(command)
    assert len(commands) <= len(command) + 1
    assert sum(len(word) for simple in commands for word in simple.words) <= len(command)
