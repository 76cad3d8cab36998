"""How long `logs.py --help` takes to answer, and how many times as long as a bare interpreter."""

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).parent.parent
RUNS = 21


def seconds(*command: str) -> float:
    """Return how long one run of the interpreter with `command` takes."""
    begun = perf_counter()
    subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, check=True)
    return perf_counter() - begun


def main() -> None:
    """Run both in turn, so that whatever else the machine does slows both, and print the medians and their ratio."""
    pairs = [(seconds("logs.py", "--help"), seconds("-c", "pass")) for _ in range(RUNS)]
    ours, bare = (median(times) for times in zip(*pairs, strict=True))
    print(
        f"logs.py --help: {ours * 1000:.0f} ms, {ours / bare:.1f} times a bare interpreter ({RUNS} runs)"
    )


if __name__ == "__main__":
    main()
