"""What the logs of rated games tell of bias: every vote, and who cast it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.history import History, history_from_json
from engine.record.files import read_regular
from engine.round_phases.ballots import CastVote, votes_of
from engine.tournaments.sources.source import Source

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HeardVote:
    """A vote as it was cast, and as estimators read it."""

    cast: CastVote
    choice: Mapping[str, Any]


def votes_beside(source: Source) -> list[HeardVote]:
    """Return the votes in the logs beside a source's rows; ValueError if one is damaged."""
    votes: list[HeardVote] = []
    games = seats_by_game(source.rows)
    for game_id, seats in games.items():
        history = log_beside(source.folder, game_id)
        if history is not None:
            votes += votes_heard(history, seats)
    return votes


def votes_heard(history: History, seats: Mapping[int, str]) -> list[HeardVote]:
    """Return the votes of one log; `seats` has the entrant of each seat, from 1."""
    entrants = {}
    for number, seat in enumerate(history.players, 1):
        player_id = seat.player_id
        entrants[player_id] = seats.get(number, player_id)
    return [HeardVote(cast, cast.as_choice(entrants)) for cast in votes_of(history)]


def seats_by_game(rows: Sequence[Row]) -> dict[str, dict[int, str]]:
    """Return the entrant in each seat, from 1, of each game."""
    games: dict[str, dict[int, str]] = {}
    for row in rows:
        game_id = str(row["game_id"])
        seats = games.setdefault(game_id, {})
        number = row.get("seat") or len(seats) + 1
        seats[int(number)] = str(row["entrant"])
    return games


def log_beside(folder: Path, game_id: str) -> History | None:
    """Return the log of a game in a tournament's folder, or in one of logs; None without one."""
    name = f"{game_id}.json"
    for path in (folder / "games" / name, folder / name):
        if path.is_file():
            content = read_regular(path)
            return history_from_json(content)
    return None
