"""`python -m holloway` is `holloway`."""

from holloway.cli import main

if __name__ == "__main__":
    main()
