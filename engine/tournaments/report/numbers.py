"""A tournament's numbers as text, the same in the terminal, on the page and on the card."""

from math import isnan

from engine.ratings import Rating, Scale
from engine.tournaments.standings.standings import GameCounts, Share

LEAST_CHANCE = 0.001
STATUSES = ("finished", "running", "void", "stopped", "failed")
# A game with this status may not be running, because the driver may have died.
BEGUN = {"running": "not over"}


def rank_text(ranks: tuple[int, int] | None) -> str:
    """Return an entrant's possible ranks as text: a single rank, or the best and the worst.

    >>> rank_text((1, 7))
    '1-7'
    """
    if ranks is None:
        return ""
    first, last = ranks
    return str(first) if first == last else f"{first}-{last}"


def end_texts(rating: Rating, scale: Scale) -> tuple[str, str]:
    """Return an interval's ends as texts: "open" for an end without a limit, "" if unknown."""
    low = "open" if rating.open_end == "lower" else scale.text(rating.low)
    high = "open" if rating.open_end == "upper" else scale.text(rating.high)
    return low, high


def percent_text(value: float | None) -> str:
    """Return a share in percent, or "" for None."""
    return "" if value is None else f"{100 * value:.1f} %"


def chance_text(p: float | None) -> str:
    """Return a p-value with three decimals, or "" for None and for nan (too few blocks).

    >>> chance_text(0.0421), chance_text(0.0002)
    ('.042', '< .001')
    """
    if p is None or isnan(p):
        return ""
    return f"{p:.3f}".removeprefix("0") if p >= LEAST_CHANCE else "< .001"


def share_text(share: Share) -> str:
    """Return a share with its interval, as text; "none" if the whole is 0."""
    return interval_text(share.share, share.ends) or "none"


def interval_text(share: float | None, ends: tuple[float, float] | None) -> str:
    """Return a share with its interval, in percent, or "" for None.

    >>> interval_text(0.5714, (0.402, 0.729))
    '57.1 % [40.2-72.9]'
    """
    percent = percent_text(share)
    return f"{percent} [{ends_text(ends)}]" if ends else percent


def ends_text(ends: tuple[float, float] | None) -> str:
    """Return the ends of a share's interval, in percent, or "" for None."""
    return "-".join(f"{100 * end:.1f}" for end in ends or ())


def count_text(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_text(1, "game"), count_text(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counts_text(counts: GameCounts) -> str:
    """Return the number of games by status, such as "398 finished, 2 void"."""
    number = counts.statuses
    order = [*STATUSES, *sorted(number.keys() - STATUSES)]
    known = [status for status in order if number.get(status)]
    listed = ", ".join(f"{number[status]:,} {BEGUN.get(status, status)}" for status in known)
    of_all = f", of {counts.planned:,} planned" if counts.planned else ""
    return f"{listed or 'no games'}{of_all}"
