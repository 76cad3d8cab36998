"""What agents ask of the games: at the same desk as everybody else, and with no other rights."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from engine.config import GameEngineConfig
from engine.history import History
from engine.server.guard import MOST_BODY
from engine.server.keys import Caller
from engine.server.mcp.chairs import Chair, Room, chair_of_key, with_seat
from engine.server.mcp.offer import offer, plain_config
from engine.server.mcp.results import (
    AnswerTaken,
    Begun,
    Happening,
    Offered,
    PutQuestion,
    SeatNews,
    SeatTaken,
    TableView,
    ending_of,
    happenings_in,
    last_standings,
    standing_of,
)
from engine.server.routes.seats import own_seat
from engine.server.web.desk import Desk, changing_host, only_host, open_game
from engine.server.web.opening import FreshGame, begin_all, check_of, open_config, people_in
from engine.server.web.refusal import Refusal
from engine.server.web.rights import check_player
from engine.views.perspective import PUBLIC, history_in

# Events at once, and seconds between two words that an agent still waits.
MOST_EVENTS = 200
TICK = 5.0
Tell = Callable[[float, str], Awaitable[None]]


class AgentDesk:
    """The games as agents play them; all that may not be is a Refusal with the sentence."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.room = Room()

    async def offer(self, caller: Caller, game: str) -> Offered:
        """Return what can be begun."""
        only_host(caller)
        with self.desk.refuse_errors():
            return await asyncio.to_thread(offer, game)

    async def begin(
        self,
        caller: Caller,
        game: str,
        *,
        settings: Mapping[str, Any],
        players: Sequence[str],
        seat: str,
        seed: int | None,
    ) -> Begun:
        """Begin a game within the bounds of one that comes from the web."""
        changing_host(only_host(caller), self.desk)
        with self.desk.refuse_errors():
            # To read a game may take a library's import, or a trial of its parameters.
            plain = await asyncio.to_thread(plain_config, game, settings, players, seat, seed)
            opening = await open_config(plain, 1, self.desk)
            (fresh,) = await begin_all(opening.config, 1, self.desk)
        name = fresh.name
        own = name_at_table(fresh.config, seat)
        keys = self._seat_people(caller, fresh, own)
        return Begun(game=name, player=own, keys=keys, next=after_begin(name, own, keys))

    def _seat_people(self, caller: Caller, fresh: FreshGame, own: str) -> dict[str, str]:
        """Let who began a game have the chairs of its people, and return their keys."""
        chairs = self.room.chairs_of(caller)
        keys = {}
        for player_id in people_in(fresh.config):
            chairs.add(fresh.name, player_id, is_taken=player_id == own)
            keys[player_id] = self.desk.keys.seat_key(fresh.name, player_id)
        return keys

    async def take_seat(self, caller: Caller, game: str, player: str, key: str) -> SeatTaken:
        """Sit down with a key, or without one in a game that this caller began.

        A game that was interrupted goes on if the caller may begin games.
        """
        chairs = self.room.chairs_of(caller)
        if key:
            chair = chair_of_key(self.desk.keys, key, game, player)
        else:
            chair = chairs.find(game, player)
        await self._go_on(caller, chair)
        chair = chairs.add(chair.game, chair.player, is_taken=True)
        chair.told = -1
        history = await self.desk.history(chair.game)
        systems = {seat.player_id: seat.system for seat in history.players}
        news = await self._news_of(chair)
        return SeatTaken(
            **dict(news), plays=history.game, players=[*systems], rules=systems[chair.player]
        )

    async def question(
        self, caller: Caller, game: str, player: str, wait: float, tell: Tell
    ) -> SeatNews:
        """Wait so many seconds at most for a question or the end, and say what is new."""
        chair = self.room.chairs_of(caller).find(game, player)
        await self._history(chair.game, chair.player)
        with self.desk.places.place(caller.label):
            await self._wait(chair, wait, tell)
        return await self._news_of(chair)

    async def answer(
        self, caller: Caller, game: str, player: str, number: int, values: Mapping[str, object]
    ) -> AnswerTaken:
        """Answer a question; whatever is wrong leaves it open."""
        chair = self.room.chairs_of(caller).find(game, player)
        seat = await own_seat(chair.player, chair.game, with_seat(caller, chair), self.desk)
        with self.desk.refuse_errors():
            seat.answer(number, answer_words(values))
        return AnswerTaken(answered=number, next="question() waits for what comes")

    async def look(self, caller: Caller, game: str, player: str, after: int) -> TableView:
        """Return a game as a seat has it; who has none sees what all players see."""
        view, name = await self._view(caller, game, player)
        history = await self._history(name, view)
        seen = await asyncio.to_thread(history_in, history, view)
        feed = await self.desk.hall.feed(name)
        events = happenings_in(feed.page(view, after, MOST_EVENTS))
        return TableView(
            game=name,
            player=view,
            plays=seen.game,
            status=standing_of(history, self.desk.hall.status(name)),
            round=len(seen.rounds),
            players=[seat.player_id for seat in seen.players],
            eliminated=eliminated_in(seen),
            standings=last_standings(seen),
            events=events,
            more=len(events) == MOST_EVENTS,
            end=ending_of(seen),
        )

    async def _history(self, name: str, view: str) -> History:
        """Return a game as far as it goes; Refusal if there is none, or nobody has this view."""
        try:
            history = await self.desk.history(name)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            raise Refusal(404, f"there is no game {name!r:.80}: begin told its name") from None
        if view != PUBLIC:
            check_player(history, view)
        return history

    async def _view(self, caller: Caller, game: str, player: str) -> tuple[str, str]:
        """Return the view that a caller has of a game, and the game's name."""
        try:
            chair = self.room.chairs_of(caller).find(game, player)
        except Refusal as refusal:
            if not game or player or refusal.status != 403:
                raise
            return PUBLIC, await open_game(game, caller, self.desk)
        return chair.player, chair.game

    async def _go_on(self, caller: Caller, chair: Chair) -> None:
        """Go on with a chair's game if it was interrupted; Refusal if nobody can sit there."""
        holder = with_seat(caller, chair)
        name = await open_game(chair.game, holder, self.desk)
        history = await self._history(name, chair.player)
        if history.status == "finished":
            return
        if caller.host and name not in self.desk.hall.playing:
            changing_host(only_host(caller), self.desk)
            with self.desk.refuse_errors():
                await self.desk.hall.resume(name, check=check_of(self.desk))
        await own_seat(chair.player, name, holder, self.desk)

    async def _wait(self, chair: Chair, seconds: float, tell: Tell) -> None:
        """Wait until the chair is asked or its game ends, and tell each TICK that one waits."""
        waiting = asyncio.create_task(self._news(chair))
        left = seconds
        try:
            while not waiting.done() and left > 0:
                pause = min(TICK, left)
                await asyncio.wait({waiting}, timeout=pause)
                left -= pause
                if not waiting.done():
                    await tell(seconds - left, f"{chair.name} waits for a question")
            if waiting.done():
                waiting.result()
        finally:
            waiting.cancel()

    async def _news(self, chair: Chair) -> None:
        """Return as soon as the chair is asked, or its game is not played any more."""
        seat = self.desk.hall.seats(chair.game).get(chair.player)
        if seat is not None:
            seat.rejoin()
        feed = await self.desk.hall.feed(chair.game)
        following = feed.follow(chair.player, chair.told, seat=True)
        async with aclosing(following) as batches:
            async for frames in batches:
                kinds = [frame.kind for frame in frames if frame.data != "null"]
                if "question" in kinds or "end" in kinds:
                    return

    async def _news_of(self, chair: Chair) -> SeatNews:
        """Return what is new for a chair, which it is told so."""
        question = self._open_question(chair)
        history = await self.desk.history(chair.game)
        status = standing_of(history, self.desk.hall.status(chair.game))
        chair.is_over = status == "finished"
        step = next_step(status, question)
        new = await self._new_for(chair)
        if len(new) == MOST_EVENTS:
            # What comes before a question is read before it.
            question = None
            step = "there is more: question() has it"
        return SeatNews(
            game=chair.game,
            player=chair.player,
            status=status,
            new=new,
            question=question,
            end=ending_of(history),
            next=step,
        )

    def _open_question(self, chair: Chair) -> PutQuestion | None:
        """Return the question that waits for a chair's answer."""
        seat = self.desk.hall.seats(chair.game).get(chair.player)
        data = None if seat is None else seat.question
        return None if data is None else PutQuestion.model_validate(data)

    async def _new_for(self, chair: Chair) -> list[Happening]:
        """Return the next events that a chair was not told of, which it is now."""
        feed = await self.desk.hall.feed(chair.game)
        # The question may be here before the events that came before it.
        feed.collect()
        new = happenings_in(feed.page(chair.player, chair.told, MOST_EVENTS))
        if new:
            chair.told = new[-1].index
        return new


