"""Play a short game through each API of llama.cpp's server, and of LiteLLM's proxy before it.

`uv run benchmarks/endpoints.py [--direct] [MODEL.gguf]` takes some minutes, and some more the first
time, when it installs the proxy; `--direct` leaves the proxy out, and needs no network. The proxy
runs in an environment of its own, since its releases want older SDKs than this project. Only where
the server keeps schemas a small model answers without fallbacks; elsewhere its seat says once that
the schema is ignored, and is told the form in words.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import httpx2
from pydantic import SecretStr

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.round import IGNORED
from player import PlayerConfig
from providers.local import BUNDLED, Server, Weights, server_for, stop_servers, weights_file

PROXY = ("uv", "run", "--no-project", "--python", "3.11", "--with", "litellm[proxy]", "litellm")
PATHS = {"compatible": "/v1", "openai": "/v1", "anthropic": ""}
MODEL = "embedded"
TURNS = 1
LONGEST_START = 600
ROW = "{:12} {:10} {:>5} {:>9} {:>10} {:>8} {:>8}"


def main() -> None:
    """Play all games and print a line for each."""
    options = read_options()
    server = server_for(Weights(weights_file(options.model))).result()
    print(ROW.format("server", "API", "asks", "attempts", "fallbacks", "ignored", "status"))
    try:
        for provider in PATHS:
            show("llama.cpp", provider, play(provider, server.address, server.key))
        if not options.direct:
            play_through_proxy(server)
    finally:
        stop_servers()


def read_options() -> argparse.Namespace:
    """Return the options; `--help` explains them."""
    about, _, more = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=more)
    parser.add_argument(
        "model",
        nargs="?",
        default=BUNDLED,
        metavar="MODEL.gguf",
        help="the weights that the server loads (default: the embedded model's)",
    )
    parser.add_argument("--direct", action="store_true", help="leave LiteLLM's proxy out")
    return parser.parse_args()


def play_through_proxy(server: Server) -> None:
    """Play the games through LiteLLM's proxy before a server, and end it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        key = f"sk-{secrets.token_hex(16)}"
        proxy, address = start_proxy(server, Path(folder), key)
        try:
            for provider in PATHS:
                show("LiteLLM", provider, play(provider, address, key))
        finally:
            os.killpg(proxy.pid, signal.SIGTERM)
            proxy.wait()


def start_proxy(server: Server, folder: Path, key: str) -> tuple["subprocess.Popen[bytes]", str]:
    """Return LiteLLM's proxy before a server, once it answers, and its address."""
    # Of vLLM it knows that it keeps schemas, as llama.cpp's server does in chat completions.
    upstream = {
        "model": f"hosted_vllm/{MODEL}",
        "api_base": f"{server.address}/v1",
        "api_key": server.key,
    }
    config = {
        "model_list": [{"model_name": MODEL, "litellm_params": upstream}],
        "litellm_settings": {"drop_params": True},
        "general_settings": {"master_key": key},
    }
    path = folder / "proxy.yaml"
    path.write_text(json.dumps(config))
    port = free_port()
    proxy = subprocess.Popen(
        [*PROXY, "--config", str(path), "--host", "127.0.0.1", "--port", str(port)],
        cwd=folder,
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    address = f"http://127.0.0.1:{port}"
    wait_for(address, proxy)
    return proxy, address


def free_port() -> int:
    """Return a port where nobody listens now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def wait_for(address: str, proxy: "subprocess.Popen[bytes]") -> None:
    """Wait until the proxy answers; SystemExit if it ends or takes too long."""
    for _ in range(LONGEST_START):
        try:
            httpx2.get(f"{address}/health/liveliness", timeout=5)
            return
        except httpx2.TransportError:
            if proxy.poll() is not None:
                raise SystemExit("LiteLLM's proxy ended: can it be installed here?") from None
        time.sleep(1)
    raise SystemExit(f"LiteLLM's proxy did not answer within {LONGEST_START} s")


def play(provider: str, address: str, key: str) -> History:
    """Return a short conversation between a model at `address` and a script."""
    model = PlayerConfig(
        player_id="Ada",
        provider=provider,
        model=MODEL,
        api_key=SecretStr(key),
        client_kwargs={"base_url": f"{address}{PATHS[provider]}", "timeout": 300},
    )
    script = PlayerConfig(player_id="Ben", provider="scripted", model="greedy")
    config = GameEngineConfig(
        player_configs=[model, script],
        logs_dir=None,
        game={"name": "conversation", "length": TURNS},
        seed=3,
    )
    return GameEngine(config).run()


def show(server: str, provider: str, history: History) -> None:
    """Print what the model's seat took."""
    used = history.usage["Ada"]
    ignored = sum(event.content == IGNORED for event in history.events)
    line = (server, provider, used.asks, used.attempts, used.fallbacks, ignored, history.status)
    print(ROW.format(*line), history.reason, flush=True)


if __name__ == "__main__":
    main()
