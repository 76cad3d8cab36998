"""A model that reads the board in its question and plays legally, with occasional errors."""

import json
import re
from collections.abc import Callable
from typing import Any

FIELD = {"openspiel": "move", "textarena": "action"}
ROW = re.compile(r"^[.xo]{7}$", re.MULTILINE)
CELL = re.compile(r"\[\d\]")


def text_of(body: dict[str, Any]) -> str:
    """Return everything a model reads, in order."""
    parts = []
    for message in body["messages"]:
        content = message["content"]
        parts.append(content if isinstance(content, str) else "".join(p["text"] for p in content))
    return "\n".join(parts)


def legal_move(game: str, body: dict[str, Any]) -> str:
    """Return a legal move, read from the last board in the question."""
    text = text_of(body)
    if game == "openspiel":
        rows = ROW.findall(text)[-6:]
        signs = "".join(rows)
        mover = "x" if signs.count("x") == signs.count("o") else "o"
        return f"{mover}{rows[0].index('.')}"
    return str(CELL.findall(text.rpartition("vailable")[2])[0])


def answer_of(game: str, move: str) -> str:
    return json.dumps({"rationale": "", FIELD[game]: move})


class Sloppy:
    """Plays legally except in requests whose number `is_wrong` picks; counts its errors."""

    def __init__(self, game: str, is_wrong: Callable[[int], bool], wrong: str = "zz") -> None:
        self.game = game
        self.is_wrong = is_wrong
        self.wrong = wrong
        self.asked = 0
        self.illegal = 0

    def __call__(self, body: dict[str, Any]) -> str:
        self.asked += 1
        if self.is_wrong(self.asked):
            self.illegal += 1
            return answer_of(self.game, self.wrong)
        return answer_of(self.game, legal_move(self.game, body))
