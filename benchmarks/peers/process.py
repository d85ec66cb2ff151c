"""Another memory product as a process in its own environment."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import TYPE_CHECKING

from benchmarks.peers.system import LeftOut

if TYPE_CHECKING:
    from benchmarks.peers.system import Turn

HERE = Path(__file__).parent
ANSWER_SECONDS_MAX = 1_800
SHOWN_CHARS_MAX = 300
ENVIRONMENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "NO_PROXY": "127.0.0.1",
    "OPENAI_API_KEY": "local",
    "PYTHONWARNINGS": "ignore",
}
"""No peer reports home or fetches anything while it is measured; the key is for the endpoint on this machine."""


@dataclass(frozen=True, slots=True)
class Product:
    """A peer: the name of its environment and adapter, its distribution, what to install, and how it is run here."""

    name: str
    distribution: str
    packages: str
    how: str

    def python(self, environments: Path) -> Path:
        """The interpreter of its environment; a peer without one is left out."""
        path = environments / self.name / "bin" / "python"
        if not path.exists():
            raise LeftOut(f"there is no environment {self.name} (`pip install {self.packages}` in a new one makes it)")
        return path.absolute()

    def title(self, environments: Path) -> str:
        """Name and version."""
        installed = (environments / self.name).glob(f"lib/python*/site-packages/{self.distribution}-*.dist-info")
        versions = [path.name.removesuffix(".dist-info").rpartition("-")[2] for path in installed]
        return " ".join([self.name.replace("_", "-"), *versions[:1]])


class PeerProcess:
    """One dialogue in one process, with a separate home folder."""

    def __init__(self, product: Product, environments: Path, embeddings: str, *, folder: Path = HERE) -> None:
        self._home = TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True)
        self._log = Path(self._home.name, "stderr.log")
        command = [str(product.python(environments)), "-P", str(HERE / "runner.py")]
        command += [str(folder / f"{product.name}.py"), self._home.name, embeddings]
        variables = {"PATH": os.environ.get("PATH", ""), "HOME": self._home.name, **ENVIRONMENT}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env=variables,
                cwd=self._home.name,
            )
        try:
            self._answer("opened")
        except LeftOut:
            self.close()
            raise

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Have the turns kept."""
        self._send({"turns": [astuple(turn) for turn in turns]})
        self._answer("kept")

    def ask(self, question: str, limit: int) -> list[str]:
        """The ids that the peer names, those that it invents left out of account by the scoring."""
        self._send({"question": question, "limit": limit})
        turns = self._answer("found")
        return [str(turn) for turn in turns][:limit] if isinstance(turns, list) else []

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise LeftOut(f"it ended: {self._last_words()}") from None

    def _answer(self, wanted: str) -> object:
        """The next answer; a peer that is silent for too long is ended."""
        assert self._process.stdout is not None
        patience = Timer(ANSWER_SECONDS_MAX, self._process.kill)
        patience.start()
        try:
            line = self._process.stdout.readline()
        finally:
            patience.cancel()
        answer = json.loads(line) if line else {"error": f"it ended: {self._last_words()}"}
        if wanted not in answer:
            raise LeftOut(str(answer.get("error")))
        return answer[wanted]

    def _last_words(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace").strip()[-SHOWN_CHARS_MAX:]

    def close(self) -> None:
        """End the process and remove what it wrote."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # what was not read before the end
                stream.close()
        self._home.cleanup()
