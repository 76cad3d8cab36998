"""Run a study (many seeded games at once); run `uv run studies.py --help` for usage."""

import sys
from functools import partial

from engine.cli.main import run_command

main = partial(run_command, "studies.py")

if __name__ == "__main__":
    sys.exit(main())
