"""A harness that runs the arena as a separate program, with the model in one seat."""

import json
import os
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from arena_v1.taskset import TableData

JsonObject = dict[str, Any]


class ArenaHarnessConfig(vf.HarnessConfig):
    """The arena's location in the runtime, set with `--env.agent.harness.*`."""

    home: str = ""
    """The arena's folder; by default `ARENA_HOME`, or the checkout that contains this package."""
    python: str = ""
    """The arena's Python; by default `ARENA_PYTHON`, or the one in the arena's `.venv`."""
    logs: str = "logs"
    """The folder for the arena's logs; a relative folder is kept only as long as the rollout's."""


class ArenaHarness(vf.Harness[ArenaHarnessConfig]):
    """Plays a whole game; every prompt that the model reads is the arena's, unchanged."""

    APPENDS_SYSTEM_PROMPT = True  # it becomes the seat's character
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def setup(self, runtime: vf.Runtime) -> None:
        """Reject a runtime that does not contain the arena."""
        python, example, *_ = self._command()
        for path in (python, example):
            tried = await runtime.run(["test", "-f", path], {})
            if tried.exit_code:
                raise vf.HarnessError(
                    f"no arena here: expected a file {path}; set ARENA_HOME to the arena's folder "
                    "and run `uv sync` in it, or name its Python in ARENA_PYTHON"
                )

    async def launch(  # noqa: PLR0917 - the base class's signature
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play the task's game, and put its result into the trace."""
        del mcp_urls
        if not isinstance(data, TableData):
            raise TypeError(f"expected a task of the arena's taskset: got {type(data).__name__}")
        table = _seat_model(data, ctx.model, endpoint)
        await runtime.write("table.json", json.dumps(table).encode())
        environ = self.config.resolved_env
        # The arena reads the key from its environment, so no file contains it.
        environ["COMPATIBLE_API_KEY"] = secret
        done = await runtime.run_program(self._command(), environ)
        game = _result_of(done.stdout)
        if game is None:
            return done
        trace.info["arena"] = game
        # A void game is also over; the reward accounts for it.
        return vf.ProgramResult(0, done.stdout, done.stderr)

    def _command(self) -> list[str]:
        home = self.config.home or os.environ.get("ARENA_HOME") or str(Path(__file__).parents[3])
        python = self.config.python or os.environ.get("ARENA_PYTHON") or f"{home}/.venv/bin/python"
        table = ["--config", "table.json", "--logs-dir", self.config.logs]
        return [python, f"{home}/example.py", *table, "--json", "--plain"]


def _seat_model(data: TableData, model: str, endpoint: str) -> JsonObject:
    """Return the game's config with the model in its seat, reached at the rollout's endpoint."""
    asked = {
        "provider": "compatible",
        "model": model,
        "client_kwargs": {"base_url": endpoint},
        "character_prompt": data.system_prompt or "",
    }
    players = [
        {**player, **asked} if player["player_id"] == data.seat else player
        for player in data.table["player_configs"]
    ]
    return {**data.table, "player_configs": players}


def _result_of(output: str) -> JsonObject | None:
    """Return the result in the last line of the arena's output; None if the game did not end."""
    lines = output.splitlines()
    last: JsonObject = json.loads(lines[-1]) if lines else {}
    return last if last.get("status") == "finished" else None
