"""What many conversations show: the shared score, what own turns changed, and what is next."""

import shlex
from pathlib import Path
from typing import Any

import pytest

import studies
from engine.games.conversation.game import ConversationGame
from engine.games.conversation.many import conversation_figures
from engine.games.conversation.record import Conversation, Item
from engine.games.conversation.scoring import score
from engine.history import History
from engine.report.averages import Average, Averages
from engine.report.tables import Sentence, Table
from tests.support.narrowing import not_none
from tests.support.tables import run_game


def played(players: str = "scripted:weave,scripted:selfish", **more: Any) -> History:
    return run_game("conversation", players, **more)


@pytest.mark.parametrize("seed", range(6))
def test_what_own_turns_changed_adds_up_to_the_shared_score(seed: int) -> None:
    history = played("scripted:weave,scripted:selfish,scripted:random-pause", seed=seed)
    figures = conversation_figures(history)
    assert figures.shared == {"shared": not_none(history.outcome).shared["shared"]}
    own = figures.own["own_turns"]
    assert [*own] == ["Ada", "Ben", "Cleo"]
    assert sum(own.values()) == pytest.approx(figures.shared["shared"])


def test_a_turn_is_worth_what_the_score_gains_by_it() -> None:
    """The difference of the whole score before and after each turn, scored anew each time."""
    history = played("scripted:weave,scripted:selfish", seed=3)
    items: dict[str, Item] = {}
    rankings: dict[str, Any] = {}
    turns = []
    for event in history.events:
        if event.kind == "setup":
            rankings[str(event.player_id)] = event.data["ranking"]
            for item in event.data["bank"]:
                items[item["id"]] = Item(**item)
        elif event.kind in ("speech", "pause"):
            turns.append(event.data.get("item"))
    gains = dict.fromkeys(rankings, 0.0)
    before = 0.0
    for end, item_id in enumerate(turns, 1):
        after = score(Conversation(20, 20, rankings, items, turns[:end])).shared
        if item_id is not None:
            gains[items[item_id].player_id] += after - before
        before = after
    assert conversation_figures(history).own["own_turns"] == pytest.approx(gains)


def test_the_shared_score_leads_and_places_are_explained() -> None:
    history = played()
    own = {"Ada": Average(1.5, 0.25), "Ben": Average(2.5, 0.5)}
    averages = Averages({"shared": Average(4.0, 0.125)}, {"own_turns": own})
    lead, table, why = ConversationGame.batch_report(history, averages)
    assert lead == Sentence("Shared score of a table: 4.00 on average (standard error 0.12).")
    assert isinstance(table, Table)
    assert table.columns == ("player", "who", "change", "±")
    assert table.rows == (
        ("Ben", "scripted:selfish", 2.5, 0.5),
        ("Ada", "scripted:weave", 1.5, 0.25),
    )
    assert isinstance(why, Sentence)
    assert "rest on the private bonus alone" in why.text
    assert "For a model" not in why.text
    assert [*ConversationGame.batch_report(history, Averages({}, {}))] == []


def test_a_single_deal_has_no_error_to_show() -> None:
    averages = Averages({"shared": Average(4.0, None)}, {"own_turns": {"Ada": Average(1.5, None)}})
    lead, table, _ = ConversationGame.batch_report(played(), averages)
    assert lead == Sentence(
        "Shared score of a table: 4.00 on average (one deal, so no standard error)."
    )
    assert isinstance(table, Table)
    assert table.columns == ("player", "who", "change")


@pytest.mark.parametrize(
    ("players", "strategies"),
    [
        ("scripted:weave,scripted:selfish,scripted:weave", "weave,selfish"),
        ("scripted:silent,scripted:silent", "silent,random,greedy,patient,foresight"),
    ],
)
def test_the_next_command_is_the_substitution_study_of_this_table(
    players: str,
    strategies: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It runs as it stands, with the table's own players and settings."""
    seats = players.count(",") + 1
    settings = {"length": 6, "bank_size": 4, "subjects": ["tea", "rain", "chess"]}
    command = ConversationGame.batch_command(played(players, settings=settings))
    assert command == (
        f"studies.py conversation tournament --strategies {strategies} "
        f"--settings {seats}/4/3/6 --randoms 0"
    )
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)[1:]
    assert studies.main([*words, "--games", "1", "--no-pictures", "--processes", "1"]) == 0
    shown = capsys.readouterr().out
    assert "by substitution" in shown
    assert all(name in shown for name in strategies.split(","))


def test_a_model_is_compared_by_a_script_in_its_seat() -> None:
    history = played()
    history.players[0] = history.players[0].__class__("Ada", "openai", "m")
    *_, why = ConversationGame.batch_report(history, Averages({"shared": Average(4.0, 0.125)}, {}))
    assert isinstance(why, Sentence)
    assert "For a model, play the same --seed again with a script in its seat" in why.text
    assert "--strategies selfish,random,greedy" in ConversationGame.batch_command(history)


def test_a_speech_that_cannot_be_read_is_said_to_be_so() -> None:
    history = played()
    for event in history.events:
        if event.kind == "speech":
            event.data["score"] = "much"
    with pytest.raises(ValueError, match="expected the data of a speech to have a score"):
        conversation_figures(history)
