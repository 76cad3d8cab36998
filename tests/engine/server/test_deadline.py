"""The private parts of uvicorn that `engine/server/deadline.py` uses, each by its name."""

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from engine.server import deadline
from engine.server.deadline import Deadline, PatientSocket

# What uvicorn's protocols set on each connection, and what uvicorn calls on them.
ATTRIBUTES: dict[type, set[str]] = {
    H11Protocol: {"app_state", "conn", "connections", "loop", "transport"},
    WebSocketsSansIOProtocol: {
        "close_sent", "conn", "handshake_complete", "initial_response", "loop", "transport",
    },
}  # fmt: skip
METHODS: dict[type, set[str]] = {
    H11Protocol: {
        "connection_lost", "connection_made", "data_received", "on_response_complete",
        "pause_writing", "resume_writing", "send_400_response",
    },
    WebSocketsSansIOProtocol: {"handle_connect", "pause_writing", "resume_writing", "send"},
}  # fmt: skip
OURS: dict[type, type] = {H11Protocol: Deadline, WebSocketsSansIOProtocol: PatientSocket}


def advice(base: type, name: str, what: str) -> str:
    """Return what to do when a part of uvicorn is not as it was."""
    return (
        f"uvicorn {uvicorn.__version__} {what} {base.__name__}.{name}, which "
        f"engine/server/deadline.py uses: read {inspect.getfile(base)}, then change "
        f"{OURS[base].__name__}, or hold uvicorn below this version in pyproject.toml"
    )


def connection_of(base: type) -> Any:
    config = uvicorn.Config(lambda: None, log_config=None)
    return base(config=config, server_state=ServerState(), app_state={})


@pytest.mark.parametrize("base", OURS)
async def test_uvicorn_has_each_attribute_that_is_used(base: type) -> None:
    connection = connection_of(base)
    for name in sorted(ATTRIBUTES[base]):
        assert hasattr(connection, name), advice(base, name, "has no")


@pytest.mark.parametrize("base", OURS)
def test_uvicorn_calls_each_method_in_the_same_way(base: type) -> None:
    for name in sorted(METHODS[base]):
        theirs = getattr(base, name, None)
        assert theirs is not None, advice(base, name, "has no")
        ours = inspect.signature(getattr(OURS[base], name))
        same = [*inspect.signature(theirs).parameters] == [*ours.parameters]
        assert same, advice(base, name, "has other parameters for")


@pytest.mark.parametrize("base", OURS)
def test_the_tables_above_are_whole(base: type) -> None:
    """Each `self.NAME` that our own classes do not define is in the table, and no other."""
    tree = ast.parse(Path(deadline.__file__).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    own: set[str] = set()
    used: set[str] = set()
    for name in ("Unread", OURS[base].__name__):
        for node in ast.walk(classes[name]):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                target = node.target
                own.add(target.id if isinstance(target, ast.Name) else ast.unparse(target)[5:])
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
                used.add(node.attr)
    assert used - own | {"loop", "transport"} == ATTRIBUTES[base]
    assert METHODS[base] == {name for name in own if hasattr(base, name)}


def test_a_part_that_is_gone_is_named() -> None:
    words = advice(H11Protocol, "conn", "has no")
    assert f"uvicorn {uvicorn.__version__} has no H11Protocol.conn" in words
    assert "then change Deadline, or hold uvicorn below this version" in words
