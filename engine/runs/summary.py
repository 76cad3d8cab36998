"""What many games show: a row a player, with errors, and what was left out and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games import GAMES
from engine.history import History
from engine.report.averages import Average, Averages, average_of
from engine.report.tables import Cell, Part, Sentence, Table
from engine.runs.board import share_in_words
from engine.runs.results import GameResult, SeatResult
from engine.runs.rotation import rotation_note
from engine.spending.costs import dollars, plus

NAMED = 5
INCLUDE_VOID = "--include-void"

Samples = Sequence[tuple[GameResult, SeatResult]]


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """How one player did in all games.

    `score` and `place` rest on the games counted, `games`; `left_out` are void ones with scores.
    All that follows is of all games, whatever became of them; `dollars` None is unknown.
    """

    player: str
    who: str
    games: int
    left_out: int
    score: Average | None
    place: Average | None
    asked: int
    answered: int
    fallbacks: int
    tokens: int
    dollars: float | None
    seconds: float

    @property
    def answered_share(self) -> str:
        """The share of its questions that the player answered itself; "" if it was asked none."""
        return share_in_words(self.answered, self.asked)


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What the games of a batch show together; void games count only with `include_void`.

    A whole deal is as many games as there are `rotations`.
    """

    results: Sequence[GameResult]
    rotations: int
    players: Sequence[PlayerSummary]
    averages: Averages
    include_void: bool

    @property
    def deals(self) -> int:
        """How many deals the games counted are of."""
        counted = counted_of(self.results, include_void=self.include_void)
        return len({result.spot.deal for result in counted})


def summarise_games(
    results: Sequence[GameResult],
    rotations: int = 1,
    *,
    include_void: bool = False,
) -> BatchSummary:
    """Return what many games show, the players in the order of their mean places."""
    counted = counted_of(results, include_void=include_void)
    players = []
    for samples in samples_by_player(results).values():
        players.append(_player_summary(samples, include_void=include_void))
    players.sort(key=lambda one: one.place.mean if one.place else len(players) + 1)
    return BatchSummary(results, rotations, players, averages_of(counted), include_void)


def counted_of(results: Sequence[GameResult], *, include_void: bool) -> list[GameResult]:
    """Return the games with scores that rest on enough answers, or are to count all the same."""
    counted = []
    for result in results:
        if result.has_scores and (include_void or not result.void):
            counted.append(result)
    return counted


def samples_by_player(results: Sequence[GameResult]) -> dict[tuple[str, str], Samples]:
    """Return the games of each player, by its name and by who played it."""
    found: dict[tuple[str, str], list[tuple[GameResult, SeatResult]]] = {}
    for result in results:
        for seat in result.seats:
            found.setdefault((seat.player, seat.who), []).append((result, seat))
    return {**found}


def _player_summary(samples: Samples, *, include_void: bool) -> PlayerSummary:
    finished = [sample for sample in samples if sample[1].score is not None]
    counted = [sample for sample in finished if include_void or not sample[0].void]
    scores = []
    places = []
    for result, seat in counted:
        scores.append((result.spot.deal, seat.score or 0.0))
        places.append((result.spot.deal, float(seat.place or 0)))
    seats = [seat for _, seat in samples]
    return PlayerSummary(
        player=seats[0].player,
        who=seats[0].who,
        games=len(counted),
        left_out=len(finished) - len(counted),
        score=average_of(scores),
        place=average_of(places),
        asked=sum(seat.asked for seat in seats),
        answered=sum(seat.answered for seat in seats),
        fallbacks=sum(seat.fallbacks for seat in seats),
        tokens=sum(seat.tokens for seat in seats),
        dollars=total_dollars(seats),
        seconds=sum(seat.seconds for seat in seats),
    )


def total_dollars(seats: Sequence[SeatResult]) -> float | None:
    """Return what the calls of all these seats cost, None if one of them is unknown."""
    whole: float | None = 0.0
    for seat in seats:
        whole = plus(whole, seat.dollars)
    return whole


def averages_of(results: Sequence[GameResult]) -> Averages:
    """Return the games' own figures, averaged over deals."""
    shared: dict[str, list[tuple[int, float]]] = {}
    own: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for result in results:
        deal = result.spot.deal
        for name, value in result.shared.items():
            shared.setdefault(name, []).append((deal, value))
        for seat in result.seats:
            for name, value in seat.figures.items():
                own.setdefault(name, {}).setdefault(seat.player, []).append((deal, value))
    by_name = {name: _averages_of(by_player) for name, by_player in own.items()}
    return Averages(_averages_of(shared), by_name)


