"""Read battles of two players from tables: CSV or JSON lines, one battle per line.

The columns are `left, right, winner[, tie]`, and the winner is a name, "left", "right" or "tie". As
in LMArena's published battles, they may also be `model_a, model_b, winner`, and the winner is
"model_a", "model_b", "tie" or "tie (bothbad)". A tie is half a win for each player, as in Zheng et
al. 2023.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.exchange.foreign import Line, excerpt, foreign_name, lines_of, others_in, parse_object
from engine.exchange.game import (
    ForeignGame,
    Format,
    Reading,
    Row,
    Skips,
    plain_row,
    read_parts,
    set_scores,
)

LEFT = ("left", "model_a", "player_a")
RIGHT = ("right", "model_b", "player_b")
NEEDED = (LEFT, RIGHT, ("winner",))
KNOWN = frozenset({*LEFT, *RIGHT, "winner", "tie", "block"})
BOTH_BAD = "tie (bothbad)"
TIES = frozenset({"tie", "draw", "both", "bothbad", BOTH_BAD})
SIDES = {**dict.fromkeys(LEFT, "left"), **dict.fromkeys(RIGHT, "right")}
YES = frozenset({"1", "true", "yes", "tie"})
TIE = "tie"
SCORES = {"left": (1.0, 0.0), "right": (0.0, 1.0), TIE: (0.5, 0.5)}


class Pairs(Format):
    """A table with one battle per line."""

    name = "pairs"
    about = "battles of two: left, right, winner"
    suffixes = (".csv", ".jsonl", ".ndjson")

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield a file's battles; add invalid lines to the skips."""
        lines = table_lines(path, reading.skips)
        return read_parts(lines, battle_of, reading, f"{path.name}, line")

    def sentences(self, figures: Counter[str]) -> list[str]:
        """Return the import's summary sentences."""
        ties = figures["ties"]
        bad = figures["both bad"]
        return [f"{ties} are ties; {bad} of them say that both were bad."] if ties else []


def table_lines(path: Path, skips: Skips) -> Iterator[tuple[int, Line]]:
    """Yield a table's lines as mappings by column; in CSV, the first line names the columns."""
    if path.suffix.lower() == ".csv":
        yield from csv_lines(path)
        return
    for number, text in lines_of(path):
        try:
            yield number, parse_object(text)
        except ValueError as error:
            skips.add(f"{path.name}, line {number}", error)


def csv_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the numbers and rows (by column) of a CSV file; raise ValueError if it is invalid."""
    texts = (text for _, text in lines_of(path))
    reader = csv.DictReader(texts, restkey="(more cells)", strict=True)
    try:
        missing = [names[0] for names in NEEDED if set(names).isdisjoint(reader.fieldnames or ())]
        if missing:
            raise ValueError(
                "expected the columns left, right and winner, or model_a, model_b and winner, "
                f"in the first line: there is no {' and no '.join(missing)}"
            )
        yield from enumerate(map(dict, reader), 1)
    except csv.Error as error:
        raise ValueError(f"expected CSV: {error}") from None


def battle_of(line: Line, game_id: str, reading: Reading) -> ForeignGame:
    """Return a battle; raise ValueError unless it has two different players and a winner or tie."""
    others_in(line, KNOWN, reading.unknown)
    left = foreign_name(first_cell(line, LEFT), "a left player")
    right = foreign_name(first_cell(line, RIGHT), "a right player")
    if left == right:
        raise ValueError(f"expected two players: both are {left!r}")
    side = winning_side(line, left, right)
    rows = [plain_row("pairs", game_id, 1, left), plain_row("pairs", game_id, 2, right)]
    set_scores(rows, SCORES[side])
    share_block(rows, line)
    figures = {"ties": side == TIE, "both bad": line.get("winner") == BOTH_BAD}
    return ForeignGame(game_id, rows, figures=figures)


def share_block(rows: list[Row], line: Line) -> None:
    """Set the rows' block if the line names one."""
    if line.get("block"):
        block = foreign_name(line["block"], "a block")
        for row in rows:
            row["block"] = block


def winning_side(line: Line, left: str, right: str) -> str:
    """Return "left", "right" or "tie"; raise ValueError if the line names another winner."""
    winner = line.get("winner")
    if str(line.get("tie") or "").strip().lower() in YES:
        return TIE
    word = " ".join(winner.split()) if isinstance(winner, str) else ""
    # Names take precedence, because a player may be called "left".
    sides = {**SIDES, right: "right", left: "left"}
    if word in sides:
        return sides[word]
    if word.lower() in TIES:
        return TIE
    raise ValueError(f"expected the winner to be {left!r}, {right!r} or tie: got {excerpt(winner)}")


def first_cell(line: Line, names: tuple[str, ...]) -> Any:
    """Return the first non-empty value in these columns."""
    return next((line[name] for name in names if line.get(name) not in (None, "")), None)
