"""A session told step by step, for tests of detectors."""

from collections.abc import Sequence
from dataclasses import replace

from holloway.domain import event as events
from holloway.domain.event import Event, PlanItem, ToolKind
from holloway.domain.work import Outcome
from holloway.observer.activity import SessionActivity
from holloway.observer.scratchpad import Scratchpad


class Story:
    """Each call is one thing that happened; a minute passes between two of them."""

    def __init__(
        self, session: str = "s1", *, task: str = "", planned_steps: int = 0, actor: str = "", at: float = 1_000.0
    ) -> None:
        self.told: list[Event] = []
        self._at = at
        self._actor = actor
        self.told.append(events.Started(self._at, session, "claude-code", task=task, planned_steps=planned_steps))

    def on(self, branch: str) -> "Story":
        began = self.told[0]
        assert isinstance(began, events.Started)
        self.told[0] = replace(began, branch=branch)
        return self

    def read(self, *paths: str, after_s: float = 60.0) -> "Story":
        for path in paths:
            self._call(ToolKind.READ, path=path, after_s=after_s)
        return self

    def edit(self, path: str, removed: Sequence[str] = (), added: Sequence[str] = (), *, ok: bool = True) -> "Story":
        return self._call(ToolKind.EDIT, path=path, removed=tuple(removed), added=tuple(added), ok=ok)

    def changed(self, path: str, added: Sequence[str], applied: Sequence[str], removed: Sequence[str] = ()) -> "Story":
        """An edit that the user made something else of before it was written."""
        self.edit(path, removed, added)
        answer = self.told[-1]
        assert isinstance(answer, events.Result)
        self.told[-1] = replace(answer, changed_by_user=True, applied=tuple(applied))
        return self

    def write(self, path: str, added: Sequence[str] = ()) -> "Story":
        return self._call(ToolKind.WRITE, path=path, added=tuple(added))

    def search(self, pattern: str, *files: str) -> "Story":
        text = "\n".join(files) if files else "No files found"
        return self._call(ToolKind.SEARCH, pattern=pattern, text=text, files=files)

    def list(self, pattern: str, *files: str) -> "Story":
        return self._call(ToolKind.LIST, pattern=pattern, text="\n".join(files), files=files)

    def shell(self, command: str, text: str = "", *, ok: bool = True) -> "Story":
        return self._call(ToolKind.SHELL, command=command, text=text, ok=ok)

    def fetch(self, url: str, text: str = "", pattern: str = "") -> "Story":
        return self._call(ToolKind.WEB, url=url, text=text, pattern=pattern)

    def tool(self, name: str, text: str = "", *, ok: bool = True) -> "Story":
        return self._call(ToolKind.MCP, tool=name, text=text, ok=ok)

    def other(self, name: str, text: str = "", *, ok: bool = True) -> "Story":
        return self._call(ToolKind.OTHER, tool=name, text=text, ok=ok)

    def delegate(self, text: str = "") -> "Story":
        return self._call(ToolKind.SUBAGENT, text=text)

    def says(self, text: str, *, thinking: bool = True) -> "Story":
        return self.event(events.Said(self._tick(), text, thinking, self._actor))

    def user(self, text: str) -> "Story":
        return self.event(events.Prompt(self._tick(), text))

    def interrupted(self) -> "Story":
        return self.event(events.Interrupted(self._tick()))

    def plan(self, *items: str, done: int = 0, mode: bool = False) -> "Story":
        told = tuple(PlanItem(text, place < done) for place, text in enumerate(items))
        return self.event(events.Plan(self._tick(), told, mode))

    def records(self, text: str, kind: str = "", files: tuple[str, ...] = (), details: str = "") -> "Story":
        return self.event(events.Recorded(self._tick(), text, kind, files, self._actor, details))

    def uses(self, tokens: int) -> "Story":
        return self.event(events.Usage(self._tick(), tokens, 0, tokens))

    def qa(self, *findings: str, passed: bool) -> "Story":
        return self.event(events.QaFindings(self._tick(), passed, findings))

    def ends(self, outcome: Outcome | None = None) -> "Story":
        return self.event(events.Ended(self._tick(), "over", outcome))

    def event(self, event: Event) -> "Story":
        self.told.append(event)
        return self

    def green(self, command: str = "pytest -q") -> "Story":
        return self.shell(command, "12 passed in 0.31s")

    def red(self, command: str = "pytest -q") -> "Story":
        return self.shell(command, "FAILED tests/test_a.py::test_x - AssertionError\n1 failed in 0.3s", ok=False)

    def commit(self, message: str = "Change it", sha: str = "abc1234") -> "Story":
        return self.shell(f'git commit -m "{message}"', f"[main {sha}] {message}\n 1 file changed")

    def pad(self) -> Scratchpad:
        pad = Scratchpad()
        for event in self.told:
            pad.add_event(event)
        return pad

    def account(self) -> SessionActivity:
        return SessionActivity(self.pad())

    def _tick(self, seconds: float = 60.0) -> float:
        self._at += seconds
        return self._at

    def _call(
        self,
        kind: ToolKind,
        *,
        tool: str = "",
        path: str = "",
        pattern: str = "",
        command: str = "",
        url: str = "",
        removed: tuple[str, ...] = (),
        added: tuple[str, ...] = (),
        ok: bool = True,
        text: str = "",
        files: tuple[str, ...] = (),
        after_s: float = 60.0,
    ) -> "Story":
        call = f"c{len(self.told)}{self._actor}"
        at = self._tick(after_s)
        self.told.append(
            events.Call(
                at, call, kind, tool or kind.value, path, pattern, command, url, removed, added, actor=self._actor
            )
        )
        self.told.append(events.Result(at, call, ok, text, files, len(files)))
        return self
