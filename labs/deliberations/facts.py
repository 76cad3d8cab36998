"""What one log tells of votes: who sat there, and in each round who spoke, paired and voted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.history import Event, History, RoundLog
from labs.ballots import BallotReader, CastVote
from labs.deliberations.promises import Promise, promises_in

Names = tuple[str, ...]
Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """Who sat in a seat, and which place it took; `entrant` is provider:model, or the provider."""

    player_id: str
    entrant: str
    place: int


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """One round: what stood by its first ballots.

    `speakers` pitched in this order, and `selected` left or won; nobody did in a round without
    votes. `picks` has who took whom aside, `talks` who talked in private, both ways round.
    """

    final: bool
    speakers: Names
    picks: Pairs
    talks: Pairs
    promises: tuple[Promise, ...]
    ballots: tuple[CastVote, ...]
    selected: str | None


@dataclass(frozen=True, slots=True)
class GameFacts:
    """One finished game."""

    game_id: str
    seats: tuple[SeatFacts, ...]
    rounds: tuple[RoundFacts, ...]


def game_facts(history: History) -> GameFacts:
    """Return what the log of a finished game tells; ValueError if it cannot be read."""
    if history.outcome is None:
        raise ValueError(f"expected the outcome of a finished game: {history.game_id} has none")
    places = history.outcome.placements
    names = tuple(seat.player_id for seat in history.players)
    if {*names} != {*places}:
        raise ValueError(f"expected a place for each of {', '.join(names)}: got {[*places]}")
    reader = BallotReader(history)
    rounds = [round_facts(log, reader, names) for log in history.rounds]
    return GameFacts(history.game_id, seat_facts(history, places), tuple(rounds))


def seat_facts(history: History, places: Mapping[str, int]) -> tuple[SeatFacts, ...]:
    """Return the model and the place of each seat."""
    seats = []
    for seat in history.players:
        entrant = f"{seat.provider}:{seat.model}" if seat.model else seat.provider
        seats.append(SeatFacts(seat.player_id, entrant, places[seat.player_id]))
    return tuple(seats)


def round_facts(log: RoundLog, reader: BallotReader, names: Names) -> RoundFacts:
    """Return what one round tells; promises are what was said before its first ballot."""
    ballots, before = ballots_in(log, reader)
    selected = None
    for event in log.events:
        if event.kind == "result":
            selected = event.data.get("selected", selected)
    speakers = [event.player_id for event in before if event.kind == "pitch"]
    return RoundFacts(
        final=log.final_round,
        speakers=tuple(filter(None, speakers)),
        picks=frozenset(picks_in(before)),
        talks=frozenset(talks_in(before)),
        promises=() if log.final_round else promises_among(before, names),
        ballots=tuple(ballots),
        selected=selected,
    )


def ballots_in(log: RoundLog, reader: BallotReader) -> tuple[list[CastVote], list[Event]]:
    """Return the ballots of a round, and the events before the first of them."""
    ballots: list[CastVote] = []
    before: list[Event] = []
    for event in log.events:
        vote = reader.read(event, log)
        if vote is not None:
            ballots.append(vote)
        if not ballots:
            before.append(event)
    return ballots, before


def picks_in(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Return who took whom aside; two whom their rankings paired took each other."""
    found = []
    for event in events:
        partner = event.data.get("partner")
        if event.player_id and partner:
            found.append((event.player_id, partner))
        members = event.data.get("members", ())
        if len(members) == 2:
            one, other = members
            found += [(one, other), (other, one)]
    return found


def talks_in(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Return who talked with whom in private, both ways round."""
    found = []
    for event in events:
        hearer = private_hearer(event)
        if event.player_id and hearer:
            found.append((event.player_id, hearer))
            found.append((hearer, event.player_id))
    return found


def private_hearer(event: Event) -> str | None:
    """Return to whom alone a message was said; None of any other event."""
    # Whether somebody accepts a talk is told "to" its partner as well.
    if event.kind != "sidebar" or "accepts" in event.data:
        return None
    return event.data.get("to")


def promises_among(events: Iterable[Event], names: Names) -> tuple[Promise, ...]:
    """Return what players promised in pitches and in messages, each promise once."""
    found: dict[Promise, None] = {}
    for event in events:
        hearer = private_hearer(event)
        speaker = event.player_id
        if speaker is None or event.fell_back or not (hearer or event.kind == "pitch"):
            continue
        others = [name for name in names if name != speaker]
        for aim, about in promises_in(event.content, others, hearer):
            promise = Promise(speaker, aim, about, private=hearer is not None)
            found[promise] = None
    return tuple(found)
