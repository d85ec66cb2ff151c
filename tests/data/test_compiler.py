"""The committed JSON is what the TOML compiles to, it is shipped, and a wrong row is named."""

import json
import re
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from holloway.data import compiler, load_table
from holloway.data.source import DATA_FOLDER, TableSource
from holloway.errors import InvalidInput
from holloway.observer.passage_ranker import CODE_WORD, FUNCTION_WORDS, extract_features

ROOT = DATA_FOLDER.parents[2]
TRAINED = "passage_weights.json"
"""The one table without a TOML source: numbers that `python -m benchmarks.train_passages` fits, not knowledge that a
person writes. It may hold single words, and pairs of function words, but no text of those who wrote the passages."""
FEATURE = re.compile(r"(?:word|first|context) (?:[a-z']+|<code>)|pair \S+ \S+|speaker [a-z_]+")
SECRETS = """
[fragments]
before = '\\b'

[values]
placeholders = "example"
template_signs = ["${"]
technical_words = "sha256"
common_words = "pass"
public_names = "csrf"

[[rules]]
id = "one-key"
description = "One key"
source = "observed"
regex = '${before}(one_[a-z]{9})'
entropy = 3.0
keywords = ["one_"]
secret_examples = ["one_{az:9}"]
benign_examples = ["one_x"]

[[rules]]
id = "two-key"
description = "Two key"
source = "observed"
regex = ['two: ', '([a-z]{9})']
entropy = 2
keywords = ["two", "shared"]
value_check = "shape"
secret_examples = ["two: {az:9}"]
benign_examples = ["two: x"]
"""


def write_source(folder: Path, text: str, name: str = "secrets.toml") -> TableSource:
    path = folder / name
    path.write_text(text, "utf-8")
    return TableSource(path)


def test_the_committed_json_is_what_the_toml_compiles_to() -> None:
    compiled = dict(compiler.compile_all())
    committed = {path.name: path.read_text("utf-8") for path in DATA_FOLDER.glob("*.json")}
    assert TRAINED not in compiled
    del committed[TRAINED]
    assert committed == compiled, "`make data` writes it"


def test_the_trained_table_has_the_form_in_which_training_writes_it_and_only_features_of_the_ranker() -> None:
    text = (DATA_FOLDER / TRAINED).read_text("utf-8")
    weights = load_table("passage_weights")
    assert text == "{\n" + ",\n".join(f"{json.dumps(name)}: {weights[name]}" for name in sorted(weights)) + "\n}\n"
    assert {type(value) for value in weights.values()} == {float}
    numbers = set(extract_features("", "", "")) - {"speaker "}
    assert [name for name in weights if not FEATURE.fullmatch(name) and name not in numbers | {"bias"}] == []
    pairs = [name.split()[1:] for name in weights if name.startswith("pair ")]
    assert {word for pair in pairs for word in pair} <= FUNCTION_WORDS | {CODE_WORD}


def test_every_table_is_shipped_in_the_wheel() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {f"holloway/data/{name}" for name, _ in compiler.compile_all()} <= shipped


def test_a_table_is_loaded_as_it_was_compiled() -> None:
    texts = dict(compiler.compile_all())
    assert all(load_table(name.removesuffix(".json")) == json.loads(text) for name, text in texts.items())


def test_rules_are_compiled_with_their_fragments_and_without_what_only_tests_need(tmp_path: Path) -> None:
    compiled = compiler.compile_secrets(write_source(tmp_path, SECRETS))
    assert compiled["secrets"]["rules"] == [
        {"id": "one-key", "regex": r"\b(one_[a-z]{9})", "entropy": 3.0, "keywords": ["one_"]},
        {
            "id": "two-key",
            "regex": "two: ([a-z]{9})",
            "entropy": 2,
            "keywords": ["two", "shared"],
            "value_check": "shape",
        },
    ]


