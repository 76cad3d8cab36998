"""The results of many games: a row for each player, standard errors, and games left out."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from engine.games import GAMES
from engine.history import History
from engine.report.averages import Average, Averages, average_of
from engine.report.tables import Part, Sentence, Table, TableRow
from engine.runs.board import share_in_words
from engine.runs.results import GameResult, SeatResult
from engine.runs.rotation import rotation_note
from engine.spending.costs import dollars, plus
from protocol.answer import Plain

NAMED = 5
NO_AVERAGE = (None, None)

# Values, each with the number of its deal.
Values = list[tuple[int, float]]


@dataclass(slots=True)
class Effort:
    """A player's questions and spending in all games; `dollars` is None if unknown."""

    asked: int = 0
    answered: int = 0
    fallbacks: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    seconds: float = 0.0

    def add(self, seat: SeatResult) -> None:
        """Add the questions and spending of a seat in one game."""
        self.asked += seat.asked
        self.answered += seat.answered
        self.fallbacks += seat.fallbacks
        self.tokens += seat.tokens
        self.dollars = plus(self.dollars, seat.dollars)
        self.seconds += seat.seconds


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """How one player did in all games.

    `score` and `place` are means over the `games` included. `left_out` counts the other games
    with scores: those that are void, or in which the player's seat is void. `effort` covers
    all games, however they ended.
    """

    player: str
    who: str
    games: int
    left_out: int
    score: Average | None
    place: Average | None
    effort: Effort


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """A batch's results over `deals` different deals; void games count only if `include_void`."""

    results: Sequence[GameResult]
    rotations: int
    players: Sequence[PlayerSummary]
    averages: Averages
    include_void: bool
    deals: int


def summarise_games(
    results: Sequence[GameResult],
    rotations: int = 1,
    *,
    include_void: bool = False,
) -> BatchSummary:
    """Return the results of many games, with the players ordered by mean place."""
    counted = [
        result for result in results if result.has_scores and (include_void or not result.void)
    ]
    # A player is a name together with its provider and model.
    samples: dict[tuple[str, str], list[tuple[GameResult, SeatResult]]] = defaultdict(list)
    for result in results:
        for seat in result.seats:
            samples[seat.player, seat.who].append((result, seat))
    players = [_player_summary(sample, include_void=include_void) for sample in samples.values()]
    players.sort(key=lambda player: player.place.mean if player.place else len(players) + 1)
    deals = len({result.spot.deal for result in counted})
    return BatchSummary(results, rotations, players, averages_of(counted), include_void, deals)


def _player_summary(
    samples: Sequence[tuple[GameResult, SeatResult]], *, include_void: bool
) -> PlayerSummary:
    effort = Effort()
    left_out = 0
    scores = []
    places = []
    for result, seat in samples:
        effort.add(seat)
        if seat.score is None or seat.place is None:
            continue
        if (result.void or seat.void) and not include_void:
            left_out += 1
            continue
        deal = result.spot.deal
        scores.append((deal, seat.score))
        places.append((deal, float(seat.place)))
    _, first = samples[0]
    return PlayerSummary(
        first.player,
        first.who,
        len(scores),
        left_out,
        average_of(scores),
        average_of(places),
        effort,
    )


