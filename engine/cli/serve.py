"""`serve.py`: serve the arena to browsers and to other programs."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from errno import EADDRINUSE
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from engine.cli.main import CommandFailed, ExitCode, end_process
from engine.cli.parser import Parser, add_logs_dir, flag_of, logs_dir_option, show_resumable

if TYPE_CHECKING:
    import socket

    from engine.history import History
    from engine.server.settings import ServerSettings

PROGRAM = "serve.py"
ABOUT = "Show the arena in the browser: watch, replay, join and start games."
TOKEN = "ARENA_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST_TOKEN = 16
PORTS = 65535
# An origin, or a name or IP address as in a Host header, with or without a port.
NAME = re.compile(
    r"(https?://)?([\w-]+(\.[\w-]+)*\.?|\[[0-9A-Fa-f:.]+\])(:(?P<port>\d{1,5}))?", re.ASCII
)
EXAMPLES = """examples:
  uv run serve.py                         open the page of the games in logs/
  uv run serve.py --port 0 --no-open      at any free port; open the link yourself
  uv run serve.py --logs-dir my_games --read-only
                                          let people watch and replay, and change nothing
  uv run serve.py --host 0.0.0.0 --allow-host arena.home
                                          for others too, who know it as http://arena.home:8642
  ARENA_TOKEN=... uv run serve.py         with a token of your own, such as in a container
  uv run --extra mcp serve.py --mcp       for an agent that speaks MCP and starts this itself
in the config of such an agent's client, with the path of this folder:
  {"mcpServers": {"arena": {"command": "uv", "args":
    ["--directory", "PATH", "run", "--extra", "mcp", "serve.py", "--mcp"]}}}
"""
# Options that are meaningless without a port.
OF_PORTS = ("port", "host", "allow_host", "no_open")


def serve_from(words: Sequence[str]) -> ExitCode:
    """Serve until Ctrl-C, with the options in `words`; raise ValueError if they are invalid."""
    options = serve_parser().read(words)
    settings = server_settings(options)
    if options.mcp:
        serve_on_stdio(settings, options)
    listener = open_port(settings.host, settings.port)
    with listener:
        port = listener.getsockname()[1]
        left = serve(replace(settings, port=port), listener, is_shown=not options.no_open)
    return report_left(left, options)


def serve_parser() -> Parser:
    """Return the argument parser of `serve.py`."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES)
    parser.add_number("--port", "0: a free one", 8642)
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another host name for the server, besides localhost; https://NAME behind a TLS "
        "proxy; may be repeated",
    )
    add_logs_dir(parser, "the games")
    budget = "maximum dollars for all games together while the server runs"
    parser.add_value("--max-cost", "DOLLARS", budget, float, "10")
    parser.add_number("--max-games", "games at once", 200)
    parser.add_number("--max-watchers", "at once", 1000)
    parser.add_argument(
        "--allow-model",
        action="append",
        default=[],
        metavar="PATH",
        help="a model file or trained policy that may play in games; may be repeated",
    )
    parser.add_number("--key-days", "how long a link to a seat or a game is valid", 30)
    parser.add_flag("--read-only", "show games only: nothing can be started, stopped or changed")
    parser.add_flag("--no-open", "do not open a browser")
    parser.add_flag(
        "--mcp", "speak MCP on stdin and stdout; without this option the server speaks it at /mcp"
    )
    return parser


def server_settings(options: Namespace) -> "ServerSettings":
    """Return the settings from the options; raise ValueError if any option is invalid."""
    check_options(options)
    from dotenv import load_dotenv

    from engine.server.settings import ServerSettings, new_token

    _check_hosts(options.host, options.allow_host)
    load_dotenv(Path(".env"))
    return ServerSettings(
        logs_dir=options.logs_dir,
        host=options.host,
        port=options.port,
        allow_hosts=tuple(options.allow_host),
        token=own_token() or new_token(),
        max_cost=options.max_cost,
        max_games=options.max_games,
        max_watchers=options.max_watchers,
        read_only=options.read_only,
        allow_models=tuple(options.allow_model),
        key_days=options.key_days,
    )


def _check_hosts(host: str, allowed: Sequence[str]) -> None:
    from engine.server.settings import LOOPBACK

    if host not in LOOPBACK and not allowed:
        raise ValueError(
            f"expected --allow-host NAME with --host {host}: a server that is open to other "
            "machines must know its host names, or a foreign page could control it through a host "
            "name of its own"
        )
    for name in allowed:
        match = NAME.fullmatch(name)
        if match is None or int(match["port"] or 0) > PORTS:
            raise ValueError(
                f"expected --allow-host to be a name such as arena.home, or https://NAME: {name!r}"
            )


