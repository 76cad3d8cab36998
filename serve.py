"""Show the arena in the browser: `uv run serve.py --help` says how."""

import sys
from collections.abc import Sequence

from engine.cli.main import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the arena until Ctrl-C, with the options in `argv`.

    Returns the exit code: 0 done, 1 failed, 2 bad input, 5 games were left unfinished.
    """
    return run_command("serve.py", argv)


if __name__ == "__main__":
    sys.exit(main())
