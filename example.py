"""Play any game in the terminal; run `uv run example.py --help` for usage."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "example.py")

if __name__ == "__main__":
    sys.exit(main())
