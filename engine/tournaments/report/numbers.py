"""Numbers of a tournament in words: the same in the terminal, on the page and on the card."""

from math import isnan

from engine.ratings import Rating, Scale
from engine.tournaments.standings.standings import GameCounts, Share

LEAST_CHANCE = 0.001
STATUSES = ("finished", "running", "void", "stopped", "failed")
# Nobody may be playing: the driver may be dead.
BEGUN = {"running": "not over"}


def rank_text(ranks: tuple[int, int] | None) -> str:
    """Return the ranks that an entrant may have: one, or the first and the last.

    >>> rank_text((1, 7))
    '1-7'
    """
    if ranks is None:
        return ""
    first, last = ranks
    return str(first) if first == last else f"{first}-{last}"


def end_texts(rating: Rating, scale: Scale) -> tuple[str, str]:
    """Return the ends of an interval: "open" without one from the data, "" if nothing is known."""
    ends = {"lower": scale.text(rating.low), "upper": scale.text(rating.high)}
    if rating.open_end:
        ends[rating.open_end] = "open"
    return ends["lower"], ends["upper"]


def percent_text(value: float | None) -> str:
    """Return a share in percent, "" of None."""
    return "" if value is None else f"{100 * value:.1f} %"


def chance_text(p: float | None) -> str:
    """Return a p with three decimals, "" for None and for nan, where there are too few blocks.

    >>> chance_text(0.0421), chance_text(0.0002)
    ('.042', '< .001')
    """
    if p is None or isnan(p):
        return ""
    return f"{p:.3f}".removeprefix("0") if p >= LEAST_CHANCE else "< .001"


def share_text(share: Share) -> str:
    """Return a share with its interval and its counts."""
    ends = between_ends(share)
    return f"{percent_text(share.share)} [{ends}]" if ends else "none"


def interval_text(share: float | None, ends: tuple[float, float] | None) -> str:
    """Return a share with its interval, in percent; "" of None.

    >>> interval_text(0.5714, (0.402, 0.729))
    '57.1 % [40.2-72.9]'
    """
    if ends is None:
        return percent_text(share)
    low, high = (f"{100 * end:.1f}" for end in ends)
    return f"{percent_text(share)} [{low}-{high}]"


def between_ends(share: Share) -> str:
    """Return the ends of a share's interval, in percent; "" of nothing."""
    if share.low is None or share.high is None:
        return ""
    return f"{100 * share.low:.1f}-{100 * share.high:.1f}"


def dollar_text(cost: float | None) -> str:
    """Return a cost as people say it: more digits the smaller it is.

    >>> [dollar_text(cost) for cost in (None, 0.0, 0.00123, 0.456, 13.6, 1400.2)]
    ['unknown', '$0', '$0.0012', '$0.46', '$14', '$1,400']
    """
    if cost is None:
        return "unknown"
    if cost >= 10:
        return f"${cost:,.0f}"
    if cost >= 0.1:
        return f"${cost:.2f}"
    return f"${cost:.4f}" if cost else "$0"


def count_text(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_text(1, "game"), count_text(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counts_text(counts: GameCounts) -> str:
    """Return how many games ended how, such as "398 finished, 2 void"."""
    known = [status for status in STATUSES if counts.statuses.get(status)]
    others = sorted(set(counts.statuses) - set(STATUSES))
    listed = [
        f"{counts.statuses[status]:,} {BEGUN.get(status, status)}" for status in known + others
    ]
    of_all = f", of {counts.planned:,} planned" if counts.planned else ""
    return f"{', '.join(listed) or 'no games'}{of_all}"