def _averages_of(samples: Mapping[str, Sequence[tuple[int, float]]]) -> dict[str, Average]:
    found = {}
    for name, values in samples.items():
        average = average_of(values)
        if average is not None:
            found[name] = average
    return found


def summary_blocks(summary: BatchSummary, history: History | None) -> Iterator[Part]:
    """Yield what many games show: what their game says first, the tables, what was left out.

    `history` is one of the games, None if there is none to ask.
    """
    if history is not None and history.game in GAMES:
        yield from GAMES[history.game].batch_report(history, summary.averages)
    if summary.players:
        yield results_table(summary)
        yield costs_table(summary)
    yield Sentence("\n".join(summary_sentences(summary)))


def results_table(summary: BatchSummary) -> Table:
    """Return a row for each player: what it reached, and on how many answers that rests."""
    columns = ("player", "score", "±", "place", "±", "games", "void", "answered", "fallbacks")
    rows: list[tuple[Cell, ...]] = []
    for one in summary.players:
        reached = (*_cells_of(one.score), *_cells_of(one.place))
        rests_on = (one.games, one.left_out, one.answered_share, one.fallbacks)
        rows.append((one.player, *reached, *rests_on))
    return Table("All games", columns, tuple(rows)).without_empty("±")


def _cells_of(average: Average | None) -> tuple[float | None, float | None]:
    return (None, None) if average is None else average


def costs_table(summary: BatchSummary) -> Table:
    """Return a row for each player: who it is, and what its calls took."""
    rows = []
    for one in summary.players:
        rows.append((one.player, one.who, one.tokens, dollars(one.dollars), round(one.seconds, 1)))
    return Table("What they took", ("player", "who", "tokens", "cost", "seconds"), tuple(rows))


def summary_sentences(summary: BatchSummary) -> Iterator[str]:
    """Yield how the games ended, what was left out of the means, and what the errors are."""
    results = summary.results
    states = Counter(result.status for result in results)
    ends = ", ".join(f"{count} {state}" for state, count in states.items())
    games = "1 game" if len(results) == 1 else f"{len(results)} games"
    yield f"{games}: {ends}."
    note = rotation_note(len(results), summary.rotations)
    if note:
        yield f"{note}."

    void = [result for result in results if result.void and result.has_scores]
    if void:
        fate = "counted all the same"
        if not summary.include_void:
            fate = f"left out of the means ({INCLUDE_VOID} counts them)"
        named = _named([(result, result.void.removeprefix("void: ")) for result in void])
        yield f"{len(void)} void, {fate}: {named}."
    failed = [(result, result.reason) for result in results if result.status == "failed"]
    if failed:
        yield f"{len(failed)} failed: {_named(failed)}."
    yield from _error_sentence(summary)


def _named(games: Sequence[tuple[GameResult, str]]) -> str:
    """Return the games by name, with why: the first of them if they are many, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for result, why in games[:NAMED]:
        by_reason.setdefault(why.rstrip("."), []).append(result.game_id)
    parts = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    more = len(games) - NAMED
    if more > 0:
        parts.append(f"and {more} more")
    return ", ".join(parts)


def _error_sentence(summary: BatchSummary) -> Iterator[str]:
    if summary.deals == 1:
        yield "All are of one deal, so no mean has a standard error: play more deals."
    if summary.deals > 1:
        yield f"± is the standard error of a mean over {summary.deals} deals."


def summary_data(summary: BatchSummary) -> dict[str, Any]:
    """Return what many games show as plain data; an error of None: there is none."""
    players = []
    for one in summary.players:
        players.append(
            {
                "player": one.player,
                "who": one.who,
                "score": average_data(one.score),
                "place": average_data(one.place),
                "games": one.games,
                "left_out": one.left_out,
                "asked": one.asked,
                "answered": one.answered,
                "fallbacks": one.fallbacks,
                "tokens": one.tokens,
                "dollars": one.dollars,
                "seconds": round(one.seconds, 3),
                "figures": _own_figures(summary.averages, one.player),
            }
        )
    shared = {name: average_data(one) for name, one in summary.averages.shared.items()}
    return {
        "deals": summary.deals,
        "include_void": summary.include_void,
        "shared": shared,
        "players": players,
        "sentences": [*summary_sentences(summary)],
    }


def average_data(average: Average | None) -> dict[str, float | None] | None:
    """Return an average as plain data."""
    return None if average is None else average._asdict()


def _own_figures(averages: Averages, player: str) -> dict[str, Any]:
    found = {}
    for name, by_player in averages.own.items():
        if player in by_player:
            found[name] = average_data(by_player[player])
    return found
