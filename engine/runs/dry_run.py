"""What a game may take at most, found without any call: it is played with stand-ins for its models, several times.

The stand-ins give the longest legal answers and choose in several ways, the fallback among them; of
all plays the largest figures stand. The bound assumes: every question takes all the attempts it may
(`limits.asks`), each with the longest answer that its request allows, thinking included; a token is
at least one character of what is sent, schema included; nothing is read from a cache; and no play
asks more than the longest of these. A call that fails on the wire and is repeated by the client
counts once: it brings no tokens. What is likely assumes one attempt a question, four characters a
token and no thinking.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr
from rich.console import Console

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.report.tables import Cell, Table
from engine.rng import stream
from engine.spending.budget import Limits, seat_of
from engine.spending.costs import dollars, plus, price
from engine.views.terminal import grid_of, safe_text
from player import LLMPlayer, Player, PlayerConfig
from protocol.judge import SAID_AGAIN
from providers import Completion, CompletionRequest, Usage
from providers.plain_words import words_for

Choose = Callable[[Sequence[str]], str]
Room = Callable[[CompletionRequest], int]
DRAWN = 6
CHARACTERS_A_TOKEN = 4
WHY_AGAIN = 600
ASSUMED = """At most: {asks} attempts a question, each as long as its request allows; a token a character; no cache.
Likely: one attempt a question, four characters a token, no thinking."""
NO_KEY = SecretStr("none")
ROOM = ("max_completion_tokens", "max_output_tokens", "max_tokens")


@dataclass(frozen=True)
class Bound:
    """What one seat may take: calls, tokens and dollars at most, and the dollars that are likely (None: unknown)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    likely: float | None = 0.0

    def __add__(self, other: "Bound") -> "Bound":
        """Return both together."""
        return Bound(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            plus(self.cost, other.cost),
            plus(self.likely, other.likely),
        )

    def or_more(self, other: "Bound") -> "Bound":
        """Return the larger of each figure; what is unknown in one of them stays unknown."""
        return Bound(
            max(self.calls, other.calls),
            max(self.prompt_tokens, other.prompt_tokens),
            max(self.completion_tokens, other.completion_tokens),
            larger(self.cost, other.cost),
            larger(self.likely, other.likely),
        )


def larger(cost: float | None, other: float | None) -> float | None:
    """Return the larger of two costs, unknown if one of them is."""
    return None if cost is None or other is None else max(cost, other)


class StandIn:
    """A model's place in a rehearsal: it counts what its model might take, and answers; `choose` None: with nothing."""

    def __init__(self, config: PlayerConfig, asks: int, room: Room, choose: Choose | None) -> None:
        self.seat = seat_of(config)
        self.asks = asks
        self.room = room
        self.choose = choose
        self.bound = Bound()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Count the question and answer it."""
        form, room = request.schema or {"properties": {}}, self.room(request)
        answer = "" if self.choose is None else longest(form, self.choose)
        schema = max(len(json.dumps(form)), len(words_for(form)))
        prompt = (
            len(request.system) + sum(len(message.text) for message in request.messages) + schema
        )
        again = min(room, SAID_AGAIN) + schema + WHY_AGAIN
        for attempt in range(self.asks):
            most = prompt + attempt * again
            self.bound += Bound(1, most, room, uncached(self.seat, most, room))
        likely = uncached(
            self.seat, prompt // CHARACTERS_A_TOKEN, len(answer) // CHARACTERS_A_TOKEN
        )
        self.bound += Bound(likely=likely)
        return Completion(answer)


def uncached(seat: Mapping[str, Any], prompt: int, completion: int) -> float | None:
    """Return the price of a call that finds nothing in a cache, and puts its prompt there if that costs more."""
    return larger(
        *(price(seat, Usage(prompt, 0, completion, cache_write_tokens=put)) for put in (0, prompt))
    )


class Rehearsal(GameEngine):
    """An engine that plays a game with stand-ins for models and people, and counts what its models might take."""

    def __init__(
        self, config: GameEngineConfig, factory: ClientFactory, choose: Choose | None
    ) -> None:
        """Seat a rehearsal that writes nothing; ValueError for what the game itself would refuse, but a missing key."""
        self.choose = choose
        self.models: dict[str, StandIn] = {}
        alone = {"logs_dir": None, "limits": Limits(asks=config.limits.asks)}
        super().__init__(config.model_copy(update=alone), factory=factory)

    def _seat(self, config: PlayerConfig) -> Player:
        if config.computed:
            return super()._seat(config)
        is_model = config.kind.asks == "model"
        room = room_of(config, self.factory) if is_model else answer_room_of
        stand_in = StandIn(config, self.config.limits.asks, room, self.choose)
        if is_model:
            self.models[config.player_id] = stand_in
        return LLMPlayer(config, stand_in, asks=1)


def rehearse(config: GameEngineConfig) -> dict[str, Bound]:
    """Return what each model's seat may take at most, by player id, without any call; it needs no key."""
    drawn = [stream(config.seed, "rehearsal", number).choice for number in range(DRAWN)]
    ways: list[Choose | None] = [
        None,
        lambda options: options[0],
        lambda options: options[-1],
        *drawn,
    ]
    found: dict[str, Bound] = {}
    factory = ClientFactory()
    for choose in ways:
        rehearsal = Rehearsal(config, factory, choose)
        asyncio.run(rehearsal.play())
        found = {
            name: one.bound.or_more(found.get(name, Bound()))
            for name, one in rehearsal.models.items()
        }
    return found


