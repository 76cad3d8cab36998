"""The conversation as a game of the arena: settings, the two phases, the outcome."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from engine.game import Game
from engine.games.conversation.record import Item
from engine.games.conversation.rules import SILENCE, is_over, item_name
from engine.games.conversation.scoring import Parts, RunningScore
from engine.games.conversation.state import State, advance, observe, settle, start_state
from engine.games.conversation.strategies import STRATEGIES, Strategy
from engine.history import Outcome
from engine.prompting import render
from engine.round import RoundContext, RoundPlan
from player import Reply, Script, Turn
from protocol.answer import Reason, Sentence

Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda names: tuple(names) if isinstance(names, list) else names),
]


class Proposal(BaseModel):
    """What a player wants to say next."""

    rationale: Reason = ""
    item: str = Field(description="the name of your item, or stay silent")


class SpokenProposal(Proposal):
    """A proposal with the sentence that is said if it is chosen."""

    sentence: Sentence = Field(description="one sentence that you say about the item")


@dataclass(frozen=True, slots=True)
class Table:
    """A conversation being played: where it stands, its score so far, and the legal proposals of each player."""

    state: State
    score: RunningScore
    choices: Mapping[str, Mapping[str, tuple[str, ...]]]


def script_of(strategy: Strategy) -> Script:
    """Return the strategy as a scripted player's answer to a turn."""

    def script(turn: Turn[Proposal], rng: random.Random) -> Proposal:
        chosen = strategy(turn.observation, rng)
        item = SILENCE if chosen is None else chosen.removeprefix(f"{turn.player_id}: ")
        return (
            turn.answer(item=item, sentence="")
            if turn.answer is SpokenProposal
            else Proposal(item=item)
        )

    script.__doc__ = strategy.__doc__
    return script


class ConversationGame(Game[Table]):
    """Players speak of their items, one a turn; all share the score of what is said."""

    name: ClassVar[str] = "conversation"
    version: ClassVar[int] = 1
    strategies: ClassVar[Mapping[str, Script]] = {
        name: script_of(strategy) for name, strategy in STRATEGIES.items()
    }

    length: int = Field(default=20, ge=0, description="turns at most (L)")
    bank_size: int = Field(default=10, ge=0, description="items of each player (B)")
    subjects: int | Names = Field(default=20, description="how many subjects (S), or their names")
    advice: Literal["none", "deltas"] = Field(
        default="none",
        description="deltas tells models and people what each item would change in the score now",
    )
    voice: bool = Field(
        default=False, description="models also say a sentence about the item they propose"
    )

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Table:
        """Deal the items and the rankings."""
        state = start_state(
            player_ids,
            bank_size=self.bank_size,
            subjects=self.subjects,
            length=self.length,
            rng=rng,
        )
        score = RunningScore(
            length=self.length, subjects=len(state.subject_names), rankings=state.rankings
        )
        choices = {
            player_id: {"item": (*map(item_name, bank), SILENCE)}
            for player_id, bank in state.banks.items()
        }
        return Table(state, score, choices)

    def plan(self, state: Table) -> RoundPlan[Table] | None:
        """Play one turn a round until the conversation is over; what was dealt is told in the first."""
        turns = state.state.turns
        if is_over(turns, self.length):
            return None
        phases = (self.phase_turn,) if turns else (phase_setup, self.phase_turn)
        return RoundPlan(phases, state.state.player_ids, final_round=len(turns) + 1 == self.length)

    async def phase_turn(self, context: RoundContext[Table]) -> None:
        """All propose at once; one of the proposals is spoken, or there is a pause."""
        table = context.state
        player_ids = table.state.player_ids
        replies = await context.ask_all(
            [self.turn_of(context, player_id) for player_id in player_ids]
        )
        proposals: dict[str, str | None] = {}
        for player_id, reply in zip(player_ids, replies, strict=True):
            item = reply.answer.item
            proposals[player_id] = None if item == SILENCE else f"{player_id}: {item}"
            record_proposal(context, player_id, proposals[player_id], reply)
        spoken = settle(table.state, proposals, context.rng)
        context.state = Table(advance(table.state, spoken), table.score, table.choices)
        change = table.score.speak(spoken)
        if spoken is None:
            record_pause(context, table.state)
        else:
            reply = replies[player_ids.index(spoken.player_id)]
            record_speech(context, spoken, change, getattr(reply.answer, "sentence", ""))

    def turn_of(self, context: RoundContext[Table], player_id: str) -> Turn[Proposal]:
        """Return the question that is put to one player."""
        answer = SpokenProposal if self.voice else Proposal
        return Turn(
            player_id,
            "proposal",
            observe(context.state.state, player_id),
            lambda: context.prompt(
                player_id, "conversation/propose.j2", **self.told(context.state, player_id)
            ),
            answer,
            context.state.choices[player_id],
            SpokenProposal(item=SILENCE, sentence="") if self.voice else SILENT,
            SILENCE,
        )

    def told(self, table: Table, player_id: str) -> dict[str, object]:
        """Return what the question tells beside the transcript."""
        state = table.state
        own = (item for item in state.turns if item is not None and item.player_id == player_id)
        told = {"turn": len(state.turns) + 1, "times_spoken": dict(state.contributions)}
        said = {"you_said": sorted({item_name(item) for item in own})}
        weighed = {"points_now": points_now(table, player_id)} if self.advice == "deltas" else {}
        shown = told | (said if said["you_said"] else {}) | weighed
        return {"state": shown, "silence": SILENCE, "voice": self.voice}

    def outcome(self, state: Table) -> Outcome:
        """Rank the players by their totals."""
        score = state.score.score()
        totals = score.total
        placements = {
            player_id: 1 + sum(other > own for other in totals.values())
            for player_id, own in totals.items()
        }
        shared = {part: getattr(score, part) for part in (*SHARED_PARTS, "shared")}
        spoken = state.state.contributions
        figures = {
            player_id: {
                "spoke": spoken[player_id],
                "private": score.private[player_id],
                "total": totals[player_id],
            }
            for player_id in totals
        }
        return Outcome(
            placements,
            totals,
            figures,
            shared,
            summary_of(placements, figures, score.shared, self.length),
        )


