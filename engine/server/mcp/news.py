"""The news for an agent's chair: its new events, its open question, and the next step."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing

from engine.config import GameEngineConfig
from engine.history import History
from engine.server.guard import MOST_BODY
from engine.server.keys import Caller
from engine.server.mcp.chairs import Chair, with_seat
from engine.server.mcp.results import (
    PutQuestion,
    SeatNews,
    TableView,
    ending_of,
    happenings_in,
    last_standings,
    standing_of,
)
from engine.server.routes.seats import own_seat
from engine.server.web.desk import Desk, changing_host, open_game
from engine.server.web.opening import people_in
from engine.server.web.refusal import Refusal
from engine.server.web.rights import check_player
from engine.views.perspective import PUBLIC, history_in

# Maximum events per result, and seconds between two reports that an agent is still waiting.
MOST_EVENTS = 200
TICK = 5.0
Tell = Callable[[float, float, str], Awaitable[None]]


async def history_seen_as(view: str, name: str, desk: Desk) -> History:
    """Return a game's full history so far; raise Refusal if the game or `view` does not exist."""
    try:
        history = await desk.history(name)
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        raise Refusal(404, f"there is no game {name!r:.80}: use the name from begin") from None
    if view != PUBLIC:
        check_player(history, view)
    return history


async def play_on(caller: Caller, chair: Chair, desk: Desk) -> None:
    """Resume a chair's game if it was interrupted; raise Refusal if the seat cannot be taken.

    Only callers that may begin games can resume the game.
    """
    holder = with_seat(caller, chair)
    name = await open_game(chair.game, holder, desk)
    history = await history_seen_as(chair.player, name, desk)
    if history.status == "finished":
        return
    if caller.host and name not in desk.hall.games:
        changing_host(caller, desk)
        with desk.refuse_errors():
            await desk.hall.resume(name)
    await own_seat(chair.player, name, holder, desk)


async def wait_for_news(chair: Chair, seconds: float, tell: Tell, desk: Desk) -> None:
    """Wait until the chair has a question or its game ends, but no longer than `seconds`.

    Every TICK seconds, `tell` reports how long the wait has lasted.
    """
    waiting = asyncio.create_task(_hear_news(chair, desk))
    left = seconds
    try:
        while not waiting.done() and left > 0:
            pause = min(TICK, left)
            await asyncio.wait({waiting}, timeout=pause)
            left -= pause
            if not waiting.done():
                await tell(seconds - left, seconds, f"{chair.name} is waiting for a question")
        if waiting.done():
            waiting.result()
    finally:
        waiting.cancel()


async def _hear_news(chair: Chair, desk: Desk) -> None:
    """Return once the chair has a question or its game ends."""
    seat = desk.hall.seats(chair.game).get(chair.player)
    if seat is not None:
        seat.rejoin()
    feed = await desk.hall.feed(chair.game)
    following = feed.follow(chair.player, chair.last_sent, seat=True)
    async with aclosing(following) as batches:
        async for frames in batches:
            kinds = [frame.kind for frame in frames if frame.data != "null"]
            if "question" in kinds or "end" in kinds:
                return


async def news_of(chair: Chair, desk: Desk) -> SeatNews:
    """Return the news for a chair, and mark it as sent."""
    seat = desk.hall.seats(chair.game).get(chair.player)
    data = None if seat is None else seat.question
    question = None if data is None else PutQuestion.model_validate(data)
    history = await desk.history(chair.game)
    status = standing_of(history, desk.hall.status(chair.game))
    chair.is_over = status == "finished"
    step = next_step(status, question)
    feed = await desk.hall.feed(chair.game)
    # Earlier events may still be waiting to be collected.
    feed.collect()
    new = happenings_in(feed.page(chair.player, chair.last_sent, MOST_EVENTS))
    if new:
        chair.last_sent = new[-1].index
    if len(new) == MOST_EVENTS:
        # The agent must read the events before the question.
        question = None
        step = "there is more: call question()"
    return SeatNews(
        game=chair.game,
        player=chair.player,
        status=status,
        new=new,
        question=question,
        end=ending_of(history),
        next=step,
    )


async def table_seen_as(view: str, name: str, after: int, desk: Desk) -> TableView:
    """Return a game as seen in `view`, with up to MOST_EVENTS events after index `after`."""
    history = await history_seen_as(view, name, desk)
    seen = await asyncio.to_thread(history_in, history, view)
    feed = await desk.hall.feed(name)
    events = happenings_in(feed.page(view, after, MOST_EVENTS))
    return TableView(
        game=name,
        player=view,
        plays=seen.game,
        status=standing_of(history, desk.hall.status(name)),
        round=len(seen.rounds),
        players=seen.player_ids,
        eliminated=[*seen.rounds[-1].eliminated_player_ids] if seen.rounds else [],
        standings=last_standings(seen),
        events=events,
        more=len(events) == MOST_EVENTS,
        end=ending_of(seen),
    )


def answer_words(values: Mapping[str, object]) -> dict[str, str]:
    """Return values as text; raise ValueError if names and values exceed MOST_BODY characters."""
    words = {name: str(value) for name, value in values.items()}
    size = len("".join([*words, *words.values()]))
    if size > MOST_BODY:
        raise ValueError(f"expected an answer of {MOST_BODY:,} characters at most: got {size:,}")
    return words


def name_at_table(config: GameEngineConfig, seat: str) -> str:
    """Return the name that player `seat` has at the table; an anonymous game changes names."""
    names = getattr(config.game, "names", None) or {}
    called = next((name for name, player_id in names.items() if player_id == seat), seat)
    if called and called not in config.player_ids:
        # The game names its seats itself.
        return people_in(config.player_configs)[0]
    return called


def after_begin(name: str, own: str, keys: Mapping[str, str]) -> str:
    """Return the next step for the agent that began a game."""
    others = [player_id for player_id in keys if player_id != own]
    step = f"take_seat(game={name!r}, player={own!r})" if own else f"look(game={name!r})"
    if others:
        step += f"; give the keys of {', '.join(others)} to those who play them"
    return step


def next_step(status: str, question: PutQuestion | None) -> str:
    """Return the agent's next step, such as a tool call to make."""
    if status == "finished":
        return "the game is over"
    if question is not None:
        names = ", ".join(f"{field.name!r}: ..." for field in question.fields)
        return f"answer(number={question.number}, values={{{names}}})"
    if status == "playing":
        return "other players are answering: call question() again"
    return (
        "the game is not running: take_seat with the seat's key continues it, if you may start "
        "games"
    )
