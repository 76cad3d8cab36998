"""The conversation as an arena game: settings, the two phases, their events, and the outcome."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from engine.game import Game
from engine.games.conversation import many
from engine.games.conversation.facts import facts_of_conversation
from engine.games.conversation.payloads import ProposalData, SetupData, SpeechData
from engine.games.conversation.pictures import conversation_charts, turning_points
from engine.games.conversation.record import Composition, Item
from engine.games.conversation.rules import SILENCE, is_over, item_name
from engine.games.conversation.scoring import (
    SHARED_PARTS,
    Outlook,
    Score,
    Tail,
    bonuses_of,
    score,
)
from engine.games.conversation.state import (
    ConversationState,
    Observation,
    after_turn,
    choose_item,
    conversation_of,
    observe_each,
    start_conversation,
)
from engine.games.conversation.strategies import STRATEGIES, Strategy
from engine.games.conversation.wording import (
    item_notes,
    points_now,
    score_so_far,
    setup_text,
    state_facts,
    why_unspoken,
)
from engine.history import Event, History, Lines, Outcome
from engine.report.statistics import places_of
from engine.round import RoundContext, RoundPlan
from engine.views.naming import sides_in_words
from player import Reply, Script, Turn
from protocol.answer import Reason
from protocol.text import clean, fit_words, room_for, text_before_cut

Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda names: tuple(names) if isinstance(names, list) else names),
]

SENTENCE = 25


class Proposal(BaseModel):
    """The item that a player proposes to say next."""

    model_config = ConfigDict(frozen=True)

    rationale: Reason = ""
    item: str = Field(description="the name of your item, or stay silent")


class SpokenProposal(Proposal):
    """A proposal, and the sentence that the player says if the proposal is chosen."""

    sentence: Annotated[str, BeforeValidator(clean)] = Field(
        description=f"one sentence that you say about the item, {SENTENCE} words at most",
        json_schema_extra={"maxLength": room_for(SENTENCE)},
    )


@dataclass(frozen=True, eq=False)
class ConversationTable:
    """A snapshot of a conversation in progress; each turn creates a new snapshot.

    `tail` has the past turns that affect future points. `bonuses` and the legal `choices` are keyed
    by player; `proposals` are the proposals of the last turn.
    """

    state: ConversationState
    tail: Tail
    bonuses: Mapping[str, tuple[float, ...]]
    choices: Mapping[str, Mapping[str, tuple[str, ...]]]
    proposals: Mapping[str, str | None] = field(default_factory=dict)

    @cached_property
    def score(self) -> Score:
        """The score so far, computed when it is first needed."""
        return score(conversation_of(self.state))

    @property
    def outlook(self) -> Outlook:
        """The data for scoring the items that could be spoken now."""
        return self.tail.outlook(self.bonuses)

    def unspoken(self, player_id: str) -> Mapping[str, tuple[str, ...]]:
        """Return a player's choices without the items already spoken."""
        bank = self.state.banks[player_id]
        new = [item_name(item) for item in bank if item.id not in self.tail.spoken]
        return {"item": (*new, SILENCE)}

    def after(self, item: Item | None, proposals: Mapping[str, str | None]) -> "ConversationTable":
        """Return the table after one more turn; `item` is the spoken item, or None for a pause."""
        state, tail = after_turn(self.state, item), self.tail.after(item)
        return ConversationTable(state, tail, self.bonuses, self.choices, proposals)


@lru_cache(maxsize=4096)
def proposal_of(form: type[Proposal], item: str) -> Proposal:
    """Return a proposal without text, cached because the same item is proposed in many turns."""
    return SpokenProposal(item=item, sentence="") if form is SpokenProposal else form(item=item)


def proposal_script(strategy: Strategy) -> Script:
    """Return a script that answers turns with the strategy's proposals."""

    def script(turn: Turn[Proposal], rng: random.Random) -> Proposal:
        chosen = strategy(turn.observation, rng)
        item = SILENCE if chosen is None else chosen.removeprefix(f"{turn.player_id}: ")
        return proposal_of(turn.answer, item)

    script.__doc__ = strategy.__doc__
    return script


