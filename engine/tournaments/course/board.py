"""Shows a tournament during play, as a live table or, without a terminal, as plain lines."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from math import inf

from rich.console import Console, Group
from rich.live import Live

from engine.ratings import TARGETS, Rating, Scale, intervals
from engine.report.tables import Table
from engine.runs.board import LiveBoard, seconds_in_words, share_in_words
from engine.spending.costs import dollars, plus
from engine.tournaments.course.deck import fit_so_far
from engine.tournaments.run import TournamentRun
from engine.views.screen import grid_of, safe_text

COLUMNS = ("entrant", "games", "rating", "±", "failed", "cost")
# Fits are spaced out because they are slow, and lines because printed lines cannot be replaced.
SECONDS_BETWEEN_FITS = 5.0
FIT_SHARE = 20
SECONDS_BETWEEN_LINES = 10.0
# The seconds after which a pending call is shown, and the share of failed games above which a
# warning is shown, once an entrant has played enough games.
LONG = 20.0
MANY_FAILURES = 0.05
FEWEST_SEATS = 10


@dataclass
class EntrantTally:
    """An entrant's record so far: its games, its failed games, and its cost (None: unknown)."""

    games: int = 0
    failed: int = 0
    cost: float | None = 0.0


class TournamentBoard(LiveBoard):
    """Shows a tournament during play; call the board every second and at the end."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(console, Live(console=console, auto_refresh=False))
        self.clock = clock
        self.ratings: dict[str, Rating] = {}
        self.rate_at = 0.0
        self.say_at = 0.0
        self.warned: set[str] = set()

    def __call__(self, tournament: TournamentRun) -> None:
        """Show a tournament's progress."""
        tallies = tallies_of(tournament)
        self._warn(tallies)
        if self.live.is_started:
            self._rate(tournament)
            grid = grid_of(self._table(tournament, tallies), self.console.width)
            head = safe_text("\n".join(lines_above(tournament)))
            self.live.update(Group(head, grid), refresh=True)
        elif tournament.ended or self.clock() >= self.say_at:
            self.say_at = self.clock() + SECONDS_BETWEEN_LINES
            self.say("; ".join(lines_above(tournament)))

    def _warn(self, tallies: dict[str, EntrantTally]) -> None:
        for name, tally in tallies.items():
            often = tally.failed > MANY_FAILURES * tally.games
            if often and tally.games >= FEWEST_SEATS and name not in self.warned:
                self.warned.add(name)
                share = share_in_words(tally.failed, tally.games)
                self.say(
                    f"warning: {name} failed in {share} of its games, where fallbacks replaced its "
                    "answers; logs.py shows the faults"
                )

    def _rate(self, tournament: TournamentRun) -> None:
        """Refit the ratings at the end; during play, fits take at most a twentieth of the time."""
        began = self.clock()
        if began < self.rate_at and not tournament.ended:
            return
        results = tournament.results
        # There may be too few results yet; the settings were checked before the first game.
        with suppress(ValueError):
            fitted = fit_so_far(tournament.settings, results)
            rated = compress(intervals(fitted), fitted.rated)
            self.ratings = {rating.entrant: rating for rating in rated}
        self.rate_at = began + max(SECONDS_BETWEEN_FITS, FIT_SHARE * (self.clock() - began))

    def _table(self, tournament: TournamentRun, tallies: dict[str, EntrantTally]) -> Table:
        scale = TARGETS[tournament.settings.targets[0]].scale
        planned = games_planned(tournament)
        rows = []
        for name in sorted(tallies, key=self._order_of):
            tally = tallies[name]
            failed = share_in_words(tally.failed, tally.games)
            games = f"{tally.games}/{planned[name]}"
            rating = self._rating_texts(name, scale)
            rows.append((name, games, *rating, failed, dollars(tally.cost)))
        return Table("", COLUMNS, rows)

    def _rating_texts(self, name: str, scale: Scale) -> tuple[str, str]:
        """Return an entrant's rating and the half-width of its interval; both are "" if unknown."""
        if name not in self.ratings:
            return "", ""
        rating = self.ratings[name].on(scale)
        reach = "open" if rating.open_end else scale.text((rating.high - rating.low) / 2)
        return scale.text(rating.rating), reach

    def _order_of(self, name: str) -> tuple[float, str]:
        """Return sort keys that put the best entrant first, and entrants without a rating last."""
        rating = self.ratings.get(name)
        return (-rating.rating if rating else inf, name)


def games_planned(tournament: TournamentRun) -> Counter[str]:
    """Return how many games each entrant will play (an estimate until all are scheduled)."""
    settings = tournament.settings
    drawn = tournament.state.draws.values()
    planned = Counter(name for draw in drawn for name in draw.seats)
    if len(drawn) < tournament.planned:
        share = round(tournament.planned * settings.table / len(settings.entrants))
        planned |= Counter(dict.fromkeys(settings.entrants, share))
    return planned


def tallies_of(tournament: TournamentRun) -> dict[str, EntrantTally]:
    """Return each entrant's record so far."""
    tallies = {name: EntrantTally() for name in tournament.settings.entrants}
    for rows in [*tournament.rows.values()]:
        for row in rows:
            tally = tallies.setdefault(row["entrant"], EntrantTally())
            tally.games += 1
            tally.failed += row["fallbacks"] > 0
            tally.cost = plus(tally.cost, row["cost"])
    return tallies


def lines_above(tournament: TournamentRun) -> list[str]:
    """Return the lines above the table: games by status, the spending, and any reason to wait."""
    counts = Counter(done.status for done in tournament.state.done.values())
    over = counts["finished"] + counts["void"]
    parts = [f"{over} of {tournament.planned} games done", f"{tournament.playing} running"]
    parts += [f"{counts[status]} {status}" for status in ("void", "failed") if counts[status]]
    why = tournament.waiting() or longest_wait(tournament)
    return [", ".join(parts), pace_of(tournament, over), *filter(None, [why])]


def pace_of(tournament: TournamentRun, over: int) -> str:
    """Return a line with the speed, the spending, and the estimated time left."""
    meter = tournament.meter
    parts = []
    if meter.calls:
        speed = (meter.calls - tournament.calls_before) / max(1.0, tournament.seconds)
        parts += [f"{speed:.1f} calls/s", f"{meter.tokens} tokens", dollars(meter.cost)]
    played = over - tournament.over_before
    left = max(0, tournament.planned - over)
    seconds_left = left * tournament.seconds / played if played > 0 else None
    parts.append(f"ETA {seconds_in_words(seconds_left)}")
    return ", ".join(parts)


def longest_wait(tournament: TournamentRun) -> str:
    """Describe the call that has been pending longest; return "" if the wait is short."""
    waits = [engine.waits.longest() for engine in [*tournament.under_way.values()]]
    _, who, seconds = max(filter(None, waits), key=lambda wait: wait[2], default=(0, "", 0.0))
    return f"waiting for {who}, {seconds:.0f} s" if seconds >= LONG else ""
