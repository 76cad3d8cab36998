"""The web app for OpenEnv's clients: `uv run arena-openenv --port 8000`."""

import argparse
import os

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app

from arena_openenv.environment import ArenaSeat
from arena_openenv.messages import SeatAction, SeatObservation

# OpenEnv's default of 1 rejects a second session.
SESSIONS = int(os.environ.get("ARENA_SESSIONS", "64"))

app = create_fastapi_app(ArenaSeat, SeatAction, SeatObservation, max_concurrent_envs=SESSIONS)


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="arena-openenv", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
