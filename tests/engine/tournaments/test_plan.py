"""What a plan says before anybody is asked anything, and after a pilot."""

from pathlib import Path
from typing import Any

import pytest

import tournament
from engine.ratings import ELO, Results, games_needed
from engine.ratings.planning import from_pilot, smallest_gap, variance_of_equals
from engine.ratings.table_power import critical_of_equals
from engine.tournaments.plan.game_cost import bound_game
from engine.tournaments.plan.needs import Pilot, pilot_of, pilot_or_equals
from engine.tournaments.plan.plan import make_plan, same_provider_share
from engine.tournaments.schedule.draw import Draw
from tests.support.narrowing import not_none
from tests.support.placements import told_orders
from tests.support.terminal import Capture
from tests.support.tournaments.cups import cup_of, scripts, write_cup

MINI = {"provider": "openai", "model": "gpt-5.4-mini"}
NANO = {"provider": "openai", "model": "gpt-5.4-nano"}
GREEDY = {"provider": "scripted", "model": "greedy"}
MODELS: dict[str, Any] = {"mini": MINI, "nano": NANO, "greedy": GREEDY}
TWO_SCRIPTS = scripts("greedy", "silent")
DEFECTORS = {
    f"e{number}": {"provider": "scripted", "model": "defector", "character_prompt": f"{number}"}
    for number in range(10)
}
TWO_MOVES = scripts("grudger", "random")


def test_a_plan_needs_no_key_and_bounds_what_models_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = cup_of(2, 2, 400, seated=MODELS)
    bound = bound_game(settings)
    assert bound.at_most
    assert bound.dollars is not None
    assert 0 < not_none(bound.likely) < bound.dollars
    assert make_plan(settings, tmp_path / "cup", 5 * bound.dollars + 1e-9, None).affordable == 5
    assert make_plan(settings, tmp_path / "cup", None, 7).affordable == 7


def test_a_plan_says_what_each_gap_takes(tmp_path: Path, capsys: Capture) -> None:
    more: Any = {"game": {"name": "dilemma"}, "seated": DEFECTORS, "targets": ["places"]}
    path = str(write_cup(tmp_path, cup_of(10, 5, 157, **more)))
    assert tournament.main(["plan", path, "--logs-dir", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    words = " ".join(out.split())
    critical = critical_of_equals(10, 5)
    games = games_needed(100 / ELO.factor, 10, 5, critical=critical)
    assert games > 300
    assert "gap one named pair in the table an entrant" in words
    assert f"100 Elo 157 {games} {games / 2:.0f} 0 $0 ?" in words
    gap = ELO.gap(smallest_gap(1, variance_of_equals(10, 5), 157, critical))
    told = f"100 Elo (one named pair), {gap:.3g} Elo (in the table) in 157 games"
    assert f"smallest gap in places {told}" in words
    assert "games per entrant 78 to 79" in words
    assert f"uv run tournament.py play {path} --logs-dir {tmp_path}" in err


def test_after_a_pilot_its_own_games_plan(tmp_path: Path, capsys: Capture) -> None:
    more: Any = {"game": {"name": "dilemma"}, "seated": TWO_MOVES, "targets": ["places", "points"]}
    path = str(write_cup(tmp_path, cup_of(2, 2, 12, **more)))
    words = ["--logs-dir", str(tmp_path / "logs")]
    assert tournament.main(["play", path, *words]) == 0
    capsys.readouterr()
    assert tournament.main(["plan", path, "--games", "48", *words]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "from 12 finished games" in told
    assert "Based on the precision of the ratings after 12 finished games." in told
    assert "smallest gap in points needs a pilot" not in told
    assert " ? " not in told


def test_the_pilots_formula_is_used_and_scales_with_games() -> None:
    settings = cup_of(10, 5, 100)
    pilot = Pilot(100, 0.09)
    assert pilot.games_for(100) == from_pilot(100, 0.09, 100 / ELO.factor)
    equals = not_none(pilot_or_equals(settings, None, "wins"))
    assert equals.games_for(100) == games_needed(100 / ELO.factor, 10, 5, "wins")
    after, later = map(pilot.gap_shown, (100, 400))
    assert after == pytest.approx(2.8 * 0.3, rel=1e-3)
    assert later == pytest.approx(2.8 * 0.15, rel=1e-3)
    assert pilot_or_equals(settings, None, "points") is None


def test_few_finished_games_are_no_pilot() -> None:
    settings = cup_of(2, 2, 100, seated=TWO_SCRIPTS)
    rows = told_orders(*["silent > greedy", "greedy > silent", "greedy > silent"] * 2)
    assert pilot_of(settings, Results.from_rows(rows[:8]), "places") is None
    assert not_none(pilot_of(settings, Results.from_rows(rows), "places")).games == 6


def test_the_share_of_tables_with_one_provider_counts_models_alone() -> None:
    settings = cup_of(2, 2, 4, seated=MODELS)
    tables = [("mini", "nano"), ("mini", "greedy"), ("greedy", "nano"), ("nano", "mini")]
    draws = [Draw(number, str(number), seats, 0, "") for number, seats in enumerate(tables)]
    assert same_provider_share(settings, draws) == 0.5


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"game": {"name": "talks"}}, "expected a game with a winner"),
        ({"budgets": {"max_cost": 5}, "entrants": {"a": GREEDY, "b": {}}}, "known prices"),
        ({"entrants": {"a": GREEDY, "b": {"provider": "trained", "model": "no.json"}}}, "trained"),
    ],
)
def test_bad_input_is_said_before_any_game(
    changed: dict[str, Any], sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    settings = cup_of(2, 2, 4).public() | changed
    if settings["entrants"].get("b") == {}:
        settings["entrants"]["b"] = {"provider": "together", "model": "nobody/knows"}
    assert tournament.main(["plan", str(write_cup(tmp_path, settings))]) == 2
    assert sentence in capsys.readouterr().err
