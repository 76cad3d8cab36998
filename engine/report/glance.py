"""A game at a glance while it goes on, as plain values; `engine/views/` decides how it looks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dial:
    """A bar: `share` of it is full, 0 to 1, and `mark` is where a bound stands on it, if any.

    `words` stand behind it. One that is `chosen` stands out.
    """

    label: str
    share: float
    words: str = ""
    mark: float | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Glance:
    """A game at one moment.

    `news` are pairs of a short label and a sentence, `players` has a bar a player (its label is the
    player's id), and `measures` are the bars of the game as a whole.
    """

    heading: str
    news: tuple[tuple[str, str], ...]
    players: tuple[Dial, ...]
    measures: tuple[Dial, ...] = ()
