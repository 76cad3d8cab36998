"""Print how long `logs.py --help` takes, alone and relative to a bare interpreter."""

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).parent.parent
RUNS = 21


def seconds(*command: str) -> float:
    """Return the seconds of one run of the interpreter with `command`."""
    begun = perf_counter()
    subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, check=True)
    return perf_counter() - begun


def main() -> None:
    """Print both medians and their ratio; the runs alternate, so that other load slows both."""
    pairs = [(seconds("logs.py", "--help"), seconds("-c", "pass")) for _ in range(RUNS)]
    ours, bare = (median(times) for times in zip(*pairs, strict=True))
    print(
        f"logs.py --help: {ours * 1000:.0f} ms, "
        f"{ours / bare:.1f} times a bare interpreter ({RUNS} runs)"
    )


if __name__ == "__main__":
    main()
