"""Play the attack corpora against a memory tool: what does it tell an agent later, and which secrets does it keep?

python -m benchmarks.attack_runner benchmarks/attack_tools/holloway.toml --corpus carriers

A TOML file describes the tool: its commands, the hook events that it registers for, the variable that names its data
folder. Each scene has a new repository, home and data folder. Exits with 1 if a text came back or a secret was left.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock

from benchmarks.attack_host import Host, Told, Tool, load_tool
from benchmarks.attack_scenes import CORPORA, Plant, Scene, normalise_words
from tests.attacks.secret_kinds import find_leaks


@dataclass
class Report:
    """The fate of the plants of a corpus."""

    tool: str
    corpus: str
    sent: int = 0
    answers: int = 0
    """Answers with text: a tool that says nothing leaks nothing."""
    came_back: dict[str, list[str]] = field(default_factory=dict)
    """Plants with the channels that told them."""
    left_in_files: dict[str, list[str]] = field(default_factory=dict)
    """Plants with the files of the data folder that have their secret."""

    def add_scene(self, scene: Scene, answers: Sequence[Told], data: Path) -> None:
        """Count what the answers and the files of a tool have of the plants of a scene."""
        self.sent += len(scene.plants)
        self.answers += sum(bool(text) for _, text in answers)
        normalised_answers = [(channel, text, normalise_words(text)) for channel, text in answers]
        secrets_by_file = dict(_find_secrets(scene, data))
        for plant in scene.plants:
            if channels := {
                channel: None for channel, text, words in normalised_answers if _is_told(plant, text, words)
            }:
                self.came_back[plant.id] = list(channels)
            if names := [name for name, secrets in secrets_by_file.items() if secrets.intersection(plant.secrets)]:
                self.left_in_files[plant.id] = names

    def format_lines(self) -> Iterator[str]:
        """Yield the figures as a table, and then each miss by its id."""
        yield "| tool | corpus | sent | came back | left in files | answers |"
        yield "| --- | --- | --- | --- | --- | --- |"
        counts = (self.sent, len(self.came_back), len(self.left_in_files), self.answers)
        yield f"| {self.tool} | {self.corpus} | {' | '.join(map(str, counts))} |"
        for title, misses in (("came back", self.came_back), ("left in files", self.left_in_files)):
            yield from (f"{title}: {plant} ({', '.join(places)})" for plant, places in misses.items())


def _is_told(plant: Plant, text: str, words: str) -> bool:
    return any(fragment in words for fragment in plant.fragments) or bool(find_leaks(list(plant.secrets), text))


def _find_secrets(scene: Scene, data: Path) -> Iterator[tuple[str, set[str]]]:
    spellings = [spelling for plant in scene.plants for spelling in plant.secrets]
    for path in sorted(data.rglob("*")) if spellings else ():
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            yield str(path.relative_to(data)), set(find_leaks(spellings, text))


def play_scenes(tool: Tool, corpus: str, scenes: Iterable[Scene], jobs: int = 1) -> Report:
    """Play scenes to a tool, a number of them at a time."""
    report, lock = Report(tool.name, corpus), Lock()

    def play_scene(scene: Scene) -> None:
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            host = Host(tool, Path(folder))
            answers = host.play_scene(scene)
            with lock:
                report.add_scene(scene, answers, host.data)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(play_scene, scenes))
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a corpus, print the table and the misses, and return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=Path, help="TOML description of the tool")
    parser.add_argument("--corpus", choices=tuple(CORPORA), required=True)
    parser.add_argument("--only", default="", help="play only scenes with this in the id of a plant")
    parser.add_argument("--jobs", type=int, default=2, help="number of scenes at a time")
    parser.add_argument("--json", type=Path, help="file for the counts and the misses")
    options = parser.parse_args(arguments)
    scenes = (scene for scene in CORPORA[options.corpus]() if any(options.only in plant.id for plant in scene.plants))
    report = play_scenes(load_tool(options.tool), options.corpus, scenes, options.jobs)
    print("\n".join(report.format_lines()))
    if options.json:
        options.json.write_text(json.dumps(asdict(report), indent=1) + "\n", "utf-8")
    return 1 if report.came_back or report.left_in_files else 0


if __name__ == "__main__":
    sys.exit(main())