def test_keywords_of_tokens_are_told_apart_at_compile_time(tmp_path: Path) -> None:
    compiled = compiler.compile_secrets(write_source(tmp_path, SECRETS))
    assert compiled["secret_keywords"] == {"keywords": ["shared", "two"], "token_keywords": ["one_"]}


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("entropy = 3.0\n", "", "[[rules]] row 1 (one-key): entropy is missing"),
        ("entropy = 2", 'entropy = "2"', "[[rules]] row 2 (two-key): entropy is not a number"),
        ("'([a-z]{9})'", "'([a-z]{9}'", "[[rules]] row 2 (two-key): regex is not a pattern for RE2"),
        ('"shape"', '"round"', "[[rules]] row 2 (two-key): value_check is not one of shape, address, key, password"),
        ("${before}", "${after}", "[[rules]] row 1 (one-key): regex names ${after}, which is not in [fragments]"),
        ('id = "two-key"', 'name = "x"', "[[rules]] row 2 (unnamed): id is missing"),
        ('keywords = ["one_"]', 'keywords = "one_"', "[[rules]] row 1 (one-key): keywords is not a list of texts"),
        ('"csrf"', '"csrf csrf"', "[values]: public_names has csrf twice"),
        ("entropy = 2", "entropy = 2\nentropie = 2", "[[rules]] row 2 (two-key): entropie is not known"),
        ('source = "observed"\nregex = [', "regex = [", "[[rules]] row 2 (two-key): source is missing"),
        ('id = "two-key"', 'id = "one-key"', "[[rules]]: id has one-key twice"),
    ],
)
def test_a_wrong_row_is_named_with_its_file_and_field(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    assert wrong in SECRETS
    source = write_source(tmp_path, SECRETS.replace(wrong, right))
    with pytest.raises(InvalidInput) as error:
        compiler.compile_secrets(source)
    assert error.value.message.startswith(f"secrets.toml, {message}")


def test_a_program_has_one_kind(tmp_path: Path) -> None:
    text = (DATA_FOLDER / "programs.toml").read_text("utf-8").replace('names = "bat batcat jq yq"', 'names = "bat rg"')
    with pytest.raises(InvalidInput, match=r"programs\.toml, \[\[programs\]\]: names has rg twice"):
        compiler.compile_programs(write_source(tmp_path, text, "programs.toml"))


def test_a_sign_of_failure_is_made_of_the_formats_of_all_tools(tmp_path: Path) -> None:
    text = """
source = "tool"

[fragments]
word = '[a-z]+'

[[signs]]
name = "red"
meaning = "Tests failed."
prefix = '(?:'
suffix = ')$'
flags = "m"

[[formats]]
sign = "red"
regex = 'FAIL ${word}'

[[formats]]
sign = "red"
regex = 'not ok'

[[normalisations]]
regex = '\\d+'

[commands]
probes = ["grep"]
git_views = ["git log"]
"""
    compiled = compiler.compile_failures(write_source(tmp_path, text, "failures.toml"))["failures"]
    assert compiled["signs"] == {"red": "(?m)(?:FAIL [a-z]+|not ok)$"}
    assert compiled["normalisations"] == [["\\d+", ""]]


def test_the_parts_of_anchors_are_combined(tmp_path: Path) -> None:
    text = """
source = "observed"

[score]
bias = -1

[alternatives]
subject = ['I', 'we']

[[forms]]
name = "wrong"
points = 2
anchor_parts = [["i ", "we "], ["was", "were"]]
regex = '(?:${subject}) w(?:as|ere) wrong'

[[signs]]
name = "wait"
regex = 'wait'
points = { here = 1 }
"""
    compiled = compiler.compile_corrections(write_source(tmp_path, text, "corrections.toml"))["corrections"]
    assert compiled["forms"][0]["anchors"] == ["i was", "i were", "we was", "we were"]
    assert compiled["forms"][0]["regex"] == "(?:I|we) w(?:as|ere) wrong"
    with pytest.raises(
        InvalidInput, match=r"\[\[signs\]\] row 1 \(wait\): points is not a table whose keys are of here"
    ):
        compiler.compile_corrections(write_source(tmp_path, text.replace("here =", "there ="), "corrections.toml"))


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"secrets\.toml is not TOML"):
        write_source(tmp_path, "rules = [")


def test_long_values_are_rendered_one_entry_per_line() -> None:
    words = ["word"] * 40
    assert json.loads(compiler.render_json({"a": words, "b": 1})) == {"a": words, "b": 1}
    assert compiler.render_json({"a": words}).count("\n") == 43
    assert compiler.render_json({"a": 1}) == '{"a": 1}'
