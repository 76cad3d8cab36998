"""Show the arena in the browser: `uv run serve.py --help` says how."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "serve.py")

if __name__ == "__main__":
    sys.exit(main())
