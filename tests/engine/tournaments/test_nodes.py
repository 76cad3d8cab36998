"""A machine that cannot play is named before the first game, and says which games it holds."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from client_factory import ClientFactory
from engine.record.journal import utc_now
from engine.spending.budget import BudgetReached, Limits, Meter
from engine.tournaments.course.restore import add_spent
from engine.tournaments.nodes import (
    NodeReport,
    code_sha256,
    look_around,
    nonce_in,
    refuse_secrets,
    refuse_unfit,
)
from engine.tournaments.play_game import play_draw
from engine.tournaments.settings import TournamentSettings
from tests.support.fake_api import FakeApi, chat, legal
from tests.support.tournaments.cups import short_cup

FIT = NodeReport("n1", "host", "", code_sha256(), (), {})


def with_models(**kwargs: object) -> TournamentSettings:
    seat = {"provider": "compatible", "client_kwargs": {"base_url": "http://h/v1", **kwargs}}
    entrants = {name: {**seat, "model": name} for name in ("one", "two")}
    settings = {"name": "cup", "game": "conversation", "table": 2, "entrants": entrants}
    return TournamentSettings.model_validate(settings | {"games": 2})


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"code": "other"}, "the same version of the project on all machines: the one on host"),
        ({"nonce": "nothing"}, "host cannot see this one; name a shared folder"),
        ({"faults": ("one: no key",)}, "host cannot ask all entrants: one: no key"),
    ],
)
def test_a_machine_that_cannot_play_is_named(changed: dict[str, Any], words: str) -> None:
    refuse_unfit([FIT, replace(FIT, host="other")], "")
    with pytest.raises(ValueError, match=words):
        refuse_unfit([FIT, replace(FIT, **changed)], "")


def test_the_keys_of_a_machine_are_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = with_models(api_key_env="ARENA_TEST_KEY")
    (fault,) = look_around("n", settings, tmp_path, None, ()).faults
    assert fault.startswith("one: expected a key in the environment variable ARENA_TEST_KEY")
    monkeypatch.setenv("ARENA_TEST_KEY", "sk-canary")
    report = look_around("n", settings, tmp_path, None, ())
    assert report.faults == ()
    assert "canary" not in repr(report)


def test_a_folder_is_shared_if_its_word_is_read(tmp_path: Path) -> None:
    with nonce_in(tmp_path / "new") as (path, nonce):
        assert look_around("n", short_cup(), tmp_path, path, ()).nonce == nonce
        other = tmp_path / "elsewhere" / path.name
        assert look_around("n", short_cup(), tmp_path, other, ()).nonce == ""
    assert not path.exists()


def test_no_secret_of_the_settings_is_sent() -> None:
    refuse_secrets(with_models(api_key_env="ARENA_TEST_KEY"))
    with pytest.raises(ValueError, match="no key or other secret in the settings of one"):
        refuse_secrets(with_models(extra_headers={"x-key": "sk-canary"}))


async def test_a_machine_tells_what_its_games_have_spent(tmp_path: Path) -> None:
    """Of two games the first is over, and the second was stopped by its budget after 3 calls."""
    async with FakeApi() as api:
        settings = with_models(base_url=f"{api.url}/v1")
        first, second = settings.draw()
        factory = ClientFactory()
        done = await play_draw(
            settings, first, tmp_path, factory=factory, whole=Meter(Limits(), utc_now)
        )
        three = Meter(Limits(max_calls=3), utc_now)
        await play_draw(settings, second, tmp_path, factory=factory, whole=three)
        await factory.aclose()
    held = look_around("n", settings, tmp_path, None, (0, 1, 2)).held
    spent = {number: (each.calls, each.tokens, each.cost) for number, each in held.items()}
    assert spent == {0: (done.calls, done.tokens, done.cost), 1: (3, 360, None)}


async def test_a_budget_of_tokens_ends_with_unreported_ones_of_an_earlier_run(
    tmp_path: Path,
) -> None:
    async with FakeApi(lambda body: web.json_response(chat(legal(body)) | {"usage": {}})) as api:
        settings = with_models(base_url=f"{api.url}/v1")
        factory = ClientFactory()
        one_call = Meter(Limits(max_calls=1), utc_now)
        game = next(settings.draw())
        await play_draw(settings, game, tmp_path, factory=factory, whole=one_call)
        await factory.aclose()
    (held,) = look_around("n", settings, tmp_path, None, (0,)).held.values()
    whole = Meter(Limits(max_tokens=10**9), utc_now)
    add_spent(whole, held)
    with pytest.raises(BudgetReached) as raised:
        whole.check()
    assert raised.value.untold == "its tokens"
