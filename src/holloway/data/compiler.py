"""Compiling the tables: `python -m holloway.data.compiler` (`make data`) writes the JSON of every TOML file here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from holloway.data.source import (
    DATA_FOLDER,
    TableSource,
    check_flag,
    check_linear_pattern,
    check_number,
    check_one_of,
    check_pattern,
    check_piece,
    check_text,
    check_texts,
    check_words,
)
from holloway.errors import InvalidInput

LINE_CHARS = 120
Table = dict[str, Any]


def compile_secrets(source: TableSource) -> dict[str, Table]:
    """Compile the rules, and the keywords of all rules for the light check that comes before any rule."""
    rules = source.check_rows(
        "rules",
        {
            "id": check_text,
            "description": check_text,
            "regex": check_linear_pattern,
            "entropy": check_number,
            "keywords": check_texts,
            "secret_examples": check_texts,
            "benign_examples": check_texts,
        },
        {"value_check": check_one_of("shape", "address", "key", "password", "argument", "prose", "strong")},
    )
    values = source.check_table(
        "values",
        {
            "placeholders": check_words,
            "template_signs": check_texts,
            "technical_words": check_words,
            "common_words": check_words,
            "public_names": check_words,
        },
    )
    before = source.find_fragment("before")
    keywords = {word for rule in rules for word in rule["keywords"]}
    contextual = {word for rule in rules if not rule["regex"].startswith(before) for word in rule["keywords"]}
    loaded = ("id", "regex", "entropy", "keywords", "value_check")
    return {
        "secrets": {"rules": [{key: rule[key] for key in loaded if key in rule} for rule in rules]},
        "secret_values": values,
        "secret_keywords": {"keywords": sorted(contextual), "token_keywords": sorted(keywords - contextual)},
    }


CARRIER_WORDS = (
    "background_tools",
    "default_branches",
    "environment_scripts",
    "inline_options",
    "find_options",
    "fd_options",
    "in_place_options",
    "lock_files",
)


def compile_carriers(source: TableSource) -> dict[str, Table]:
    """Compile the origin of what programs, git's subcommands and hosts' tools print."""
    origins: Table = {}
    for name in ("programs", "git", "tools"):
        rows = source.check_rows(name, {"origin": check_one_of("own", "weak", "foreign", "none"), "names": check_words})
        source.check_unique(f"[[{name}]]", "names", [word for row in rows for word in row["names"]])
        origins[name] = {word: row["origin"] for row in rows for word in row["names"]}
    words = source.check_table("words", dict.fromkeys(CARRIER_WORDS, check_words))
    commands = {
        f"{name}_commands": source.check_table(table, {"commands": check_texts})["commands"]
        for name, table in (("copy", "copies"), ("set_up", "set_up"))
    }
    return {"carriers": {**origins, **words, **commands}}


PROGRAM_KIND_NAMES = "read search list edit test check run commit revert git fetch install other".split()
WORD_LISTS = (
    "task_runners test_tasks check_tasks install_tasks github_reads shells shell_keywords shell_syntax test_selectors "
    "takes_paths takes_script project_programs package_runners package_managers package_runs install_subcommands "
    "group_options package_options expression_options dependency_files inert_wrappers".split()
)


def compile_programs(source: TableSource) -> dict[str, Table]:
    """Compile what programs do, which of them wrap a command, and which of their options take a value."""
    programs = source.check_rows("programs", {"kind": check_one_of(*PROGRAM_KIND_NAMES), "names": check_words})
    source.check_unique("[[programs]]", "names", [name for row in programs for name in row["names"]])
    subcommands = source.check_rows(
        "subcommands", {"program": check_text}, dict.fromkeys(PROGRAM_KIND_NAMES, check_words)
    )
    optional = {"options": check_words, "plain_words": check_number, "runs": check_text}
    wrappers = source.check_rows("wrappers", {"command": check_text}, optional)
    options = source.check_rows("valued_options", {"program": check_text, "options": check_words})
    return {
        "programs": {
            "programs": {name: row["kind"] for row in programs for name in row["names"]},
            "subcommands": {
                row["program"]: {name: kind for kind in PROGRAM_KIND_NAMES for name in row.get(kind, ())}
                for row in subcommands
            },
            "aliases": source.check_entries("aliases", check_text),
            "wrappers": {row["command"]: {key: row[key] for key in optional if key in row} for row in wrappers},
            "valued_options": {row["program"]: row["options"] for row in options},
            **source.check_table("words", dict.fromkeys(WORD_LISTS, check_words)),
        }
    }


ROLES = (
    "address reader oblige dismiss dismissed act urge order demand operation launch transfer secret suspect function "
    "join fetch foreign tell action routine asset clause adverb"
).split()


def compile_repository_text(source: TableSource) -> dict[str, Table]:
    """Compile the words by which a name reads as a sentence, by their role."""
    rows = source.check_rows("words", {"role": check_one_of(*ROLES), "words": check_words})
    return {"repository_text": {row["role"]: row["words"] for row in rows}}


def compile_guarded_commands(source: TableSource) -> dict[str, Table]:
    """Compile the patterns of commands, options and variables that are never told without a person."""
    rows = source.check_rows(
        "guarded",
        {"id": check_text, "regex": check_pattern, "examples": check_texts, "counterexamples": check_texts},
    )
    return {"guarded_commands": {"regexes": [row["regex"] for row in rows]}}


def compile_failures(source: TableSource) -> dict[str, Table]:
    """Compile one pattern for each sign of a failure, from the formats of all tools."""
    signs = source.check_rows(
        "signs",
        {"name": check_text, "meaning": check_text},
        {"prefix": check_piece, "suffix": check_piece, "flags": check_one_of("i", "m")},
    )
    names = check_one_of(*(sign["name"] for sign in signs))
    formats = source.check_rows("formats", {"sign": names, "regex": check_pattern})
    normalisations = source.check_rows("normalisations", {"regex": check_pattern}, {"placeholder": check_text})
    return {
        "failures": {
            "signs": {sign["name"]: _join_formats(sign, formats) for sign in signs},
            "normalisations": [[row["regex"], row.get("placeholder", "")] for row in normalisations],
            **source.check_table("commands", {"probes": check_texts, "git_views": check_texts}),
        }
    }


def _join_formats(sign: Table, formats: list[Table]) -> str:
    flags = f"(?{sign['flags']})" if "flags" in sign else ""
    alternatives = "|".join(row["regex"] for row in formats if row["sign"] == sign["name"])
    return f"{flags}{sign.get('prefix', '')}{alternatives}{sign.get('suffix', '')}"


INJECTION_REASON_NAMES = "override role command exfiltration markup authority".split()
IMPERATIVES = "must always verb answer".split()


def compile_prompt_injection(source: TableSource) -> dict[str, Table]:
    """Compile the cues of prompt injection, by their reason."""
    cues = source.check_rows("cues", {"reason": check_one_of(*INJECTION_REASON_NAMES), "regex": check_linear_pattern})
    imperatives = source.check_rows("imperatives", {"cue": check_one_of(*IMPERATIVES), "regex": check_linear_pattern})
    return {
        "prompt_injection": {
            "cues": {name: [row["regex"] for row in cues if row["reason"] == name] for name in INJECTION_REASON_NAMES},
            "imperatives": {name: [row["regex"] for row in imperatives if row["cue"] == name] for name in IMPERATIVES},
        }
    }


def compile_corrections(source: TableSource) -> dict[str, Table]:
    """Compile the forms and signs of self-corrections."""
    forms = source.check_rows(
        "forms",
        {"name": check_text, "points": check_number, "regex": check_linear_pattern},
        {"anchors": check_texts, "anchor_parts": _check_parts, "admits": check_flag, "weak": check_flag},
    )
    signs = source.check_rows(
        "signs",
        {"name": check_text, "regex": check_linear_pattern, "points": _check_points},
        {"changes_mind": check_flag},
    )
    return {
        "corrections": {
            **source.check_table("score", {"bias": check_number}),
            "forms": [
                {
                    **{key: form[key] for key in ("name", "points", "regex")},
                    "anchors": form.get("anchors") or form["anchor_parts"],
                    **{key: form.get(key, False) for key in ("admits", "weak")},
                }
                for form in forms
            ],
            "signs": [
                {
                    **{key: sign[key] for key in ("name", "regex", "points")},
                    "changes_mind": sign.get("changes_mind", False),
                }
                for sign in signs
            ],
        }
    }


def _check_parts(value: Any) -> list[str]:
    """Accept lists of texts; they are compiled to all combinations of one text of each list."""
    if not isinstance(value, list) or not all(isinstance(part, list) for part in value):
        raise ValueError("is not a list of lists of texts")
    return list(map("".join, product(*value)))


PLACES = "here", "before", "after", "so far", "round", "after a concession"


def _check_points(value: Any) -> dict[str, float]:
    """Accept the points of a sign by its place."""
    if not isinstance(value, dict) or not set(value) <= set(PLACES):
        raise ValueError(f"is not a table whose keys are of {', '.join(PLACES)}")
    return {place: check_number(points) for place, points in value.items()}


NORMATIVE_CUES = "should", "task_only", "task_opening", "output"
EXPLANATION_CUES = "reason", "report", "open_bug", "change", "identifier"
REVIEW_CUES = "review", "declined"


def compile_instructions(source: TableSource) -> dict[str, Table]:
    """Compile the patterns that tell a rule from a description."""
    return {"instructions": source.check_entries("patterns", check_pattern)}


def compile_prose_cues(source: TableSource) -> dict[str, Table]:
    """Compile the patterns of statements of what should be, and of explanations."""
    normative = source.check_table("normative", dict.fromkeys(NORMATIVE_CUES, check_pattern))
    explanation = source.check_table("explanation", dict.fromkeys(EXPLANATION_CUES, check_pattern))
    review = source.check_table("review", dict.fromkeys(REVIEW_CUES, check_pattern))
    return {"prose_cues": {"normative": normative, "explanation": explanation, "review": review}}


def compile_function_words(source: TableSource) -> dict[str, Table]:
    """Compile the function words of each language."""
    rows = source.check_rows("languages", {"name": check_text, "words": check_words})
    source.check_unique("[[languages]]", "name", [row["name"] for row in rows])
    return {"function_words": {row["name"]: row["words"] for row in rows}}


READER_CUES = (
    "work_state task_only absence nowhere exclusive agreement refusal action change diagnosis gives_up given_up denial "
    "defect rule fixed".split()
)


def compile_reader_cues(source: TableSource) -> dict[str, Table]:
    """Compile one pattern for each cue of the reader's checks, from its pieces."""
    rows = source.check_rows("cues", {"name": check_one_of(*READER_CUES), "patterns": _check_alternatives})
    source.check_unique("[[cues]]", "name", [row["name"] for row in rows])
    return {"reader_cues": {row["name"]: row["patterns"] for row in rows}}


