"""Configuration files as people have them: tidy, odd, commented, from other systems, with entries of others."""

CLAUDE_SETTINGS: dict[str, bytes] = {
    "empty": b"",
    "spaces only": b"  \n\n",
    "an empty object": b"{}",
    "an empty object over two lines": b"{\n}\n",
    "one line": b'{"model": "opus", "includeCoAuthoredBy": false}',
    "one line without spaces": b'{"model":"opus","cleanupPeriodDays":30}',
    "tabs and no last newline": b'{\n\t"model": "opus",\n\t"env": {"A": "1"}\n}',
    "four spaces": b'{\n    "permissions": {\n        "allow": ["Bash(ls:*)"]\n    }\n}\n',
    "windows line ends": b'{\r\n  "model": "opus"\r\n}\r\n',
    "a byte-order mark": b'\xef\xbb\xbf{\n  "model": "opus"\n}\n',
    "other letters": '{\n  "name": "Zoë — 日本 😀"\n}\n'.encode(),
    "escapes that no text can hold": b'{"odd": "\\ud800", "more": "\\u0000"}\n',
    "numbers that Python would write otherwise": b'{"a": 1.0e5, "b": 1E400, "c": 0.10, "d": -0}\n',
    "line comments": b'// mine\n{\n  // which model\n  "model": "opus" // the large one\n  // the end\n}\n',
    "block comments": b"{ /* nothing yet */ }\n",
    "commas too many": b'{\n  "permissions": {"allow": ["Bash(ls:*)",],},\n}\n',
    "the same key twice": b'{"model": "opus", "model": "sonnet"}\n',
    "strange order and spacing": b'{ "z":1,\n "a" : [ 1,2 , 3 ],\n\n\n "hooks": {} }\n',
    "a status line": b'{\n  "statusLine": {"type": "command", "command": "~/.claude/line.sh"}\n}\n',
    "no status line, in so many words": b'{"statusLine": null}\n',
    "hooks of others": b"""{
  "hooks": {
    "PostToolUse": [
      {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write"}]}
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}, {"type": "http", "url": "http://127.0.0.1:9"}]}
    ],
    "Notification": []
  },
  "enabledPlugins": {"formatter@acme": true}
}
""",
    "hooks of others on one line": b'{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    "deep and long": b'{"a": ' + b"[" * 60 + b"]" * 60 + b', "b": "' + b"x" * 200_000 + b'"}\n',
}
"""What Claude Code's settings.json may be."""

CLAUDE_JSON: dict[str, bytes] = {
    "as Claude Code writes it": b"""{
  "numStartups": 12,
  "projects": {
    "/home/ada/shop": {
      "mcpServers": {}
    }
  }
}""",
    "servers of others": b"""{
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.invalid"
    }
  },
  "oauthAccount": {"id": 7}
}
""",
    "no servers yet": b'{"mcpServers": {}}',
    "windows line ends": b'{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t}\r\n}',
    "a long history": b'{"projects": {"/x": {"history": [' + b",".join([b'{"display": "hello"}'] * 2_000) + b"]}}}",
}
"""What Claude Code's .claude.json may be."""

CODEX_TOML: dict[str, bytes] = {
    "empty": b"",
    "comments only": b"# my settings\n\n",
    "no last newline": b'model = "gpt-5"',
    "windows line ends": b'model = "gpt-5"\r\n\r\n[tui]\r\ntheme = "dark"\r\n',
    "a byte-order mark": b'\xef\xbb\xbfmodel = "gpt-5"\n',
    "commented and spaced": b"""# top
model   =  "gpt-5" # the large one


[ profiles . fast ]
"model" = 'mini'

# end
""",
    "servers of others": b"""[mcp_servers.github]
command = "gh"
args = [
  "mcp", # serve
  "[not a table]",
]

[mcp_servers.github.env]
A = "1"
""",
    "servers by dotted keys": b'mcp_servers.github.command = "gh"\n',
    "trusted hooks": b'[hooks.state."/home/ada/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n',
    "lists of tables": b'[[notice]]\nname = "a"\n\n[[notice]]\nname = "b"\n',
    "a text over several lines": b'instructions = """\n[mcp_servers.fake]\ncommand = "x"\n"""\n',
    "other letters": '[projects."/home/zoë/日本"]\ntrust_level = "trusted"\n'.encode(),
}
"""What Codex's config.toml may be."""

CODEX_HOOKS: dict[str, bytes] = {
    "an empty object": b"{}",
    "a description": b'{\n  "description": "mine",\n  "hooks": {}\n}\n',
    "hooks of others": b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}\n',
    "matchers": b"""{
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "^Bash$",
        "hooks": [{"type": "command", "command": "lint", "timeout": 30}]
      }
    ]
  }
}
""",
    "windows line ends": b'{\r\n    "hooks": {\r\n        "SessionStart": []\r\n    }\r\n}\r\n',
}
"""What Codex's hooks.json may be."""

SETTINGS_OF_OTHERS: dict[str, bytes] = {
    "empty": b"",
    "an empty object": b"{}",
    "commented": b'{\n  // mine\n  "theme": "dark" // the dark one\n}\n',
    "windows line ends": b'{\r\n  "theme": "dark"\r\n}\r\n',
    "servers and hooks of others": b"""{
  "mcpServers": {"github": {"command": "gh", "args": ["mcp"]}},
  "hooks": {
    "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "true", "timeout": 1000}]}]
  }
}
""",
}
"""What settings.json of Gemini CLI, Qwen Code and Droid, and of files for servers alone, may be."""
