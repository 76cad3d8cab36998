"""An upper bound on a game's cost, without any calls: stand-ins play the game several times.

The stand-ins for models give the longest legal answers and choose in several ways, including the
fallback. The largest figures of all plays are used. The bound assumes that every question takes all
allowed attempts (`config.asks`), each with the longest answer that its request allows, including
thinking. It also assumes that a token is at least one character of the request or its schema, that
no tokens are cached, and that no game has more questions than these plays. Calls that fail on the
wire use no tokens, so the client's retries do not count. The likely cost assumes one attempt per
question, four characters per token and no thinking.
"""

import asyncio
import json
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.report.tables import Table, TableRow
from engine.rng import stream
from engine.spending.budget import models_without_price, seat_of
from engine.spending.costs import SeatData, dollars, plus, price, times
from player import LLMPlayer, Player, PlayerConfig
from protocol.judge import SAID_AGAIN
from providers import Completion, CompletionRequest, Usage
from providers.plain_words import words_for

if TYPE_CHECKING:
    from engine.views.screen import Screen

Choose = Callable[[Sequence[str]], str]
Room = Callable[[CompletionRequest], int]
Combine = Callable[[int, int], int]
CombineCosts = Callable[[float | None, float | None], float | None]
DRAWN = 6
CHARACTERS_A_TOKEN = 4
WHY_AGAIN = 600
LONGEST_TEXT = 200
ASSUMED = (
    "At most: {asks} attempts per question, each as long as its request allows; "
    "one token per character; no cache.\n"
    "Likely: one attempt per question, four characters per token, no thinking."
)
UNPRICED = (
    "The price table does not list {models}: check the name. If it is right, limit the spending "
    "with --max-tokens or --max-calls."
)
COLUMNS = (
    "player", "calls at most", "prompt tokens", "answer tokens", "cost at most", "cost likely",
)  # fmt: skip
NO_KEY = SecretStr("none")
ROOM = ("max_completion_tokens", "max_output_tokens", "max_tokens")


