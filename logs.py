"""Review the games in logs/: `uv run logs.py --help` says how."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "logs.py")

if __name__ == "__main__":
    sys.exit(main())
