"""The table of seats: every kind is checked and made by its row alone."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

import player as players
from engine.engine import GameEngine
from engine.games import GAMES
from player import HumanPlayer, LLMPlayer, Player, PlayerConfig, ScriptedPlayer, Tape, Turn
from protocol.seats import MODEL, SEATS, SeatKind, Supplies, seat_kind
from protocol.turn import Reply
from providers import PROVIDERS
from tests.support.paths import ROOT
from tests.support.tables import config_for


def supplies(game: str = "conversation") -> Supplies:
    def nobody() -> Any:
        raise AssertionError("this seat needs it not")

    return Supplies(
        offer=GAMES[game](), client=nobody, answerer=nobody, draws=lambda: random.Random(0), asks=2
    )


@pytest.mark.parametrize("provider", SEATS)
def test_each_row_names_a_player_who_agrees_with_it(provider: str) -> None:
    kind = SEATS[provider]
    found = kind.player_class()
    assert issubclass(found, Player)
    assert found.recorded is not kind.computed
    assert found.reads_json is (kind.asks != "person")
    assert (kind.asks == "nobody") is kind.computed
    assert PlayerConfig(player_id="Ada", provider=provider).kind is kind


def test_every_provider_and_whatever_an_old_log_names_is_a_models_seat() -> None:
    assert all(SEATS[name] is MODEL for name in PROVIDERS)
    assert seat_kind("a provider of long ago") is MODEL


def test_a_script_is_made_of_its_game() -> None:
    config = PlayerConfig(player_id="Ada", provider="scripted", model="greedy")
    made = config.kind.player_class().sit(config, supplies())
    assert isinstance(made, ScriptedPlayer)
    assert made.script is GAMES["conversation"].strategies["greedy"]


def test_a_model_takes_the_games_client_and_attempts() -> None:
    client: Any = object()
    config = PlayerConfig(player_id="Ada", provider="local")
    made = LLMPlayer.sit(config, replace(supplies(), client=lambda: client))
    assert (made.client, made.asks) == (client, 2)


def test_a_policy_that_cannot_be_loaded_says_so() -> None:
    config = PlayerConfig(player_id="Ada", provider="trained", model="x.zip")
    with pytest.raises(ValueError, match="expected a game that policies are trained for"):
        config.kind.player_class().sit(config, supplies())


def test_words_of_a_script_are_checked_before_anybody_sits() -> None:
    with pytest.raises(ValidationError, match="unknown strategy of conversation 'gredy': did you"):
        config_for("conversation", "scripted:gredy")
    with pytest.raises(ValueError, match="unknown provider 'scriptd': did you mean 'scripted'"):
        config_for("conversation", "scriptd:greedy")


@pytest.mark.parametrize(("provider", "kind"), [("local", LLMPlayer), ("human", HumanPlayer)])
def test_a_player_is_what_its_provider_means(provider: str, kind: type[Player]) -> None:
    config = PlayerConfig(player_id="Ada", provider=provider)
    made = Player(config)
    assert type(made) is kind
    assert made.config is config


@pytest.mark.parametrize("provider", ["scripted", "trained"])
def test_a_seat_of_a_game_is_taken_in_a_game(provider: str) -> None:
    config = PlayerConfig(player_id="Ada", provider=provider, model="greedy")
    with pytest.raises(ValueError, match=f"got {provider}:greedy, which only a game can seat"):
        Player(config)


def test_a_player_alone_says_what_its_model_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match="set OPENAI_API_KEY"):
        Player(PlayerConfig(player_id="Ada", provider="openai"))
    with pytest.raises(ValueError, match="did you mean 'openai'"):
        Player(PlayerConfig(player_id="Ada", provider="opnai", model="m"))


class Echo(Player):
    """A new kind: it answers what its game would fall back on, and is recorded nowhere."""

    recorded = False

    async def decide(self, turn: Turn[Any], tape: Tape) -> Reply[Any]:
        return Reply(turn.fallback)


def test_a_new_kind_is_a_class_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "Echo", Echo, raising=False)
    monkeypatch.setitem(SEATS, "echo", SeatKind("player:Echo", asks="nobody", computed=True))
    history = GameEngine(config_for("conversation", "echo,scripted:random")).run()
    assert history.status == "finished"
    assert [seat.provider for seat in history.players] == ["echo", "scripted"]


def test_nobody_asks_a_seat_for_its_name() -> None:
    """What distinguishes seats stands in their rows, so a new kind needs no other line."""
    named = re.compile(
        r'provider"?\]? [!=]= "(scripted|trained|human|local)"'
        r"|isinstance\(.*(LLM|Scripted|Human)Player"
    )
    for path in [ROOT, *map(ROOT.joinpath, ("engine", "protocol"))]:
        for module in path.glob("*.py") if path == ROOT else path.rglob("*.py"):
            assert not named.search(module.read_text(encoding="utf-8")), module
