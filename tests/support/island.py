"""Islands for tests: in-process models that answer at once, and scripts that spoil ballots."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast
from zlib import crc32

from pydantic import BaseModel

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.games import GAMES
from player import Console, Script, ScriptedPlayer, Turn
from providers import Completion, CompletionRequest, ProviderError
from tests.support.fake_api import first_legal
from tests.support.tables import config_for, with_first

DELIBERATIONS = GAMES["deliberations"]
Answer = Callable[[CompletionRequest], str | ProviderError]


def plain(request: CompletionRequest) -> str:
    """Answer with the first legal name, or with words that no other answer contains."""
    mark = crc32(request.messages[0].text.encode())
    return json.dumps(
        {
            name: first_legal(form, f"{request.session} says {name} number {mark}")
            for name, form in fields_in(request).items()
        }
    )


def fields_in(request: CompletionRequest) -> dict[str, Any]:
    """Return the fields of the form that a request asks for."""
    assert request.schema is not None
    fields: dict[str, Any] = request.schema["properties"]
    return fields


def on_form(form: str, special: Callable[[CompletionRequest], str]) -> Answer:
    """Return a model that answers one form by `special` and any other plainly."""
    return lambda request: (special if request.schema_name == form else plain)(request)


@dataclass
class Model:
    """A model that stores its requests, and returns its own reasoning."""

    answer: Answer = plain
    asked: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest) -> Completion:
        self.asked.append(request)
        answer = self.answer(request)
        if isinstance(answer, ProviderError):
            raise answer
        return Completion(answer, reasoning=f"{request.session} thinks of {len(self.asked)} things")

    def get(self, config: object) -> "Model":
        return self

    async def aclose(self) -> None:
        """Close nothing."""


def seats(*names: str) -> str:
    """Return seats for `config_for`: "model", "human", or the name of a strategy."""
    known = {"model": "compatible:m", "human": "human"}
    return ",".join(known.get(name, f"scripted:{name}") for name in names)


def engine_of(game: str, players: str, model: Model, *, seed: int = 0, **more: Any) -> GameEngine:
    """Return a game whose seats of provider `compatible` are this model."""
    settings = more.pop("settings", {})
    config = config_for(game, players, at="http://127.0.0.1:1", seed=seed, settings=settings)
    if more.pop("small", False):
        config = with_first(config, small=True)
    return GameEngine(config, factory=cast("ClientFactory", model), **more)


def island(
    *names: str,
    answer: Answer = plain,
    model: Model | None = None,
    console: Console | None = None,
    seed: int = 0,
    **settings: Any,
) -> GameEngine:
    """Return a game of these players that writes nothing; its model is `engine.factory`."""
    model = model or Model(answer)
    more: dict[str, Any] = {"settings": settings, "console": console}
    return engine_of("deliberations", seats(*names), model, seed=seed, **more)


def model_of(engine: GameEngine) -> Model:
    return cast("Model", engine.factory)


def asked_for(engine: GameEngine, form: str) -> list[CompletionRequest]:
    return [one for one in model_of(engine).asked if one.schema_name == form]


def spoiled(script: Script, share: float) -> Script:
    """Return a script that votes for an unknown name with probability `share`."""

    def spoiling(turn: Turn[Any], rng: random.Random) -> BaseModel:
        answer = script(turn, rng)
        spoil = turn.kind == "vote" and rng.random() < share
        return answer.model_copy(update={"vote": "Nobody"}) if spoil else answer

    return spoiling


def scripted_island(players: int, seed: int, spoil: float = 0.0, **settings: Any) -> GameEngine:
    """Return a game of scripts of all kinds, in an order shuffled by the seed."""
    names = [*DELIBERATIONS.strategies] * 3
    random.Random(seed).shuffle(names)
    engine = island(*names[:players], seed=seed, **settings)
    for player in engine.players:
        assert isinstance(player, ScriptedPlayer)
        player.script = spoiled(player.script, spoil)
    return engine
