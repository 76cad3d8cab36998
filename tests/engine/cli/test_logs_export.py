"""`logs.py --export`, as somebody types it who wants the games as data."""

from pathlib import Path

import pytest

from logs import main
from tests.support.tables import run_game
from tests.support.terminal import Capture
from tests.support.tournaments.rated import rows_in
from tournament import main as tournament


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("logs")
    for number, game in enumerate(("conversation", "dilemma", "talks")):
        run_game(game, "", logs, seed=number, game_id=f"game_{number}")
    (logs / "table.json").write_text("[1, 2]", encoding="utf-8")
    return logs


def test_all_games_are_written_as_four_tables(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    data = tmp_path / "data"
    assert main(["--export", str(data), "--all", "--logs-dir", str(folder)]) == 0
    assert "3 games" in capsys.readouterr().out
    games = rows_in(data / "games.jsonl.gz")
    assert [game["game_id"] for game in games] == ["game_0", "game_1", "game_2"]
    assert [game["status"] for game in games] == ["finished"] * 3
    seats = rows_in(data / "seats.jsonl.gz")
    # Nobody wins a talk, so that it has no rated seats.
    assert {seat["game"] for seat in seats} == {"conversation", "dilemma"}
    assert {str(seat["entrant"]).partition(":")[0] for seat in seats} == {"scripted"}
    events = rows_in(data / "events.jsonl.gz")
    assert {event["game_id"] for event in events} == {"game_0", "game_1", "game_2"}


def test_what_is_written_can_be_rated(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert main(["--export", str(data), "game_1", "--logs-dir", str(folder)]) == 0
    assert tournament(["rate", str(data / "seats.jsonl.gz"), "--out", str(tmp_path / "rated")]) == 0


def test_what_cannot_be_rated_is_not_offered_for_it(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Nobody wins a talk."""
    assert main(["--export", str(tmp_path), "game_2", "--logs-dir", str(folder)]) == 0
    told = capsys.readouterr()
    assert "No seats: these games have no winner" in told.out
    assert "rate" not in told.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "expected the names of games, or --all"),
        (["--all", "game_1"], "got both"),
        (["no_such_game"], "no_such_game"),
        (["--all", "--format", "parket"], "unknown format 'parket'"),
        (["--all", "--min-place", "1"], "expected --min-place only with --format chat"),
        (["--all", "--format", "chat", "--no-text"], "--no-text only with --format tables"),
        (["--all", "--format", "chat", "--min-place", "0"], "expected --min-place to be 1 or more"),
        (["--all", "--min-place", "0"], "expected --min-place only with --format chat"),
        (["--all", "--format", "chat", "--games", "dilema"], "did you mean 'dilemma'?"),
        (["--all", "--license", "my own"], "expected the id of a license"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    words: list[str], sentence: str, folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["--export", str(tmp_path / "data"), *words, "--logs-dir", str(folder)]) == 2
    assert sentence in capsys.readouterr().err
