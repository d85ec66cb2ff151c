"""The public repositories that are measured on, each at one of its commits, so that everybody measures the same."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Repository(NamedTuple):
    """Its name on GitHub, and the commit of its clone."""

    place: str
    tip: str

    def clone(self, folder: Path) -> str:
        """The command that brings it."""
        return f"git clone https://github.com/{self.place} {folder} && git -C {folder} checkout --quiet {self.tip}"


TABLE = {
    "agentv": Repository("EntityProcess/agentv", "58f316ca24"),
    "aube": Repository("elide-tools/aube", "834b31539c"),
    "axum": Repository("tokio-rs/axum", "3d78036dca"),
    "cipher-box": Repository("FSM1/cipher-box", "e007f15bd5"),
    "cli": Repository("entireio/cli", "f446dcfc09"),
    "context-evaluator": Repository("PackmindHub/context-evaluator", "94f7c40ead"),
    "core": Repository("vuejs/core", "e2bede9613"),
    "delve": Repository("go-delve/delve", "3b77598674"),
    "django": Repository("django/django", "03988c5a5b"),
    "express": Repository("expressjs/express", "a3714473fe"),
    "flask": Repository("pallets/flask", "2ac89889f4"),
    "fmt": Repository("fmtlib/fmt", "60ccad511f"),
    "gatomia-vscode": Repository("eitatech/gatomia-vscode", "acad55191c"),
    "gin": Repository("gin-gonic/gin", "dcaa4296d1"),
    "git-sync": Repository("entireio/git-sync", "298c7f1f1b"),
    "gson": Repository("google/gson", "9835b6f901"),
    "guzzle": Repository("guzzle/guzzle", "2779e868a0"),
    "hono": Repository("honojs/hono", "28a9c12891"),
    "httpx": Repository("encode/httpx", "ae1b9f6623"),
    "instructor-php": Repository("cognesy/instructor-php", "05e240cdd3"),
    "iptvnator": Repository("4gray/iptvnator", "cb37f628ed"),
    "junit5": Repository("junit-team/junit5", "88fbb9638d"),
    "leeson": Repository("rommeld/leeson", "70cb8d4c69"),
    "pantoken": Repository("thedannywahl/pantoken", "c9786c840e"),
    "prometheus": Repository("prometheus/prometheus", "d15adb9ad7"),
    "requests": Repository("psf/requests", "1f6589ec3a"),
    "ripgrep": Repository("BurntSushi/ripgrep", "3fce3b5bb0"),
    "scipy": Repository("scipy/scipy", "3dbf660a91"),
    "serilog": Repository("serilog/serilog", "60935b4d7a"),
    "sinatra": Repository("sinatra/sinatra", "cb22afd790"),
    "sqlalchemy": Repository("sqlalchemy/sqlalchemy", "f35da7e2b9"),
    "tools": Repository("golang/tools", "8f0f8c7bde"),
    "vitest": Repository("vitest-dev/vitest", "c3ba16b358"),
    "CyberVPN": Repository("Beep206/CyberVPN", "e8b48e4255"),
    "safecast-map-MCP": Repository("Safecast/safecast-map-MCP", "3758342aaa"),
}
"""By the name of its folder."""
