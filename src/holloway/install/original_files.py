"""Backups and hashes of configuration files that setup changed, so that removal restores the original bytes.

The original bytes stay next to the file, because they may hold secrets; the data folder has only hashes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from holloway import git
from holloway.config import AGENT_CONFIG_BYTES_MAX, replace_file
from holloway.errors import HollowayError
from holloway.store.database import make_private_folder

BACKUP_SUFFIX = ".before-holloway"
"""Suffix of the backup of a configuration file from before the first setup."""

RECORD_BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """Record of a file that setup changed: hashes, never its bytes, which may hold secrets."""

    path: str
    agent: str
    scope: str
    root: str
    existed: bool
    before: str | None
    after: str
    made_folders: tuple[str, ...]


def hash_bytes(data: bytes) -> str:
    """Return the hash by which a file is recognised."""
    return hashlib.sha256(data).hexdigest()


def read_config(path: Path) -> bytes | None:
    """Read a configuration file; None if it does not exist. Raises HollowayError if it cannot be read."""
    try:
        if path.is_symlink() and not path.exists():
            raise HollowayError(f"{path} is a broken symbolic link.", "Fix the link, then try again.")
        if not path.exists():
            return None
        if not path.is_file():
            raise HollowayError(f"{path} is not a file.", "The file was not changed.")
        if path.stat().st_size > AGENT_CONFIG_BYTES_MAX:
            raise HollowayError(f"{path} is larger than a configuration should be.", "The file was not changed.")
        return path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error


def write_config(target: Path, data: bytes | None, like: Path | None = None) -> None:
    """Write a file atomically, or delete it if `data` is None; permissions come from `like` or the old file."""
    if data is None:
        target.unlink(missing_ok=True)
        return
    model = like or target
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = model.stat().st_mode & 0o777 if model.exists() else 0o600
    replace_file(str(target), data)
    target.chmod(mode)


def load_record(path: Path, home: Path) -> InstallRecord | None:
    """Load the record of a file; None if it has no record."""
    return _load_file(record_path(path, home))


def load_records(home: Path) -> list[InstallRecord]:
    """Load the records of all files."""
    folder = home / "installs"
    all_records = [_load_file(file) for file in sorted(folder.glob("*.json"))] if folder.is_dir() else []
    return [record for record in all_records if record is not None]


def save_record(record: InstallRecord, home: Path) -> None:
    """Save the record of a file."""
    file = record_path(Path(record.path), home)
    make_private_folder(home)
    make_private_folder(file.parent)
    replace_file(str(file), json.dumps(asdict(record), indent=1).encode())


def find_original(path: Path, record: InstallRecord | None, current: bytes) -> tuple[bool, bytes | None]:
    """Return whether the original can be restored (only if nobody changed the file since), and its bytes."""
    if record is None or record.after != hash_bytes(current):
        return False, None
    if not record.existed:
        return True, None
    backup = backup_path(path)
    original_bytes = backup.read_bytes() if backup.is_file() else None
    return original_bytes is not None and record.before == hash_bytes(original_bytes), original_bytes


def missing_folders(path: Path) -> tuple[str, ...]:
    """Return the parent folders of a file that do not exist yet, innermost first."""
    return tuple(str(folder) for folder in path.parents if not folder.exists())


def delete_leftovers(path: Path, home: Path) -> None:
    """Delete the backup and record of a configuration file, and the folders that setup made if they are empty."""
    saved_record = load_record(path, home)
    for file in list_leftovers(path, home):
        file.unlink()
    for folder in saved_record.made_folders if saved_record else ():
        try:
            Path(folder).rmdir()
        except OSError:
            _hand_over_folder(folder, home)


def _hand_over_folder(folder: str, home: Path) -> None:
    """Add a folder that setup made to the record of another file in it, whose removal then deletes the folder."""
    for record in load_records(home):
        if Path(record.path).is_relative_to(folder):
            if folder not in record.made_folders:
                save_record(replace(record, made_folders=(*record.made_folders, folder)), home)
            return


def list_leftovers(path: Path, home: Path) -> tuple[Path, ...]:
    """Return the backup and the record of a configuration file, if they exist."""
    return tuple(file for file in (backup_path(path), record_path(path, home)) if file.is_file())


def backup_path(path: Path) -> Path:
    """Return the backup path: next to the file, or inside the git folder so that nobody commits a copy."""
    root = git.find_root(str(path.parent))
    if folder := git.git_dir(root) if root else "":
        return Path(folder) / f"{path.name}.{hash_bytes(str(path).encode())[:8]}{BACKUP_SUFFIX}"
    return path.with_name(path.name + BACKUP_SUFFIX)


def record_path(path: Path, home: Path) -> Path:
    """Return the path of a file's record in the data folder."""
    return home / "installs" / (hash_bytes(str(path).encode())[:16] + ".json")


def _load_file(file: Path) -> InstallRecord | None:
    try:
        fields = json.loads(file.read_bytes()[:RECORD_BYTES_MAX])
        return InstallRecord(**{**fields, "made_folders": tuple(map(str, fields["made_folders"]))})
    except (OSError, ValueError, TypeError, KeyError):
        return None
