"""Codebases to index: sources in two languages that use each other."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from benchmarks.generated import SEED
from benchmarks.generated.corpus import Corpus

if TYPE_CHECKING:
    from pathlib import Path


class Code:
    """Sources that read like real ones, the same for the same seed: packages of twelve files that use each other."""

    PACKAGE = 12
    PYTHON_SHARE = 0.6
    HUB_SHARE = 0.01
    RESERVED = frozenset({"import", "export", "function", "package"})

    def __init__(self, count: int) -> None:
        self._corpus = Corpus(SEED)
        self._random = self._corpus.random
        self._words = [word for word in self._corpus.words if word not in self.RESERVED]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(1, len(self._words) + 1)))
        self._count = count
        self._python = int(count * self.PYTHON_SHARE)
        self._hubs = max(1, int(count * self.HUB_SHARE))
        self._stems = [f"{self._random.choice(self._words)}_{number}" for number in range(count)]

    def write(self, root: Path) -> None:
        """Lay the files out under a folder."""
        for number in range(self._count):
            path = root / self._path(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._python_file(number) if self._is_python(number) else self._script(number), "utf-8")
        for folder in {path.parent for path in root.glob("service/**/*.py")}:
            (folder / "__init__.py").write_text('"""A package."""\n', "utf-8")

    def _is_python(self, number: int) -> bool:
        return number < self._python

    def _path(self, number: int) -> str:
        place = f"area_{number // self.PACKAGE // 10}/part_{number // self.PACKAGE}/{self._stems[number]}"
        return f"service/{place}.py" if self._is_python(number) else f"web/{place}.ts"

    def _said(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def _used(self, number: int) -> list[int]:
        """The files that a file imports: neighbours, hubs, some other."""
        low, high = (0, self._python) if self._is_python(number) else (self._python, self._count)
        first = number - number % self.PACKAGE
        near = [
            neighbour
            for neighbour in range(first, first + self.PACKAGE)
            if low <= neighbour < high and neighbour != number
        ]
        hub = low + self._random.randrange(max(1, self._hubs // 2))
        far = self._random.randrange(low, high)
        return sorted({*self._random.sample(near, min(2, len(near))), hub, far} - {number})

    def _python_file(self, number: int) -> str:
        used = self._used(number)
        imports = [
            f"from {self._path(model)[:-3].replace('/', '.')} import Model{model}, make_{model}" for model in used
        ]
        parts = [f'"""{" ".join(self._said(12)).capitalize()}."""', "\n".join(["import json", "import os", *imports])]
        base = f"Model{used[0]}" if used[0] < number else "object"
        for name, above in ((f"Model{number}", base), (f"View{number}", f"Model{number}")):
            head = f'class {name}({above}):\n    """{" ".join(self._said(9)).capitalize()}."""'
            parts.append(
                "\n\n".join([head, *(self._python_body("    ", verb, used) for verb in ("load", "save", "sum"))])
            )
        parts += [self._python_body("", f"{verb}_{number}", used) for verb in ("make", "check", "drop")]
        return "\n\n\n".join(parts) + "\n"

    def _python_body(self, indent: str, name: str, used: list[int]) -> str:
        a, b, c, d, e, f, *words = self._said(15)
        model, other_model = self._random.choices(used, k=2)
        lines = [
            f"def {name}({'self, ' if indent else ''}{a}: Model{model}, {b}_count: int = {len(words)}) -> object:",
            f'    """{" ".join(words[:9]).capitalize()}."""',
            f"    if {a} is None or {b}_count < {len(a)}:",
            f'        raise ValueError(f"the {c} of {d} is {{{b}_count}}")',
            f"    {c} = make_{model}({a}, {b}_count)",
            f"    {d}_all = [{e}.load({a}) for {e} in {c}.{f}]",
            f"    for {e} in {d}_all:",
            f"        # The {f} {words[0]} is {words[1]} before the {words[2]}.",
            f"        {e}.{words[3]}.save(os.fspath({e}.{words[5]}), {b}_count)",
            f"    return Model{other_model}({c}, {words[4]}=json.dumps({d}_all))",
        ]
        return "\n".join(indent + line for line in lines)

    def _script(self, number: int) -> str:
        used = self._used(number)
        depth = "../../../"
        imports = [f"import {{ Model{model}, make{model} }} from '{depth}{self._path(model)[:-3]}';" for model in used]
        parts = ["\n".join([f"// {' '.join(self._said(12)).capitalize()}.", "import fs from 'node:fs';", *imports])]
        base = f" extends Model{used[0]}" if used[0] < number else ""
        for name, above in ((f"Model{number}", base), (f"View{number}", f" extends Model{number}")):
            head = f"/** {' '.join(self._said(9)).capitalize()}. */\nexport class {name}{above} {{"
            body = "\n\n".join(self._script_body("  ", verb, used) for verb in ("load", "save", "sum"))
            parts.append(f"{head}\n{body}\n}}")
        parts += [self._script_body("", f"{verb}{number}", used) for verb in ("make", "check", "drop")]
        return "\n\n".join(parts) + "\n"

    def _script_body(self, indent: str, name: str, used: list[int]) -> str:
        a, b, c, d, e, f, *words = self._said(15)
        model, other_model = self._random.choices(used, k=2)
        lines = [
            f"/** {' '.join(words[:9]).capitalize()}. */",
            f"{'' if indent else 'export function '}{name}({a}: Model{model}, {b}Count = {len(words)}): object {{",
            f"  if (!{a} || {b}Count < {len(a)}) {{",
            f"    throw new Error(`the {c} of {d} is ${{{b}Count}}`);",
            "  }",
            f"  const {c}Made = make{model}({a}, {b}Count);",
            f"  const {d}All = {c}Made.{f}.map(({e}Each) => {e}Each.load({a}));",
            f"  for (const {e} of {d}All) {{",
            f"    // The {f} {words[0]} is {words[1]} before the {words[2]}.",
            f"    {e}.{words[3]}.save(fs.readFileSync({e}.{words[5]}), {b}Count);",
            "  }",
            f"  return new Model{other_model}({c}Made, {{ {words[4]}: JSON.stringify({d}All) }});",
            "}",
        ]
        return "\n".join(indent + line for line in lines)
