"""The conversation as a game of the arena: what models are told."""

import json

import pytest

from engine.games.conversation.game import ConversationGame
from tests.support.histories import of_kind
from tests.support.tables import play_with_models


async def test_a_model_is_told_what_its_items_would_change_now() -> None:
    """Alone an item's change is its importance and -1 of coherence: nothing is around it yet."""
    for advice in ("deltas", "none"):
        seats = "Ada=compatible:m,scripted:random"
        settings = {"length": 1, "advice": advice}
        history, _ = await play_with_models("conversation", seats, settings=settings)
        (asked,) = (event.prompt.question for event in history.events if event.prompt is not None)
        told = json.loads(asked.partition("\n")[0])
        assert ("points_now" in told) is (advice == "deltas")
        assert ("points_now" in history.seat("Ada").system) is (advice == "deltas")
        setup = next(event for event in of_kind(history, "setup") if event.player_id == "Ada")
        for item in setup.data["bank"] if advice == "deltas" else []:
            change = told["points_now"][item["id"].removeprefix("Ada: ")]
            assert change == pytest.approx(item["importance"] - 1, abs=0.0051)


def test_players_and_the_log_know_how_banks_are_dealt() -> None:
    half, coin = ConversationGame(bank_size=5), ConversationGame(bank_size=5, composition="coin")
    assert "composition" not in half.model_dump()
    assert ConversationGame.model_validate(coin.model_dump()) == coin
    assert "5 items: 2 about one of 20 subjects and 3 about two, each with" in half.rules()
    assert "5 items: each is about one of 20 subjects or about two, with equal" in coin.rules()
