"""Configs that would send a key elsewhere, read a file, or ask for more than a server can give."""

import json
import time
from typing import Any

from tests.support.web.real_server import Served

ADDRESS = "http://127.0.0.1:1/v1"
FILE = "/etc/passwd"
SEAT: dict[str, Any] = {"player_id": "Ada", "provider": "scripted", "model": "random"}
MODEL: dict[str, Any] = {"player_id": "Ada", "provider": "openai", "model": "m"}
GAME: dict[str, Any] = {"name": "conversation", "length": 3}
REFUSED = {400, 413, 422}
# A server that is not a test's own limits the posts per second.
TOO_MANY = 429
BOMB = "&a [*a,*a,*a,*a,*a,*a,*a,*a,*a]"


def config_of(*seats: Any, **more: Any) -> dict[str, Any]:
    """Return the body of a request for a game with these seats."""
    return {"config": {"game": GAME, "player_configs": [*seats], **more}}


def kwargs_of(**kwargs: Any) -> dict[str, Any]:
    """Return the same with these settings of a model's client."""
    return config_of(MODEL | {"client_kwargs": kwargs}, SEAT | {"player_id": "Ben"})


def hostile_bodies() -> dict[str, bytes]:
    """Return more than 80 bodies by what is wrong with them."""
    found = {name: json.dumps(body).encode() for name, body in hostile_configs().items()}
    deep = b'{"config": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    nested = b'{"config": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}"
    nest = b'{"config": {"game": ' + b'{"name":' * 900 + b"1" + b"}" * 900 + b"}}"
    return found | {
        "10,000 lists": deep,
        "10,000 mappings": nested,
        "900 mappings": nest,
        "a number of 50,000 digits": b'{"config": {"seed": ' + b"9" * 50_000 + b"}}",
        "no JSON": b"{",
        "YAML": b"config: {game: conversation}",
        "a YAML bomb": f"a: {BOMB}\nconfig: *a".encode(),
        "a Python object": b'{"config": !!python/object/apply:os.system ["true"]}',
        "no UTF-8": b'{"config": "\xff\xfe"}',
        "a lone surrogate": b'{"config": {"game": "\\ud800"}}',
        "not a number": b'{"config": {"seed": NaN}}',
        "infinity": b'{"config": {"seed": Infinity}}',
        "70 KB": b'{"config": {"rules_prompt": "' + b"x" * 70_000 + b'"}}',
        "nothing": b"",
        "null": b"null",
        "a list": b"[]",
        "a text": b'"config"',
    }


