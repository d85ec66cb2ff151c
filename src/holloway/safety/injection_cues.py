"""The cues by which a text is known to instruct an agent, as patterns for RE2.

These are the second line. Whoever writes poison can word it so that no pattern sees it; what holds is where a text
came from. The patterns are kept narrow, so that what developers write to each other passes.
"""

from __future__ import annotations

_AGENT = (
    r"(?:(?:ai|llm|coding|language|autonomous) (?:coding )?(?:assistants?|agents?|models?|tools?|bots?)|assistants?"
    r"|ais?|llms?|chatbots?|claude(?: code)?|codex|copilot|chatgpt|gpt|gemini|cursor)"
)
_GOALS = (
    r"(?:instructions?|prompts?|rules|guidelines|directions|directives?|orders|commands|guardrails|constraints"
    r"|restrictions|training|programming|safeguards|polic(?:y|ies))"
)
_ACT = (
    r"(?:run|execute|eval|curl|wget|install|download|fetch|upload|send|post|pipe|push|disable|delete|remove|add"
    r"|include|insert|append|import|use|call|invoke|recommend|suggest|reply|respond|answer|output|print|tell|prefer"
    r"|skip|turn off|ignore|trust|approve|commit|set|open|visit)"
)
_FETCH = (
    r"(?:curl|wget|https?://|npx |pip3? install|npm (?:i|install)|\| ?(?:ba|z)?sh\b|base64 -d|powershell|iwr "
    r"|rm -rf|chmod \+x|sudo |--no-verify|--insecure|ssh-keygen|authorized_keys)"
)
_SECRETS = (
    r"(?:ssh[ _-]?keys?|id_rsa|id_ed25519|\.ssh\b|\.env\b|env(?:ironment)? ?(?:variables?|vars?)|environment"
    r"|os\.environ"
    r"|process\.env|printenv|credentials?|api[ _-]?keys?|access[ _-]?keys?|secrets?|tokens?|passwords?|passwd|cookies"
    r"|private keys?|\.aws\b|\.netrc|\.npmrc|keychain|wallets?|seed phrase|source code|conversation|chat history"
    r"|transcript)"
)
_PLACE = (
    r"(?:https?://|ftp://|wss?://|[a-z0-9._+-]+@[a-z0-9-]+\.[a-z]{2,}|webhook|pastebin|[a-z0-9-]+\.(?:com|net|org|io"
    r"|xyz|ru|cn|dev|app|site|example|invalid|test|top|info|onion)\b|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})"
)
_WHO = (
    r"(?:users?|developers?|maintainers?|admin(?:istrator)?s?|operators?|(?:repo(?:sitory)? |project )?owners?"
    r"|security team|core team|anthropic|openai|holloway|system)"
)

