"""Plan, play and rate a tournament; run `uv run tournament.py --help` for usage."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "tournament.py")

if __name__ == "__main__":
    sys.exit(main())
