"""Read logs of Inspect (UK AI Security Institute, 2024), in which each sample is one game.

An `.eval` file is a zip archive with `header.json` and a JSON file in `samples/` for each sample. A
sample has scores by player if a score's value is a mapping (such as `{"ann": 1}`), if a score's
metadata has `scores` (and perhaps `places`), or if the sample's metadata names `players` and each
player has a score. A plain number is the score of one seat, the evaluated model's; this seat is
compared with the seats of other evaluations of the same sample. Scores become payoffs, and places
follow from them. `metadata.players` maps each player to its model, and `metadata.seat` names the
evaluated player.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile, ZipInfo

from engine.exchange.foreign import (
    LARGEST,
    MOST_SEATS,
    Line,
    excerpt,
    foreign_name,
    foreign_number,
    foreign_place,
    mapping_in,
    parse_object,
    refuse_link,
)
from engine.exchange.game import (
    ForeignGame,
    Format,
    Reading,
    Row,
    entrant_rows,
    read_parts,
    set_scores,
)
from engine.record.archives import open_archive, unpack_member

# The maximum number of files in an archive, and their maximum total bytes.
MOST_FILES = 200_000
MOST_BYTES = 4 << 30
# Inspect's letters for correct, incorrect, partial and no answer.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


class InspectRun(NamedTuple):
    """The task and the model of an archive's samples; a value that the archive lacks is ""."""

    task: str = ""
    model: str = ""


class InspectEval(Format):
    """Inspect's `.eval` archives."""

    name = "inspect_eval"
    about = "logs of Inspect, one game per sample"
    suffixes = (".eval",)

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield an archive's games, skipping invalid samples; raise ValueError for other files."""
        refuse_link(path)
        try:
            with open_archive(path, MOST_BYTES) as archive:
                samples = enumerate(samples_in(archive), 1)
                read = partial(read_sample, archive, evaluation_in(archive))
                yield from read_parts(samples, read, reading, f"{path.name}, sample")
        except OSError as error:
            raise ValueError(f"it cannot be read: {error.strerror}") from None


def read_sample(
    archive: ZipFile, evaluation: InspectRun, entry: ZipInfo, game_id: str, reading: Reading
) -> ForeignGame:
    """Return a sample's game and count its unused scores; raise ValueError if it is not a game."""
    sample = parse_object(unpack_member(archive, entry, LARGEST))
    game = sample_game(sample, evaluation, game_id, reading.makers)
    for name, score in mapping_in(sample, "scores").items():
        if len(game.rows) > 1 and not by_player(score, "scores"):
            reading.unknown[f"score {name:.100}"] += 1
    return game


def samples_in(archive: ZipFile) -> list[ZipInfo]:
    """Return an archive's samples, by name; raise ValueError if it has none or is too large."""
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or size > MOST_BYTES:
        raise ValueError(
            f"expected at most {MOST_FILES} files of {MOST_BYTES >> 30} GB in all: it lists "
            f"{len(entries)} of {size >> 20} MB"
        )
    by_name = {entry.filename: entry for entry in entries}
    samples = [
        by_name[name]
        for name in sorted(by_name)
        if name.startswith("samples/") and name.endswith(".json")
    ]
    if not samples:
        raise ValueError("expected samples in the archive: it has none")
    return samples


def evaluation_in(archive: ZipFile) -> InspectRun:
    """Return the archive's task and model; a value that the archive does not name is ""."""
    for name in ("header.json", "_journal/start.json"):
        if name in archive.namelist():
            header = parse_object(unpack_member(archive, archive.getinfo(name), LARGEST))
            header_data = mapping_in(header, "eval")
            words = [f"{header_data.get(key) or ''!s:.200}" for key in ("task", "model")]
            return InspectRun(*words)
    return InspectRun()


def sample_game(
    sample: Line, evaluation: InspectRun, game_id: str, makers: Mapping[str, str]
) -> ForeignGame:
    """Return the game of a sample; raise ValueError if it has no scores.

    If only one seat has a score, the game is named after the task and sample id, so that the seats
    of all evaluations of the sample form one game.
    """
    if sample.get("error"):
        return ForeignGame(game_id, [], status="failed")
    metadata = mapping_in(sample, "metadata")
    models = {**mapping_in(metadata, "players")}
    players = [*models]
    seat = str(metadata.get("seat") or evaluation.model)
    models.setdefault(seat, evaluation.model or seat)
    scores = mapping_in(sample, "scores")
    for score in scores.values():
        status = mapping_in(score, "metadata").get("status")
        if status:
            return ForeignGame(game_id, [], status=foreign_name(status, "a status"))
    numbers = scores_of(scores, players)
    if not numbers:
        numbers = {seat: lone_number(scores)}
        name = f"{evaluation.task} {sample.get('id')} {sample.get('epoch', 1)}"
        game_id = foreign_name(name, "the name of a sample")
    entrants = [foreign_name(models.get(player, player), "an entrant") for player in numbers]
    rows = entrant_rows("inspect_eval", game_id, entrants, makers)
    for row in rows:
        row |= {"task": evaluation.task, "foreign_id": str(sample.get("id", ""))[:200]}
    set_scores(rows, [*numbers.values()])
    set_places(rows, [*numbers], scores)
    if seat in numbers:
        set_answers(rows[[*numbers].index(seat)], scores)
    return ForeignGame(game_id, rows)


def set_answers(row: Row, scores: Line) -> None:
    """Set the evaluated seat's `asks` and `fallbacks` if a score's metadata has them."""
    for score in scores.values():
        metadata = mapping_in(score, "metadata")
        for key in ("asks", "fallbacks"):
            if key in metadata:
                row[key] = max(0, int(foreign_number(metadata[key], key)))


def set_places(rows: list[Row], players: list[str], scores: Line) -> None:
    """Set the rows' places from a score's metadata, if the metadata has places by player."""
    for score in scores.values():
        places = by_player(score, "places")
        if places.keys() == {*players}:
            for row, player in zip(rows, players, strict=True):
                row["place"] = foreign_place(places[player], "a place")


def scores_of(scores: Line, players: list[str]) -> dict[str, float]:
    """Return each player's score, or {} if the sample has no scores by player."""
    for score in scores.values():
        parts = by_player(score, "scores")
        if 2 <= len(parts) <= MOST_SEATS:
            return numbers_by_player(parts)
    if len(players) > 1 and scores.keys() >= {*players}:
        return numbers_by_player({player: value_of(scores[player]) for player in players})
    return {}


def lone_number(scores: Line) -> float:
    """Return the first number or letter among the scores, as a number; raise ValueError if none."""
    for score in scores.values():
        value = value_of(score)
        if isinstance(value, bool | int | float) or str(value) in LETTERS:
            return score_number(value)
    raise ValueError(f"expected a score of one seat or by player: got {excerpt(scores)}")


def by_player(score: Any, key: str) -> Line:
    """Return a score's values by player, from its value or from `key` in its metadata."""
    value = value_of(score) if key == "scores" else None
    return value if isinstance(value, dict) else mapping_in(mapping_in(score, "metadata"), key)


def numbers_by_player(values: Mapping[str, Any]) -> dict[str, float]:
    """Return scores as numbers, by player name."""
    return {foreign_name(key, "a player"): score_number(value) for key, value in values.items()}


def value_of(score: Any) -> Any:
    """Return the value of an Inspect score."""
    return score.get("value") if isinstance(score, Mapping) else score


def score_number(value: Any) -> float:
    """Return a score as a number; the letters C, I, P and N mean 1, 0, 0.5 and 0."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in LETTERS:
        return LETTERS[value]
    return foreign_number(value, "a score")
