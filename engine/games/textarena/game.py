"""Any TextArena game: the engine asks players and logs moves; TextArena applies the rules."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from engine.game import Game
from engine.games.textarena.checker import text_breaches
from engine.games.textarena.library import counts_in_words, find_text_game, open_games
from engine.games.textarena.library.environment import ShownText, TextEnding
from engine.games.textarena.library.session import TextSession
from engine.games.textarena.library.workers import StuckStep
from engine.games.textarena.record import (
    TextMove,
    TextOpening,
    TextPosition,
    TextShown,
    TextVerdict,
    ending_line,
    facts_of_text,
    ids_by_number,
    line_of_opening,
    outcome_by_rewards,
    sender_id,
    split_echo,
)
from engine.games.textarena.strategies import (
    STRATEGIES,
    TextAnswer,
    TextQuestion,
    words_to_try,
)
from engine.history import Event, History, Outcome
from engine.history.legality import report_legality
from engine.report.grids import Grid, grid_in_text
from engine.report.tables import Table
from engine.round import RoundContext, RoundPlan
from player import Reply, Turn
from protocol.turn import Unlisted

USUAL_TABLE = 5
MOST_SEED = 2**31 - 1
Context = RoundContext[TextPosition]


class TextArenaGame(Game[TextPosition]):
    """TextArena games that start offline, such as TicTacToe-v0; --list-games lists them all."""

    name = "textarena"
    version = 2
    basic = ("game",)
    strategies = STRATEGIES
    payloads: ClassVar[Mapping[str, Any]] = {
        "narration": TextOpening,
        "shown": TextShown,
        "move": TextMove,
        "verdict": TextVerdict,
        "result": TextEnding,
    }
    variant = "game"
    breaches: ClassVar = staticmethod(text_breaches)
    report: ClassVar = staticmethod(report_legality)
    facts_of: ClassVar = staticmethod(facts_of_text)

    game: str = Field(
        default="LiarsDice-v0",
        max_length=200,
        description="the id of a TextArena game: TicTacToe-v0",
    )
    most_moves: int = Field(
        title="Maximum moves",
        default=400,
        ge=1,
        le=100_000,
        description="maximum moves in a game, even if TextArena would continue",
    )

    moves: Literal["listed", "unlisted"] = Field(
        default="listed",
        description="unlisted: an invalid move is asked again before TextArena charges it",
    )

    @field_validator("game")
    @classmethod
    def _check_game(cls, word: str) -> str:
        return find_text_game(word).game_id

    @property
    def unlisted(self) -> bool:
        """Whether models are asked again after illegal moves, before TextArena sees the moves."""
        return self.moves == "unlisted"

    def seats(self) -> tuple[str, ...]:
        """Return "Player 0", "Player 1", ... if five players cannot play the game, else ()."""
        counts = find_text_game(self.game).counts
        if USUAL_TABLE in counts:
            return ()
        return tuple(f"Player {number}" for number in range(counts[0]))

    def start(self, player_ids: Sequence[str], rng: random.Random) -> TextPosition:
        """Begin the game in a worker."""
        seed = rng.randrange(MOST_SEED)
        environment = TextSession(find_text_game(self.game), len(player_ids), seed)
        return TextPosition(environment, seed, tuple(player_ids))

    def plan(self, state: TextPosition) -> RoundPlan[TextPosition] | None:
        """Plan one move at a time, in a single round: counting rounds would reveal hidden moves."""
        if state.ending is not None:
            return None
        phases = (self.phase_move,) if state.moves else (self.phase_opening, self.phase_move)
        return RoundPlan(phases, state.player_ids, goes_on=state.moves > 0)

    async def phase_opening(self, context: Context) -> None:
        """Announce the players' numbers, and show TextArena's first messages."""
        position = context.state
        player_ids = position.player_ids
        game_id = position.environment.game.game_id
        data = TextOpening(game_id, position.seed, player_ids)
        context.narrate(line_of_opening(game_id, player_ids), data=data)
        for shown in position.environment.drain():
            tell_shown(context, shown)

    async def phase_move(self, context: Context) -> None:
        """Ask the next player for a move, pass its words to TextArena, and show the messages."""
        position = context.state
        environment = position.environment
        reply = await context.ask(self.ask_move(context))
        action = reply.answer.action
        if reply.fell_back and self.unlisted:
            action = await asyncio.to_thread(random_legal, context)
        move = TextMove(environment.current, action, reply.answer.rationale)
        await keep_limit(context, environment.step, move.action)
        readers, beside = split_echo(environment.drain(), move)
        tell_text_move(context, move, readers, reply)
        for shown in beside:
            tell_shown(context, shown)
        context.state = replace(position, moves=position.moves + 1)
        if environment.done or context.state.moves >= self.most_moves:
            context.state = await end_game(context)

    def ask_move(self, context: Context) -> Turn[TextAnswer]:
        """Return the question for the player to move; the answer is free text."""
        player = context.state.environment.current
        player_id = context.state.player_ids[player]
        return Turn(
            player_id=player_id,
            kind="move",
            observation=TextQuestion(player, texts_seen(context, player_id)),
            prompt=lambda: context.prompt(player_id, "textarena/move.j2"),
            answer=TextAnswer,
            choices={},
            fallback=TextAnswer(action=""),
            grid=partial(newest_grid, context, player_id),
            unlisted=self.judge_of(context, player_id),
        )

    def judge_of(self, context: Context, player_id: str) -> Unlisted[TextAnswer] | None:
        """Return a check of moves before they reach TextArena; None if `moves` is "listed"."""
        if not self.unlisted:
            return None
        environment = context.state.environment

        def refuses(answer: TextAnswer) -> str:
            why = environment.fault_of(answer.action)
            return f"expected a legal move: got {answer.action!r:.80}: {why}" if why else ""

        return Unlisted(refuses, partial(newest_text, context, player_id))

    def outcome(self, state: TextPosition) -> Outcome:
        """Rank the players by TextArena's rewards."""
        ending = state.ending or state.environment.close()
        return outcome_by_rewards(ending, state.player_ids)

    def persona(self, state: TextPosition, player_id: str) -> str:
        """Return a player's name and its number in TextArena."""
        return f"You are {player_id}, player {state.player_ids.index(player_id)}."

    @classmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield the event of each move, with the answer's fields."""
        for event in history.events:
            if event.kind == "move":
                yield event, {"action": event.content, "rationale": event.data.get("rationale", "")}

    @classmethod
    def variants(cls) -> Table:
        """Return a table of all playable games, their numbers of players, and their families."""
        rows = []
        for game_id in open_games():
            game = find_text_game(game_id)
            rows.append((game_id, counts_in_words(game.counts), game.family))
        columns = ("game", "players", "family")
        return Table("Games of TextArena, as textarena:GAME", columns, tuple(rows))