def averages_of(results: Sequence[GameResult]) -> Averages:
    """Return the games' own figures, averaged over deals."""
    shared: dict[str, Values] = defaultdict(list)
    own: dict[str, dict[str, Values]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        deal = result.spot.deal
        for name, value in result.shared.items():
            shared[name].append((deal, value))
        for seat in result.seats:
            for name, value in seat.figures.items():
                own[name][seat.player].append((deal, value))
    by_player = {name: _averages_of(values) for name, values in own.items()}
    return Averages(_averages_of(shared), by_player)


def _averages_of(samples: Mapping[str, Values]) -> dict[str, Average]:
    averages = {name: average_of(values) for name, values in samples.items()}
    return {name: average for name, average in averages.items() if average is not None}


def summary_blocks(summary: BatchSummary, history: History | None) -> Iterator[Part]:
    """Yield the game's report on all games, the tables, and the sentences that explain them."""
    if history is not None and history.game in GAMES:
        yield from GAMES[history.game].batch_report(history, summary.averages)
    if summary.players:
        yield results_table(summary)
        yield costs_table(summary)
    yield Sentence("\n".join(summary_sentences(summary)))


def results_table(summary: BatchSummary) -> Table:
    """Return a table of each player's results and the number of answers behind them."""
    columns = ("player", "score", "±", "place", "±", "games", "void", "answered", "fallbacks")
    rows: list[TableRow] = []
    for player in summary.players:
        effort = player.effort
        row = (
            player.player,
            *(player.score or NO_AVERAGE),
            *(player.place or NO_AVERAGE),
            player.games,
            player.left_out,
            share_in_words(effort.answered, effort.asked),
            effort.fallbacks,
        )
        rows.append(row)
    return Table("All games", columns, tuple(rows)).without_empty("±")


def costs_table(summary: BatchSummary) -> Table:
    """Return a table of each player's provider and model, with any tokens, cost and time."""
    columns = ("player", "who", "tokens", "cost", "seconds")
    rows = []
    for player in summary.players:
        effort = player.effort
        cost = None if effort.dollars == 0 else dollars(effort.dollars)
        seconds = round(effort.seconds, 1) or None
        rows.append((player.player, player.who, effort.tokens or None, cost, seconds))
    table = Table("The players, and what they used", columns, tuple(rows))
    return table.without_empty(*columns[2:])


def summary_sentences(summary: BatchSummary) -> Iterator[str]:
    """Yield sentences on how the games ended, which games the means omit, and what ± means."""
    results = summary.results
    games = "1 game" if len(results) == 1 else f"{len(results)} games"
    states = Counter(result.status for result in results)
    ends = [f"{count} {state}" for state, count in states.items()]
    yield f"{games}: {', '.join(ends)}."
    note = rotation_note(len(results), summary.rotations)
    if note:
        yield f"{note}."
    yield from _void_sentences(summary)
    failed = [(game, game.reason) for game in results if game.status == "failed"]
    if failed:
        yield f"{len(failed)} failed: {_named(failed)}."
    if summary.deals == 1:
        yield "All games share one deal, so no mean has a standard error: play more deals."
    if summary.deals > 1:
        yield f"± is the standard error of a mean over {summary.deals} deals."


def _void_sentences(summary: BatchSummary) -> Iterator[str]:
    """Yield sentences that list void games and seats, and say whether the means include them."""
    results = summary.results
    void = [
        (result, result.void.removeprefix("void: "))
        for result in results
        if result.void and result.has_scores
    ]
    if void:
        fate = "left out of the means (--include-void counts them)"
        if summary.include_void:
            fate = "still counted"
        yield f"{len(void)} void, {fate}: {_named(void)}."
    alone = Counter(
        seat.player for result in results for seat in result.seats if seat.void and not result.void
    )
    if alone:
        seats = ", ".join(f"{player} in {count}" for player, count in alone.items())
        fate = "counted" if summary.include_void else "left out of the means"
        yield f"Void seats of valid games, {fate}: {seats}."


def _named(games: Sequence[tuple[GameResult, str]]) -> str:
    """Return the names of the first games, grouped by reason, and the number of further games."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for result, why in games[:NAMED]:
        by_reason[why.rstrip(".")].append(result.game_id)
    parts = [f"{', '.join(names)} ({why})" for why, names in by_reason.items()]
    more = len(games) - NAMED
    if more > 0:
        parts.append(f"and {more} more")
    return ", ".join(parts)


def summary_data(summary: BatchSummary) -> Plain:
    """Return the results of many games as plain data; a standard error may be None."""
    averages = summary.averages
    return {
        "deals": summary.deals,
        "include_void": summary.include_void,
        "shared": {name: average_data(average) for name, average in averages.shared.items()},
        "players": [_player_data(one, averages.own) for one in summary.players],
        "sentences": [*summary_sentences(summary)],
    }


def _player_data(one: PlayerSummary, averages: Mapping[str, Mapping[str, Average]]) -> Plain:
    figures = {name: by[one.player] for name, by in averages.items() if one.player in by}
    return {
        "player": one.player,
        "who": one.who,
        "score": average_data(one.score),
        "place": average_data(one.place),
        "games": one.games,
        "left_out": one.left_out,
        **asdict(one.effort),
        "figures": {name: average_data(figure) for name, figure in figures.items()},
    }


def average_data(average: Average | None) -> dict[str, float | None] | None:
    """Return an average as plain data."""
    return None if average is None else average._asdict()
