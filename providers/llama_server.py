"""The embedded model's own process: llama.cpp's HTTP server, which lives as long as the process that started it.

`python -m providers.llama_server` reads one line of JSON from stdin (path, alias, slots, context, threads, key), writes
one line of JSON with its address to stdout when the model answers, and ends when stdin does: also when its parent is
killed.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import xllamacpp


def main() -> None:
    """Serve until stdin ends."""
    wanted = json.loads(sys.stdin.readline())
    threading.Thread(target=leave_with_parent, daemon=True).start()
    server = xllamacpp.Server(parameters(wanted))
    wait_until_healthy(server.listening_address)
    print(json.dumps({"address": server.listening_address}), flush=True)
    threading.Event().wait()


def leave_with_parent() -> None:
    """End this process at once when the parent's end of stdin closes; llama.cpp's own farewell may take seconds."""
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os._exit(0)


def parameters(wanted: dict[str, Any]) -> Any:
    """Return llama.cpp's parameters: the slots share one cache, so that a lone player may use most of it."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = wanted["path"]
    chosen.model_alias = {wanted["alias"]}
    chosen.n_ctx = wanted["context"]
    chosen.n_parallel = wanted["slots"]
    chosen.kv_unified = True
    chosen.cpuparams.n_threads = wanted["threads"]
    chosen.cpuparams_batch.n_threads = wanted["threads"]
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.api_keys = [wanted["key"]]
    chosen.cache_idle_slots = False
    chosen.ui = False
    return chosen


def wait_until_healthy(address: str) -> None:
    """Return as soon as the model is loaded; until then the server answers 503."""
    while True:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:  # noqa: S310 - our own address
                if answer.status == 200:
                    return
        except urllib.error.URLError:
            time.sleep(0.02)


if __name__ == "__main__":
    main()