def show_bounds(config: GameEngineConfig, screen: Console, games: int = 1) -> None:
    """Print what so many games may take at most, and what the figures assume."""
    screen.print(grid_of(table_of(rehearse(config), games), safe_text))
    screen.print(ASSUMED.format(asks=config.limits.asks), highlight=False)


def table_of(bounds: Mapping[str, Bound], games: int = 1) -> Table:
    """Return the bounds of so many games as a table, a row for all seats at its end."""
    columns = (
        "player",
        "calls at most",
        "prompt tokens",
        "completion tokens",
        "cost at most",
        "cost likely",
    )
    rows: list[tuple[Cell, ...]] = []
    for name, bound in {**bounds, "all": sum(bounds.values(), Bound())}.items():
        counts = (bound.calls, bound.prompt_tokens, bound.completion_tokens)
        money = (None if cost is None else games * cost for cost in (bound.cost, bound.likely))
        rows.append((name, *(games * count for count in counts), *map(dollars, money)))
    return Table("At most, without any call made", columns, tuple(rows))


def room_of(config: PlayerConfig, factory: ClientFactory) -> Room:
    """Return how many tokens a request of this seat allows its answer, as its client would tell the API."""
    asked = ClientConfig.for_player(
        config.provider, config.model, config.api_key or NO_KEY, config.client_kwargs
    )
    body = getattr(getattr(factory.get(asked), "client", None), "body", None)
    if body is None:
        return answer_room_of

    def room(request: CompletionRequest) -> int:
        told = body(request)
        told = told | told.get("extra_body", {})
        return next((int(told[name]) for name in ROOM if told.get(name)), request.max_tokens)

    return room


def answer_room_of(request: CompletionRequest) -> int:
    """Return the tokens that a question gives its answer, where no thinking is added."""
    return request.max_tokens


def longest(schema: Mapping[str, Any], choose: Choose) -> str:
    """Return the longest answer that fits a schema, its choices made by `choose`."""
    made = {name: value_of(field, choose) for name, field in schema.get("properties", {}).items()}
    return json.dumps(made, ensure_ascii=False)


def value_of(field: Mapping[str, Any], choose: Choose) -> Any:
    """Return the longest value of a field."""
    if "enum" in field:
        return choose(field["enum"])
    if field.get("type") in {"integer", "number"}:
        return field.get("maximum", field.get("minimum", 0))
    return field.get("type") == "boolean" or "x" * int(field.get("maxLength", 200))
