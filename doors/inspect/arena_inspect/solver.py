"""A solver that runs the arena as a separate program, with the evaluated model in one seat."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from anyio import CancelScope
from anyio.from_thread import BlockingPortal
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ExecResult, subprocess

from arena_inspect.bridge import Bridge, JsonObject, bridge_to_model

# Inspect itself retries calls after temporary failures, and limits their duration.
PATIENT = {"timeout": 86_400, "max_attempts": 1}
RESULT = "arena"


@solver
def play_arena(logs: str | None = None) -> Solver:
    """Play the sample's game, and store its result under "arena".

    Args:
        logs: The folder in which to keep the arena's logs; by default they are not kept.

    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        failures: list[Exception] = []
        with TemporaryDirectory(prefix="arena-") as folder, CancelScope() as scope:

            def fail(error: Exception) -> None:
                failures.append(error)
                scope.cancel()

            async with BlockingPortal() as portal:
                with bridge_to_model(portal, fail) as bridge:
                    played = await _play(state.metadata, bridge, Path(folder), logs)
            state.store.set(RESULT, _result_of(played))
        if failures:
            # A limit of the sample, or an unreachable model: Inspect handles both.
            raise failures[0]
        return state

    return solve


async def _play(
    sample: JsonObject, bridge: Bridge, folder: Path, logs: str | None
) -> ExecResult[str]:
    """Run the arena in its own folder, with the model in its seat."""
    (folder / "table.json").write_text(json.dumps(_config_with_model(sample, bridge.address)))
    kept = os.path.abspath(logs) if logs else "logs"  # noqa: ASYNC240 - touches no disk
    options = ["--config", "table.json", "--json", "--plain", "--logs-dir", kept]
    # The arena reads the key from its environment, so no file contains it.
    environ = {"COMPATIBLE_API_KEY": bridge.key}
    return await subprocess([*_program(), *options], cwd=folder, env=environ)


def _config_with_model(sample: JsonObject, address: str) -> JsonObject:
    """Return the sample's game config, with the model at `address` in the sample's seat."""
    asked = {
        "provider": "compatible",
        "model": "inspect",
        "client_kwargs": {"base_url": address, **PATIENT},
    }
    players = [
        {**player, **asked} if player["player_id"] == sample["seat"] else player
        for player in sample["table"]["player_configs"]
    ]
    return {**sample["table"], "player_configs": players}


def _program() -> list[str]:
    """Return the arena's command; raise ValueError if it is missing."""
    home = os.environ.get("ARENA_HOME") or str(Path(__file__).parents[3])
    python = os.environ.get("ARENA_PYTHON") or f"{home}/.venv/bin/python"
    program = [python, f"{home}/example.py"]
    for path in program:
        if not Path(path).is_file():
            raise ValueError(
                f"no arena here: expected a file {path}; set ARENA_HOME to the arena's folder and "
                "run `uv sync` in it, or name its Python in ARENA_PYTHON"
            )
    return program


def _result_of(played: ExecResult[str]) -> JsonObject:
    """Return the result in the last line of the arena's output, even for a void game."""
    lines = played.stdout.splitlines()
    last: JsonObject = json.loads(lines[-1]) if lines else {}
    if last.get("status") != "finished":
        raise RuntimeError(f"the arena did not finish its game: {played.stderr.strip()[-2000:]}")
    return last
