"""The facts about votes in one log: the seats, and each round's speakers, pairs and votes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.games.deliberations.beliefs import ScoredProbe, scored_probes
from engine.games.deliberations.flags import Flag
from engine.games.deliberations.listening import named_as_foes
from engine.games.deliberations.promises import Promise, private_hearer, promises_among
from engine.history import Event, History, RoundLog, payload_of
from engine.round_phases.asking import without
from labs.ballots import BallotReader, CastVote

Names = tuple[str, ...]
# Kinds of events that all players hear before a vote.
TO_ALL = {"pitch", "question", "answer"}
Pairs = frozenset[tuple[str, str]]
Foes = Mapping[str, frozenset[str]]
Flags = dict[int, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """A seat's player and final place; `entrant` is "provider:model" or just the provider."""

    player_id: str
    entrant: str
    place: int


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """The facts about one round and its first ballots.

    `speakers` are in the order of their pitches. `selected` is the player that left or won, if any.
    `picks` contains (chooser, partner) pairs. `talks` contains the pairs that talked in private, in
    both orders. `flags` contains (flag, player) pairs. `plans` and `words` map each player to the
    foes that it named in its plan and in its words before the vote.
    """

    final: bool
    speakers: Names
    picks: Pairs
    talks: Pairs
    promises: tuple[Promise, ...]
    ballots: tuple[CastVote, ...]
    selected: str | None
    flags: Pairs
    plans: Foes
    words: Foes


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The facts about one finished game."""

    game_id: str
    seats: tuple[SeatFacts, ...]
    rounds: tuple[RoundFacts, ...]
    beliefs: tuple[ScoredProbe, ...]


def game_facts(history: History) -> GameFacts:
    """Return the facts in the log of a finished game; raise ValueError if it cannot be read."""
    places = places_in(history)
    names = tuple(places)
    reader = BallotReader(history)
    flags = flags_of(history)
    rounds = []
    for log in history.rounds:
        flagged = [flag for event in log.events for flag in flags.get(event.index, ())]
        rounds.append(round_facts(log, reader, names, frozenset(flagged)))
    beliefs = tuple(scored_probes(history))
    return GameFacts(history.game_id, seat_facts(history, places), tuple(rounds), beliefs)


def places_in(history: History) -> dict[str, int]:
    """Return players' places, in seat order; raise ValueError unless places and players match."""
    if history.outcome is None:
        raise ValueError(f"expected the outcome of a finished game: {history.game_id} has none")
    places = history.outcome.placements
    names = history.player_ids
    if {*names} != {*places}:
        raise ValueError(f"expected a place for each of {', '.join(names)}: got {[*places]}")
    return {name: places[name] for name in names}


def seat_facts(history: History, places: Mapping[str, int]) -> tuple[SeatFacts, ...]:
    """Return the entrant and the place of each seat."""
    seats = []
    for seat in history.players:
        entrant = f"{seat.provider}:{seat.model}" if seat.model else seat.provider
        seats.append(SeatFacts(seat.player_id, entrant, places[seat.player_id]))
    return tuple(seats)


def selected_in(log: RoundLog) -> str | None:
    """Return the player that left or won in a round, if any."""
    selected = None
    for event in log.events:
        if event.kind == "result":
            selected = event.data.get("selected", selected)
    return selected


def round_facts(log: RoundLog, reader: BallotReader, names: Names, flags: Pairs) -> RoundFacts:
    """Return one round's facts; promises, talks and plans count only before the first ballot."""
    ballots, before = ballots_in(log, reader)
    speakers = [event.player_id for event in before if event.kind == "pitch"]
    heard = [one for one in before if one.kind in TO_ALL or private_hearer(one)]
    return RoundFacts(
        final=log.final_round,
        speakers=tuple(filter(None, speakers)),
        picks=frozenset(picks_in(before)),
        talks=frozenset(talks_in(before)),
        promises=() if log.final_round else promises_among(before, names),
        ballots=tuple(ballots),
        selected=selected_in(log),
        flags=flags,
        plans=foes_named([(one.player_id, one.data.get("plan", "")) for one in before], names),
        words=foes_named([(one.player_id, one.content) for one in heard], names),
    )


def flags_of(history: History) -> Flags:
    """Return (flag, player) pairs by the index of the event to which the flag refers."""
    flags_by_event: Flags = {}
    for event in history.events:
        if event.kind == "flag":
            flag = payload_of(event, Flag)
            flags_by_event.setdefault(flag.about, []).append((flag.flag, str(event.player_id)))
    return flags_by_event


def foes_named(said: Iterable[tuple[str | None, str]], names: Names) -> Foes:
    """Return the foes that each player names in `said`, which contains (player, text) pairs."""
    foes: dict[str, frozenset[str]] = {}
    for player_id, text in said:
        if player_id is not None:
            others = without(names, player_id)
            foes[player_id] = foes.get(player_id, frozenset()) | named_as_foes(text, others)
    return foes


def ballots_in(log: RoundLog, reader: BallotReader) -> tuple[list[CastVote], list[Event]]:
    """Return the ballots of a round, and the events before the first ballot."""
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
    """Return (player, chosen partner) pairs; pairs made by rankings appear in both orders."""
    pairs = []
    for event in events:
        partner = event.data.get("partner")
        if event.player_id and partner:
            pairs.append((event.player_id, partner))
        members = event.data.get("members", ())
        if len(members) == 2:
            first, second = members
            pairs += [(first, second), (second, first)]
    return pairs


def talks_in(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Return the pairs that talked in private, in both orders."""
    pairs = []
    for event in events:
        hearer = private_hearer(event)
        if event.player_id and hearer:
            pairs += [(event.player_id, hearer), (hearer, event.player_id)]
    return pairs
