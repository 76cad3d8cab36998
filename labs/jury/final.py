"""Replay a final from its log up to the vote, and write its jurors' questions with one change.

The game's own code writes each question, from the history as it was or with two names swapped. So a
juror reads its original prompt, or the prompt that it would have read with the change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import starmap
from typing import Any, NamedTuple

from engine.engine import GameEngine
from engine.games.deliberations.game import DeliberationsGame
from engine.history import Event, History, Transcripts, payload_of
from engine.history.social import Ballot, is_revote
from engine.round import RoundContext, RoundPlan
from engine.round_phases import Vote, vote_turn
from engine.runs.difference import event_difference
from engine.runs.replay import Replay
from labs.jury.record import ChangeName
from labs.jury.relabel import Swap, names_in_text, relabel, tells_model
from player import Player, Released, Turn
from protocol.turn import Prompt

PERSON = "a person sat there"
OTHER_WORDS = "the question is worded differently today"
TELLS_MODEL = "it read words that name a model or its maker"
FINALISTS = 2
MEANT = "two can be listed the other way round, or swap their names"
CHARACTER = "its character names a finalist"
# Added to the system prompt: different wording with the same meaning.
REWORDED = "Read all of what follows before you answer the question at its end."


class Change(NamedTuple):
    """A change to a game's question: the list reversed, names swapped, or the prompt reworded."""

    name: ChangeName
    turned: bool
    swapped: bool
    reworded: bool = False


# The first measures the juror's own noise; the last measures the effect of any new wording.
CHANGES = (
    Change("again", turned=False, swapped=False),
    Change("order", turned=True, swapped=False),
    Change("label", turned=False, swapped=True),
    Change("both", turned=True, swapped=True),
    Change("placebo", turned=False, swapped=False, reworded=True),
)


class Omission(NamedTuple):
    """A question omitted for a juror, and why; an empty `change` means all its questions."""

    why: str
    juror: str
    change: str = ""


class Unplayable(Exception):  # noqa: N818 - not a program error: the final is left out
    """A log's final cannot be judged again; the message is a clause that says why."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """One question to one juror.

    `number` is the question's number in its final, from 1. `listed` contains the finalists in the
    order in which the juror reads them, and `voted` is the juror's choice in the game, or None.
    Both use the names in the game, to which `swap` maps the names that the juror reads.
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
        """Return the finalist that a vote names, by its name in the game."""
        return self.swap.name(vote) if vote and self.change.swapped else vote


class Recall(Replay):
    """A replay that stops before the jury votes and keeps the context of the `final`."""

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
    """Return the context of a log's final before its vote.

    Raises Unplayable, with the reason, unless the replay matches the log up to a final of two. So a
    question is only asked again if it is in the log word for word.
    """
    try:
        engine = Recall(log)
        await GameEngine.play(engine)
    except ValueError as error:
        raise Unplayable(f"it cannot be replayed: {error}") from None
    if engine.final is None:
        raise Unplayable("it cannot be replayed up to its final")
    finalists = len(engine.final.active_player_ids)
    if finalists != FINALISTS:
        raise Unplayable(f"its final has {finalists} players, and only {MEANT}")
    played = engine.history
    pairs = zip(log.events, played.events, strict=False)
    difference = next(filter(None, starmap(event_difference, pairs)), "")
    if difference:
        raise Unplayable(f"it cannot be replayed: {difference}")
    return engine.final


class JuryContext(RoundContext[Any]):
    """A final as a jury would see it."""

    def question(self, juror: str, options: Sequence[str]) -> Turn[Vote]:
        """Return the jury's question to the player in a juror's seat."""
        turn = vote_turn(self, juror, options, self.history.config["game"]["ties"])
        player = self.juror(juror)
        return self._put(turn, player) if player.recorded else turn

    def juror(self, player_id: str) -> Player:
        """Return the player in a juror's seat."""
        return self._seated(player_id)


def jury_context(final: RoundContext[Any], swap: Swap | None = None) -> JuryContext:
    """Return a separate context for the same final, with two names swapped if `swap` is set."""
    held = {field.name: getattr(final, field.name) for field in fields(final)}
    history = final.history
    if swap is not None:
        history = relabel(history, swap)
        held["active_player_ids"] = [*swap.names(final.active_player_ids)]
    # A context adds its round to the history it receives.
    held["history"] = replace(history, rounds=[*history.rounds])
    held["transcripts"] = Transcripts()
    return JuryContext(**held)


def reword(turn: Turn[Vote]) -> Turn[Vote]:
    """Return a question with a reworded prompt that means the same."""

    def prompt() -> Prompt:
        plain = turn.prompt()
        return replace(plain, system=f"{plain.system}\n{REWORDED}")

    return turn._replace(prompt=prompt)


class Final:
    """A final that is judged again: the questions to its jurors, and the omitted questions."""

    def __init__(self, log: History, context: RoundContext[Any]) -> None:
        first, second = context.active_player_ids
        self.log = log
        self.finalists = (first, second)
        self.swap = Swap(first, second, context.player_ids)
        self.as_it_was = jury_context(context)
        self.swapped = jury_context(context, self.swap)

    @cached_property
    def ballots(self) -> dict[str, Event]:
        """The first ballots of the final's jury, by voter, without those of a revote."""
        votes = [event for event in self.log.rounds[-1].events if event.kind == "vote"]
        return {str(event.player_id): event for event in votes if not is_revote(event)}

    def questions(self, changes: Sequence[Change] = CHANGES) -> Iterator[Hearing | Omission]:
        """Yield each question to each juror, or its omission."""
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
        """Return a question's number, under which language models' answers are stored.

        Placebos come last, since older records do not number them.
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
        """Return why a juror cannot be asked its original question, or "" if it can be."""
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
        """Return why a juror could notice a swap of names, or "" if it could not."""
        if tells_model(self.as_it_was.history, juror):
            return TELLS_MODEL
        character = self.log.seat(juror).character_prompt
        return CHARACTER if names_in_text(self.finalists).search(character) else ""
