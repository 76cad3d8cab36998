"""The prisoner's dilemma in the arena: settings, round robins of concurrent games, and outcome."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from engine.game import Game
from engine.games.dilemma.agents.forms import SOURCE_NAMES
from engine.games.dilemma.events import (
    PAYLOADS,
    Context,
    blocks_in,
    facts_of_dilemma,
    record_block,
    record_match,
    record_quiz,
    record_roster,
    record_standing,
)
from engine.games.dilemma.quiz import UNKNOWN, Question, questions
from engine.games.dilemma.referee.live_match import LiveMatch, start_match
from engine.games.dilemma.report import report, tournament_charts, turns_of_tournament
from engine.games.dilemma.results import outcome_by_rounds
from engine.games.dilemma.rules import (
    BLOCK,
    FIELDS,
    PAYOFFS,
    check_flip_params,
    flips_in_words,
)
from engine.games.dilemma.strategies import STRATEGIES
from engine.games.dilemma.tournament import (
    DilemmaTournament,
    Encounter,
    Unit,
    check_terms,
    draw_length,
    match_seed,
    pairings,
)
from engine.history import History, Outcome
from engine.round import RoundPlan
from engine.views.naming import sides_in_words
from player import Reply, Turn
from protocol.answer import Reason
from protocol.seats import seat_kind

CHOICES = ("C", "D")
NUMBERS = (
    "No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven",
    "Twelve",
)  # fmt: skip
WORDS = {1: "move", BLOCK: "three moves"}


class Step(BaseModel):
    """A player's decision in a turn of one move."""

    model_config = ConfigDict(frozen=True)

    rationale: Reason = ""
    first: str = Field(title="Next move", description="your next move")


class Block(Step):
    """A player's decision in a turn of three moves."""

    second: str = Field(title="Second move", description="the move after it")
    third: str = Field(title="Third move", description="the move after that")


class Understanding(BaseModel):
    """A player's answer to a question about the rules."""

    rationale: Reason = ""
    answer: str = Field(description="your answer")


LONGEST_GAME = 100_000
ANSWERS: dict[int, type[Step]] = {1: Step, BLOCK: Block}
LEGAL_MOVES = {moves: dict.fromkeys(FIELDS[:moves], CHOICES) for moves in ANSWERS}
FALLBACKS = {
    1: Step(first="D"),
    BLOCK: Block(first="D", second="D", third="D"),
}


def split_pair(value: object) -> object:
    """Return text such as "10,50" split at the comma; return anything else unchanged."""
    return value.split(",") if isinstance(value, str) else value


