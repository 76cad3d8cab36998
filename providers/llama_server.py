"""The embedded model's own process: llama.cpp's HTTP server, which ends with its parent.

`python -m providers.llama_server` reads one line of JSON from stdin (path, alias, context, threads,
key). When the model can answer, it writes one line of JSON with its address to stdout. It ends when
stdin closes, even if its parent is killed.
"""

import fcntl
import json
import os
import sys
from typing import Any

import xllamacpp

PROMPTS_KEPT = 1024


def main() -> None:
    """Serve until stdin closes."""
    orders = json.loads(sys.stdin.readline())
    end_with_parent()
    # llama.cpp may print; stdout is for the address alone.
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        server = xllamacpp.Server(parameters(orders))
    except RuntimeError as error:
        sys.exit(str(error))
    answer = json.dumps({"address": server.listening_address})
    os.write(stdout, answer.encode() + b"\n")
    os.close(stdout)
    sys.stdin.read()
    os._exit(0)


def end_with_parent() -> None:
    """Have the kernel terminate this process when the other end of stdin closes.

    A thread could not do this: loading a model holds the interpreter's lock until it is done. On
    macOS, which ignores SIGIO, the process ends once the model is loaded.
    """
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)


def parameters(orders: dict[str, Any]) -> Any:
    """Return llama.cpp's parameters for a server that answers one question at a time."""
    params = xllamacpp.CommonParams()
    params.model.path = orders["path"]
    params.model_alias = {orders["alias"]}
    params.n_ctx = orders["context"]
    params.n_parallel = 1
    # The server keeps its last prompt, so the next question of a game finds its prefix there. A
    # displaced prompt is kept in memory (cache_ram_mib) and restored for its next question; a
    # request that names its slot (id_slot) would bypass this.
    params.cache_idle_slots = False
    params.cache_ram_mib = PROMPTS_KEPT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = orders["threads"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [orders["key"]]
    params.verbosity = 1
    params.ui = False
    return params


if __name__ == "__main__":
    main()