CUES: dict[str, tuple[str, ...]] = {
    "override": (
        r"\b(?:ignor(?:e|ing)|disregard|forget|pay no attention to|stop (?:following|obeying)|do not (?:follow|obey))"
        r"\s+(?:(?:all|any|every|of|the|your|these|those|my|our|and|other|everything|in|from)\s+){0,4}"
        r"(?:previous|prior|above|earlier|preceding|former|initial|original|foregoing|system|safety|your)(?:ly)?\s+"
        r"(?:(?:given|and|or|system|user|safety|developer|[a-z]+)\s+){0,2}" + _GOALS + r"\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\s+(?:that\s+|you\s+)?"
        r"(?:(?:was|were|have|had|been|is)\s+){0,2}"
        r"(?:above|before this|previously|said|told|instructed|learned|know)\b",
        r"\b(?:override|bypass|circumvent|disable)\s+(?:all\s+)?(?:your|the system|system|safety)\s+(?:[a-z]+\s+)?"
        + _GOALS
        + r"\b",
        r"\b(?:your|the)\s+(?:new|real|actual|true|updated)\s+(?:instructions?|task|goal|objective|mission|purpose)\s+"
        r"(?:is|are)\s+(?:to|now|as)\b",
        r"\b(?:new|updated|revised|important)\s+(?:system\s+)?(?:instructions?|prompt)\s+"
        r"(?:for (?:the |you|all )?" + _AGENT + r"|supersedes?|overrides?|replaces?|follows?:)",
        r"\byou are now (?:an? |the |in |my )?(?:[a-z]+ ){0,3}(?:assistant|agent|model|bot|hacker|dan\b|jailbroken"
        r"|unrestricted|developer mode|god mode|free (?:of|from))",
        r"\b(?:reveal|print|repeat|output|leak|disclose)\s+(?:me\s+)?(?:all of\s+)?your\s+(?:[a-z]+\s+)?(?:system"
        r"|initial"
        r"|hidden|secret)\s+(?:prompt|instructions|message)",
        r"ignorier\w* (?:alle |die |bitte )*(?:vorherigen|bisherigen|obigen)|ignore[sz]? (?:toutes? )?(?:les "
        r"|tes |vos )"
        r"(?:instructions|consignes)|ignora (?:todas )?(?:las |le )?(?:instrucciones|istruzioni)|ignore (?:todas )?as "
        r"instruções|игнорируй\w* (?:все )?(?:предыдущие|инструкции)|忽略(?:之前|以上|所有|先前|前面)|無視してください"
        r"|以前の指示を|이전 지시",
    ),
    "role": (
        r"<[\s/]*(?:system|assistant|human|developer)(?:[\s/-]*|[_-][a-z_-]{1,24})>",
        r"<[\s/]*(?:tool_calls?|tool_use|tool_results?|function_calls?|function_results?|antml:[a-z_]+|memory"
        r"|memories|holloway(?:[_-][a-z]+)?|(?:user|important|agent)[_-](?:instructions?|query|prompt|message))"
        r"(?:\s[^<>]{0,80})?/?>",
        r"<\s*(?:antml:)?(?:invoke|parameter)\s+name\s*=",
        r"<\|[a-z_]{2,24}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|<\|?eot_id|\[(?:system|assistant)\]\(",
        r"(?m)^[\s>#*-]*(?:system|developer)\s*(?:message|prompt|override|notice|note|instructions?|update|reminder)?"
        r"\s*[\]*]*:[*\s]+(?:you\b|ignore|the user|from now|please|new\b|always|never|do not|as an?\b|all\b|agents?\b"
        r"|assistants?\b|memory|run\b|execute)",
        r"(?:^|\n)\s*\n\s*(?:human|assistant)\s*:\s",
        r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer)[\"']\s*,\s*[\"']content",
        r"\[\s*hw\s*:\s*[0-9a-z]{3,}",
        r"^\s*(?:[-*]\s*)?holloway on \S+:",
    ),
    "command": (
        r"\b(?:note|notice|message|instructions?|attention|reminder|warning|hint|important)\s*(?:to|for|:)\s*"
        r"(?:all |any |the |every |other )*" + _AGENT + r"\b",
        r"\bif you(?:'re| are) an? (?:ai\b|llm|(?:ai |coding |language |autonomous )+(?:assistant|agent|model)"
        r"|assistant\b)",
        r"\b(?:all|any|every|future|dear|hey|attention,?) (?:future )?" + _AGENT + r"\b[^.\n]{0,40}?\b(?:must|should"
        r"|shall|have to|need to|are required to|please|always|never)\b",
        r"\b" + _AGENT + r"\s*[,:]?\s+(?:you )?(?:must|shall|are required to|is required to|are instructed to)\s+"
        r"(?:(?:always|never|also|first|now|then|immediately)\s+){0,2}" + _ACT + r"\b",
        r"\b(?:you|agents?|assistants?) (?:must|shall|are required to|have to|need to"
        r"|should always)\s+(?:[a-z]+\s+){0,3}"
        r"(?:run|execute|curl|wget|install|upload|download|send|post|exfiltrate|paste)\b[^\n]{0,60}?" + _FETCH,
        r"\b(?:always|first|must|immediately|silently|quietly|secretly) (?:run|execute|curl|wget|install|download|pipe"
        r"|call|invoke)\b[^\n]{0,60}?" + _FETCH,
        r"\bfrom (?:now|this point) (?:on|onwards?|forward),?\s+(?:you\b|always\b|never\b|all\b|every\b|please\b|any\b"
        r"|respond|reply|answer|use\b|do\b|treat\b|add\b|include\b|when\b|whenever\b)",
        r"\b(?:remember|memori[sz]e|store|save|record|keep|persist|add|write)\b[^.\n]{0,80}?\b(?:in|to|into|as|for)\s+"
        r"(?:your|long[- ]term|persistent|permanent)\s+(?:long[- ]term |persistent |project |own )?(?:memory"
        r"|memories)\b",
        r"\b(?:remember|memori[sz]e|apply|follow|repeat|do) (?:this|these|that|it)\b[^.\n]{0,40}?\b(?:in|for|across) "
        r"(?:all|every|any|each) (?:future|later|subsequent|coming|next)\b",
        r"\b(?:when(?:ever)?|if|once|next time|as soon as|every time) (?:the |a |any |your )?(?:user|developer"
        r"|human|person"
        r"|someone|anyone)s? (?:(?:later|next|again|ever|then|in future) )?(?:asks?|mentions?|requests?|says?|types?)\b"
        r"[^\n]{0,100}?\b(?:recommend|reply with|respond with|answer (?:with|that)|tell (?:them|him|her|the user)"
        r"|instead "
        r"(?:run|use|send|install)|(?:first )?(?:run|execute|curl|upload|exfiltrate|install)\b|you (?:must|should))",
        r"\b(?:add|include|integrate|insert|modify|replace|provide|use|convert|render|augment|enhance|embed"
        r"|introduce|group"
        r"|remove|scramble|jumble|misspell|combine|rearrange|substitute|suggest|mention|tease|end|begin"
        r"|start)\b[^\n]{0,120}?"
        r"\b(?:in|to|of|from|with|your|every)?\s?your (?:[a-z]+ )?(?:response|answer|reply|replies|responses"
        r"|answers)\b",
        r"\b(?:in|modify|enhance|augment) your (?:[a-z]+ )?(?:response|answer|reply),? [a-z]+",
        r"\b(?:following|subsequent|below|given) (?:code|command|script) ?(?:block|snippet|excerpt|section"
        r"|fragment)?\b[^\n]{0,80}"
        r"\byour (?:[a-z]+ )?(?:code|codebase|solution|implementation|algorithm|response|answer|elucidation)\b",
        r"\byour (?:[a-z]+ )?(?:code|codebase|solution|implementation|algorithm)\b[^\n]{0,80}?\b(?:following"
        r"|subsequent|below)"
        r" code (?:block|snippet|excerpt|section|fragment)",
        r"\b(?:do not|don't|never|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?"
        r"|alert(?:ing)?|warn(?:ing)?|reveal(?:ing)?|ask(?:ing)?|show(?:ing)?) (?:this |it |that "
        r"|any of this )?(?:to )?"
        r"the (?:user|human|developer)\b[^\n]{0,60}?\b(?:this|about|that|it|anything|instruction)",
    ),
    "exfiltration": (
        r"\b(?:send|post|upload|exfiltrate|transmit|forward|leak|e-?mail|submit|copy|report|push|beacon|share|paste|put"
        r"|deliver|encode)\b[^\n]{0,80}?" + _SECRETS + r"[^\n]{0,80}?\b(?:to|at|via|into|in)\b[^\n]{0,24}?" + _PLACE,
        r"\b(?:send|post|upload|exfiltrate|transmit|forward|leak|deliver)\b[^\n]{0,40}?\b(?:to|at|via)\b[^\n]{0,24}?"
        + _PLACE
        + r"[^\n]{0,60}?"
        + _SECRETS,
        r"\b(?:curl|wget|nc|http)\b[^\n]{0,120}?(?:-d|--data[a-z-]*|-f|--form|-t|--upload-file|--post-(?:data"
        r"|file)|<)\s*="
        r"?[^\n]{0,40}?(?:\.ssh|id_rsa|id_ed25519|\.env\b|\.aws|\.netrc|/etc/passwd|\$\(env\)|\$\(printenv|`env`"
        r"|\$\(cat\b|\$[a-z_]*(?:key|token|secret|password))",
        r"(?:\benv|printenv|id_rsa|id_ed25519|\.env|credentials|\.netrc|\.npmrc)[^\n|]{0,40}"
        r"\|[^\n]{0,40}?\b(?:curl|nc|wget)\b",
        r"(?s)(?:os\.environ|process\.env|psutil|cookies?\.(?:txt|pkl)|\.ssh/).{0,200}?(?:requests\.(?:post|put|get)"
        r"|sendall|sendto|sendmail|urlopen|conn\.request|fetch\()",
        r"(?s)(?:requests\.post|sendall|sendto|sendmail|fetch)\(.{0,120}?(?:os\.environ|process\.env|psutil|\.ssh/"
        r"|environ\b)",
    ),
    "markup": (
        r"<!--(?:[^-]|-[^-]|--[^>]){0,400}?\b(?:"
        + _AGENT
        + r"|instructions?|ignore|execute|curl|you must|system prompt"
        r"|always run|do not tell|override)\b",
        r"!\[[^\]\n]{0,200}\]\(\s*https?://[^)\s]{0,300}(?:[?&](?:q|d|c|x|data|secret|token|key|env|content"
        r"|payload|leak"
        r"|info|exfil|text|msg|session|cookie|user)=|[{$%]\(?[a-z_{])",
        r"<img\b[^>]{0,300}(?:[?&](?:d|data|secret|token|env|content|payload|leak|exfil)=|(?:width"
        r"|height)\s*=\s*[\"']?[01]\b"
        r"|display\s*:\s*none)",
        r"<[a-z]+\b[^>]{0,200}style\s*=\s*[\"'][^\"'>]{0,200}(?:display\s*:\s*none|font-size\s*:\s*0|opacity\s*:\s*0\b"
        r"|visibility\s*:\s*hidden|color\s*:\s*(?:white|#fff))",
        r"\]\(\s*(?:javascript|data|vbscript):",
        r"\[//\]\s*:\s*#\s*[(\"'][^)\n]{0,300}\b(?:" + _AGENT + r"|instructions?|ignore|execute|you must|always)\b",
    ),
    "authority": (
        r"\b(?:the|your|project|repo(?:sitory)?) " + _WHO + r" (?:has|have|had)\s+(?:(?:already|explicitly|previously"
        r"|fully|pre-?)\s*){0,2}(?:authori[sz]ed|pre-?approved|consented|granted|whitelisted|vetted|given (?:you |full "
        r"|permission|consent)|approved (?:this|these|all|any|running|the use|it\b|every|sending|installing))",
        r"\b(?:as|i am|i'm|this is) (?:the|your|a) (?:system administrator|sysadmin|administrator|admin|operator"
        r"|creator"
        r"|developer of|project owner|repo(?:sitory)? owner|lead maintainer|security team|maintainer)\b[^\n]{0,60}?\b"
        r"(?:i|we|you|must|authori[sz]e|instruct|require|order|approve|ask)\b",
        r"\b(?:this|the following) (?:message|notice|instruction|rule|memory|policy|command|entry|note)s? (?:is"
        r"|are|comes?"
        r"|was|were) (?:(?:sent|issued|written|approved|signed|verified|provided|given)\s+)?(?:from|by) (?:the |your )?"
        + _WHO,
        r"\b(?:verified|approved|confirmed|authori[sz]ed|signed off|certified|vetted) by (?:the )?(?:user|maintainers?"
        r"|administrator|holloway|security team|anthropic|openai|system)\b",
        r"\bholloway(?:'s)? (?:has |have |memory |says|note|rule|confirmed|verified|approved|requires|instructs)",
        r"\b(?:on behalf of|by order of|per|by request of|at the request of) (?:the |your )?(?:user|maintainers?"
        r"|administrator"
        r"|security team|system administrator)\b[^\n]{0,40}?[,:][^\n]{0,40}?\b" + _ACT + r"\b",
        r"\b(?:no|without|skip(?:ping)?|needs? no|does not need|do not need)\s+(?:any |further |additional |user "
        r"|human |the )*"
        r"(?:review|approval|confirmation|permission|consent)\b[^\n]{0,40}?\b(?:is |are )?(?:needed|required"
        r"|necessary)?\s*"
        r"(?:for this|because (?:it|this|the user)|: ?(?:the user|approved|trusted)|, ?(?:the user|as it is|it is) )",
    ),
}
"""Why a text must not be stored as it stands, by reason; matched on the folded text."""

