"""Effects as tables and charts: each finding, its chance level, and the data behind it."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from engine.games.deliberations.beliefs import BeliefScore
from engine.report.charts import Lines, Ranges
from engine.report.tables import Cell, Table, TableRow
from labs.bias.estimators import Effect, mean_effect
from labs.bias.estimators.counterfactual import natural_order
from labs.deliberations.counting import FIRST_OUT, LIST, PROMISES, WINS, Rows
from labs.deliberations.facts import GameFacts

Effects = Mapping[str, Effect]
OwnEffect = tuple[str, str, Effect]  # the voter's model, the table and row, and the effect
GameScore = tuple[str, BeliefScore]
CHANCE = ("share", "by chance", "beyond", "from", "to")
# The headings, by table, of the columns that all other tables call "vote" and "votes".
FIRST_COLUMN = {WINS: "model", FIRST_OUT: "model", PROMISES: "promise"}
CASES = {WINS: "seats", FIRST_OUT: "cases", PROMISES: "promises"}
BASIS = ("games", "left out")
# A narrow terminal has no space for these columns.
WIDE = ("share from", "share to")
EFFECT = (*CHANCE, "votes", *BASIS, *WIDE)
P = "p adjusted"
PLACE = re.compile(r"out: place (\d+)")
BELIEFS = "Beliefs by model"
COLUMNS = ("model", "score", "mean", "below that of 1/n", "from", "to", "cases", "games")


def measured_rows(rows: Rows) -> dict[str, Effect]:
    """Return the effect of each row with at least two games, in the natural order of row names."""
    names = sorted(rows, key=natural_order)
    return {name: rows[name].effect() for name in names if rows[name].tells}


def effect_cells(effect: Effect, columns: Sequence[str] = EFFECT) -> list[Cell]:
    """Return an effect's cells for these columns, which a table may rename."""
    low, high = effect.interval
    share_from, share_to = effect.share_interval or (None, None)
    cells: dict[str, Cell] = {
        "share": effect.share,
        "by chance": None if effect.share is None else effect.share - effect.estimate,
        "beyond": effect.estimate,
        "from": low,
        "to": high,
        "votes": effect.votes,
        "games": effect.games,
        "left out": effect.left_out,
        "share from": share_from,
        "share to": share_to,
    }
    return [cells[column] for column in columns]


def chance_table(
    heading: str,
    effects: Effects,
    p_adjusted: Mapping[str, float],
) -> Table:
    """Return a table of shares, the shares expected by chance, and the excesses with intervals."""
    rows = []
    for name, effect in effects.items():
        rows.append((name, *effect_cells(effect), p_adjusted.get(f"{heading}: {name}")))
    first = FIRST_COLUMN.get(heading, "vote")
    cases = CASES.get(heading, "votes")
    return Table(heading, (first, *CHANCE, cases, *BASIS, *WIDE, P), tuple(rows))


def place_table(
    heading: str,
    places: Effects,
    beyond: Effects,
) -> Table:
    """Return a table of mean places and their distances from the middle place; lower is better."""
    rows = []
    for name, effect in places.items():
        middle = effect.estimate - beyond[name].estimate
        cells = effect_cells(beyond[name], ("beyond", "from", "to", "votes", *BASIS))
        rows.append((name, effect.estimate, middle, *cells))
    columns = ("model", "place", "by chance", "beyond", "from", "to", "seats", *BASIS)
    return Table(heading, columns, tuple(rows))


def share_table(heading: str, effects: Effects) -> Table:
    """Return a table of shares with intervals but without chance levels."""
    order = ("share", *WIDE, "votes", *BASIS)
    rows = tuple((name, *effect_cells(effect, order)) for name, effect in effects.items())
    return Table(heading, ("what", "share", "from", "to", "votes", *BASIS), rows)


def logit_table(
    heading: str,
    effects: Effects,
    p_adjusted: Mapping[str, float],
) -> Table:
    """Return a table of coefficients, and of how often the only marked option was chosen."""
    order = ("beyond", "from", "to", "votes", *BASIS, "share", *WIDE)
    rows = []
    for name, effect in effects.items():
        rows.append((name, *effect_cells(effect, order), p_adjusted.get(f"{heading}: {name}")))
    return Table(heading, ("what", "logits", *order[1:], P), tuple(rows))


def own_table(heading: str, effects: Sequence[OwnEffect]) -> Table:
    """Return a table of the effects on the votes that each model cast."""
    rows = tuple((entrant, name, *effect_cells(effect)) for entrant, name, effect in effects)
    return Table(heading, ("model", "what", *EFFECT), rows)


def beyond_chart(title: str, label: str, effects: Effects) -> Ranges:
    """Return a chart of effects and their intervals, with a line at the level of chance."""
    ranges = []
    for effect in effects.values():
        low, high = effect.interval
        ranges.append((low, effect.estimate, high))
    return Ranges(title, label, tuple(effects), ranges, marks={"chance": 0.0})


def list_chart(effects: Effects) -> Lines | None:
    """Return a chart of the share of votes by place in the list, or None without data."""
    places = {}
    for name, effect in effects.items():
        match = PLACE.fullmatch(name)
        if match is not None and effect.share is not None:
            low, high = effect.interval
            chance = effect.share - effect.estimate
            places[float(match[1])] = (effect.share, chance, (high - low) / 2)
    if not places:
        return None
    shares, chances, reach = map(list, zip(*places.values(), strict=True))
    return Lines(
        LIST,
        "place in the list as the voter read it",
        "share of votes to leave",
        x=[*places],
        series={"votes": shares, "by chance": chances},
        spreads={"votes": reach},
    )


def belief_table(games: Sequence[GameFacts]) -> Table:
    """Return a table of each model's mean scores and its mean gains over a uniform guess."""
    rows: list[TableRow] = []
    for key, cases in sorted(belief_scores(games).items()):
        if len({game_id for game_id, _ in cases}) > 1:
            rows.append((*key, *score_cells(cases)))
    return Table(BELIEFS, COLUMNS, tuple(rows))


def score_cells(cases: Sequence[GameScore]) -> TableRow:
    """Return the mean score, the mean gain with its interval, and the number of cases and games."""
    game_ids = [game_id for game_id, _ in cases]
    mean = mean_effect([score.value for _, score in cases], game_ids).estimate
    gain = mean_effect([score.gain for _, score in cases], game_ids)
    return (mean, gain.estimate, *gain.interval, gain.votes, gain.games)


def belief_scores(games: Sequence[GameFacts]) -> dict[tuple[str, str], list[GameScore]]:
    """Return all scores, each with its game's id, by model and score name."""
    scores: dict[tuple[str, str], list[GameScore]] = defaultdict(list)
    for game in games:
        entrants = {seat.player_id: seat.entrant for seat in game.seats}
        for probe in game.beliefs:
            for score in probe.scores:
                scores[entrants[probe.player_id], score.name].append((game.game_id, score))
    return scores