def hostile_configs() -> dict[str, Any]:
    """Return bodies that are JSON, by what is wrong with them."""
    ben = SEAT | {"player_id": "Ben"}
    found: dict[str, Any] = {}
    for name, value in {
        "base_url": ADDRESS,
        "headers": {"X": "y"},
        "default_headers": {"X": "y"},
        "extra_headers": {"X": "y"},
        "default_query": {"a": "b"},
        "extra_query": {"a": "b"},
        "extra_body": {"a": "b"},
        "api_key": "sk-x",
        "api_key_env": "HOME",
        "auth_token": "x",
        "organization": "x",
        "project": "x",
        "http_client": "x",
        "proxy": ADDRESS,
        "timeout": 1e9,
        "max_attempts": 10**9,
        "concurrency": 10**9,
        "structured": False,
        "websocket_base_url": ADDRESS,
        "tools": [{"type": "web_search"}],
        "": "x",
        "__class__": "x",
    }.items():
        found[f"client_kwargs.{name}"] = kwargs_of(**{name: value})
    for name in ("temperature", "reasoning_effort"):
        found[f"{name} as a mapping"] = kwargs_of(**{name: {"base_url": ADDRESS}})
        found[f"{name} as a long text"] = kwargs_of(**{name: "x" * 1000})
    found["client_kwargs a list"] = config_of(MODEL | {"client_kwargs": [["base_url", ADDRESS]]})
    found["client_kwargs a text"] = config_of(MODEL | {"client_kwargs": "base_url"})
    for name, value in {
        "api_key": "sk-x",
        "api_key_env": "HOME",
        "base_url": ADDRESS,
        "headers": {},
        "logs_dir": "/tmp",
        "kind": "x",
        "__init__": "x",
    }.items():
        found[f"seat.{name}"] = config_of(SEAT | {name: value}, ben)
    for name, value in {
        "api_key": "sk-x",
        "logs_dir": "/tmp/elsewhere",
        "game_id": "../../elsewhere",
        "logger": "root",
        "handovers": [{"after": 1, "player": SEAT}],
        "clock": "now",
        "unknown": 1,
        "model_config": {},
        "answerers": {},
    }.items():
        found[f"config.{name}"] = config_of(SEAT, ben, **{name: value})
    for provider, model in (
        ("trained", FILE),
        ("trained", f"file://{FILE}"),
        ("trained", "policy.zip"),
        ("local", FILE),
        ("local", f"file://{FILE}"),
        ("local", "../../model.gguf"),
        ("local", "C:\\model.gguf"),
        ("local", f"{ADDRESS}/m.gguf"),
        ("file", FILE),
        ("os:system", "true"),
        ("scripted", FILE),
        ("scripted", "__import__"),
        ("", "m"),
    ):
        found[f"{provider}:{model}"] = config_of(
            {"player_id": "Ada", "provider": provider, "model": model}, ben
        )
    for player_id in ("", "a" * 41, "a:b", "<b>", "../x", "a\nb", "narrator", "\u202e", 7, None):
        # A path is no name of a player only where names have dots and slashes of their own.
        if player_id != "../x":
            found[f"player {player_id!r}"] = config_of(SEAT | {"player_id": player_id}, ben)
    found |= {
        "two of one name": config_of(SEAT, SEAT),
        "nobody": config_of(),
        "101 seats": config_of(*[SEAT | {"player_id": f"P{one}"} for one in range(101)]),
        "an unknown game": config_of(SEAT, ben, game="chess"),
        "a game's path": config_of(SEAT, ben, game={"name": "../conversation"}),
        "a game's class": config_of(SEAT, ben, game={"name": "__init__"}),
        "a game as a list": config_of(SEAT, ben, game=[FILE]),
        "an unknown setting": config_of(SEAT, ben, game=GAME | {"lenght": 3}),
        "a huge setting": config_of(SEAT, ben, game=GAME | {"length": 10**12}),
        "a negative setting": config_of(SEAT, ben, game=GAME | {"length": -1}),
        "a huge seed": config_of(SEAT, ben, seed=10**30),
        "a text as a seed": config_of(SEAT, ben, seed="7; rm -rf /"),
        "a million games": {**config_of(SEAT, ben), "games": 10**6},
        "no game": {**config_of(SEAT, ben), "games": 0},
        "more than config": {**config_of(SEAT, ben), "logs_dir": "/tmp"},
        "a budget above the server's": config_of(MODEL, ben, limits={"max_cost": 1e6}),
        "a budget of nothing": config_of(MODEL, ben, limits={"max_cost": -1}),
        "a hundred asks": config_of(SEAT, ben, limits={"asks": 100}),
        "an unknown limit": config_of(SEAT, ben, limits={"max_dollars": 1}),
    }
    return found


def send_hostile_configs(served: Served, path: str = "/api/games") -> list[str]:
    """Post every hostile body; whatever is taken, fails, or is told without a reason is a breach.

    A read of a file would show in the answer, and a request to the closed port of `ADDRESS` as
    another status.
    """
    found = []
    for name, body in hostile_bodies().items():
        answer = served.post(path, body)
        while answer.status == TOO_MANY:
            time.sleep(0.05)
            answer = served.post(path, body)
        if answer.status not in REFUSED:
            found.append(f"{name}: {answer.status} {answer.body[:200]!r}")
        elif not answer.detail or b"root:" in answer.body or b"Traceback" in answer.body:
            found.append(f"{name}: {answer.body[:200]!r}")
    return found