def _check_alternatives(value: Any) -> str:
    """Accept a list of patterns; they are compiled to one."""
    return check_pattern("|".join(f"(?:{piece})" for piece in check_texts(value)))


COMPILERS: dict[str, Callable[[TableSource], dict[str, Table]]] = {
    "carriers": compile_carriers,
    "corrections": compile_corrections,
    "failures": compile_failures,
    "function_words": compile_function_words,
    "guarded_commands": compile_guarded_commands,
    "instructions": compile_instructions,
    "programs": compile_programs,
    "reader_cues": compile_reader_cues,
    "prompt_injection": compile_prompt_injection,
    "prose_cues": compile_prose_cues,
    "repository_text": compile_repository_text,
    "secrets": compile_secrets,
}
"""The compiler of each TOML file, which returns the JSON files that it makes."""


def compile_all() -> Iterator[tuple[str, str]]:
    """Compile every TOML file of this folder; yields the name and the text of each JSON file.

    Raises InvalidInput that names the file, the row and the field that is wrong.
    """
    for path in sorted(DATA_FOLDER.glob("*.toml")):
        if path.stem not in COMPILERS:
            raise InvalidInput(f"{path.name} has no compiler.", "Add one to COMPILERS in data/compiler.py.")
        for name, table in COMPILERS[path.stem](TableSource(path)).items():
            yield f"{name}.json", render_json(table) + "\n"


def render_json(value: Any, indent: str = "") -> str:
    """Render JSON with one entry per line, where a value is too long for one line."""
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + len(text) < LINE_CHARS:
        return text
    inner = indent + " "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + render_json(item, inner) for item in value) + f"\n{indent}]"
    entries = (f"{inner}{json.dumps(key)}: {render_json(item, inner)}" for key, item in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


if __name__ == "__main__":
    for file_name, text in list(compile_all()):
        (DATA_FOLDER / file_name).write_text(text, "utf-8")