def answer_words(values: Mapping[str, object]) -> dict[str, str]:
    """Return an answer's values as words; ValueError for more than an answer on the web may be."""
    words = {name: str(value) for name, value in values.items()}
    size = len("".join([*words, *words.values()]))
    if size > MOST_BODY:
        raise ValueError(f"expected an answer of {MOST_BODY:,} characters at most: got {size:,}")
    return words


def eliminated_in(seen: History) -> list[str]:
    """Return who was out of the game when its last round began."""
    return [*seen.rounds[-1].eliminated_player_ids] if seen.rounds else []


def name_at_table(config: GameEngineConfig, seat: str) -> str:
    """Return what a player is called at the table: an anonymous game gives all other names."""
    names = getattr(config.game, "names", None) or {}
    called = next((name for name, own in names.items() if own == seat), seat)
    if called and called not in config.player_ids:
        # The game names its seats itself.
        return people_in(config)[0]
    return called


def after_begin(name: str, own: str, keys: Mapping[str, str]) -> str:
    """Return what to do once a game has begun."""
    others = [player_id for player_id in keys if player_id != own]
    step = f"take_seat(game={name!r}, player={own!r})" if own else f"look(game={name!r})"
    if others:
        step += f"; give the keys of {', '.join(others)} to those who play them"
    return step


def next_step(status: str, question: PutQuestion | None) -> str:
    """Return what an agent does now."""
    if status == "finished":
        return "the game is over"
    if question is not None:
        names = ", ".join(f"{field.name!r}: ..." for field in question.fields)
        return f"answer(number={question.number}, values={{{names}}})"
    if status == "playing":
        return "others are asked: call question() again"
    return "the game does not go on now: take_seat with the seat's key goes on, if you may begin it"
