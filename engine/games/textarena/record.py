"""TextArena games in the log: the data of each event, and the text that players read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games.textarena.library.environment import ShownText, TextEnding
from engine.games.textarena.library.session import TextSession
from engine.history import Event, Outcome, payload_of
from engine.report.grids import grid_in_text, grid_lines
from engine.report.statistics import places_of


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A game at one moment; `player_ids` are in the order of TextArena's player numbers."""

    environment: TextSession
    seed: int
    player_ids: tuple[str, ...]
    moves: int = 0
    ending: TextEnding | None = None


@dataclass(frozen=True, slots=True)
class TextOpening:
    """Data for the opening: the settings that start the same game in TextArena."""

    game_id: str
    seed: int
    player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextShown:
    """Data for a TextArena message: its author's number (-1: the game), and its kind."""

    sender: int
    type: str


@dataclass(frozen=True, slots=True)
class TextMove:
    """Data for a move: the player's number, the words passed to TextArena, and the reason."""

    player: int
    action: str
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """Data for a verdict, logged with a move or at the end: why the engine gave up the game."""

    reason: str


def line_of_opening(game_id: str, player_ids: Sequence[str]) -> str:
    """Return a line with the game's id and each player's number."""
    seats = [f"{player_id} is player {number}" for number, player_id in enumerate(player_ids)]
    return f"{game_id} of TextArena: {', '.join(seats)}."


def split_echo(
    texts: Sequence[ShownText], move: TextMove
) -> tuple[tuple[int, ...], list[ShownText]]:
    """Return the numbers of a move's readers, and TextArena's other messages after the move.

    A move is visible to its player and to each player to which TextArena repeats it verbatim.
    """
    readers = {move.player}
    beside = []
    for shown in texts:
        if shown.sender == move.player and shown.text == move.action:
            readers.update(shown.readers)
        else:
            beside.append(shown)
    return tuple(sorted(readers)), beside


def sender_id(shown: ShownText, player_ids: Sequence[str]) -> str | None:
    """Return the player that wrote a message, or None for the game."""
    return player_ids[shown.sender] if 0 <= shown.sender < len(player_ids) else None


def ids_by_number(player_ids: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    """Return the ids of the players with these numbers."""
    return tuple(player_ids[number] for number in numbers)


def ending_line(ending: TextEnding, player_ids: Sequence[str]) -> str:
    """Return how a game ended, such as "Rewards: Ada 1, Ben -1. Player 0 won!"."""
    paid = zip(player_ids, ending.rewards, strict=True)
    parts = [f"{player_id} {reward:g}" for player_id, reward in paid]
    return f"Rewards: {', '.join(parts)}. {ending.reason}".strip()


def outcome_by_rewards(ending: TextEnding, player_ids: Sequence[str]) -> Outcome:
    """Return the outcome: a higher reward earns a better place; equal rewards share a place."""
    scores = dict(zip(player_ids, ending.rewards, strict=True))
    places = places_of(scores)
    return Outcome(places, scores, summary=words_of_places(places, scores))


def words_of_places(places: Mapping[str, int], scores: Mapping[str, float]) -> str:
    """Return a sentence that names the players with the highest reward."""
    best = [player_id for player_id, place in places.items() if place == 1]
    if len(places) == len(best) > 1:
        return f"All get {scores[best[0]]:g}."
    names = " and ".join(best)
    return f"{names} {'gets' if len(best) == 1 else 'get'} {scores[best[0]]:g}."


def facts_of_text(event: Event) -> dict[str, Any]:
    """Return the words of a move, the board in a message, or each player's reward."""
    if event.kind == "shown" and event.player_id is None:
        board = grid_lines(grid_in_text(event.content))
        return {"grid": board} if board else {}
    if event.kind == "move":
        return {"move": event.content}
    if event.kind == "result":
        rewards = payload_of(event, TextEnding).rewards
        return {"rewards": [float(f"{paid:g}") for paid in rewards]}
    return {}