class ConversationGame(Game[ConversationTable]):
    """Players talk about their items, one item per turn, and all share one score."""

    name: ClassVar[str] = "conversation"
    version: ClassVar[int] = 4
    basic: ClassVar[tuple[str, ...]] = ("length", "bank_size", "subjects")
    lines: ClassVar[Lines] = "turn"
    # All players in a game share its score, so places would rank only their private bonuses.
    targets: ClassVar[tuple[str, ...]] = ("points",)
    strategies: ClassVar[Mapping[str, Script]] = {
        name: proposal_script(strategy) for name, strategy in STRATEGIES.items()
    }
    payloads: ClassVar[Mapping[str, type]] = {
        "setup": SetupData,
        "proposal": ProposalData,
        "speech": SpeechData,
    }
    facts_of: ClassVar = staticmethod(facts_of_conversation)
    charts: ClassVar = staticmethod(conversation_charts)
    turning_points: ClassVar = staticmethod(turning_points)
    batch_figures: ClassVar = staticmethod(many.conversation_figures)
    batch_report: ClassVar = staticmethod(many.many_conversations)
    batch_command: ClassVar = staticmethod(many.substitution_study)

    length: int = Field(default=20, ge=0, le=100_000, description="maximum number of turns (L)")
    bank_size: int = Field(
        10, title="Items of each player", ge=0, le=10_000, description="items of each player (B)"
    )
    subjects: Annotated[int, Field(le=10_000)] | Names = Field(
        default=20, description="how many subjects (S), or their names"
    )
    advice: Literal["none", "deltas"] = Field(
        default="none",
        description="deltas shows models and people how each item would change the score now",
    )
    composition: Composition = Field(
        default="half",
        exclude_if=lambda composition: composition == "half",
        description="half of a bank's items have one subject, or a coin decides for each",
    )
    voice: bool = Field(
        default=False, description="models also say a sentence about the item they propose"
    )

    @property
    def subject_count(self) -> int:
        """The number of subjects."""
        return self.subjects if isinstance(self.subjects, int) else len(self.subjects)

    def start(self, player_ids: Sequence[str], rng: random.Random) -> ConversationTable:
        """Deal the items and the rankings."""
        state = start_conversation(
            player_ids,
            bank_size=self.bank_size,
            subjects=self.subjects,
            length=self.length,
            rng=rng,
            composition=self.composition,
        )
        choices = {}
        for player_id, bank in state.banks.items():
            choices[player_id] = {"item": (*map(item_name, bank), SILENCE)}
        return ConversationTable(state, Tail(), bonuses_of(state.rankings), choices)

    def plan(self, state: ConversationTable) -> RoundPlan[ConversationTable] | None:
        """Plan one turn per round until the end; the first round begins with the deal."""
        turns = state.state.turns
        if is_over(turns, self.length):
            return None
        phases = (self.phase_turn,) if turns else (phase_deal, self.phase_turn)
        last_turn = len(turns) + 1 == self.length
        return RoundPlan(phases, state.state.player_ids, final_round=last_turn)

    async def phase_turn(self, context: RoundContext[ConversationTable]) -> None:
        """Ask all players concurrently for proposals, then announce the spoken item or a pause."""
        table = context.state
        player_ids = table.state.player_ids
        turns = [self.turn_of(context, seen) for seen in observe_each(table.state)]
        replies = dict(zip(player_ids, await context.ask_all(turns), strict=True))
        proposals = record_proposals(context, replies)
        spoken = choose_item(table.state, proposals, context.rng)
        context.state = table.after(spoken, proposals)
        if spoken is None:
            record_pause(context, table.state)
        else:
            record_speech(context, table, spoken, replies[spoken.player_id])

    def turn_of(
        self, context: RoundContext[ConversationTable], seen: Observation
    ) -> Turn[Proposal]:
        """Return the question for the player whose observation is `seen`."""
        player_id = seen.player_id
        table = context.state
        choices = table.choices[player_id]
        if context.is_small(player_id):
            choices = table.unspoken(player_id)
        form = SpokenProposal if self.voice else Proposal
        # Positional arguments are faster, and every seat gets a question each turn.
        return Turn(
            player_id,
            "proposal",
            seen,
            lambda: context.prompt(
                player_id,
                "conversation/propose.j2",
                **self.question_values(table, player_id, choices["item"]),
            ),
            form,
            choices,
            proposal_of(form, SILENCE),
            SILENCE,
            lambda: item_notes(table.state, player_id),
        )

    def question_values(
        self, table: ConversationTable, player_id: str, choices: Sequence[str]
    ) -> dict[str, Any]:
        """Return the values for the question's template, which lists the items in `choices`."""
        shown = state_facts(table.state, player_id, self.length)
        proposal = table.proposals.get(player_id)
        if self.advice == "deltas":
            shown["points_now"] = points_now(table.outlook, table.state.banks[player_id], choices)
        return {
            "state": shown,
            "silence": SILENCE,
            "why_unspoken": partial(why_unspoken, table.state, player_id, proposal),
            "score_so_far": lambda: score_so_far(table.score, player_id),
            "items": [name for name in choices if name != SILENCE],
        }

    @classmethod
    def title(cls, history: History) -> str:
        """Return a title that names the players."""
        return f"{sides_in_words(history.players)} in conversation"

    @classmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield each proposal and its answer; the sentence is "" if the item was not spoken."""
        for log in history.rounds:
            speech = next((event for event in log.events if event.kind == "speech"), None)
            for event in log.events:
                if event.kind == "proposal":
                    yield event, proposal_in(event, speech)

    def outcome(self, state: ConversationTable) -> Outcome:
        """Rank the players by their totals."""
        result = state.score
        totals = result.total
        placements = places_of(totals)
        figures = {}
        for player_id, total in totals.items():
            figures[player_id] = {
                "spoke": state.state.contributions[player_id],
                "private": result.private[player_id],
                "total": total,
            }
        shared = {part: getattr(result, part) for part in (*SHARED_PARTS, "shared")}
        summary = _summary(placements, result, self.length)
        return Outcome(placements, totals, figures, shared, summary)


async def phase_deal(context: RoundContext[ConversationTable]) -> None:
    """Privately show each player its items and ranking."""
    state = context.state.state
    for player_id in state.player_ids:
        # All events here use plain data: creating and converting payloads takes 5 times as long.
        bank = []
        for item_id, owner, subjects, importance in state.banks[player_id]:
            item = {"id": item_id, "player_id": owner, "subjects": [*subjects]}
            bank.append(item | {"importance": importance})
        context.record(
            "setup",
            f"What {player_id} holds",
            setup_text(state, player_id),
            player_id=player_id,
            visibility=(player_id,),
            data={"bank": bank, "ranking": [*state.rankings[player_id]]},
        )


def record_proposals(
    context: RoundContext[ConversationTable], replies: Mapping[str, Reply[Proposal]]
) -> dict[str, str | None]:
    """Log all proposals as hidden events; return each player's item id, or None for silence."""
    proposals: dict[str, str | None] = {}
    for player_id, reply in replies.items():
        answer = reply.answer
        item = answer.item
        item_id = None if item == SILENCE else f"{player_id}: {item}"
        proposals[player_id] = item_id
        context.record(
            "proposal",
            "Proposal",
            f"would speak of {item}" if item_id else "stays silent",
            player_id=player_id,
            visibility=(),
            data={"item": item_id, "rationale": answer.rationale},
            reply=reply,
        )
    return proposals


