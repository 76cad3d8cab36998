"""Review the games in logs/: `uv run logs.py --help` says how."""

import sys
from collections.abc import Sequence

from engine.cli.main import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Show the logs that `argv` names, and return the exit code: 0 done, 1 failed, 2 bad input."""
    return run_command("logs.py", argv)


if __name__ == "__main__":
    sys.exit(main())
