"""Logs of Inspect (UK AI Security Institute, 2024), read as games: one sample is one game.

An `.eval` file is a zip archive: `header.json`, and in `samples/` a JSON file each. A sample is a
game if one of its scores is a mapping by player, as in `scores: {"payoff": {"value": {"ann": 1}}}`,
or if its metadata names `players` and each has a score of its own. Scores become payoffs, places
follow from them. `metadata.players`, a mapping from player to model, says who the entrants are.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engine.exchange.foreign import (
    LARGEST,
    MOST_SEATS,
    Line,
    excerpt,
    foreign_name,
    foreign_number,
    parse_object,
)
from engine.exchange.game import (
    ForeignGame,
    Format,
    Reading,
    entrant_rows,
    read_parts,
    set_scores,
)

# Of an archive, so many files are read, and so many bytes in all.
MOST_FILES = 200_000
MOST_BYTES = 4 << 30
# How Inspect writes correct, incorrect, partial and no answer.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


class InspectEval(Format):
    """The format of this module."""

    name = "inspect_eval"
    about = "logs of Inspect, a sample a game"
    suffixes = (".eval",)

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield the games of an archive; a sample that is none is put into the skips.

        ValueError if the file is no such archive.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                samples = enumerate(samples_in(archive), 1)
                read = partial(read_sample, archive, task_of(archive))
                yield from read_parts(samples, read, reading, f"{path.name}, sample")
        except (zipfile.BadZipFile, EOFError) as error:
            raise ValueError(f"expected an .eval file of Inspect, a zip archive: {error}") from None


def read_sample(
    archive: zipfile.ZipFile, task: str, entry: zipfile.ZipInfo, game_id: str, reading: Reading
) -> ForeignGame:
    """Return the game of a sample; its scores that are those of no player are counted as unknown.

    ValueError if the sample is no game.
    """
    sample = parse_object(content_of(archive, entry))
    game = sample_game(sample, task, game_id, reading.makers)
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        if not isinstance(value_of(score), dict):
            reading.unknown[f"score {name:.100}"] += 1
    return game


def samples_in(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the samples of an archive by name; ValueError if it holds none, or far too much."""
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or size > MOST_BYTES:
        raise ValueError(
            f"expected at most {MOST_FILES} files of {MOST_BYTES >> 30} GB in all: "
            f"it says {len(entries)} of {size >> 20} MB"
        )
    by_name = {entry.filename: entry for entry in entries}
    samples = [
        by_name[name]
        for name in sorted(by_name)
        if name.startswith("samples/") and name.endswith(".json")
    ]
    if not samples:
        raise ValueError("expected samples in the archive: there is none")
    return samples


def content_of(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return one file of an archive; ValueError if it is larger than it may be, or damaged.

    What an archive says of a file's size is not believed: reading ends where too much has come.
    """
    try:
        with archive.open(entry) as file:
            content = file.read(LARGEST + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it cannot be unpacked: {error!s:.200}") from None
    if len(content) > LARGEST:
        raise ValueError(f"expected at most {LARGEST >> 20} MB a sample")
    return content


def task_of(archive: zipfile.ZipFile) -> str:
    """Return the name of the task, "" if the archive does not tell it."""
    for name in ("header.json", "_journal/start.json"):
        if name in archive.namelist():
            evaluation = parse_object(content_of(archive, archive.getinfo(name))).get("eval")
            task = evaluation.get("task") if isinstance(evaluation, dict) else None
            return f"{task or ''!s:.200}"
    return ""


def sample_game(sample: Line, task: str, game_id: str, makers: Mapping[str, str]) -> ForeignGame:
    """Return the game that a sample holds; ValueError if it has no scores by player."""
    if sample.get("error"):
        return ForeignGame(game_id, [], status="failed")
    metadata = sample.get("metadata")
    told = metadata.get("players") if isinstance(metadata, dict) else None
    models = told if isinstance(told, dict) else {}
    scores = scores_of(sample.get("scores"), [*models])
    entrants = [foreign_name(models.get(player, player), "an entrant") for player in scores]
    rows = entrant_rows("inspect_eval", game_id, entrants, makers)
    for row in rows:
        row |= {"task": task, "foreign_id": str(sample.get("id", ""))[:200]}
    set_scores(rows, [*scores.values()])
    return ForeignGame(game_id, rows)


def scores_of(scores: Any, players: list[str]) -> dict[str, float]:
    """Return the score of each player; ValueError if the sample has none by player."""
    told = scores if isinstance(scores, dict) else {}
    for score in told.values():
        value = value_of(score)
        if isinstance(value, dict) and 2 <= len(value) <= MOST_SEATS:
            return numbers_by_player(value)
    if len(players) > 1 and told.keys() >= {*players}:
        return numbers_by_player({player: value_of(told[player]) for player in players})
    raise ValueError(f"expected a score that is a mapping by player: got {excerpt(scores)}")


def numbers_by_player(values: Mapping[str, Any]) -> dict[str, float]:
    """Return scores as numbers, by the names of players."""
    return {foreign_name(key, "a player"): score_number(value) for key, value in values.items()}


def value_of(score: Any) -> Any:
    """Return what a score of Inspect comes to."""
    return score.get("value") if isinstance(score, Mapping) else score


def score_number(value: Any) -> float:
    """Return a score as a number; Inspect's letters stand for 1, 0 and a half."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in LETTERS:
        return LETTERS[value]
    return foreign_number(value, "a score")