def proposal_in(event: Event, speech: Event | None) -> dict[str, str]:
    """Return the answer that a proposal event records; `speech` is the turn's speech, if any."""
    item_id = event.data["item"]
    name = SILENCE if item_id is None else item_id.removeprefix(f"{event.player_id}: ")
    sentence = ""
    if speech is not None and speech.data["item"] == item_id:
        sentence = speech.content[len(f"{name} (importance 0.00): ") :]
        if "cut" in speech.data:
            sentence = text_before_cut(sentence, SENTENCE)
    return {"rationale": event.data["rationale"], "item": name, "sentence": sentence}


def record_speech(
    context: RoundContext[ConversationTable],
    before: ConversationTable,
    item: Item,
    reply: Reply[Proposal],
) -> None:
    """Announce the spoken item and its speaker to all players."""
    change = before.outlook.delta(item)
    content = f"{item_name(item)} (importance {item.importance:.2f})"
    # In Pydantic, looking up a field that does not exist is slow, so the type is checked instead.
    answer = reply.answer
    spoken = answer.sentence if isinstance(answer, SpokenProposal) else ""
    sentence, cut = fit_words(spoken, SENTENCE) if spoken else ("", False)
    data = {
        "item": item.id,
        "score": dict(zip(SHARED_PARTS, change, strict=False)),
        "private": change.private,
    }
    if cut:
        data["cut"] = True
    context.record(
        "speech",
        f"{item.player_id} speaks",
        f"{content}: {sentence}" if sentence else content,
        player_id=item.player_id,
        data=data,
    )


def record_pause(context: RoundContext[ConversationTable], before: ConversationState) -> None:
    """Announce a pause to all players."""
    in_a_row = 1
    for item in reversed(before.turns[-2:]):
        if item is not None:
            break
        in_a_row += 1
    context.narrate(
        f"No player speaks: pause {in_a_row} of the 3 in a row that end the conversation.",
        kind="pause",
    )


def _summary(placements: Mapping[str, int], result: Score, length: int) -> str:
    """Return a sentence that says who won and why."""
    best = [player_id for player_id, place in placements.items() if place == 1]
    total, private = result.total[best[0]], result.private[best[0]]
    verb = "wins" if len(best) == 1 else "win"
    return (
        f"{' and '.join(best)} {verb} with {total:.3f}: all players share {result.shared:.2f} "
        f"points, and {private:.2f} came from own favourite subjects, over {length} turns."
    )
