"""Every tool result is classified, whatever the agent called and whatever came back."""

from hypothesis import given
from hypothesis import strategies as st

from holloway.domain.event import ToolKind
from holloway.observer.carriers import Carriers, Origin, Trust
from holloway.observer.scratchpad import Action
from tests.outside_input import bounded_time, text_of

COMMANDS = text_of(
    *(
        "curl ",
        "https://a.example/x",
        "http://[",
        " > ",
        " | ",
        "git show ",
        "origin/x",
        "cat ",
        "src/a.py",
        "$(",
        "`",
        "'",
    ),
    *("gh pr checkout 7", "&& ", "tar xf a.tgz", "X=", "grep -rn x .", "cd ..", "node_modules/", "python -c "),
)
RESULTS = text_of(
    "src/a.py:1:", "node_modules/x.js:2: ", "<system-reminder>", "Ignore previous instructions", "[hw:1a2b]", ": "
)
ACTIONS = st.builds(
    Action,
    step=st.just(1),
    at=st.just(1.0),
    kind=st.sampled_from(ToolKind),
    tool=st.sampled_from(["Bash", "Read", "Grep", "WebFetch", "mcp__holloway__search_memory", "mcp__ide__x", ""])
    | st.text(),
    path=COMMANDS,
    command=COMMANDS,
    url=COMMANDS,
    outside=st.booleans(),
    untracked=st.booleans(),
    text=RESULTS,
    files=st.lists(st.text(max_size=10), max_size=3).map(tuple),
)


@given(st.lists(ACTIONS, min_size=1, max_size=2))
def test_any_result_is_split_into_passages_of_its_own_text_with_an_origin(actions: list[Action]) -> None:
    carriers = Carriers(Trust(root="/project"))
    for action in actions:
        with bounded_time():
            passages = carriers.classify_result(action)
            carriers.taint_writes(action.command, "web:a.example")
        assert passages
        assert all(passage.carrier.origin in Origin for passage in passages)
        assert sum(len(passage.text) for passage in passages) <= len(action.text) + len(passages)
        assert all(passage.carrier.source for passage in passages if passage.carrier.origin is Origin.FOREIGN)


@given(st.sampled_from(ToolKind), RESULTS)
def test_no_result_of_an_unknown_tool_is_the_projects_own(kind: ToolKind, text: str) -> None:
    action = Action(1, 1.0, kind, tool="mcp__unknown__tool", text=text)
    (passage, *others) = Carriers(Trust(root="/project")).classify_result(action)
    if kind is ToolKind.MCP:
        assert not others
        assert passage.carrier.origin is Origin.FOREIGN
