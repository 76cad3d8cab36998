"""A local chat completions server through which Inspect's model answers.

The arena runs as a separate program. Its requests arrive over HTTP, and each becomes a call to the
evaluated model, with the eval's limits, retries and log.
"""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

from anyio.from_thread import BlockingPortal
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.util import JSONSchema

JsonObject = dict[str, Any]
Ask = Callable[[JsonObject], JsonObject]
ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}


class Bridge(NamedTuple):
    """The address at which the arena finds the model, and the key that it must send."""

    address: str
    key: str


@contextmanager
def bridge_to_model(
    portal: BlockingPortal, failed: Callable[[Exception], None]
) -> Iterator[Bridge]:
    """Serve the active model until the block ends; call `failed` with the error of any call."""

    async def ask(asked: JsonObject) -> JsonObject:
        try:
            return await generate(asked)
        except Exception as error:
            failed(error)
            raise

    # Calls run in this sample's context, with its limits and transcript.
    context = copy_context()

    def ask_from_thread(asked: JsonObject) -> JsonObject:
        return context.copy().run(portal.call, ask, asked)

    key = secrets.token_urlsafe(24)
    server = ModelServer(ask_from_thread, key)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Bridge(f"http://127.0.0.1:{server.server_address[1]}/v1", key)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def generate(asked: JsonObject) -> JsonObject:
    """Send a chat completions request to the active model, and return its answer."""
    messages: list[ChatMessage] = [
        ROLES[message["role"]](content=message["content"]) for message in asked["messages"]
    ]
    output = await get_model().generate(messages, config=_config_of(asked))
    return _completion_of(output, asked["model"])


def _config_of(asked: JsonObject) -> GenerateConfig:
    """Return the token limit and the JSON schema that the request sets for the answer."""
    room = asked.get("max_completion_tokens") or asked.get("max_tokens")
    wanted = asked.get("response_format", {}).get("json_schema")
    if wanted is None:
        return GenerateConfig(max_tokens=room)
    schema = ResponseSchema(
        name=wanted["name"],
        json_schema=JSONSchema.model_validate(wanted["schema"]),
        strict=wanted.get("strict"),
    )
    return GenerateConfig(max_tokens=room, response_schema=schema)


def _completion_of(output: ModelOutput, model: str) -> JsonObject:
    """Return a model's output as a chat completion."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": output.completion},
        "finish_reason": REASONS.get(output.stop_reason, "stop"),
    }
    completion: JsonObject = {"id": "1", "object": "chat.completion", "created": 0, "model": model}
    completion["choices"] = [choice]
    if output.usage is not None:
        completion["usage"] = {
            "prompt_tokens": output.usage.input_tokens,
            "completion_tokens": output.usage.output_tokens,
            "total_tokens": output.usage.total_tokens,
        }
    return completion


class ModelServer(ThreadingHTTPServer):
    """Answers requests that contain the key, each in its own thread."""

    daemon_threads = True

    def __init__(self, ask: Ask, key: str) -> None:
        """Listen on a free local port."""
        super().__init__(("127.0.0.1", 0), ModelRequest)
        self.ask = ask
        self.key = key


class ModelRequest(BaseHTTPRequestHandler):
    """One request from the arena."""

    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        """Answer the request; if the model fails, send status 500, and the sample ends."""
        asked = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        credentials = self.headers.get("Authorization", "")
        if not secrets.compare_digest(credentials.encode(), f"Bearer {self.server.key}".encode()):
            self._send(401, {"error": {"message": "this model answers its own game alone"}})
            return
        try:
            self._send(200, self.server.ask(json.loads(asked)))
        except Exception as error:
            # The solver received the error too, and raises it.
            self._send(500, {"error": {"message": f"the eval's model failed: {error}"}})

    def _send(self, status: int, body: JsonObject) -> None:
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: object) -> None:
        """Print nothing: the eval has its own screen."""
