"""Run a study (many seeded games at once): `uv run studies.py --help` says how."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "studies.py")

if __name__ == "__main__":
    sys.exit(main())
