"""The prisoner's dilemma as a game of the arena: settings, a round robin of concurrent games, the outcome."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from engine.game import Game
from engine.games.dilemma.checker import CHECKS
from engine.games.dilemma.quiz import UNKNOWN, Question, questions
from engine.games.dilemma.referee.live_match import LiveMatch, start_match
from engine.games.dilemma.report import pictures, report
from engine.games.dilemma.results import (
    figures_of,
    places_of,
    points_of,
    shared_figures,
    summary_of,
)
from engine.games.dilemma.rules import BLOCK, PAYOFFS, check_flip_params
from engine.games.dilemma.strategies import FIELDS, STRATEGIES
from engine.games.dilemma.tournament import Game as Played
from engine.games.dilemma.tournament import (
    Round,
    Tournament,
    Unit,
    check_terms,
    draw_length,
    match_seed,
    pairings,
)
from engine.history import History, Outcome
from engine.report.charts import Chart
from engine.report.tables import Table
from engine.round import RoundContext, RoundPlan
from player import Reply, Script, Turn
from protocol.answer import Reason

CHOICES = ("C", "D")
WORDS = {1: "move", BLOCK: "three moves"}


class Step(BaseModel):
    """What a player does in a turn of one move."""

    rationale: Reason = ""
    first: str = Field(description="your next move")


class Block(Step):
    """What a player does in a turn of three moves."""

    second: str = Field(description="the move after it")
    third: str = Field(description="the move after that")


class Understanding(BaseModel):
    """What a player answers to a question about the rules."""

    rationale: Reason = ""
    answer: str = Field(description="your answer")


ANSWERS: dict[int, type[Step]] = {1: Step, BLOCK: Block}
FALLBACKS = {1: Step(first="D"), BLOCK: Block(first="D", second="D", third="D")}


def parted(value: object) -> object:
    """Return the parts of two numbers with a comma, such as "10,50" on a command line; all else as it is."""
    return value.split(",") if isinstance(value, str) else value


class DilemmaGame(Game[Tournament]):
    """Everybody plays the iterated prisoner's dilemma with everybody; after each round the lowest are dropped."""

    name: ClassVar[str] = "dilemma"
    version: ClassVar[int] = 1
    strategies: ClassVar[Mapping[str, Script]] = STRATEGIES
    checks: ClassVar[Any] = CHECKS
    reads_json: ClassVar[bool] = True

    game_length: Annotated[tuple[int, int], BeforeValidator(parted)] = Field(
        default=(2, 4), description="least and most turns of a game, the same a round"
    )
    flip_params: Annotated[tuple[float, float], BeforeValidator(parted)] = Field(
        default=(0.25, 0.1),
        description="chance that a move is flipped, and what it loses with every move",
    )
    max_rounds: int | None = Field(default=None, description="rounds at most")
    block: Literal[1, 3] = Field(default=3, description="moves of a turn")
    unit: Unit = Field(default="turns", description="what game_length counts: turns or moves")
    tell_standings: bool = Field(default=True, description="after each round all read its table")
    quiz: bool = Field(
        default=False, description="first ask models and people what they understood of the rules"
    )

    @model_validator(mode="after")
    def _check_terms(self) -> Self:
        check_flip_params(self.flip_params)
        check_terms(self.game_length, self.unit, self.max_rounds)
        return self

    @property
    def payoffs(self) -> list[tuple[str, str, int, int]]:
        """Both moves and the points of both, a row for each case."""
        return [(*moves, *points) for moves, points in PAYOFFS.items()]

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Tournament:
        """Enter the players; nothing is drawn."""
        del rng
        if len(player_ids) < 2:
            raise ValueError(f"expected at least two players: got {len(player_ids)}")
        return Tournament(tuple(player_ids), self.max_rounds)

    def plan(self, state: Tournament) -> RoundPlan[Tournament] | None:
        """Play "one or more round-robins" until the tournament is over."""
        if state.over:
            return None
        active = state.active
        out = tuple(name for name in state.names if name not in active)
        final = len(active) == 2 or len(state.rounds) + 1 == self.max_rounds
        phases = (self.phase_quiz,) * (self.quiz and not state.rounds) + (self.phase_round_robin,)
        return RoundPlan(phases, active, out, final_round=final)

    async def phase_quiz(self, context: RoundContext[Tournament]) -> None:
        """Ask everybody but scripts about the rules, all at once; nobody learns what was right."""
        asked = questions(self.block, flips=self.flip_params[0] > 0)
        tested = [player.config.player_id for player in context.players if player.recorded]
        turns = [
            question_turn(context, player_id, question)
            for player_id in tested
            for question in asked
        ]
        replies = await context.ask_all(turns)
        right = Counter(dict.fromkeys(tested, 0))
        for turn, reply in zip(turns, replies, strict=True):
            right[turn.player_id] += record_answer(context, turn, reply)
        context.state = replace(context.state, understood=dict(right))

    async def phase_round_robin(self, context: RoundContext[Tournament]) -> None:
        """Play the games of all pairs at once, turn by turn; then drop the lowest."""
        moves = draw_length(self.game_length, self.unit, self.block, context.rng("length"))
        sittings = [
            self.start_match(context, pair, moves) for pair in pairings(context.state.active)
        ]
        while not sittings[0].over:
            asked = [
                self.turn_of(context, sitting, side) for sitting in sittings for side in (0, 1)
            ]
            replies = await context.ask_all(asked)
            answers = zip(sittings, replies[::2], replies[1::2], strict=True)
            sittings = [
                settle_turn(context, sitting, (first, second)) for sitting, first, second in answers
            ]
        games = [Played(*sitting.players, sitting.to_match()) for sitting in sittings]
        context.state = context.state.after(moves, games)
        record_round(context, context.state.rounds[-1], told=self.tell_standings)

    def start_match(
        self, context: RoundContext[Tournament], pair: tuple[str, str], moves: int
    ) -> LiveMatch:
        """Return a game of the round before its first move."""
        return start_match(
            pair, moves, self.block, self.flip_params, match_seed(context.rng("match", *pair))
        )

    def turn_of(
        self, context: RoundContext[Tournament], sitting: LiveMatch, side: int
    ) -> Turn[Step]:
        """Return the question that is put to the player on `side`: it is told history and score, and nothing else."""
        player_id, seen = sitting.players[side], sitting.observe(side)
        told = {
            "history": seen.history,
            "own": seen.score[0],
            "opponent": seen.score[1],
            "asked": WORDS[self.block],
        }
        return Turn(
            player_id,
            "block",
            seen,
            lambda: context.prompt(player_id, "dilemma/block.j2", **told),
            ANSWERS[self.block],
            dict.fromkeys(FIELDS[: self.block], CHOICES),
            FALLBACKS[self.block],
        )

    def outcome(self, state: Tournament) -> Outcome:
        """Rank the players by how long they stayed and by their last round's points."""
        return Outcome(
            places_of(state),
            points_of(state),
            figures_of(state),
            shared_figures(state),
            summary_of(state),
        )

    @classmethod
    def report(cls, history: History) -> Iterator[Table]:
        """Yield the rounds, and among few players who got what from whom."""
        yield from report(history)

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return points by round, payoffs and cooperation."""
        return pictures(history)


def question_turn(
    context: RoundContext[Tournament], player_id: str, question: Question
) -> Turn[Understanding]:
    """Return a question about the rules to one player."""
    told = {"text": question.text, "options": question.options}
    return Turn(
        player_id,
        "quiz",
        question,
        lambda: context.prompt(player_id, "dilemma/quiz.j2", **told),
        Understanding,
        {"answer": question.options},
        Understanding(answer=UNKNOWN),
    )


def record_answer(
    context: RoundContext[Tournament], turn: Turn[Understanding], reply: Reply[Understanding]
) -> bool:
    """Write what was answered to a question about the rules, which nobody sees, and return whether it is right."""
    question, answer, why = turn.observation, reply.answer.answer, reply.answer.rationale
    right = answer == question.right
    verdict = "right" if right else f"right is {question.right}"
    reason = f": {why}" if why else ""
    content = f"{question.text} {answer} ({verdict}){reason}"
    data = {"question": question.text, "answer": answer, "right": question.right, "rationale": why}
    context.record(
        "quiz", "Quiz", content, player_id=turn.player_id, visibility=(), data=data, reply=reply
    )
    return bool(right)


def settle_turn(
    context: RoundContext[Tournament], sitting: LiveMatch, replies: tuple[Reply[Step], Reply[Step]]
) -> LiveMatch:
    """Return the game after a turn; answers that were more than a script's are kept as events that nobody sees."""
    answers = [moves_of(reply.answer) for reply in replies]
    first, second = (reply.attempts[-1].fault if reply.fell_back else None for reply in replies)
    after = sitting.after((answers[0], answers[1]), (first, second))
    for side, reply in enumerate(replies):
        if reply.attempts:
            record_block(context, sitting, after, side, reply)
    return after


