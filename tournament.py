"""Plan, play and rate a tournament: `uv run tournament.py --help` says how."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "tournament.py")

if __name__ == "__main__":
    sys.exit(main())
