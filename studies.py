"""Run a study (many seeded games at once): `uv run studies.py --help` says how."""

import sys
from collections.abc import Sequence

from engine.cli.main import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study that `argv` names.

    Returns the exit code: 0 done, 1 failed, 2 bad input, 5 interrupted.
    """
    return run_command("studies.py", argv)


if __name__ == "__main__":
    sys.exit(main())