async def keep_limit(context: Context, call: Callable[..., object], *values: str) -> None:
    """Call TextArena in a thread; after a timeout, log a verdict and give up the game."""
    verdict = context.verdict()
    if verdict is None:
        try:
            await asyncio.to_thread(call, *values)
        except StuckStep as error:
            verdict = str(error)
            await context.keep_verdict(verdict)
    if verdict is not None:
        context.state.environment.verdict = verdict
        context.narrate(verdict, kind="verdict", visibility=(), data=TextVerdict(verdict))


async def end_game(context: Context) -> TextPosition:
    """Announce TextArena's rewards and return the final position."""
    position = context.state
    if not position.environment.verdict:
        await keep_limit(context, position.environment.close)
    ending = position.environment.close()
    context.narrate(ending_line(ending, position.player_ids), kind="result", data=ending)
    return replace(position, ending=ending)


def texts_seen(context: Context, player_id: str) -> tuple[str, ...]:
    """Return TextArena's messages to a player, in order."""
    seen = context.history.seen_by(player_id)
    return tuple(event.content for event in seen if event.kind == "shown")


def newest_first(context: Context, player_id: str) -> Iterator[str]:
    """Yield the messages from the game itself that a player saw, latest first."""
    for event in reversed(context.history.seen_by(player_id)):
        if event.kind == "shown" and event.player_id is None:
            yield event.content


def random_legal(context: Context) -> str:
    """Return a random move that TextArena accepts, found by trial; "" if none is found."""
    position = context.state
    environment = position.environment
    texts = texts_seen(context, position.player_ids[environment.current])
    draws = context.rng("instead", position.moves)
    for words in words_to_try(texts, draws):
        if not environment.fault_of(words):
            return words
    return ""


def newest_text(context: Context, player_id: str) -> str:
    """Return the last message from the game itself that a player saw, or "" if there is none."""
    return next(newest_first(context, player_id), "")


def newest_grid(context: Context, player_id: str) -> Grid:
    """Return the last board that a player saw in a message from the game, or [] if none."""
    boards = map(grid_in_text, newest_first(context, player_id))
    return next(filter(None, boards), [])


def tell_shown(context: Context, shown: ShownText) -> None:
    """Show a TextArena message to its readers, under its author's name."""
    player_ids = context.state.player_ids
    context.record(
        "shown",
        "Shown",
        shown.text,
        player_id=sender_id(shown, player_ids),
        visibility=ids_by_number(player_ids, shown.readers),
        data=TextShown(shown.sender, shown.kind),
    )


def tell_text_move(
    context: Context,
    move: TextMove,
    readers: Sequence[int],
    reply: Reply[TextAnswer],
) -> None:
    """Log a player's move, visible to the players with the numbers in `readers`."""
    player_ids = context.state.player_ids
    context.record(
        "move",
        "Move",
        move.action,
        player_id=player_ids[move.player],
        visibility=ids_by_number(player_ids, readers),
        data=move,
        reply=reply,
    )
