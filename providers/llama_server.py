"""The embedded model's own process: llama.cpp's HTTP server, which lives as long as the process that started it.

`python -m providers.llama_server` reads one line of JSON from stdin (path, alias, slots, context,
threads, key), writes one line of JSON with its address to stdout when the model answers, and ends
when stdin does: also when its parent is killed.
"""

import fcntl
import json
import os
import sys
from typing import Any

import xllamacpp

PROMPTS_KEPT = 1024


def main() -> None:
    """Serve until stdin ends."""
    wanted = json.loads(sys.stdin.readline())
    end_with_parent()
    # llama.cpp may print; stdout is for the address alone.
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        server = xllamacpp.Server(parameters(wanted))
    except RuntimeError as error:
        sys.exit(str(error))
    os.write(answer, json.dumps({"address": server.listening_address}).encode() + b"\n")
    os.close(answer)
    sys.stdin.read()
    os._exit(0)


def end_with_parent() -> None:
    """Let the kernel end this process when the other end of stdin closes.

    Loading a model holds the interpreter's lock for as long as it takes, so no thread could do
    that; where the kernel does not (macOS ignores SIGIO), the process ends when it has loaded and
    reads on.
    """
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


def parameters(wanted: dict[str, Any]) -> Any:
    """Return llama.cpp's parameters: the slots share one cache, so that a lone player may use most of it."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = wanted["path"]
    chosen.model_alias = {wanted["alias"]}
    chosen.n_ctx = wanted["context"]
    chosen.n_parallel = wanted["slots"]
    chosen.kv_unified = True
    # Idle slots would be emptied, and a question sent to an empty slot of its own (id_slot) finds
    # no prefix again: ggml-org/llama.cpp#28139. Measured: 0 of 1,075 tokens reused with it, 878
    # without.
    chosen.cache_idle_slots = False
    chosen.cache_ram_mib = PROMPTS_KEPT
    chosen.cpuparams.n_threads = wanted["threads"]
    chosen.cpuparams_batch.n_threads = wanted["threads"]
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0
    chosen.api_keys = [wanted["key"]]
    chosen.verbosity = 1
    chosen.ui = False
    return chosen


if __name__ == "__main__":
    main()