SILENT = Proposal(item=SILENCE)
SHARED_PARTS = Parts._fields[:4]


async def phase_setup(context: RoundContext[Table]) -> None:
    """Tell each player privately what it holds."""
    state = context.state.state
    for player_id in state.player_ids:
        items = [
            {"name": item_name(item), "importance": item.importance}
            for item in state.banks[player_id]
        ]
        bank = [
            item._asdict() | {"subjects": list(item.subjects)} for item in state.banks[player_id]
        ]
        ranking = [state.subject_names[subject] for subject in state.rankings[player_id]]
        context.record(
            "setup",
            f"What {player_id} holds",
            render("conversation/setup.j2", items=items, ranking=ranking),
            player_id=player_id,
            visibility=(player_id,),
            data={"bank": bank, "ranking": list(state.rankings[player_id])},
        )


def points_now(table: Table, player_id: str) -> dict[str, float]:
    """Return by how much each own item would change the score of all if it were spoken now."""
    bank = table.state.banks[player_id]
    return {item_name(item): round(table.score.delta(item).shared, 2) + 0.0 for item in bank}


def record_proposal(
    context: RoundContext[Table], player_id: str, item_id: str | None, reply: Reply[Proposal]
) -> None:
    """Write what a player proposed; it stands in the log and in nobody's view."""
    content = f"would speak of {reply.answer.item}" if item_id else "stays silent"
    data = {"item": item_id, "rationale": reply.answer.rationale}
    context.record(
        "proposal", "Proposal", content, player_id=player_id, visibility=(), data=data, reply=reply
    )


def record_speech(context: RoundContext[Table], item: Item, change: Parts, sentence: str) -> None:
    """Tell everybody what is said, by whom."""
    content = f"{item_name(item)} (importance {item.importance:.2f})"
    score = dict(zip(SHARED_PARTS, change, strict=False))
    context.record(
        "speech",
        f"{item.player_id} speaks",
        f"{content}: {sentence}" if sentence else content,
        player_id=item.player_id,
        data={"item": item.id, "score": score, "private": change.private},
    )


def record_pause(context: RoundContext[Table], before: State) -> None:
    """Tell everybody that nobody spoke."""
    turns = (*before.turns[-2:], None)
    in_a_row = next(
        (count for count, item in enumerate(reversed(turns)) if item is not None), len(turns)
    )
    context.narrate(f"Nobody speaks: pause {in_a_row} of the 3 in a row that end it.", kind="pause")


def summary_of(
    placements: Mapping[str, int],
    figures: Mapping[str, Mapping[str, float]],
    shared: float,
    length: int,
) -> str:
    """Return who won and why, in a sentence."""
    best = [player_id for player_id, place in placements.items() if place == 1]
    total, private = figures[best[0]]["total"], figures[best[0]]["private"]
    verb = "wins" if len(best) == 1 else "win"
    return (
        f"{' and '.join(best)} {verb} with {total:.3f}: everybody shares {shared:.2f} points, "
        f"and {private:.2f} came from own favourite subjects, over {length} turns."
    )
