"""What a tournament's YAML may say, what is refused of it in one sentence, and what may change."""

from pathlib import Path
from typing import Any

import pytest

from engine.tournaments.settings import (
    TournamentSettings,
    changes_between,
    offline,
    read_tournament,
)
from tests.support.paths import ROOT
from tests.support.tournaments.cups import scripts, write_cup

ADA, BEN, CLEO = scripts("greedy", "silent", "weave").values()
MINI = {"provider": "openai", "model": "gpt-5.4-mini"}
PERSON = {"provider": "human"}
CUP: dict[str, Any] = {
    "name": "cup",
    "game": {"name": "conversation"},
    "table": 2,
    "entrants": {"ada": ADA, "ben": BEN, "cleo": CLEO},
    "games": 10,
}
ISLANDERS = scripts("loyal", "grudge", "random")
ISLAND = CUP | {"game": "deliberations", "table": 3, "entrants": ISLANDERS}
GUESTS = scripts("wait", "beam")
MIRROR = {"balanced": {"mirror": True}}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": "My Cup"}, "name: string should match pattern"),
        ({"tabel": 2}, "unknown setting 'tabel': did you mean 'table'?"),
        ({"game": "talks"}, "expected a game with a winner: talks has none"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": {"name": "conversation", "lenght": 4}}, "did you mean 'length'?"),
        ({"entrants": {"ada": ADA}}, "expected at least two entrants: got 1"),
        ({"table": 4}, "table to be at most the number of entrants, 3: got 4"),
        ({"entrants": {"ada": ADA, "bea": ADA}}, "ada and bea are alike, so they would be one"),
        ({"entrants": {"ada": ADA, "me": PERSON}}, "no person among the entrants: me"),
        (
            {"entrants": {"ada": ADA, "ben": {"provider": "scripted", "model": "greddy"}}},
            "unknown strategy of conversation 'greddy': did you mean 'greedy'?",
        ),
        ({"entrants": {"a:b": ADA, "ben": BEN}}, "without colons"),
        ({"entrants": {"ada": {"modle": "x"}, "ben": BEN}}, "'entrants.ada.modle'"),
        ({"stop": {"separated": ["ada", "bne"]}}, "entrant in stop 'bne': did you mean 'ben'?"),
        ({"stop": {"separated": ["ada", "ada"]}}, "two entrants: got ada twice"),
        ({"stop": {"top": 1, "separated": ["ada", "ben"]}}, "either top or separated"),
        ({"stop": {"top": 0}}, "stop.top: input should be greater than or equal to 1: got 0"),
        (
            {"stop": {"top": 3}},
            "expected top in stop to be less than the number of entrants, 3: got 3",
        ),
        ({"schedule": {"adaptive": {"pair": ["ada", "dan"]}}}, "entrant in schedule 'dan'"),
        ({"anchor": "dan"}, "unknown entrant in anchor 'dan'"),
        ({"targets": ["pairs"], "table": 3}, "expected table: 2 for the target pairs: got 3"),
        ({"covariates": ["name"]}, "expected names: own for the covariate name"),
        ({"game": "guest", "schedule": MIRROR}, "unknown strategy"),
        ({"game": "deliberations"}, "unknown strategy of deliberations"),
        ({"rates": {"opnai": {"calls_per_minute": 5}}}, "did you mean 'openai'?"),
        ({"games": None}, "games"),
        ({"games": 0}, "games: input should be greater than or equal to 1: got 0"),
        ({"game": "deliberations", "entrants": scripts("loyal", "grudge")}, "at least 3 players"),
        (ISLAND | {"targets": ["wins", "points"]}, "such as wins and places: it pays by place"),
        ({"game": "guest", "entrants": GUESTS, "schedule": MIRROR}, "in guest all seats are alike"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    changed: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    path = write_cup(tmp_path, CUP | changed)
    with pytest.raises(ValueError, match=r"cup\.yaml: ") as caught:
        read_tournament(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_is_rated_as_is_usual_for_it() -> None:
    conversation = TournamentSettings.model_validate(CUP)
    assert conversation.targets == ("points",)
    assert (conversation.direction, conversation.covariates) == ("top", ("seat",))
    settings = TournamentSettings.model_validate(ISLAND)
    assert settings.targets == ("wins", "places")
    assert settings.direction == "bottom"
    asked = TournamentSettings.model_validate(ISLAND | {"targets": ["places"], "covariates": []})
    assert (asked.targets, asked.covariates) == (("places",), ())


def test_no_file_rates_a_conversation_by_places(tmp_path: Path) -> None:
    path = write_cup(tmp_path, CUP | {"targets": ["points", "places"]})
    with pytest.raises(ValueError, match="targets of conversation such as points: players share"):
        read_tournament(path)


def test_settings_hold_no_key_and_can_be_read_again() -> None:
    kwargs = {"temperature": 0.2, "default_headers": {"x-org": "sk-canary-1234567"}}
    mini = MINI | {"api_key": "sk-canary-1234567", "client_kwargs": kwargs}
    settings = TournamentSettings.model_validate(CUP | {"entrants": {"ada": ADA, "mini": mini}})
    public = settings.public()
    assert "canary" not in str(public)
    assert not [seat for seat in public["entrants"].values() if "player_id" in seat]
    again = TournamentSettings.model_validate(public)
    assert again.sha256 == settings.sha256
    assert not changes_between(again, settings)


@pytest.mark.parametrize(
    ("changed", "clause"),
    [
        ({"budgets": {"max_cost": 3}, "concurrency": 2, "games": 11}, ""),
        ({"rates": {"openai": {"calls_per_minute": 5}}, "title": "The Cup"}, ""),
        ({"entrants": CUP["entrants"] | {"ada": ADA | {"client_kwargs": {"concurrency": 2}}}}, ""),
        ({"games": 9}, "games was 10, now it is 9"),
        ({"seed": 1}, "seed was 0, now it is 1"),
        ({"table": 3}, "table was 2, now it is 3"),
        ({"game": {"name": "conversation", "length": 4}}, "game.length was 20, now it is 4"),
        ({"entrants": {"ada": ADA, "ben": BEN}}, "entrants.cleo was"),
        ({"entrants": {"ada": ADA, "ben": BEN, "cleo": CLEO, "mini": MINI}}, "entrants.mini was"),
    ],
)
def test_what_keeps_a_tournament_from_going_on_is_named(
    changed: dict[str, Any], clause: str
) -> None:
    old = TournamentSettings.model_validate(CUP)
    new = TournamentSettings.model_validate(CUP | changed)
    clauses = changes_between(old, new)
    assert "; ".join(clauses).startswith(clause)
    assert bool(clauses) == bool(clause)
    if "games" not in changed:
        assert (old.sha256 != new.sha256) == bool(clause)


def test_entrants_may_be_added_if_changes_are_allowed() -> None:
    old = TournamentSettings.model_validate(CUP)
    changed = CUP | {"entrants": {**CUP["entrants"], "mini": MINI}, "seed": 1}
    more = TournamentSettings.model_validate(changed)
    assert changes_between(old, more, allow_changed=True) == ["seed was 0, now it is 1"]


def test_offline_leaves_out_whom_it_would_ask() -> None:
    scripts = TournamentSettings.model_validate(CUP)
    assert offline(scripts) == (scripts, "")
    mixed = CUP | {"entrants": {**CUP["entrants"], "mini": MINI}, "anchor": "mini"}
    left, sentence = offline(TournamentSettings.model_validate(mixed))
    assert list(left.entrants) == ["ada", "ben", "cleo"]
    assert (left.name, left.anchor) == ("cup-offline", None)
    assert sentence == "--offline leaves out mini, which would be called: this is cup-offline"
    few = CUP | {"entrants": {"ada": ADA, "mini": MINI}}
    with pytest.raises(ValueError, match="so only 1 of 2 are left for a table"):
        offline(TournamentSettings.model_validate(few))


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "cups").glob("*.yaml")))
def test_every_shipped_cup_is_read_and_says_its_command(path: Path) -> None:
    settings = read_tournament(path)
    first, second = path.read_text(encoding="utf-8").splitlines()[:2]
    assert first.startswith("# ")
    assert second == f"# uv run tournament.py play configs/cups/{path.name}"
    assert offline(settings)[0].games == settings.games
    assert settings.schedule.chosen.note(settings, settings.games) == ""


def test_no_config_or_a_strange_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no .*none\.yaml"):
        read_tournament(tmp_path / "none.yaml")
    path = tmp_path / "list.yaml"
    path.write_text("- name\n", encoding="utf-8")
    with pytest.raises(ValueError, match="such as name:, game:, table:, entrants: and games: got"):
        read_tournament(path)
