"""`--init-game`: a new game plays, passes the kit and is tidy; what is refused leaves no file."""

import json
import re
from pathlib import Path

import pytest

from tests.support.paths import copy_project
from tests.support.programs import run_python

LONG = "abcdefghijkl_nopqrstuvwx"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with three new games."""
    copy = tmp_path_factory.mktemp("copy") / "tree"
    copy_project(copy)
    games = (["number_guess"], ["pair", "--players", "2"], [LONG, "--players", "26"])
    assert init_games(copy, *games) == ([0, 0, 0], "")
    return copy


def init_games(tree: Path, *games: list[str]) -> tuple[list[int], str]:
    """Make games in one process; return the exit codes and what it says on stderr."""
    codes = f"[int(example.main(['--init-game', *one])) for one in {games}]"
    code = f"import example\nprint({codes})"
    done = run_python("-c", code, folder=tree)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def run(tree: Path, *words: str) -> str:
    return run_python(*words, folder=tree).stdout


@pytest.mark.parametrize(("game", "players"), [("number_guess", 5), ("pair", 2), (LONG, 26)])
def test_a_new_game_plays(tree: Path, game: str, players: int) -> None:
    *events, result = run(tree, "example.py", game, "--offline", "--json").splitlines()
    scores = json.loads(result)["outcome"]["scores"]
    assert len(scores) == players
    # Each of three rounds gives away one point.
    assert sum(scores.values()) == pytest.approx(3)
    guesses = [event for event in map(json.loads, events) if event["kind"] == "guess"]
    assert len(guesses) == 3 * players


@pytest.mark.slow
def test_new_games_pass_the_kit_their_tests_and_the_laws(tree: Path) -> None:
    games = ("number_guess", "pair", LONG)
    own = [f"tests/engine/games/{game}" for game in games]
    laws = ("tests/test_every_game.py", "tests/test_architecture.py")
    shown = run(tree, "-m", "pytest", "-q", *laws, *own, "-k", " or ".join(games))
    passed = re.search(r"(\d+) passed", shown)
    assert passed is not None
    assert int(passed[1]) >= 3 * 16


def test_new_games_are_tidy(tree: Path) -> None:
    assert "All checks passed" in run(tree, "-m", "ruff", "check", "engine", "tests/engine/games")
    assert "already formatted" in run(tree, "-m", "ruff", "format", "--check", "engine")


@pytest.mark.slow
def test_new_games_are_typed(tree: Path) -> None:
    games = [f"engine/games/{game}" for game in ("number_guess", "pair", LONG)]
    assert "no issues found" in run(tree, "-m", "mypy", *games)


def test_what_is_refused_is_said_and_not_written(tree: Path) -> None:
    refused = [
        (["Guess"], "expected a name of at most 24 lower-case letters"),
        (["a" * 25], "expected a name of at most 24 lower-case letters"),
        (["../up"], "expected a name of at most 24 lower-case letters"),
        (["class"], "expected a name of at most 24 lower-case letters"),
        (["talks"], "expected the name of a new game: talks exists"),
        (["pair"], "expected the name of a new game: pair exists"),
        (["other", "--players", "1"], "expected --players to be a number from 2 to 26"),
        (["other", "--players", "human"], "expected --players to be a number from 2 to 26"),
    ]
    before = sorted((tree / "engine/games").rglob("*.py"))
    codes, said = init_games(tree, *(words for words, _ in refused))
    assert codes == [2] * len(refused)
    for (_, wanted), sentence in zip(refused, said.splitlines(), strict=True):
        assert wanted in sentence
    assert sorted((tree / "engine/games").rglob("*.py")) == before
