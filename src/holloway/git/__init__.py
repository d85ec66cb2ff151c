"""Git access: repository roots, origin, branches, commits, changed files, and whether a branch is merged.

`folders` and `refs` read `.git` directly, so that a hook finds its project without starting a process. `queries` ask
git through `runner`, in isolation from the repository's configuration, with a timeout and never through a shell.
"""

from holloway.git.folders import (
    common_dir,
    find_root,
    git_dir,
    has_own_history,
    is_linked_worktree,
    is_shallow,
    main_root,
    normalise_origin,
    origin_url,
    shallow_commits,
)
from holloway.git.refs import commit_of, current_branch, default_branch, default_commits, head_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.git.queries import (
        WORDS_SHARE_MIN,
        changed_files,
        changes_since,
        commits_between,
        commits_since,
        count_churn,
        files_underway,
        find_commit_before,
        find_texts_with,
        has_commit,
        has_lines_at,
        is_ancestor,
        is_merged,
        list_accepted_files,
        list_committed_files,
        list_committed_since,
        list_files_with,
        list_files_with_each,
        merge_base,
        read_file_at,
        read_files_at,
        root_commits,
        tracked_files,
    )
    from holloway.git.reflogs import has_remote, list_made_commits, list_pushed_commits
    from holloway.git.runner import GitInterrupted, read_user_email, read_user_name, run_git, run_succeeds, stream_git

_REFLOG_NAMES = frozenset({"has_remote", "list_made_commits", "list_pushed_commits"})
_RUNNER_NAMES = frozenset(
    {"GitInterrupted", "read_user_email", "read_user_name", "run_git", "run_succeeds", "stream_git"}
)


def __getattr__(name: str) -> object:
    """Load the modules that start git when one of their names is first used: most hooks only read `.git`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _RUNNER_NAMES:
        from holloway.git import runner as module
    elif name in _REFLOG_NAMES:
        from holloway.git import reflogs as module  # type: ignore[no-redef]
    else:
        from holloway.git import queries as module  # type: ignore[no-redef]
    return getattr(module, name)


__all__ = [
    "WORDS_SHARE_MIN",
    "GitInterrupted",
    "changed_files",
    "changes_since",
    "commit_of",
    "commits_between",
    "commits_since",
    "common_dir",
    "count_churn",
    "current_branch",
    "default_branch",
    "default_commits",
    "files_underway",
    "find_commit_before",
    "find_root",
    "find_texts_with",
    "git_dir",
    "has_commit",
    "has_lines_at",
    "has_own_history",
    "has_remote",
    "head_commit",
    "is_ancestor",
    "is_linked_worktree",
    "is_merged",
    "is_shallow",
    "list_accepted_files",
    "list_committed_files",
    "list_committed_since",
    "list_files_with",
    "list_files_with_each",
    "list_made_commits",
    "list_pushed_commits",
    "main_root",
    "merge_base",
    "normalise_origin",
    "origin_url",
    "read_file_at",
    "read_files_at",
    "read_user_email",
    "read_user_name",
    "root_commits",
    "run_git",
    "run_succeeds",
    "shallow_commits",
    "stream_git",
    "tracked_files",
]