def check_options(options: Namespace) -> None:
    """Raise ValueError for an invalid option."""
    if not 0 <= options.port <= PORTS:
        raise ValueError(f"expected --port to be from 0 to {PORTS}: got {options.port}")
    if not options.max_cost > 0:
        raise ValueError(f"expected --max-cost to be above 0: got {options.max_cost:g}")
    if options.mcp:
        usual = serve_parser()
        for name in OF_PORTS:
            if getattr(options, name) != usual.get_default(name):
                raise ValueError(f"expected --mcp without {flag_of(name)}: it listens on no port")
    for name in ("max_games", "max_watchers", "key_days"):
        number = getattr(options, name)
        if number < 1:
            raise ValueError(f"expected {flag_of(name)} to be at least 1: got {number}")
    _check_models(options.allow_model)
    check_logs_dir(options.logs_dir, read_only=options.read_only)


def _check_models(paths: Sequence[str]) -> None:
    for model in paths:
        if not Path(model).expanduser().is_file():
            raise ValueError(
                "expected --allow-model to be the path of a file, such as models/mine.gguf: "
                f"there is no file {model!r:.80}"
            )


def check_logs_dir(folder: Path, *, read_only: bool) -> None:
    """Raise ValueError if the logs path is not a folder, or must be writable but is not."""
    try:
        if not read_only:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        elif folder.exists():
            next(folder.iterdir(), None)
    except OSError as error:
        use = "read" if read_only else "written"
        raise ValueError(
            f"expected --logs-dir to be a folder that can be {use}: {folder} is not "
            f"({error.strerror})"
        ) from None


def own_token() -> str:
    """Return the token in the environment, or "" if there is none; raise ValueError if invalid."""
    token = os.environ.get(TOKEN, "").strip()
    is_sendable = token.isascii() and token.isprintable() and " " not in token
    if token and (not is_sendable or len(token) < SHORTEST_TOKEN):
        # The message must not reveal the token.
        raise ValueError(
            f"expected {TOKEN} to be at least {SHORTEST_TOKEN} letters, digits and signs without a "
            "space: anyone who guesses the token controls the server"
        )
    return token


def open_port(host: str, port: int) -> "socket.socket":
    """Return a socket that listens on `host` and `port`; raise CommandFailed if that fails."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise CommandFailed(f"port {port} is taken: choose another with --port") from None
        raise CommandFailed(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose others with --host "
            "and --port"
        ) from None


def serve(
    settings: "ServerSettings", listener: "socket.socket", *, is_shown: bool
) -> "Sequence[History]":
    """Serve until Ctrl-C, and return the games left unfinished."""
    import asyncio
    import threading
    import webbrowser

    from engine.server.listen import serve_games

    link = link_of(settings)

    def announce() -> None:
        print(f"The arena is at {link}", flush=True)
        if is_shown and has_screen():
            # The server does not wait for the browser.
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

    end_now = partial(end_process, ExitCode.INTERRUPTED)
    return asyncio.run(serve_games(settings, listener, announce, end_now))


def serve_on_stdio(settings: "ServerSettings", options: Namespace) -> NoReturn:
    """Serve the agent that started this process, then end the process."""
    if find_spec("mcp") is None:
        raise ValueError("--mcp needs the extra mcp: uv run --extra mcp serve.py --mcp")
    import asyncio

    from engine.server.mcp.stdio import serve_agent

    def leave(left: "Sequence[History]") -> NoReturn:
        end_process(report_left(left, options))

    asyncio.run(serve_agent(settings, leave))


def link_of(settings: "ServerSettings") -> str:
    """Return the host's link, with the token in the fragment, which browsers send to no server."""
    from engine.server.settings import LOOPBACK

    is_own = settings.host in LOOPBACK
    host = settings.host if is_own else settings.allow_hosts[0]
    if ":" in host and is_own:
        host = f"[{host}]"
    if is_own or ":" not in host:
        host = f"{host}:{settings.port}"
    site = host if "://" in host else f"http://{host}"
    # A user's token may contain characters that are special in a URL, such as +.
    return f"{site}/#/?token={quote(settings.token, safe='')}"


def has_screen() -> bool:
    """Return whether a browser can open a window. A text browser would block the terminal."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def report_left(left: "Sequence[History]", options: Namespace) -> ExitCode:
    """Print how to resume the unfinished games in `left`, and return the exit code."""
    if not left:
        return ExitCode.DONE
    names = [history.game_id for history in left]
    heading = "Interrupted, but nothing is lost. Continue them one by one with:"
    show_resumable(heading, names, logs_dir_option(options.logs_dir))
    return ExitCode.INTERRUPTED
