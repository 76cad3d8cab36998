"""Effects as tables and pictures: what was found, what chance gives, and what that rests on."""

import re
from collections.abc import Mapping, Sequence

from engine.report.charts import Lines, Ranges
from engine.report.tables import Cell, Table
from labs.bias.estimators import Effect
from labs.bias.estimators.counterfactual import natural_order
from labs.deliberations.counting import LIST, Rows

Effects = Mapping[str, Effect]
CellRow = tuple[Cell, ...]
OwnEffect = tuple[str, str, Effect]  # the voter's model, what it does, and how often
CHANCE = ("share", "by chance", "beyond", "from", "to")
LOGITS = ("logits", "from", "to")
BASIS = ("games", "left out")
# On a narrow terminal there is no room for these.
WIDE = ("share from", "share to")
P = ("p adjusted",)
PLACE = re.compile(r"out: place (\d+)")


def measured_rows(rows: Rows) -> dict[str, Effect]:
    """Return the effect of each row that two games or more tell, in the order of their names."""
    found = {}
    for name in sorted(rows, key=natural_order):
        if rows[name].tells:
            found[name] = rows[name].effect()
    return found


def chance_table(
    heading: str,
    first: str,
    effects: Effects,
    p_adjusted: Mapping[str, float],
    cases: str,
) -> Table:
    """Return shares, what chance gives, and what is beyond it with its interval."""
    rows: list[CellRow] = []
    for name, effect in effects.items():
        cells = chance_cells(effect) + basis_cells(effect) + share_ends(effect)
        p = p_adjusted.get(f"{heading}: {name}")
        rows.append((name, *cells, p))
    columns = (first, *CHANCE, cases, *BASIS, *WIDE, *P)
    return Table(heading, columns, tuple(rows))


def place_table(
    heading: str,
    places: Effects,
    beyond: Effects,
) -> Table:
    """Return mean places, and how far each is from the middle of its tables; less is better."""
    rows: list[CellRow] = []
    for name, effect in places.items():
        apart = beyond[name]
        middle = effect.estimate - apart.estimate
        cells = estimate_cells(apart) + basis_cells(effect)
        rows.append((name, effect.estimate, middle, *cells))
    columns = ("model", "place", "by chance", "beyond", "from", "to", "seats", *BASIS)
    return Table(heading, columns, tuple(rows))


def share_table(heading: str, effects: Effects) -> Table:
    """Return shares that no chance is known of, with their intervals."""
    rows: list[CellRow] = []
    for name, effect in effects.items():
        cells = share_ends(effect) + basis_cells(effect)
        rows.append((name, effect.share, *cells))
    columns = ("what", "share", "from", "to", "votes", *BASIS)
    return Table(heading, columns, tuple(rows))


def logit_table(
    heading: str,
    effects: Effects,
    p_adjusted: Mapping[str, float],
) -> Table:
    """Return coefficients, and the share of votes for the one option that has the mark."""
    rows: list[CellRow] = []
    for name, effect in effects.items():
        cells = estimate_cells(effect) + basis_cells(effect)
        ends = share_ends(effect)
        p = p_adjusted.get(f"{heading}: {name}")
        rows.append((name, *cells, effect.share, *ends, p))
    columns = ("what", *LOGITS, "votes", *BASIS, "share", *WIDE, *P)
    return Table(heading, columns, tuple(rows))


def own_table(heading: str, effects: Sequence[OwnEffect]) -> Table:
    """Return what the voters of each model do."""
    rows: list[CellRow] = []
    for entrant, name, effect in effects:
        cells = chance_cells(effect) + basis_cells(effect) + share_ends(effect)
        rows.append((entrant, name, *cells))
    columns = ("model", "what", *CHANCE, "votes", *BASIS, *WIDE)
    return Table(heading, columns, tuple(rows))


def chance_cells(effect: Effect) -> CellRow:
    """Return a share, that by chance, and how far it is beyond that."""
    share = share_of(effect)
    chance = share - effect.estimate
    beyond = estimate_cells(effect)
    return (share, chance, *beyond)


def estimate_cells(effect: Effect) -> CellRow:
    """Return an estimate with its interval."""
    low, high = effect.interval
    return effect.estimate, low, high


def basis_cells(effect: Effect) -> CellRow:
    """Return what an effect rests on, and how many votes told nothing of it."""
    return effect.votes, effect.games, effect.left_out


def share_ends(effect: Effect) -> CellRow:
    """Return the interval of a share, empty cells if there is none."""
    return effect.share_interval or (None, None)


def share_of(effect: Effect) -> float:
    """Return the share of an effect that is one against chance, which always has one."""
    assert effect.share is not None
    return effect.share


def beyond_chart(title: str, label: str, effects: Effects) -> Ranges:
    """Return effects with their intervals beside a line where chance is."""
    ranges = []
    for effect in effects.values():
        low, high = effect.interval
        ranges.append((low, effect.estimate, high))
    return Ranges(
        title,
        label,
        tuple(effects),
        ranges,
        marks={"chance": 0.0},
    )


def list_chart(effects: Effects) -> Lines | None:
    """Return the share of votes to leave by place in the list, with chance; None without any."""
    places: list[float] = []
    shares: list[float] = []
    chances: list[float] = []
    reach: list[float] = []
    for name, effect in effects.items():
        match = PLACE.fullmatch(name)
        if match is None:
            continue
        low, high = effect.interval
        share = share_of(effect)
        places.append(float(match[1]))
        shares.append(share)
        chances.append(share - effect.estimate)
        reach.append((high - low) / 2)
    if not places:
        return None
    return Lines(
        LIST,
        "place in the list as the voter read it",
        "share of votes to leave",
        x=places,
        series={"votes": shares, "by chance": chances},
        spreads={"votes": reach},
    )
