"""Measure how the tree names things and how its prose reads: `python -m docs.style`.

`make check` prints the figures, so that a slip is seen at once; `docs/style.toml` has the words and the limits.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LIMITS: dict[str, float] = TABLE["limits"]
EXAMPLES_MAX = 8

_PHRASES = re.compile("|".join(f"(?:{pattern})" for pattern in TABLE["phrases"].values()), re.MULTILINE)
_PARTICIPLE = re.compile(
    f"_*(?:[a-z]+(?:{'|'.join(TABLE['participle_endings'])})|{'|'.join(TABLE['participles'])})",
)
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]+")
_CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)


@dataclass
class Names:
    """The names that a tree defines, each with its place, and the words of its docstrings."""

    variables: list[tuple[str, str]] = field(default_factory=list)
    functions: list[tuple[str, str]] = field(default_factory=list)
    classes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    modules: list[str] = field(default_factory=list)
    docstrings: list[str] = field(default_factory=list)
    constants: dict[str, list[tuple[str, bool]]] = field(default_factory=lambda: defaultdict(list))
    """Places of each constant of a module, and whether it is a number there."""

    def add_module(self, path: Path, source: str) -> None:
        """Collect the names and docstrings of one module."""
        self.modules.append(path.stem)
        tree = ast.parse(source)
        self._add_constants(path, tree)
        for node in ast.walk(tree):
            place = f"{path}:{getattr(node, 'lineno', 1)}"
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    self.variables.append((name, place))
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self.functions.append((name, place))
                case ast.ClassDef(name=name) if not name.startswith("_"):
                    self.classes[name].add(str(path))
                case ast.Expr(value=ast.Constant(value=str() as text)):
                    self.docstrings.append(text)

    def _add_constants(self, path: Path, tree: ast.Module) -> None:
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    pairs = list(zip(targets, values, strict=True))
                case (
                    ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    pairs = [(target, value)]
                case _:
                    continue
            for target, value in pairs:
                if isinstance(target, ast.Name) and _CONSTANT.fullmatch(target.id) and target.id != "TYPE_CHECKING":
                    self.constants[target.id].append((f"{path}:{node.lineno}", _is_number(value)))


@dataclass(frozen=True)
class Figure:
    """One measured figure, its limit, and the first names or phrases that count against it."""

    name: str
    value: float
    offenders: list[str]

    @property
    def limit(self) -> float:
        """The highest value that the tree may reach."""
        return LIMITS[self.name]

    @property
    def is_exceeded(self) -> bool:
        """Whether the tree reads worse than it may."""
        return self.value > self.limit


def collect_names(folder: Path) -> Names:
    """Read all Python modules below a folder."""
    names = Names()
    for path in sorted(folder.rglob("*.py")):
        names.add_module(path.relative_to(folder), path.read_text("utf-8"))
    return names


def measure_tree(source: Path = ROOT / "src/holloway", pages: Path = ROOT / "docs") -> list[Figure]:
    """Return all figures of a source folder and a folder of Markdown pages."""
    names = collect_names(source)
    return [
        *_measure_names(names),
        _measure_prose("odd_phrases_in_docstrings", names.docstrings),
        _measure_pages(pages),
    ]


def _measure_names(names: Names) -> Iterator[Figure]:
    fillers = [f"{name} ({place})" for name, place in names.variables if name in TABLE["filler_variables"]]
    yield Figure("filler_variables_percent", _percent(len(fillers), len(names.variables)), fillers)
    single = [f"{name} ({place})" for name, place in names.functions if re.fullmatch(r"_*[a-z]+", name)]
    yield Figure("one_word_functions_percent", _percent(len(single), len(names.functions)), single)
    participles = [f"{name} ({place})" for name, place in names.functions if is_participle(name)]
    yield Figure("participle_functions_percent", _percent(len(participles), len(names.functions)), participles)
    gerunds = [name for name in names.modules if name.endswith("ing") and name != "testing"]
    yield Figure("gerund_modules", len(gerunds), gerunds)
    repeated = [f"{name} ({', '.join(sorted(paths))})" for name, paths in names.classes.items() if len(paths) > 1]
    yield Figure("repeated_public_classes", len(repeated), repeated)
    repeated = list(_find_repeated_constants(names))
    yield Figure("repeated_constants", len(repeated), repeated)


def _find_repeated_constants(names: Names) -> Iterator[str]:
    """Yield the names that two modules define: all public ones, and private ones that are a number somewhere."""
    for name, places in sorted(names.constants.items()):
        if len(places) > 1 and (not name.startswith("_") or any(is_number for _, is_number in places)):
            yield f"{name} ({', '.join(place for place, _ in places)})"


def _is_number(value: ast.expr) -> bool:
    """Whether an expression is a number that is written out, such as `64 * 1024` or `-1`."""
    match value:
        case ast.Constant(value=int() | float()):
            return not isinstance(value.value, bool)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.UnaryOp(operand=operand):
            return _is_number(operand)
    return False


def is_participle(name: str) -> bool:
    """Whether a function is named by what was done instead of what it does."""
    return bool(_PARTICIPLE.fullmatch(name)) and name.strip("_") not in TABLE["verbs"]


def _measure_pages(folder: Path) -> Figure:
    return _measure_prose("odd_phrases_in_docs", [path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))])


def _measure_prose(name: str, texts: list[str]) -> Figure:
    prose = [_CODE_BLOCK.sub("", text) for text in texts]
    phrases = [match.group().strip() for text in prose for match in _PHRASES.finditer(text)]
    words = sum(len(text.split()) for text in prose)
    return Figure(name, 10_000 * len(phrases) / max(1, words), phrases)


def _percent(part: int, whole: int) -> float:
    return 100 * part / max(1, whole)


def main() -> None:
    """Print the figures, and the first offenders of those above their limit."""
    for figure in measure_tree():
        mark = "  above the limit" if figure.is_exceeded else ""
        print(f"{figure.name:32} {figure.value:6.1f} (at most {figure.limit:g}){mark}")
        for offender in figure.offenders[:EXAMPLES_MAX] if figure.is_exceeded else ():
            print(f"    {offender}")


if __name__ == "__main__":
    main()
