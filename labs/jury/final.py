"""A final played again from its log up to the vote: its jurors' questions, except for one change.

The game's own code writes each question, from the history as it was or with two names swapped. So a
juror reads its prompt of the game, or the prompt it would have had there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import starmap
from typing import Any, Literal, NamedTuple

from engine.engine import GameEngine
from engine.games.deliberations.game import DeliberationsGame
from engine.history import Event, History, Transcripts, payload_of
from engine.history.social import Ballot, is_revote
from engine.round import RoundContext, RoundPlan
from engine.round_phases import Vote, vote_turn
from engine.runs.difference import event_difference
from engine.runs.replay import Replay
from labs.jury.relabel import Swap, has_name, relabel, tells_model
from player import Player, Released, Turn
from protocol.turn import Prompt

PERSON = "a person sat there"
OTHER_WORDS = "the question is worded differently today"
TELLS_MODEL = "it read words that name a model or its maker"
FINALISTS = 2
MEANT = "two can be listed the other way round, or swap their names"
CHARACTER = "its character names a finalist"
# Added to the system text: other words, the same meaning.
REWORDED = "Read all of what follows before you answer the question at its end."


class Change(NamedTuple):
    """How a question differs from that in the game: the list turned, names swapped, reworded."""

    name: Literal["again", "order", "label", "both", "placebo"]
    turned: bool
    swapped: bool
    reworded: bool = False


# The first is the juror's own noise. The last is what any change of words does, bias or not.
CHANGES = (
    Change("again", turned=False, swapped=False),
    Change("order", turned=True, swapped=False),
    Change("label", turned=False, swapped=True),
    Change("both", turned=True, swapped=True),
    Change("placebo", turned=False, swapped=False, reworded=True),
)


class Omission(NamedTuple):
    """A question that cannot be asked, or that would not say anything, and why.

    Without a change it is every question to that juror, without a juror to all of the final.
    """

    why: str
    juror: str = ""
    change: str = ""


class Unplayable(Exception):  # noqa: N818 - no fault of the program's: the final is left out
    """Why a log's final cannot be judged again; the message is a clause."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """One question to one juror.

    `number` is its place among all questions of its final, from 1. `listed` are the finalists in
    the order in which the juror reads them, and `voted` its choice in the game (None: none), by the
    names that they had there; `swap` leads to these from the names that the juror reads.
    """

    number: int
    juror: str
    change: Change
    player: Player
    turn: Turn[Vote]
    listed: tuple[str, str]
    voted: str | None
    swap: Swap

    def meant(self, vote: str | None) -> str | None:
        """Return the finalist that a vote means, by its name in the game."""
        return self.swap.name(vote) if vote and self.change.swapped else vote


class Recall(Replay):
    """A replay that ends before the jury votes, and then has the `final` as it was."""

    final: RoundContext[Any] | None = None

    async def _play_round(self, plan: RoundPlan[Any]) -> Any:
        if not plan.final_round:
            return await super()._play_round(plan)
        context = self._context_of(plan)
        for phase in plan.phases:
            if getattr(phase, "__func__", None) is DeliberationsGame.phase_verdict:
                break
            await phase(context)
        self.final = context
        raise Released


async def recall(log: History) -> RoundContext[Any]:
    """Return the context of a log's final before its vote; Unplayable says why there is none.

    A question that is not in the log word for word is never asked again.
    """
    try:
        engine = Recall(log)
        await GameEngine.play(engine)
    except ValueError as error:
        raise Unplayable(f"it cannot be played again: {error}") from None
    if engine.final is None:
        raise Unplayable("it cannot be played again up to its final")
    finalists = len(engine.final.active_player_ids)
    if finalists != FINALISTS:
        raise Unplayable(f"its final has {finalists} players, and only {MEANT}")
    played = engine.history
    pairs = zip(log.events, played.events, strict=False)
    difference = next(filter(None, starmap(event_difference, pairs)), "")
    if difference:
        raise Unplayable(f"it cannot be played again: {difference}")
    return engine.final


class JuryContext(RoundContext[Any]):
    """A final as one jury would see it."""

    def question(self, juror: str, options: Sequence[str]) -> Turn[Vote]:
        """Return the question for the winner, as it is put to who sits in a juror's seat."""
        ties = self.history.config["game"]["ties"]
        turn = vote_turn(self, juror, options, ties)
        player = self.juror(juror)
        return self._put(turn, player) if player.recorded else turn

    def juror(self, player_id: str) -> Player:
        """Return who sits in a juror's seat."""
        return self._seated(player_id)


