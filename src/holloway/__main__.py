"""`python -m holloway` is `holloway`. The status line, asked for all the time, starts without the rest."""

import sys


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:] == ["statusline"]:
        from holloway.hooks.statusline import main as run  # a tenth of a second would be felt
    else:
        from holloway.cli import main as run
    run()


if __name__ == "__main__":
    main()
