"""Server addresses in the format of each server's own environment variable."""

import re

PORT = re.compile(r"(?P<host>.*):(?P<port>\d*)")
# Addresses of a server that listens on all interfaces; no request can be sent there.
EVERYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - nothing is bound: these are replaced
HERE = "127.0.0.1"
OLLAMA_PORT = "11434"
PORTS = {"http": "80", "https": "443"}


def ollama_address(host: str) -> str:
    """Return the base URL for a value of OLLAMA_HOST, read as Ollama itself reads it.

    >>> ollama_address("gpu.local")
    'http://gpu.local:11434/v1'
    >>> ollama_address("0.0.0.0:11500")
    'http://127.0.0.1:11500/v1'
    >>> ollama_address("https://gpu.local/ollama/")
    'https://gpu.local:443/ollama/v1'
    """
    written = host.strip().strip("'\"")
    usual = OLLAMA_PORT
    scheme = "http"
    if "://" in written:
        scheme, _, written = written.partition("://")
        scheme = scheme.lower()
        usual = PORTS.get(scheme, OLLAMA_PORT)
    place, _, path = written.partition("/")
    name, port = _host_and_port(place)
    if name in EVERYWHERE:
        name = HERE
    if ":" in name:
        name = f"[{name}]"
    below = path.strip("/")
    parts = [f"{scheme}://{name}:{port or usual}", below, "v1"]
    return "/".join(part for part in parts if part)


def _host_and_port(place: str) -> tuple[str, str]:
    """Return the host and the port of "host:port"; in an IPv6 address, the port follows "]"."""
    bare = place.strip("[]")
    match = PORT.fullmatch(place)
    if match is None or (":" in match["host"] and "]" not in match["host"]):
        return bare, ""
    return match["host"].strip("[]"), match["port"]
