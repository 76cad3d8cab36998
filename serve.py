"""Show the arena in the browser; run `uv run serve.py --help` for usage."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "serve.py")

if __name__ == "__main__":
    sys.exit(main())