class DilemmaGame(Game[DilemmaTournament]):
    """All players play the iterated prisoner's dilemma in pairs, and the lowest scorers leave."""

    name = "dilemma"
    version = 4
    basic = ("game_length", "max_rounds")
    strategies = STRATEGIES
    aliases = SOURCE_NAMES
    payloads = PAYLOADS
    watched = ("match",)
    outcome: ClassVar = staticmethod(outcome_by_rounds)
    answers_in: ClassVar = staticmethod(blocks_in)
    report: ClassVar = staticmethod(report)
    turning_points: ClassVar = staticmethod(turns_of_tournament)
    facts_of: ClassVar = staticmethod(facts_of_dilemma)
    charts: ClassVar = staticmethod(tournament_charts)

    game_length: Annotated[tuple[int, int], BeforeValidator(split_pair)] = Field(
        title="Turns of a game",
        default=(2, 4),
        description="minimum and maximum turns of a game, drawn once per round; at most "
        f"{LONGEST_GAME}",
    )
    flip_params: Annotated[tuple[float, float], BeforeValidator(split_pair)] = Field(
        title="Chance of a flip",
        default=(0.25, 0.1),
        description="chance that a move is flipped, and how much it falls with every move",
    )
    max_rounds: int | None = Field(
        title="Maximum rounds",
        default=None,
        ge=1,
        le=100_000,
        description="maximum number of rounds",
    )
    block: Literal[1, 3] = Field(default=3, description="moves of a turn")
    unit: Unit = Field(
        default="turns",
        description="what game_length counts: turns, each a block, or moves",
    )
    tell_length: bool = Field(default=False, description="the rules state the range of game_length")
    tell_flips: bool = Field(default=True, description="the rules state the chances of flips")
    tell_standings: bool = Field(
        default=True, description="all players see the table after each round"
    )
    quiz: bool = Field(default=False, description="first quiz models and people about the rules")

    @model_validator(mode="after")
    def _check_terms(self) -> Self:
        if max(self.game_length) > LONGEST_GAME:
            raise ValueError(
                f"expected game_length to be at most {LONGEST_GAME}: got {[*self.game_length]}"
            )
        check_flip_params(self.flip_params)
        check_terms(self.game_length, self.unit, self.max_rounds)
        return self

    @property
    def payoffs(self) -> list[tuple[str, str, int, int]]:
        """The payoff table: both moves and both players' points, one row per pair of moves."""
        return [(*moves, *points) for moves, points in PAYOFFS.items()]

    @property
    def moves_asked(self) -> str:
        """The number of moves chosen at a time, in words."""
        return WORDS[self.block]

    @property
    def moves_in_words(self) -> str:
        """The minimum and maximum number of moves in a game, in words."""
        size = self.block if self.unit == "turns" else 1
        least, most = (length * size for length in self.game_length)
        return f"exactly {least}" if least == most else f"from {least} to {most}"

    @property
    def flips(self) -> str:
        """The chances of flips, in words, or "" if no move is flipped."""
        return flips_in_words(self.flip_params)

    @classmethod
    def title(cls, history: History) -> str:
        """Return a title that names two players or, if there are more, states their number."""
        seats = history.players
        if len(seats) <= 2:
            return f"{sides_in_words(seats)}, iterated prisoner's dilemma"
        kind = (
            "strategies" if all(seat_kind(seat.provider).computed for seat in seats) else "players"
        )
        number = NUMBERS[len(seats)] if len(seats) < len(NUMBERS) else str(len(seats))
        return f"{number} {kind}, iterated prisoner's dilemma"

    @classmethod
    def result(cls, outcome: Outcome) -> str:
        """Return the winners and their points."""
        return outcome.summary.partition(" in the ")[0]

    def start(self, player_ids: Sequence[str], rng: random.Random) -> DilemmaTournament:
        """Return a new tournament; raise ValueError for fewer than two players."""
        del rng
        if len(player_ids) < 2:
            raise ValueError(f"expected at least two players: got {len(player_ids)}")
        return DilemmaTournament(tuple(player_ids), self.max_rounds)

    def plan(self, state: DilemmaTournament) -> RoundPlan[DilemmaTournament] | None:
        """Return the next of "one or more round-robins", or None after the last."""
        if state.over:
            return None
        active = state.active
        out = tuple(name for name in state.names if name not in active)
        index = len(state.rounds) + 1
        final = len(active) == 2 or index == self.max_rounds
        first = (self.phase_quiz,) if self.quiz and not state.rounds else ()
        return RoundPlan((*first, self.phase_round_robin), active, out, final_round=final)

    async def phase_quiz(self, context: Context) -> None:
        """Ask all players except scripts about the rules; the right answers stay hidden."""
        seats = [player.config for player in context.players]
        right = {seat.player_id: 0 for seat in seats if not seat.computed}
        asked = questions(self.block, flips=self.flip_params[0] > 0)
        turns = [question_turn(context, name, question) for name in right for question in asked]
        for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
            right[turn.player_id] += record_quiz(context, turn, reply)
        context.state = replace(context.state, understood=right)

    async def phase_round_robin(self, context: Context) -> None:
        """Play the games of all pairs concurrently, turn by turn; then drop the lowest scorers."""
        record_roster(context, self.max_rounds, public=self.tell_standings)
        matches = self.start_matches(context)
        while not matches[0].over:
            matches = await self.ask_everybody(context, matches)

        games = [Encounter(*live.players, live.to_match()) for live in matches]
        context.state = context.state.after(matches[0].moves, games)
        for game in games:
            record_match(context, game)
        record_standing(context, context.state.rounds[-1], public=self.tell_standings)

    def start_matches(self, context: Context) -> list[LiveMatch]:
        """Return the games of all pairs before their first move, all of the same random length."""
        moves = draw_length(self.game_length, self.unit, self.block, context.rng("length"))
        matches = []
        for pair in pairings(context.state.active):
            seed = match_seed(context.rng("match", *pair))
            matches.append(start_match(pair, moves, self.block, self.flip_params, seed))
        return matches

    async def ask_everybody(
        self, context: Context, matches: Sequence[LiveMatch]
    ) -> list[LiveMatch]:
        """Ask both sides of all games for their next moves, and return the updated games."""
        turns = []
        asked: Counter[str] = Counter()
        for live in matches:
            for side, player_id in enumerate(live.players):
                asked[player_id] += 1
                turns.append(self.turn_of(context, live, side, asked[player_id]))
        replies = await context.ask_all(turns)
        pairs = zip(replies[::2], replies[1::2], strict=True)
        return [play_turn(context, live, both) for live, both in zip(matches, pairs, strict=True)]

    def turn_of(self, context: Context, live: LiveMatch, side: int, number: int) -> Turn[Step]:
        """Return the question for the player on `side` (0 or 1), without the opponent's name."""
        player_id = live.players[side]
        seen = live.observe(side)
        games = len(context.active_player_ids) - 1
        return Turn(
            player_id,
            "block",
            seen,
            lambda: context.prompt(
                player_id,
                "dilemma/block.j2",
                history=seen.history,
                own=seen.score[0],
                opponent=seen.score[1],
                asked=self.moves_asked,
                number=number,
                games=games,
            ),
            ANSWERS[self.block],
            LEGAL_MOVES[self.block],
            FALLBACKS[self.block],
        )


def question_turn(context: Context, player_id: str, question: Question) -> Turn[Understanding]:
    """Return a question about the rules for one player."""
    facts = {"text": question.text, "options": question.options}
    return Turn(
        player_id,
        "quiz",
        question,
        lambda: context.prompt(player_id, "dilemma/quiz.j2", **facts),
        Understanding,
        {"answer": question.options},
        Understanding(answer=UNKNOWN),
    )


def play_turn(context: Context, before: LiveMatch, replies: Sequence[Reply[Step]]) -> LiveMatch:
    """Return the game after a turn; log the answers of models and people as hidden events."""
    answers = [moves_of(reply.answer) for reply in replies]
    after = before.after(answers, [*map(fault_in, replies)])
    for side, reply in enumerate(replies):
        if reply.attempts:
            record_block(context, after, side, answers[side], reply)
    return after


def fault_in(reply: Reply[Step]) -> str | None:
    """Return why the fallback replaced the answer, or None if it did not."""
    return reply.attempts[-1].fault if reply.fell_back else None


def moves_of(answer: Step) -> str:
    """Return an answer's moves, such as "CCD"."""
    moves = vars(answer)
    first, second, third = FIELDS
    return f"{moves[first]}{moves.get(second, '')}{moves.get(third, '')}"
