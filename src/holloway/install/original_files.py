"""What holloway keeps of a file that it changed, so that removal can bring the very bytes back.

The bytes from before stay beside the file, because they may hold secrets; the data folder has hashes only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from holloway import git
from holloway.config import AGENT_CONFIG_BYTES_MAX, replace_file
from holloway.errors import HollowayError
from holloway.store.database import make_folder

BACKUP_SUFFIX = ".before-holloway"
"""Added to the name of a configuration file, it names the copy of the bytes from before holloway came."""

RECORD_BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """What the data folder knows of a file that setup changed: hashes, never its bytes, which may hold secrets."""

    path: str
    agent: str
    scope: str
    root: str
    existed: bool
    before: str | None
    after: str
    made_folders: tuple[str, ...]


def sha256(data: bytes) -> str:
    """The hash by which a file is recognised."""
    return hashlib.sha256(data).hexdigest()


def read(path: Path) -> bytes | None:
    """The bytes of a configuration file, or nothing where there is none."""
    try:
        if path.is_symlink() and not path.exists():
            raise HollowayError(f"{path} is a link that leads nowhere.", "Mend the link, then try again.")
        if not path.exists():
            return None
        if not path.is_file():
            raise HollowayError(f"{path} is not a file.", "It was left as it is.")
        if path.stat().st_size > AGENT_CONFIG_BYTES_MAX:
            raise HollowayError(f"{path} is larger than a configuration should be.", "It was left as it is.")
        return path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error


def write(target: Path, data: bytes | None, like: Path | None = None) -> None:
    """Put bytes into a file, or take the file away; it has the permissions of the one that it is like."""
    if data is None:
        target.unlink(missing_ok=True)
        return
    model = like or target
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = model.stat().st_mode & 0o777 if model.exists() else 0o600
    replace_file(str(target), data)
    target.chmod(mode)


def record(path: Path, home: Path) -> Record | None:
    """What is known of a file."""
    return _loaded(record_file(path, home))


def records(home: Path) -> list[Record]:
    """What is known of all files."""
    folder = home / "installs"
    found = [_loaded(file) for file in sorted(folder.glob("*.json"))] if folder.is_dir() else []
    return [each for each in found if each is not None]


def save(known: Record, home: Path) -> None:
    """Keep what is known of a file."""
    file = record_file(Path(known.path), home)
    make_folder(home)
    make_folder(file.parent)
    replace_file(str(file), json.dumps(asdict(known), indent=1).encode())


def original(path: Path, known: Record | None, now: bytes) -> tuple[bool, bytes | None]:
    """Whether the bytes from before can be brought back, and they: nobody else may have changed the file since."""
    if known is None or known.after != sha256(now):
        return False, None
    if not known.existed:
        return True, None
    backup = backup_file(path)
    kept = backup.read_bytes() if backup.is_file() else None
    return kept is not None and known.before == sha256(kept), kept


def missing_folders(path: Path) -> tuple[str, ...]:
    """The folders above a file that are not there yet, the innermost first."""
    return tuple(str(folder) for folder in path.parents if not folder.exists())


def forget(path: Path, home: Path) -> None:
    """Delete the files of ours that belong to a configuration file, and its folders if those are ours and empty."""
    known = record(path, home)
    for file in leftovers(path, home):
        file.unlink()
    for folder in known.made_folders if known else ():
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def leftovers(path: Path, home: Path) -> tuple[Path, ...]:
    """The files of ours that belong to a configuration file."""
    return tuple(file for file in (backup_file(path), record_file(path, home)) if file.is_file())


def backup_file(path: Path) -> Path:
    """Beside the file; where that is under git, in the git folder, so that nobody commits a copy of their settings."""
    root = git.find_root(str(path.parent))
    if folder := git.git_dir(root) if root else "":
        return Path(folder) / f"{path.name}.{sha256(str(path).encode())[:8]}{BACKUP_SUFFIX}"
    return path.with_name(path.name + BACKUP_SUFFIX)


def record_file(path: Path, home: Path) -> Path:
    """Where the data folder keeps what it knows of a file."""
    return home / "installs" / (sha256(str(path).encode())[:16] + ".json")


def _loaded(file: Path) -> Record | None:
    try:
        fields = json.loads(file.read_bytes()[:RECORD_BYTES_MAX])
        return Record(**{**fields, "made_folders": tuple(map(str, fields["made_folders"]))})
    except (OSError, ValueError, TypeError, KeyError):
        return None
