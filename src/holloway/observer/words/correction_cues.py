"""How English says "I was wrong, and this is so": forms that hold a belief and a fact, and signs round them.

All patterns are RE2's, so that their time follows the length of the text. Counted repeats are few: RE2 unrolls them.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

_WORK = (
    r"(?:assumption|analysis|understanding|claim|fix|change|edit|approach|tests?|reading|theory|hypothesis|diagnosis"
    r"|conclusion|implementation|suggestion|comment|statement|logic|code|search|grep|command|regex|script|mock|setup"
    r"|plan|idea|proposal|refactor(?:ing)?|version|answer|reply|explanation|query|patch|solution|design|data|review|concern|recommendation|attempt|finding|guess|observation)"
)
_BE = r"(?:'m| am| was|'ve been| were|'re| are)"
_DOING = (
    r"(?:trying to \w+|looking|reading|using|calling|comparing|passing|checking|counting|writing|testing|searching"
    r"|setting|treating|running|creating|adding|saving|loading|storing|capturing|parsing|only \w+ing)"
)
_BUT = r"(?:,? (?:but|however|whereas|yet|although|though|while)|,? when (?:in fact|actually)|[;—–]| -{1,2}) "
_ADVERB = (
    r"(?: (?:initially|originally|first|previously|earlier|mistakenly|incorrectly|wrongly|also|just|had"
    r"|always))?"
)
_NOT = (
    r"\b(?:(?:do|does|did|is|are|was|were|wo|ca|would|could|should)n't|(?:do|does|did|is|are|was|were|will"
    r"|can|would) not|cannot|never)"
)
_NOT_WORDS = ("n't", " not ", "cannot", "never")


def _joined(*parts: str) -> tuple[str, ...]:
    """All strings made of one choice of each part; the choices stand between bars."""
    return tuple(map("".join, product(*(part.split("|") for part in parts))))


class Form(NamedTuple):
    """One way to say it. Groups `b` and `f` hold belief and fact; what a form leaves out is looked for nearby."""

    name: str
    points: float
    """What it is worth by itself; the signs round it are added."""
    anchors: tuple[str, ...]
    """Strings, one of which is in every sentence that matches: what is looked for before the pattern is tried."""
    pattern: str
    admits: bool = False
    """Whether it is a plain admission, which may follow the fact as well as stand before it."""
    weak: bool = False
    """Whether it also is how anything else is said, so that a sign of a change of mind must stand at or before it."""


FORMS = (
    Form(
        "assumed",
        2.6,
        tuple(
            "thought assum believed figured expect concluded suspected presumed thinking convinced impression claim"
            " said".split()
        ),
        rf"\b(?:I|we)(?:'d|'ve)?{_ADVERB} (?:thought|assumed|believed|figured|expected|concluded|suspected|presumed"
        rf"|claimed|said (?:earlier|before)|was (?:assuming|thinking|expecting|convinced)|was under the impression)"
        rf"(?: that)? (?P<b>[^?]+?){_BUT}(?P<f>[^?]+)",
    ),
    Form(
        "assumed_alone",
        2.6,
        ("assum", "impression", "had thought"),
        rf"\bI(?:'d|'ve)?{_ADVERB} (?:assumed|was (?:wrongly )?assuming|was under the impression"
        rf"|had thought)(?: that)?"
        r" (?P<b>[^?]+)",
    ),
    Form(
        "as_thought",
        2.6,
        ("thought", "assumed", "said"),
        r"(?P<f>.+?)\bnot (?P<b>.+?),? (?:as|like|what) I(?: \w+)? (?:thought|assumed|said)\b",
    ),
    Form(
        "opposite",
        2.6,
        (" what i",),
        r"\b(?:opposite of|not|contrary to|different from) what I(?: \w+)? (?:thought|assumed|expected|said)\b",
    ),
    Form(
        "worried",
        2.6,
        ("worried about", "concerned about"),
        r"\b(?:the|my) (?P<b>.+?) (?:that )?I was (?:worried|concerned) about (?P<f>.+)",
    ),
    Form(
        "wrong",
        2.6,
        ("wrong", "mistaken", "incorrect"),
        r"\bI(?: was| am|'m| had been| have been)(?: \w+)? (?:wrong|mistaken|incorrect)\b(?: about (?P<b>[^:;—–]+))?",
        admits=True,
    ),
    Form(
        "mistake",
        1,
        ("my mistake", "my bad", "my mis", "my err", "my oversight", "i made", "i introduced"),
        r"\bmy (?:mistake|bad|misunderstanding|error|oversight)\b|\bI (?:made|introduced) (?:a|an|the) "
        r"(?:\w+ )?(?:mistake|error|bug)\b|\bI made (?:that|this|it) up\b",
        admits=True,
    ),
    Form(
        "misread",
        1.5,
        _joined("misread|misunderst|misdiag|misremem|misinterp|misjudg|overlooked|conflated|confused|mixed up"),
        r"\bI(?: \w+)? (?:misread|misunderstood|misdiagnosed|misremembered|misinterpreted|misjudged"
        r"|overlooked|conflated|confused|mixed up)\b(?P<b>[^;—–]*)(?:[;—–] ?(?P<f>.+))?",
    ),
    Form("correct_my", 2.6, ("to correct my",), r"\bto correct my (?P<b>.+)"),
    Form(
        "wrongly",
        0.6,
        ("incorrectly", "mistakenly", "wrongly", "accidentally", "erroneously", "inadvertently"),
        r"\bI(?:'d|'ve| had)? (?:incorrectly|mistakenly|wrongly|accidentally|erroneously|inadvertently) (?P<b>.+)",
    ),
    Form(
        "own_flaw",
        2,
        (" my ",),
        rf"\b(?:issue|problem|bug|flaw|mistake|error|trouble)s? (?:is |was )?(?:with|in|that) "
        rf"(?P<b>my .*?{_WORK}\b.*?)"
        rf"(?:{_BUT}|, (?:so|which|because|since)|\bbecause|\bsince|$)(?P<f>.*)",
    ),
    Form(
        "own_work",
        1.6,
        ("my ",),
        rf"\b(?P<b>my (?:[\w-]+ ){{0,3}}{_WORK}(?: [^\s,:;—–-]+){{0,4}}? (?:doesn't|didn't|wouldn't|won't"
        rf"|isn't|wasn't|was wrong"
        r"|is wrong|was incorrect|is incorrect|broke|breaks|accidentally|incorrectly|assumes|assumed|missed|misses"
        r"|was based on|only (?:covers|handles|works|checks|tests))\b.*)",
    ),
    Form(
        "in_my",
        2.6,
        ("in my ",),
        rf"\bin my (?:[\w-]+ ){{0,2}}{_WORK}\b.*?\bI{_BE} (?P<b>.+?)(?:, at which point|{_BUT}|$)(?P<f>.*)",
    ),
    Form(
        "work_i_did",
        1.6,
        _joined(
            " i",
            "| just|'d| had",
            " ",
            "edited|added|changed|wrote|used|modified|put|removed|cited|checked|tested|picked",
        ),
        r"\b(?P<b>(?:code|test|function|change|fix|file|check|block|branch|path|value|field|method|line|place"
        r"|commit) (?:that )?I"
        r"(?: just|'d| had)? (?:edited|added|changed|wrote|used|modified|put|removed|cited|checked|tested|picked)\b"
        r".*?)(?:, which|,? but|,? however,?) (?P<f>.+)",
    ),
    Form(
        "doing_but",
        1,
        _joined("i|we", "'m | am | was |'ve been | were |'re | are "),
        rf"\b(?P<b>(?:I|we){_BE}(?: actually| still| currently)? {_DOING}\b[^?]+?),? but (?P<f>[^?]+)",
        weak=True,
    ),
    Form(
        "cause_not",
        2.6,
        _joined("actual |real |root |true ", "issue|problem|bug|cause|reason"),
        r"\b(?:actual|real|root|true) (?:issue|problem|bug|cause|reason) (?:is|was)(?: actually| that)? "
        r"(?P<f>.+?),? not (?P<b>.+)",
    ),
    Form(
        "not_but",
        1.0,
        _joined("issue |problem |bug |cause |it |this |that ", "isn't|is not|wasn't|was not"),
        r"\b(?:issue|problem|bug|cause|it|this|that) (?:isn't|is not|wasn't|was not) (?P<b>[^?]+?)(?:,| -{1,2}"
        r"|—|–|;) ?"
        r"(?:it's|it is|it was|but(?: rather)?|rather) (?P<f>[^?]+)",
    ),
    Form(
        "misdiagnosis",
        2.6,
        ("misdiagnos", "false alarm", "red herring", "unfounded"),
        r"(?P<b>.*?)\b(?:was|were|is|on) (?:probably |likely |just )?(?:a |an )?(?:misdiagnos\w+|false alarm"
        r"|red herring|unfounded)\b(?P<f>.*)",
    ),
    Form(
        "needless",
        1.5,
        ("neces", "unneeded", "needless", "redundant", "needed"),
        r"\b(?P<b>(?:[\w`'\"-]+ ){0,4}(?:fix|change|code|workaround|test|parameter|step|call|work"
        r"|function)\w*) (?:was|were|is|isn't|wasn't)"
        r"(?: actually| really)? (?:unnecessary|unneeded|needless|redundant|not (?:needed|necessary))\b",
    ),
    Form(
        "already",
        1.6,
        _joined("i |we ", "don't |do not |didn't |won't ", "|actually |even ", "need|have"),
        r"(?P<f>.+\balready\b.+?),? (?:so|and) (?:I|we) (?:don't|do not|didn't|won't) (?:actually "
        r"|even )?(?:need|have)(?: to)? (?P<b>.+)",
    ),
    Form(
        "was_correct",
        1.4,
        _joined("was |were |is ", "|actually |already |indeed |in fact |visually ", "correct|right|fine"),
        r"\b(?P<f>(?:original|previous|old)\b[^,;]*\b(?:was|were|is) (?:actually |already |indeed |in fact |visually )?"
        r"(?:correct|right|fine)\b.*)",
    ),
    Form(
        "not_right",
        0.0,
        _joined("that|this", "'s | is | was ", "|actually |just ", "not |wrong|incorrect"),
        r"\b(?:that|this)(?:'s| is| was)(?: actually| just)? (?:not (?:quite |actually )?(?:right|correct|true"
        r"|how|what|the case)|wrong|incorrect)\b(?P<f>.*)",
    ),
    Form(
        "wont_work",
        2.6,
        ("'t work", "not work", "t actually work", "t quite work"),
        r"\b(?:that|this|it|which) (?:won't|wouldn't|can't|will not|cannot|would not)(?: actually"
        r"| quite)? work\b.*?(?:because|since|as|-|—|–|:) ?(?P<f>.+)",
    ),
    Form(
        "so_cannot",
        0.9,
        ("i can't", "i cannot", "i can not"),
        r"^(?:so |which means |this means |that means )+(?:that )?I (?:can't|cannot|can not) (?:just "
        r"|simply )?(?P<b>.+)",
    ),
    Form(
        "should_use",
        0.3,
        _joined("i ", "should |need to |must |have to ", "|be ", "use|using|call|read|check|look|put|pass|write|set"),
        r"\bI (?:should|need to|must|have to) (?:be )?(?:use|using|call|calling|read|reading|check|look|put"
        r"|pass|write|set) (?P<f>.+?),? (?:instead of|rather than|not) (?P<b>[^?;—–]+)",
        weak=True,
    ),
    Form(
        "needs_not",
        0.5,
        (" not ", "instead of", "rather than"),
        r"\b(?:tests?|code|fix|check|function|hook|script|command|logic)\b.*? (?:needs?|should|must|ha[sd]) "
        r"(?:to )?(?P<f>.+?),? (?:not|instead of|rather than) (?P<b>.+)",
        weak=True,
    ),
    Form(
        "is_not",
        0.2,
        _joined(",|-|—|–|;", "| ", "not "),
        r"(?P<f>.+?)(?:,| -{1,2}|—|–|;) ?not (?P<b>[^?,;—–()]+)",
        weak=True,
    ),
    Form("names_not", 0.2, (" not `",), r"(?P<f>.+?) not (?P<b>`[^`]+`)", weak=True),
    Form("does_not", -1.3, _NOT_WORDS, rf"^(?P<f>[^?]*{_NOT} [^?]+)$", weak=True),
)
"""From the most to the least telling; a sentence is read by the first that matches."""

SIGNS = {
    "concede": r"^(?:(?:ah|oh|ok|okay|hmm|no|nope|confirmed|great|excellent|apologies)[ ,.!—–-]+(?:yes,? )?)*"
    r"(?:you're|you are|the user is|the user's|they're|they are)(?: \w+)? (?:right|correct)"
    r"(?:[,.!:;—–]| -| to | and |$)"
    r"|\bI stand corrected\b|\bmy apologies\b|\bI apologi[sz]e\b",
    "user_says": r"\bgood catch\b|\buser (?:is|was|has) (?:saying|pointing|pushing|telling"
    r"|correcting|confirm\w+)"
    r"|\buser (?:pointed|confirmed|clarified|said)\b",
    "cause": r"\b(?:the|real|actual|root) (?:issue|problem|bug|cause)(?: here)? (?:is|was|isn't|wasn't)\b",
    "discover": r"\bI see(?:!| -| —|\.| now|,)"
    r"|\bI (?:now )?(?:see|understand|know)(?: exactly| clearly)? (?:the|what the) (?:issue|problem|bug|mistake|real)"
    r"|\b(?:found it|aha|ah)\b|\b(?:that|this)(?:'s| is) (?:the|the root|the real) (?:issue|problem|bug|cause)\b"
    r"|\bI(?:'m| just| now|'ve)? ?realiz\w+",
    "wait": r"^(?:but |oh,? |hmm,? |no,? |actually,? |ok(?:ay)?,? )*(?:wait|hold on|hmm|oh|oops|no)\b",
    "actually": r"\b(?:actually|in fact|it turns out|turns out|in reality)\b",
    "own": rf"\bmy (?:[\w-]+ ){{0,3}}{_WORK}\b"
    r"|\bI(?:'d|'ve| had| just)? (?:edited|added|changed|wrote|used|modified|put|removed|cited|introduced|swapped"
    r"|replaced|implemented|proposed|suggested|said|claimed)\b",
    "repair": r"\b(?:revert\w*|undo|back out|reconsider|rethink|re-think|start over|different approach"
    r"|simpler approach"
    r"|correct approach|need to (?:fix|change|update|use|rethink|revert|restore)|(?:I|we) should|should be"
    r"|let me (?:fix|correct|revert|change|update|use|undo|restore|move))\b",
    "before": r"\b(?:should|would|expected|plan|option|let me|I'll|I can|we can|going to)\b",
    "hedge": r"\b(?:may|might|maybe|perhaps|possibly|probably|could be|seems?|looks like|likely|I think|I wonder"
    r"|not sure|unclear|if)\b",
    "asks": r"\?|\blet me (?:check|look|see|verify|think|read|re-read|trace|find|search|investigate|understand"
    r"|examine|debug|run)\b",
    "checker": r"\b(?:lint\w*|compil\w+|undefined|unused|staticcheck|diagnostics?|golangci|mypy|eslint|tsc"
    r"|syntax error|type error|type mismatch|typescript error|vet|shellcheck|warning)\b",
    "others": r"\b(?:documentation|docs?|docstring|comments?|README|reviewer|copilot|bugbot|expectation|stale"
    r"|their \w+ ?code)\b",
    "choice": r"\b(?:options?|alternatively|either|approach \d|option \d|pros|cons|trade-?off|recommend"
    r"|cleaner|simpler|better|nicer)\b",
    "done": r"\b(?:all tests pass|done|now (?:let|update|I need|add)|updated?|summary|implemented)\b",
    "named": r"`[^`]+`|\b\w+\(\)|\b[\w.-]+/[\w.-]+|\b\w+_\w+\b",
}
"""What is looked for in a sentence and in its neighbours; the names are the features' of `self_correction`."""
CHANGES_OF_MIND = frozenset({"concede", "user_says", "discover", "wait"})
"""Of these signs, one must stand at or near a form that is weak by itself."""

HERE, BEFORE, AFTER, SO_FAR, ROUND = "here", "before", "after", "so far", "round"
CONCEDED = "after a concession"
"""In place of "after": in "You're right. Let me fix that." the repair says nothing of what was believed."""
SIGN_POINTS = {
    ("concede", SO_FAR): 1.8,
    ("user_says", SO_FAR): 0.6,
    ("discover", HERE): 0.4,
    ("discover", ROUND): 0.8,
    ("cause", ROUND): 0.7,
    ("wait", SO_FAR): 0.2,
    ("actually", HERE): 0.6,
    ("own", HERE): 0.3,
    ("own", ROUND): 0.4,
    ("repair", HERE): -0.5,
    ("repair", AFTER): 1.2,
    ("repair", CONCEDED): -0.5,
    ("before", BEFORE): 0.2,
    ("hedge", HERE): -1.4,
    ("asks", HERE): -0.8,
    ("asks", AFTER): -0.4,
    ("checker", ROUND): -1.5,
    ("others", HERE): -1.0,
    ("choice", HERE): -0.3,
    ("done", SO_FAR): -1.0,
    ("named", HERE): 0.2,
}
"""What a sign is worth by where it stands. Set by hand: weights learned from the few labels there are did no better."""
BIAS = -1.85