def record_block(
    context: RoundContext[Tournament],
    before: LiveMatch,
    after: LiveMatch,
    side: int,
    reply: Reply[Step],
) -> None:
    """Write what a player answered, and what it became by flips."""
    player_id, opponent = before.players[side], before.players[1 - side]
    begun, answer, why = len(before.played[side]), moves_of(reply.answer), reply.answer.rationale
    played = after.played[side][begun:]
    became = f", flipped to {' '.join(played)}" if played != answer else ""
    content = f"plays {' '.join(answer)} against {opponent}{became}{': ' if why else ''}{why}"
    data = {
        "opponent": opponent,
        "move": begun,
        "answer": answer,
        "played": played,
        "rationale": why,
    }
    context.record(
        "block", "Block", content, player_id=player_id, visibility=(), data=data, reply=reply
    )


def record_round(context: RoundContext[Tournament], played: Round, *, told: bool) -> None:
    """Write every game of the round, which nobody sees, and tell the standing."""
    for first, second, match in played.games:
        sides = dict(zip((first, second), (match.first, match.second), strict=True))
        points = dict(zip(sides, match.score, strict=True))
        flips = dict(zip(sides, map(sorted, match.flips), strict=True))
        faults = dict(zip(sides, map(len, match.faults), strict=True))
        content = " · ".join(f"{name} {points[name]} {moves}" for name, moves in sides.items())
        data = {"moves": sides, "points": points, "flips": flips, "faults": faults}
        context.narrate(
            content, kind="match", heading=f"{first} and {second}", visibility=(), data=data
        )
    table = ", ".join(f"{name} {points}" for name, points in played.table)
    data = {"moves": played.moves, "table": dict(played.table), "dropped": [*played.dropped]}
    content = f"Games of {played.moves} moves: {table}; {played.why}."
    context.narrate(content, kind="standing", visibility=None if told else (), data=data)


def moves_of(answer: Step) -> str:
    """Return an answer's moves, such as "CCD"."""
    return "".join(getattr(answer, field) for field in FIELDS if hasattr(answer, field))
