"""Agents with the official client of the Model Context Protocol, as tests let them play."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.support.paths import ROOT

PATIENCE = 120
Choose = Callable[[Any], dict[str, Any]]


class Agent:
    """A client, and how a test calls its tools."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool returns, as plain data."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def refusal(self, tool: str, **arguments: Any) -> str:
        """Return the sentence with which a tool refuses; it is a single line."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.content
        (content,) = result.content
        assert content.type == "text"
        sentence: str = content.text
        assert "\n" not in sentence
        return sentence

    async def asked(self, **arguments: Any) -> Any:
        """Return what `question` tells once it has a question, or the game goes on no more."""
        for _ in range(PATIENCE):
            told = await self.call("question", wait=1, **arguments)
            if told["question"] or told["status"] != "playing":
                return told
        raise AssertionError("nobody is asked")

    async def play(self, choose: Choose, **arguments: Any) -> list[Any]:
        """Answer until the end; return all that `question` told."""
        told = [await self.asked(**arguments)]
        while told[-1]["question"]:
            number = told[-1]["question"]["number"]
            values = choose(told[-1]["question"])
            await self.call("answer", number=number, values=values, **arguments)
            told.append(await self.asked(**arguments))
        return told


def first_choices(question: Any) -> dict[str, Any]:
    """Return the answer that takes the first of all choices, by its place."""
    values: dict[str, Any] = {}
    for field in question["fields"]:
        values[field["name"]] = 1 if field["choices"] else "Let us hear everybody."
    return values


@asynccontextmanager
async def agent_of_process(
    folder: Path, *words: str, errors: Path | None = None
) -> AsyncIterator[Agent]:
    """Yield an agent that started `serve.py --mcp`; what that says on stderr is in `errors`."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["serve.py", "--mcp", "--logs-dir", str(folder), *words],
        cwd=ROOT,
    )
    with (errors or folder.with_suffix(".err")).open("w", encoding="utf-8") as log:
        async with Client(stdio_client(started, log)) as client:
            yield Agent(client)


@asynccontextmanager
async def agent_on_the_web(
    address: str, headers: dict[str, str], mode: Any = "auto"
) -> AsyncIterator[Agent]:
    """Yield an agent at a running server's /mcp."""
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield Agent(client)
