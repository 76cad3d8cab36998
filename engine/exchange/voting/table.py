"""The state of an Elimination Game while its log is read: its seats and active players."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.exchange.foreign import MOST_SEATS, Line, excerpt, foreign_name
from engine.exchange.game import foreign_event
from engine.history import Event

FULL_ID = re.compile(r"Player([1-9][0-9]{0,2})_Game([0-9]{1,30})_(.+)", re.DOTALL)
SHORT_ID = re.compile(r"P([1-9][0-9]{0,2})")
ACTORS = ("player_id", "speaker_id", "voter_id", "eliminated_player")
FIRST_VOTE = 1
REVOTE = 2
FINALISTS = 2


@dataclass(slots=True)
class VotingTable:
    """The model in each seat, and the state of the game as read so far.

    `unknown` counts the unknown fields and types of lines. `reliable_jury` says whether jurors'
    lines count as votes. `left` lists the players that are out. For the current round, `steps` are
    the proposals and replies, `announced` has the number of the ballot for which each voter has
    given a reason, and `cast` has each voter's vote in each ballot.
    """

    seats: Mapping[str, str]
    unknown: Counter[str]
    reliable_jury: bool = True
    timestamp: str = ""
    left: list[str] = field(default_factory=list)
    steps: list[Line] = field(default_factory=list)
    announced: dict[str, int] = field(default_factory=dict)
    cast: dict[tuple[str, int], str | None] = field(default_factory=dict)

    @property
    def active(self) -> tuple[str, ...]:
        """The players still in the game."""
        return tuple(seat for seat in self.seats if seat not in self.left)

    def begin_round(self) -> None:
        """Clear the state of the previous round."""
        self.steps = []
        self.announced = {}
        self.cast = {}

    def seat_of(self, value: Any) -> str:
        """Return the seat that an id names; raise ValueError if it names no seat."""
        seat = self.seat_named(value)
        if seat is None:
            raise ValueError(f"expected one of {len(self.seats)} players: got {excerpt(value)}")
        return seat

    def seat_named(self, value: Any) -> str | None:
        """Return the seat that an id names, or None if this game has no such seat."""
        named = short_id(value)
        return named if named in self.seats else None

    def ballot_of(self, voter: str) -> int:
        """Return the ballot number of a voter's next vote: the announced one or the one due."""
        due = REVOTE if (voter, FIRST_VOTE) in self.cast else FIRST_VOTE
        return self.announced.pop(voter, due)

    def tally(self) -> dict[str, int]:
        """Return the number of valid votes for each player in this round's last ballot."""
        last = max((ballot for _, ballot in self.cast), default=FIRST_VOTE)
        votes = [target for (_, ballot), target in self.cast.items() if ballot == last]
        return dict(Counter(target for target in votes if target is not None))

    def tell(self, kind: str, player: str | None, content: str) -> Event:
        """Return an event that all players see, including players that left."""
        heading = kind.replace("_", " ").capitalize()
        event = foreign_event(kind, heading, player, content, self.seats)
        event.timestamp = self.timestamp
        return event


def short_id(value: Any) -> str | None:
    """Return the short form of a player's id, or None if the value is not a player's id."""
    if not isinstance(value, str):
        return None
    match = FULL_ID.fullmatch(value) or SHORT_ID.fullmatch(value)
    return f"P{match[1]}" if match else None


def models_by_seat(lines: list[Line]) -> dict[str, str]:
    """Return the model in each seat ("" if unknown), ordered by seat number.

    Only players that act or are ranked have seats, because a vote may contain any name. Raises
    ValueError if a seat has two models, or if there are too few or too many seats.
    """
    models: dict[str, str] = {}
    for line in lines:
        ranks = line.get("final_ranks_full") or line.get("final_ranks")
        ranked = ranks if isinstance(ranks, dict) else ()
        for actor in (*map(line.get, ACTORS), *ranked):
            add_seat(models, actor)
    if not FINALISTS <= len(models) <= MOST_SEATS:
        raise ValueError(f"expected at least 2 players: got {len(models)}")
    return dict(sorted(models.items(), key=lambda seat: int(seat[0].removeprefix("P"))))


def add_seat(models: dict[str, str], value: Any) -> None:
    """Add the seat that an id names, with the seat's model if the id includes it."""
    seat = short_id(value)
    if seat is None:
        return
    match = FULL_ID.fullmatch(value)
    model = foreign_name(match[3], "a model's name") if match else ""
    before = models.get(seat, "")
    if before and model and before != model:
        raise ValueError(f"expected one model in seat {seat}: got {before!r} and {model!r}")
    models[seat] = before or model
