"""Fixed tables: the same deals whoever sits there, seats in turn, settings in turn."""

from pathlib import Path
from typing import Any

import pytest

from engine.tournaments.run import TournamentRun
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of

GAME = {"name": "conversation", "length": 4}


def settings_of(model: str = "random", **more: Any) -> TournamentSettings:
    seat = {"provider": "scripted", "model": model}
    entrants = {"model": seat, "rival": seat | {"model": "greedy"}}
    fixed = {"tables": [["model", "model", "rival"]]} | more.pop("fixed", {})
    plain = {"name": "fixed", "game": GAME, "table": 3, "games": 6, "entrants": entrants}
    return TournamentSettings.model_validate(plain | {"schedule": {"fixed": fixed}} | more)


def test_seats_turn_from_deal_to_deal() -> None:
    draws = [*settings_of().draw()]
    assert [draw.seats for draw in draws[:4]] == [
        ("model", "model", "rival"),
        ("rival", "model", "model"),
        ("model", "rival", "model"),
        ("model", "model", "rival"),
    ]
    assert len({draw.seed for draw in draws}) == len({draw.block for draw in draws}) == 6


def test_the_deals_are_the_same_for_every_entrant() -> None:
    assert [*settings_of("greedy").draw()] == [*settings_of("silent").draw()]
    begun = [*settings_of().draw()]
    assert [*settings_of().draw(begun[:2])] == begun[2:]


def test_a_mirrored_deal_is_played_in_all_rotations() -> None:
    draws = [*settings_of(fixed={"mirror": True}).draw()]
    assert [draw.block for draw in draws] == ["fixed_000000"] * 3 + ["fixed_000003"] * 3
    assert [draw.seed for draw in draws[:3]] == [draws[0].seed] * 3
    assert len({draw.seats for draw in draws[:3]}) == 3


def test_settings_and_tables_are_played_in_turn() -> None:
    fixed = {
        "tables": [["model", "rival", "rival"], ["model", "model", "rival"]],
        "vary": {"length": [3, 5, 7]},
    }
    settings = settings_of(fixed=fixed)
    configs = [config_of(settings, draw, None) for draw in settings.draw()]
    assert [config.game.model_dump()["length"] for config in configs] == [3, 5, 7, 3, 5, 7]
    assert [draw.seats.count("model") for draw in settings.draw()] == [1, 2, 1, 2, 1, 2]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"fixed": {"tables": [["model", "rival"]]}}, "expected tables of 3: got one of 2"),
        ({"fixed": {"tables": [["model", "modle", "rival"]]}}, "did you mean 'model'"),
        ({"fixed": {"tables": []}}, "at least 1 item"),
        ({"fixed": {"vary": {"length": [3, -1]}}}, "length"),
        ({"fixed": {"vary": {"lenght": [3]}}}, "lenght"),
    ],
)
def test_wrong_tables_are_refused(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        settings_of(**more)


def test_they_are_played_like_any_tournament(tmp_path: Path) -> None:
    run = TournamentRun(settings_of(), tmp_path)
    run.run()
    assert [run.state.done[number].status for number in range(6)] == ["finished"] * 6
    again = TournamentRun(settings_of(), tmp_path)
    again.run()
    assert again.state.done == run.state.done
