"""One game on the arena's server, played through its seat API."""

import json
import time
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx
from websockets.sync.client import connect

JsonObject = dict[str, Any]
TOO_MANY = 429
NOT_LEGAL = 422


class RemoteGame:
    """A running game with the agent in one seat; `heard` lists the events since its last answer."""

    def __init__(self, address: str, token: str, config: JsonObject, seat: str) -> None:
        """Begin a game; raise ValueError, with the reason, if it cannot begin."""
        self._host = _bearer(token)
        self._client = httpx.Client(base_url=f"{address}/api", timeout=60)
        answer = self._client.post("/games", headers=self._host, json={"config": config})
        (begun,) = _body(answer)["games"]
        self.name = str(begun["name"])
        self._path = f"/games/{self.name}"
        self._seat = f"{self._path}/seats/{quote(seat)}"
        self._own = _bearer(str(begun["seats"][seat]).partition("key=")[2])
        stream = f"{address}/api{self._path}/stream?as={quote(seat)}"
        self._stream = connect(stream.replace("http", "ws", 1), additional_headers=self._own)
        self.heard: list[str] = []
        self.question: JsonObject | None = None
        self._answered = 0

    def wait(self, timeout: float | None) -> None:
        """Wait until the seat has a question or the game is over."""
        self.question = None
        while self.question is None:
            frame = json.loads(self._stream.recv(timeout))
            data = frame["data"]
            if frame["type"] == "event":
                self.heard.append(data["content"])
            elif frame["type"] == "question":
                # The stream may repeat a question that has been answered in the meantime.
                is_new = data is not None and data["number"] > self._answered
                self.question = data if is_new else None
            elif frame["type"] == "end":
                break

    def answer(self, values: dict[str, str]) -> str:
        """Answer the open question; return why the answer is illegal, or "" if it is legal."""
        assert self.question is not None
        sent = {"number": self.question["number"], "values": values}
        send = partial(self._client.post, self._seat, headers=self._own, json=sent)
        answered = send()
        while answered.status_code == TOO_MANY:
            time.sleep(1)
            answered = send()
        if answered.status_code == NOT_LEGAL:
            return str(answered.json()["detail"])
        _body(answered)
        self._answered = sent["number"]
        return ""

    def end(self) -> JsonObject:
        """Return the game's result; raise ValueError if it failed."""
        ended = _body(self._client.get(self._path, headers=self._host))
        if ended["status"] != "finished":
            reason = ended["reason"] or "the arena's server says why"
            raise ValueError(f"{self.name} is {ended['status']}: {reason}; reset begins a new one")
        return ended

    def leave(self) -> None:
        """Leave the seat; an unfinished game then plays itself to the end."""
        if self.question is not None:
            self._client.delete(self._seat, headers=self._own)
        self._stream.close()
        self._client.close()


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _body(answer: httpx.Response) -> JsonObject:
    """Return the server's response; for an error, raise ValueError with the server's message."""
    body = answer.json()
    if answer.is_error:
        raise ValueError(str(body.get("detail", body)))
    return dict(body)
