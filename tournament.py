"""Plan, play and rate a tournament: `uv run tournament.py --help` says how."""

import sys
from collections.abc import Sequence

from engine.cli.main import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the subcommand in `argv`.

    Returns the exit code: 0 done, 1 failed, 2 bad input, 4 budget used up, 5 interrupted.
    """
    return run_command("tournament.py", argv)


if __name__ == "__main__":
    sys.exit(main())
