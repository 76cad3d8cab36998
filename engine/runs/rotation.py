"""The deal and the seating of each game of a batch: the players rotate through the seats."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.config import GameEngineConfig
from engine.runs.seating import neutral


class Spot(NamedTuple):
    """A game's place in its batch: its number, its deal and its rotation, all from 0.

    Games of one deal share a seed, so each seat gets the same deal in all of them. In rotation r,
    each player sits r seats after its original seat.
    """

    game: int
    deal: int
    rotation: int


def seat_games(
    config: GameEngineConfig,
    games: int,
    *,
    rotate: bool = True,
) -> list[GameEngineConfig]:
    """Return the configs of `games` games; the seed increases by one with each deal.

    With P seats, game k (from 0) is rotation k % P of deal k // P; without rotation, it is deal k.
    Players keep their names, but an anonymous game assigns Player 1, Player 2, ... at random in
    each deal. Raises ValueError for fewer than 1 game.
    """
    if games < 1:
        raise ValueError(f"expected at least 1 game: got {games}")
    seats = rotations_of(config) if rotate else 1
    rotated = []
    for number in range(games):
        deal, rotation = divmod(number, seats)
        first = len(config.player_configs) - rotation
        moved = config.player_configs[first:] + config.player_configs[:first]
        update = {"seed": config.seed + deal, "player_configs": moved}
        rotated.append(neutral(config.model_copy(update=update)))
    return rotated


def rotations_of(config: GameEngineConfig) -> int:
    """Return the number of rotations of a deal: 1 if the game's seats are all alike."""
    return len(config.player_configs) if config.game.rotates else 1


def spots_of(seeds: Sequence[int]) -> list[Spot]:
    """Return each game's place in a batch, given the seeds of all games in order.

    >>> spots_of([7, 7, 8])[1:]
    [Spot(game=1, deal=0, rotation=1), Spot(game=2, deal=1, rotation=0)]
    """
    deals: dict[int, int] = {}
    dealt: Counter[int] = Counter()
    spots = []
    for number, seed in enumerate(seeds):
        deal = deals.setdefault(seed, len(deals))
        spots.append(Spot(number, deal, dealt[seed]))
        dealt[seed] += 1
    return spots


def rotation_note(games: int, seats: int) -> str:
    """Return advice if the last deal would be incomplete, else "".

    >>> rotation_note(7, 5)
    '7 games are not a multiple of the 5 seats: play 10 for 2 whole deals'
    """
    left = games % seats
    if not left:
        return ""
    deals = games // seats + 1
    whole = "1 whole deal" if deals == 1 else f"{deals} whole deals"
    are = "1 game is" if games == 1 else f"{games} games are"
    return f"{are} not a multiple of the {seats} seats: play {deals * seats} for {whole}"