@dataclass(frozen=True)
class Bound:
    """One seat's maximum calls and tokens, and its maximum and likely cost (None if unknown)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    likely: float | None = 0.0

    def __add__(self, other: "Bound") -> "Bound":
        """Return the sum of both bounds."""
        return self._each(other, operator.add, plus)

    def or_more(self, other: "Bound") -> "Bound":
        """Return the larger value of each figure; a figure unknown in either stays unknown."""
        return self._each(other, max, larger)

    def _each(self, other: "Bound", of_counts: Combine, of_costs: CombineCosts) -> "Bound":
        return Bound(
            of_counts(self.calls, other.calls),
            of_counts(self.prompt_tokens, other.prompt_tokens),
            of_counts(self.completion_tokens, other.completion_tokens),
            of_costs(self.cost, other.cost),
            of_costs(self.likely, other.likely),
        )


def larger(cost: float | None, other: float | None) -> float | None:
    """Return the larger of two costs, or None if either is unknown."""
    return None if cost is None or other is None else max(cost, other)


@dataclass
class StandIn:
    """A client that replaces a model: it counts the model's possible cost and answers at once.

    `asks` is the number of attempts, and `room` returns the token limit of a request's answer.
    `choose` picks one of a field's choices; without it, the answer is empty.
    """

    seat: SeatData
    asks: int
    room: Room
    choose: Choose | None
    shows_boards: bool
    bound: Bound = Bound()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Add the question's possible cost to the bound, and answer it."""
        form = request.schema or {"properties": {}}
        answer = "" if self.choose is None else longest_answer(form, self.choose)
        schema = max(len(json.dumps(form)), len(words_for(form)))
        messages = sum(len(message.text) for message in request.messages)
        prompt = len(request.system) + messages + schema
        room = self.room(request)
        again = min(room, SAID_AGAIN) + schema + WHY_AGAIN
        if self.shows_boards:
            # A board is part of the question; each of its characters may take six when escaped.
            again += 6 * len(request.messages[-1].text)
        for attempt in range(self.asks):
            # At most one token per character.
            most = prompt + attempt * again
            self.bound += Bound(1, most, room, uncached_price(self.seat, most, room))
        sizes = (prompt // CHARACTERS_A_TOKEN, len(answer) // CHARACTERS_A_TOKEN)
        self.bound += Bound(likely=uncached_price(self.seat, *sizes))
        return Completion(answer)


def uncached_price(seat: SeatData, prompt: int, completion: int) -> float | None:
    """Return a call's cost in dollars without cache hits, or with a cache write if that is more."""
    plain = price(seat, Usage(prompt, 0, completion))
    writing = price(seat, Usage(prompt, 0, completion, cache_write_tokens=prompt))
    return larger(plain, writing)


class Rehearsal(GameEngine):
    """An engine with stand-ins for models and people; it counts the models' possible cost."""

    def __init__(
        self, config: GameEngineConfig, factory: ClientFactory, choose: Choose | None
    ) -> None:
        """Prepare a rehearsal, which writes nothing and needs no API key."""
        self.choose = choose
        self.models: dict[str, StandIn] = {}
        alone = {"logs_dir": None, "limits": config.limits.without_budgets()}
        super().__init__(config.model_copy(update=alone), factory=factory)

    def _seat(self, config: PlayerConfig) -> Player:
        if config.computed:
            return super()._seat(config)
        is_model = config.kind.asks == "model"
        room = room_of(config, self.factory) if is_model else answer_room_of
        unlisted = self.config.game.unlisted
        stand_in = StandIn(seat_of(config), self.config.asks, room, self.choose, unlisted)
        if is_model:
            self.models[config.player_id] = stand_in
        return LLMPlayer(config, stand_in, asks=1)


def rehearse(
    config: GameEngineConfig, watch: Callable[["Rehearsal"], object] | None = None
) -> dict[str, Bound]:
    """Return each model's bound by player id; `watch` receives each rehearsal before play."""
    bounds: dict[str, Bound] = {}
    factory = ClientFactory()
    for choose in ways_to_choose(config):
        rehearsal = Rehearsal(config, factory, choose)
        if watch is not None:
            watch(rehearsal)
        asyncio.run(rehearsal.play())
        for player_id, stand_in in rehearsal.models.items():
            before = bounds.get(player_id, Bound())
            bounds[player_id] = stand_in.bound.or_more(before)
    return bounds


def ways_to_choose(config: GameEngineConfig) -> list[Choose | None]:
    """Return a way to choose for each rehearsal; one is enough if all seats are computed."""
    if all(player.computed for player in config.all_players()):
        return [None]
    drawn = [stream(config.seed, "rehearsal", number).choice for number in range(DRAWN)]
    return [None, operator.itemgetter(0), operator.itemgetter(-1), *drawn]


def show_bounds(config: GameEngineConfig, screen: "Screen", games: int = 1) -> None:
    """Print the maximum cost of `games` games, and the assumptions behind it."""
    # A server also rehearses games, but shows nothing in a terminal.
    from engine.views.screen import safe_text

    bounds = rehearse(config)
    rows = [bound_row(player_id, bound, games) for player_id, bound in bounds.items()]
    rows.append(bound_row("all", sum(bounds.values(), Bound()), games))
    screen.show(Table("The maximum; no call was made", COLUMNS, tuple(rows)))
    screen.print(ASSUMED.format(asks=config.asks), highlight=False)
    models = [player for player in config.player_configs if player.kind.asks == "model"]
    unknown = models_without_price(map(seat_of, models))
    if unknown:
        sentence = UNPRICED.format(models=", ".join(unknown))
        screen.print(safe_text(sentence), soft_wrap=True)


def bound_row(name: str, bound: Bound, games: int) -> TableRow:
    """Return the table row of one seat, or of all seats, for `games` games."""
    return (
        name,
        games * bound.calls,
        games * bound.prompt_tokens,
        games * bound.completion_tokens,
        dollars(times(bound.cost, games)),
        dollars(times(bound.likely, games)),
    )


def room_of(config: PlayerConfig, factory: ClientFactory) -> Room:
    """Return a function that maps a request to the token limit of the seat's answer."""
    # The seat's client has already imported this.
    from providers.connection import SdkClient

    needed = ClientConfig.for_player(
        config.provider, config.model, config.api_key or NO_KEY, config.client_kwargs
    )
    client = getattr(factory.get(needed), "client", None)
    if not isinstance(client, SdkClient):
        return answer_room_of

    def room(request: CompletionRequest) -> int:
        # An upper bound: the model may turn out to think.
        fields = client.body(replace(request, thinks=True), client.endpoint.shows)
        fields = fields | fields.get("extra_body", {})
        return next((int(fields[name]) for name in ROOM if fields.get(name)), request.max_tokens)

    return room


def answer_room_of(request: CompletionRequest) -> int:
    """Return the token limit of a question's answer, without thinking."""
    return request.max_tokens


def longest_answer(schema: Mapping[str, Any], choose: Choose) -> str:
    """Return the longest answer that fits a schema, making its choices with `choose`."""
    fields = schema.get("properties", {})
    answer = {name: longest_value(field, choose) for name, field in fields.items()}
    return json.dumps(answer, ensure_ascii=False)


def longest_value(field: Mapping[str, Any], choose: Choose) -> Any:
    """Return the longest value that a field allows."""
    if "enum" in field:
        return choose(field["enum"])
    kind = field.get("type")
    if kind in {"integer", "number"}:
        return field.get("maximum", field.get("minimum", 0))
    if kind == "boolean":
        return True
    return "x" * int(field.get("maxLength", LONGEST_TEXT))