IMPERATIVES: dict[str, tuple[str, ...]] = {
    "must": (
        r"\b(?:you|we|one|everyone|developers?|agents?) (?:must|should|shall|need to|have to|ought to"
        r"|are required to)\b",
        r"\b(?:it is|it's) (?:mandatory|required|essential|imperative|critical|important|necessary|recommended)"
        r" (?:to|that)\b",
        r"\b(?:must|should|shall) (?:always|never|not|only|first|be (?:run|executed|set|added|installed|used"
        r"|disabled))\b",
    ),
    "always": (
        r"\b(?:always|never|only|first|instead|simply|just|please|kindly) (?:[a-z]+ly )?" + _ACT + r"\b",
        r"\b(?:make sure|be sure|ensure|remember|don't forget|do not forget|keep in mind|don't hesitate|take care)\b",
        r"\b(?:do not|don't|never|avoid|refrain from) [a-z]+",
        r"\bbefore (?:you|running|doing|any|each|every|committing|building|testing|starting)\b",
    ),
    "verb": (
        r"(?m)(?:^|[.!?:;\n>*#-]\s+|\d\.\s)(?:(?:then|now|next|and|so|to proceed|please|instead),? )?(?:run"
        r"|execute|install"
        r"|download|add|include|insert|append|use|set|call|invoke|send|post|upload|open|visit|replace|remove"
        r"|delete|disable"
        r"|enable|write|create|modify|change|update|merge|integrate|incorporate|embed|augment|enhance|introduce"
        r"|consider"
        r"|provide|draft|compose|develop|translate|explain|describe|render|convert|substitute|misspell|scramble|jumble"
        r"|rearrange|anagram|group|combine|leverage|employ|blend|fuse|seamlessly|let|make|implement|put|apply|configure"
        r"|copy|paste|follow|prefer|trust|skip|break down)\b",
    ),
    "answer": (
        r"\byour (?:[a-z]+ )?(?:response|answer|reply|message|code|codebase|solution|implementation|algorithm"
        r"|output|project"
        r"|elucidation|task|work|environment|machine|shell|terminal)\b",
        r"\b(?:following|subsequent|below|given) (?:code|command|snippet|script|block|section|excerpt|steps?"
        r"|instructions?)\b",
        r"\b(?:can|could|would|will) you (?:please )?[a-z]+|\bhow (?:do|can|should) (?:i|you|we)\b",
    ),
}
"""Softer cues, which are plain advice between people; they count only in a text that came from outside."""
