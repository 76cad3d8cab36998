"""Review the games in logs/; run `uv run logs.py --help` for usage."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "logs.py")

if __name__ == "__main__":
    sys.exit(main())
