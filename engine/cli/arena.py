"""The `arena` command of an installed package, with a subcommand for each script of a checkout."""

import sys
from collections.abc import Sequence

from engine import NAME
from engine.cli.main import ExitCode, complain, run_command
from engine.cli.parser import FACES, HELP

HELP_TEXT = """usage: arena COMMAND ...

commands:
  play         play any game in the terminal
  talks        hold a discussion
  logs         review, check and export games
  serve        show the arena in the browser
  tournament   rate entrants, and measure models
  studies      run studies of many games
  guest        train and test policies of the guest

examples:
  arena play --offline              scripts play, without a key or a model
  arena play --players ollama:llama3.2,scripted:foresight,scripted:greedy
  arena tournament measure ollama:llama3.2 --quick

Each command has its own --help. Games are stored in logs/ in the current folder."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the subcommand named in `argv`; return its exit code, or 2 for an unknown subcommand."""
    words = [*(sys.argv[1:] if argv is None else argv)]
    if not words or words[0] in HELP:
        print(HELP_TEXT)
        return ExitCode.DONE
    scripts = {face: script for script, face in FACES.items()}
    face, *rest = words
    if face == "--version":
        return run_command(scripts["play"], words)
    if face not in scripts:
        known = ", ".join(scripts)
        return complain(NAME, f"expected one of {known}: got {face!r}", ExitCode.USAGE)
    return run_command(scripts[face], rest)
