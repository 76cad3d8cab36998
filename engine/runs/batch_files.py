"""A batch's table in logs/batches/: written as games end, and rebuilt from the logs on request."""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from engine.history import History, inert
from engine.record.files import read_regular, write_whole, writing
from engine.report.csv import csv_text
from engine.runs.catalogue import stored_game
from engine.runs.results import GameResult, columns_of, result_of, rows_of
from engine.runs.rotation import Spot
from engine.runs.summary import BatchSummary, summarise_games, summary_data
from protocol.answer import Plain
from protocol.suggest import did_you_mean

FOLDER = "batches"
# Writing the table of a thousand games takes a tenth of a second.
SECONDS_BETWEEN = 5.0


class PlannedGame(BaseModel):
    """A game of a batch, as listed in the batch's table."""

    game: int = Field(ge=0)
    game_id: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    seed: int
    deal: int = Field(ge=0)
    rotation: int = Field(ge=0)


class BatchPlan(BaseModel):
    """The games of a batch, from which its table can be rebuilt."""

    games: list[PlannedGame]
    rotations: int = Field(default=1, ge=1)
    include_void: bool = False


@dataclass
class BatchFiles:
    """A batch's files NAME.csv and NAME.json in `logs_dir`/batches/, unless `logs_dir` is None."""

    name: str
    logs_dir: Path | None
    rotations: int = 1
    include_void: bool = False
    last: float | None = None

    @property
    def csv(self) -> Path | None:
        """The path of the table, with a row for each game and player."""
        return None if self.logs_dir is None else self.logs_dir / FOLDER / f"{self.name}.csv"

    def due(self) -> bool:
        """Return whether enough time has passed to rewrite the files; writing can be slow."""
        return self.last is None or time.monotonic() - self.last >= SECONDS_BETWEEN

    def summarise(self, results: Sequence[GameResult]) -> BatchSummary:
        """Return the games' combined results."""
        return summarise_games(results, self.rotations, include_void=self.include_void)

    def write(self, results: Sequence[GameResult]) -> None:
        """Write both files, each atomically; raise DiskError if they cannot be written."""
        self.last = time.monotonic()
        if self.csv is None:
            return
        with writing(self.csv.parent):
            self.csv.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "batch": self.name,
            "rotations": self.rotations,
            **summary_data(self.summarise(results)),
            "games": games_data(results),
        }
        dumped = json.dumps(data, indent=1, ensure_ascii=False).encode()
        write_whole(self.csv.with_suffix(".json"), inert(dumped) + "\n")
        write_whole(self.csv, csv_text(columns_of(results), rows_of(results)))


def games_data(results: Sequence[GameResult]) -> list[Plain]:
    """Return all games of a batch as plain data, including those that have not begun."""
    names = ("game_id", "seed", "status", "reason", "void")
    rows = []
    for result in results:
        values = {name: getattr(result, name) for name in names}
        players = [seat.player for seat in result.seats]
        rows.append({**result.spot._asdict(), **values, "players": players})
    return rows


def batch_name(text: str) -> str:
    """Return the name of a batch from user input; raise ValueError if it is invalid."""
    name = re.sub(r"\.(csv|json)$", "", Path(text).name)
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise ValueError(
            f"expected the name of a batch, such as gameplay_20260101_120000_ab12cd34: got {text!r}"
        )
    return name


def read_results(logs_dir: Path, plan: BatchPlan) -> tuple[list[GameResult], History | None]:
    """Return the current results of a batch's games from their logs, and the history of one game.

    A game without a final log is replayed from its journal; a game with neither has not begun.
    Raises ValueError if a log cannot be read.
    """
    results = []
    shown = None
    for planned in plan.games:
        spot = Spot(planned.game, planned.deal, planned.rotation)
        game = stored_game(logs_dir, planned.game_id)
        if game is None:
            results.append(GameResult(spot, planned.game_id, planned.seed, "waiting"))
            continue
        history, _ = game
        results.append(
            result_of(history, spot, "interrupted" if history.status == "running" else "")
        )
        shown = shown or history
    return results, shown


def read_plan(logs_dir: Path, name: str) -> BatchPlan:
    """Return the games of a batch; raise ValueError if its file is missing or cannot be read."""
    folder = logs_dir / FOLDER
    path = folder / f"{name}.json"
    if not path.is_file():
        near = did_you_mean(name, [batch.stem for batch in folder.glob("*.json")])
        raise ValueError(
            f"there is no batch {name!r} in {folder}:{near} example.py --games N creates one"
        )
    try:
        return BatchPlan.model_validate_json(read_regular(path))
    except ValidationError as error:
        fault = error.errors()[0]["msg"]
        raise ValueError(f"expected {path} to be the table of a batch: {fault}") from None
