"""The votes in logs of social games: each voter's choice, the candidates, and their features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot, is_revote, words_in_event
from engine.rng import stream

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CastVote:
    """One ballot, with players identified by `player_id`.

    If `ordered`, `candidates` are in the order in which the voter read them. Otherwise, as in logs
    from other programs, that order is unknown. `choice` is None if the answer named no candidate.
    `jury` marks a juror's vote in the final. `providers` and `models` are keyed by player. `words`
    maps each candidate that has pitched to the length of its last pitch.
    """

    game_id: str
    voter: str
    candidates: Names
    choice: str | None
    jury: bool
    ordered: bool
    providers: Mapping[str, str] = field(repr=False)
    models: Mapping[str, str] = field(repr=False)
    words: Mapping[str, int]

    def as_choice(self, entrants: Mapping[str, str]) -> dict[str, Any]:
        """Return the ballot as `labs.bias.estimators` reads it, with players as `entrants`."""
        options = self.options()
        choice: dict[str, Any] = {
            "game": self.game_id,
            "voter": entrants[self.voter],
            "voter_provider": self.providers.get(self.voter),
            "options": [entrants[name] for name in options],
            "providers": [self.providers.get(name) for name in options],
            "chosen": None if self.choice is None else entrants[self.choice],
        }
        if self.words.keys() >= {*options}:
            choice["words"] = [self.words[name] for name in options]
        return choice

    def options(self) -> list[str]:
        """Return the candidates in the listed order, or shuffled if that order is unknown."""
        options = list(self.candidates)
        if not self.ordered:
            # The log's order may depend on the winner, so it must not be used as the listed order.
            stream(0, "options", self.game_id, self.voter).shuffle(options)
        return options


def votes_of(history: History) -> list[CastVote]:
    """Return every first ballot of a log, in order; raise ValueError if a ballot cannot be read.

    A first ballot is a voter's first choice in a round, among all candidates; revotes after a tie
    are left out. Returns an empty list if the game has no votes, or if its log lists no candidates.
    """
    reader = BallotReader(history)
    votes = (reader.read(event, log) for log in history.rounds for event in log.events)
    return [vote for vote in votes if vote is not None]


class BallotReader:
    """Reads a game's first ballots and the length of each player's last pitch, event by event."""

    def __init__(self, history: History) -> None:
        self.game_id = history.game_id
        self.providers = {seat.player_id: seat.provider for seat in history.players}
        self.models = {seat.player_id: seat.model for seat in history.players}
        self.spoken: dict[str, int] = {}

    def read(self, event: Event, log: RoundLog) -> CastVote | None:
        """Read an event; return its ballot if it is a first ballot, else None."""
        if event.player_id is None:
            return None
        if event.kind == "pitch":
            self.spoken[event.player_id] = words_in_event(event)
        if event.kind != "vote" or is_revote(event) or not event.data.get("candidates"):
            return None
        return self.vote_in(event, event.player_id, log)

    def vote_in(self, event: Event, voter: str, log: RoundLog) -> CastVote:
        """Return the ballot that `voter` cast in a vote event."""
        ballot = payload_of(event, Ballot)
        valid = ballot.vote in ballot.candidates and not event.fell_back
        return CastVote(
            game_id=self.game_id,
            voter=voter,
            candidates=ballot.candidates,
            choice=ballot.vote if valid else None,
            jury=log.final_round,
            ordered=event.data.get("order_known", True) is True,
            providers=self.providers,
            models=self.models,
            words={name: self.spoken[name] for name in ballot.candidates if name in self.spoken},
        )
