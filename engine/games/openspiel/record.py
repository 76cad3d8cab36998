"""OpenSpiel games in the log: the data of each event, and the text that players read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games.openspiel.bargains import joint_shares
from engine.games.openspiel.library import Rules, without_seed
from engine.games.openspiel.position import SpielPosition
from engine.history import Event, Outcome, payload_of
from engine.report.statistics import places_of

# In events of these kinds, viewers need the text itself to draw the game.
TOLD = ("move", "forced", "chance")


@dataclass(frozen=True, slots=True)
class SpielOpening:
    """Data for the opening: OpenSpiel's string for the game, the players by number, and any board.

    The string and the logged actions are enough to replay the game in OpenSpiel alone. If
    `own_rules` is true, players read this project's rules instead of OpenSpiel's description.
    """

    word: str
    player_ids: tuple[str, ...]
    own_rules: bool
    grid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChanceOutcomes:
    """Data for the chance moves before the next move: OpenSpiel's actions, in order."""

    actions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """Data for a setup event: the number of the player that sees its own hand."""

    player: int


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """Data for a move: the player's number, OpenSpiel's action and its text, and the reason.

    If the game has a board, `grid` contains the rows of the board that the player sees after the
    move, one character per cell.
    """

    player: int
    action: int
    words: str
    rationale: str = ""
    grid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Returns:
    """Data for the result: OpenSpiel's returns, in the order of the players' numbers."""

    returns: tuple[float, ...]


def opening_line(title: str, word: str, player_ids: Sequence[str], *, own_rules: bool) -> str:
    """Return a line with the game, each player's number, and a note if OpenSpiel's rules apply."""
    seats = [f"{player_id} is player {number}" for number, player_id in enumerate(player_ids)]
    sentence = (
        "" if own_rules else " The arena has no words of its own for it: players read OpenSpiel's."
    )
    return f"{title} ({without_seed(word)}): {', '.join(seats)}.{sentence}"


def readers_of(rules: Rules, player_ids: Sequence[str], *alone: str) -> tuple[str, ...]:
    """Return an event's readers: all players if nothing is hidden, otherwise those in `alone`."""
    return tuple(player_ids) if rules.is_open else alone


def returns_line(returns: Mapping[str, float]) -> str:
    """Return each player's return as text, such as "Returns: Ada 1, Ben -1."."""
    parts = [f"{player_id} {got:g}" for player_id, got in returns.items()]
    return f"Returns: {', '.join(parts)}."


def outcome_by_returns(position: SpielPosition) -> Outcome:
    """Return the outcome: a higher return earns a better place; equal returns share a place."""
    scores = position.returns
    places = places_of(scores)
    return Outcome(places, scores, joint_shares(position), summary=summary_of(places, scores))


def summary_of(places: Mapping[str, int], scores: Mapping[str, float]) -> str:
    """Return a sentence that names the players with the highest return."""
    best = [player_id for player_id, place in places.items() if place == 1]
    got = scores[best[0]]
    if len(places) == 1:
        return f"{best[0]} gets {got:g}."
    if len(best) == len(places):
        return f"All get {got:g}."
    names = " and ".join(best)
    return f"{names} {'gets' if len(best) == 1 else 'get'} most, {got:g}."


def facts_of_game(event: Event) -> dict[str, Any]:
    """Return an event's move or chance outcomes, with any board, or each player's return."""
    board = {"grid": event.data["grid"]} if event.data.get("grid") else {}
    if event.kind in TOLD:
        return {event.kind: event.content, **board}
    if event.kind == "result":
        returns = payload_of(event, Returns).returns
        return {"returns": [float(f"{got:g}") for got in returns]}
    return board