def jury_context(final: RoundContext[Any], swap: Swap | None = None) -> JuryContext:
    """Return a separate context for the same final, with two names swapped on request."""
    held = {field.name: getattr(final, field.name) for field in fields(final)}
    history = final.history
    active = final.active_player_ids
    if swap is not None:
        history = relabel(history, swap)
        active = [*swap.names(active)]
    # A context adds its round to the history that it is given.
    held["history"] = replace(history, rounds=[*history.rounds])
    held["active_player_ids"] = active
    held["transcripts"] = Transcripts()
    return JuryContext(**held)


def reword(turn: Turn[Vote]) -> Turn[Vote]:
    """Return a question whose prompt has other words, and the same meaning."""

    def prompt() -> Prompt:
        plain = turn.prompt()
        return replace(plain, system=f"{plain.system}\n{REWORDED}")

    return turn._replace(prompt=prompt)


class Final:
    """A final that is judged again: the questions to its jurors, and those that are left out."""

    def __init__(self, log: History, context: RoundContext[Any]) -> None:
        first, second = context.active_player_ids
        self.log = log
        self.finalists = (first, second)
        self.swap = Swap(first, second, context.player_ids)
        self.as_it_was = jury_context(context)
        self.swapped = jury_context(context, self.swap)

    @cached_property
    def ballots(self) -> dict[str, Event]:
        """The first ballots of the final's jury, by voter; a revote's are not asked for again."""
        questions = {}
        for event in self.log.rounds[-1].events:
            if is_revote(event):
                continue
            if event.kind == "vote" and event.player_id is not None:
                questions[event.player_id] = event
        return questions

    def questions(self, changes: Sequence[Change] = CHANGES) -> Iterator[Hearing | Omission]:
        """Yield each question to each juror, or why it is left out; jurors in seat order."""
        for place, juror in enumerate(self.as_it_was.eliminated_player_ids):
            flaw = self._flaw(juror)
            if flaw:
                yield Omission(flaw, juror)
                continue
            no_swap = self._flaw_of_swap(juror)
            for change in changes:
                if change.swapped and no_swap:
                    yield Omission(no_swap, juror, change.name)
                else:
                    yield self._hearing(juror, change, self._number(place, change))

    def _number(self, place: int, change: Change) -> int:
        """Return a question's number; placebos come last, as older records have no number for them.

        Answers of models are kept under it.
        """
        others = len(CHANGES) - 1
        if change.reworded:
            return 1 + others * len(self.as_it_was.eliminated_player_ids) + place
        return 1 + others * place + CHANGES.index(change)

    def _hearing(self, juror: str, change: Change, number: int) -> Hearing:
        ballot = payload_of(self.ballots[juror], Ballot)
        first, second = ballot.candidates
        listed = (second, first) if change.turned else (first, second)
        context = self.swapped if change.swapped else self.as_it_was
        read = self.swap.names(listed) if change.swapped else listed
        turn = context.question(juror, read)
        return Hearing(
            number,
            juror,
            change,
            context.juror(juror),
            reword(turn) if change.reworded else turn,
            listed,
            None if self.ballots[juror].fell_back else ballot.vote,
            self.swap,
        )

    def _flaw(self, juror: str) -> str:
        """Return why a juror cannot be asked its question of the game, "" if it can be."""
        player = self.as_it_was.juror(juror)
        if player.config.kind.asks == "person":
            return PERSON
        event = self.ballots[juror]
        if event.prompt is None:
            return ""
        candidates = payload_of(event, Ballot).candidates
        prompt = self.as_it_was.question(juror, candidates).prompt()
        return "" if prompt.sha256 == event.prompt.sha256 else OTHER_WORDS

    def _flaw_of_swap(self, juror: str) -> str:
        """Return why other names would not be all that changed for a juror, "" if they would."""
        if tells_model(self.as_it_was.history, juror):
            return TELLS_MODEL
        if has_name(self.log.seat(juror).character_prompt, self.finalists):
            return CHARACTER
        return ""
