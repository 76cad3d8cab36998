"""Deliberations as a game: settings, rounds, final places, and the source's four-field config."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import DEFAULT_GAME
from engine.games.deliberations.game import DeliberationsGame
from engine.games.deliberations.rules import (
    Island,
    apply_verdict,
    figures,
    land,
    placements,
    summarise,
)
from engine.history import Event, history_from_json
from engine.rng import stream
from engine.runs.seating import neutral
from engine.views.perspective import history_in
from player import PlayerConfig
from tests.oracles.judge import broken_rules
from tests.support.histories import of_kind
from tests.support.island import island, scripted_island
from tests.support.tables import config_for

FIVE = ("ann", "ben", "cleo", "dan", "eva")


def played(*results: str) -> Island:
    """Return the island of FIVE after results like "ben 3 ann 1": the first named is selected."""
    stand = land(FIVE)
    for result in results:
        words = result.split()
        tally = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        stand = apply_verdict(stand, words[0], dict.fromkeys(stand.active, 0) | tally)
    return stand


@pytest.mark.parametrize("ids", [(), ("ann",), ("ann", "ben")])
def test_two_players_leave_no_jury(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=rf"at least 3 players, .* a jury: got {len(ids)}"):
        land(ids)
    seats = [PlayerConfig(player_id=name, provider="scripted", model="random") for name in ids]
    if seats:
        with pytest.raises(ValueError, match="expected at least 3 players"):
            GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None))


@pytest.mark.parametrize("ids", [("ann", "ann", "ben"), ("ann", "", "ben")])
def test_ids_differ_and_are_not_empty(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected distinct player ids"):
        land(ids)


def test_a_game_counted_by_hand() -> None:
    """Cleo leaves, then Ann, then Eva; Dan beats Ben by 2 to 1."""
    stand = played("cleo 3 ann 2", "ann 2 eva 1", "eva 1 ben 1 dan 1")
    assert (stand.active, stand.final, stand.winner) == (("ben", "dan"), True, None)
    stand = apply_verdict(stand, "dan", {"ben": 1, "dan": 2})
    assert stand.winner == "dan"
    assert placements(stand) == {"ann": 4, "ben": 2, "cleo": 5, "dan": 1, "eva": 3}
    assert figures(stand) == {
        "ann": {"left in round": 2, "votes 1": 2, "votes 2": 2},
        "ben": {"votes 1": 0, "votes 2": 0, "votes 3": 1, "votes 4": 1},
        "cleo": {"left in round": 1, "votes 1": 3},
        "dan": {"votes 1": 0, "votes 2": 0, "votes 3": 1, "votes 4": 2},
        "eva": {"left in round": 3, "votes 1": 0, "votes 2": 1, "votes 3": 1},
    }
    assert summarise(stand) == "dan wins with 2 of 3 votes; ben is second."


def test_a_final_by_lot_is_called_so() -> None:
    stand = apply_verdict(played("cleo 1", "ann 1", "eva 1"), "ben", {"ben": 0, "dan": 0})
    assert summarise(stand) == "ben wins with 0 of 0 votes, by a random draw; dan is second."


def test_who_left_cannot_leave_again() -> None:
    with pytest.raises(ValueError, match=r"expected one of the active players .*: got 'cleo'"):
        apply_verdict(played("cleo 1"), "cleo", {})
    with pytest.raises(ValueError, match="got 'ben'"):
        apply_verdict(played("cleo 1", "ann 1", "eva 1", "dan 1"), "ben", {})


def kinds(phases: Any, round_index: int, **settings: Any) -> list[str]:
    history = scripted_island(5, seed=1, phases=phases, **settings).run()
    return [*dict.fromkeys(event.kind for event in history.rounds[round_index - 1].events)]


@pytest.mark.parametrize(
    ("phases", "round_index", "expected"),
    [
        (["pitches", "votes"], 1, ["narration", "pitch", "vote", "result"]),
        (["votes"], 4, ["narration", "vote", "result"]),
        (
            ["sidebars", "confessionals", "pitches", "votes"],
            2,
            ["narration", "sidebar", "confessional", "pitch", "vote", "result"],
        ),
        (
            ["pitches", "confessionals", "votes"],
            1,
            ["narration", "pitch", "confessional", "vote", "result"],
        ),
        ({3: ["sidebars", "votes"]}, 2, ["narration", "pitch", "vote", "result"]),
        ({3: ["sidebars", "votes"]}, 3, ["narration", "sidebar", "vote", "result"]),
        (
            {"3": ["sidebars", "votes"], "1": ["votes"]},
            4,
            ["narration", "sidebar", "vote", "result"],
        ),
        ({3: ["sidebars", "votes"], 1: ["votes"]}, 2, ["narration", "vote", "result"]),
    ],
)
def test_phases_are_those_of_settings(phases: Any, round_index: int, expected: list[str]) -> None:
    assert kinds(phases, round_index) == expected


@pytest.mark.parametrize(
    "phases",
    [
        ["votes", "pitches"],
        ["pitches", "pitches"],
        [],
        ["votes", "votes"],
        {0: ["votes"]},
        ["pitch", "votes"],
        "votes",
        3,
    ],
)
def test_phases_that_cannot_be_are_refused(phases: Any) -> None:
    with pytest.raises(ValidationError):
        DeliberationsGame(phases=phases)


@pytest.mark.parametrize(
    "settings",
    [
        {"words": 0},
        {"messages": 0},
        {"exchanges": 0},
        {"memory": "some"},
        {"memory": {"Ada": "some"}},
        {"private_words": 501},
        {"pitches": 3},
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DeliberationsGame.model_validate(settings)


def test_memory_is_of_players_who_play() -> None:
    with pytest.raises(ValueError, match="unknown player 'Adda': did you mean 'Ada'"):
        island("random", "random", "random", memory={"Adda": "summary"})


def test_settings_survive_the_log() -> None:
    game = DeliberationsGame(phases={2: ("sidebars", "votes")}, memory={"Ada": "summary"})
    assert DeliberationsGame.model_validate(game.model_dump(mode="json")) == game
    assert game.phases == {1: ("pitches", "votes"), 2: ("sidebars", "votes")}


@pytest.mark.parametrize(
    ("settings", "words", "missing"),
    [
        ({}, "Each round, in this order: pitches, votes.", "Sidebars"),
        ({"reveal_tally": True}, "how many votes each of the others got", "is not told"),
        ({}, "do not learn how many votes the others got", "Summaries"),
        (
            {"ties": "revote"},
            "learn the votes of the tied players, and not those of the others",
            "is not told",
        ),
        (
            {"phases": {1: ["votes"], 2: ["pitches", "votes"]}},
            "From round 1 on, in this order: votes.\n"
            "From round 2 on, in this order: pitches, votes.",
            "each of the others got",
        ),
        (
            {"phases": ["sidebars", "votes"], "exchanges": 2, "messages": 3},
            "- Sidebars: 2 times a round, each player in the game may take another player aside "
            "for a private talk of 3 messages, 60 words each at most, which no other player ever "
            "reads",
            "Pitches",
        ),
        (
            {"phases": ["confessionals", "votes"], "private_words": 20},
            "- Confessionals: each player in the game speaks in private, in at most 20 words",
            "From round",
        ),
        (
            {"memory": "summary"},
            "every player writes down what to remember of it, in at most 120 words",
            "some players",
        ),
        ({"memory": {"Ada": "summary"}}, "some players write down", "every player"),
    ],
)
def test_the_rules_tell_what_is_played(settings: dict[str, Any], words: str, missing: str) -> None:
    rules = DeliberationsGame(**settings).rules()
    assert words in rules
    assert missing not in rules
    assert "\n\n" not in rules


@pytest.mark.parametrize(
    ("players", "words"),
    [
        (
            3,
            "You are one of 3 players. Your aim is to win; places behind the winner count little.\n"
            "There are 2 rounds. In round 1, one player leaves. In round 2, the final, the one "
            "player who left chooses which of the last two wins.\n",
        ),
        (
            7,
            "There are 6 rounds. In each of rounds 1 to 5, one player leaves. In round 6, the "
            "final, the 5 players who left choose which of the last two wins.\n",
        ),
        (0, "N players play N - 1 rounds."),
    ],
)
def test_the_rules_count_players_and_rounds(players: int, words: str) -> None:
    assert words in DeliberationsGame().rules(players=players)


def test_nobody_may_be_called_nobody() -> None:
    seats = "Nobody=scripted:loyal,Ada=scripted:loyal,Ben=scripted:loyal"
    with pytest.raises(ValueError, match="names of players at the table: got 'Nobody'"):
        GameEngine(config_for("deliberations", seats))


def test_an_event_is_not_much_longer_at_a_long_table() -> None:
    """Compare bytes per event with 12 models and with 3, without the visibility lists."""

    def size(players: int) -> float:
        events = island(*["model"] * players).run().events
        told = [replace(event, visibility=()) for event in events]
        return len(TypeAdapter(list[Event]).dump_json(told, indent=1)) / len(told)

    assert size(12) / size(3) < 1.5


def test_four_fields_alone_play_this_game(tmp_path: Path) -> None:
    seat = PlayerConfig(player_id="Ada", provider="scripted", model="loyal")
    config = GameEngineConfig(
        logger=logging.getLogger("island"),
        player_configs=[seat.model_copy(update={"player_id": name}) for name in "ABC"],
        logs_dir=tmp_path / "logs",
        rules_prompt="Be kind.",
    )
    engine = GameEngine(config)
    history = engine.run()
    assert DEFAULT_GAME == history.game == "deliberations"
    assert engine.rules_prompt == "Be kind."
    told = [event.kind for event in history.rounds[1].events]
    assert told == ["narration", "narration", "pitch", "pitch", "vote", "result"]
    (log,) = (tmp_path / "logs").iterdir()
    assert history_from_json(log.read_bytes()) == history
    assert broken_rules(history) == {}


def test_anonymous_players_have_neutral_names_and_the_log_knows_who_is_who() -> None:
    settings = {"anonymous": True, "memory": {"Ben": "summary"}}
    config = config_for("deliberations", settings=settings, seed=5)
    history = GameEngine(neutral(config)).run()
    ids = [seat.player_id for seat in history.players]
    assert ids == ["Player 1", "Player 2", "Player 3", "Player 4"]
    names = history.config["game"]["names"]
    assert {*names} == {*ids}
    was = {player.player_id: player.model for player in config.player_configs}
    assert {names[seat.player_id]: seat.model for seat in history.players} == was
    assert {names[str(event.player_id)] for event in of_kind(history, "summary")} == {"Ben"}
    told = "".join(event.content for event in history.events)
    assert not any(name in told for name in was)
    assert broken_rules(history) == {}


def test_whoever_looks_through_a_players_eyes_does_not_learn_who_is_who() -> None:
    config = config_for("deliberations", settings={"anonymous": True}, seed=5)
    history = GameEngine(neutral(config)).run()
    part = history_in(history, "Player 2")
    seen = part.to_json()
    assert not any(f'"{name}"' in seen for name in history.config["game"]["names"].values())
    others = [seat for seat in part.players if seat.player_id != "Player 2"]
    assert {(seat.provider, seat.model) for seat in others} == {("", "")}


def test_seats_are_dealt_by_the_seed_once() -> None:
    settings = {"anonymous": True}
    dealt = [config_for("deliberations", settings=settings, seed=seed) for seed in range(30)]
    once = [neutral(config) for config in dealt]
    assert once == [neutral(config) for config in once] == [neutral(config) for config in dealt]
    assert len({config.player_configs[0].model for config in once}) == 4
    drawn = stream(0, "anonymous").sample(dealt[0].player_configs, 4)
    assert [player.model for player in once[0].player_configs] == [player.model for player in drawn]


def test_other_games_keep_their_names() -> None:
    for config in (config_for("conversation"), config_for("deliberations")):
        assert neutral(config) is config


def test_an_anonymous_game_without_dealt_names_is_refused() -> None:
    with pytest.raises(ValueError, match=r"call engine.runs.seating.neutral\(config\)"):
        GameEngine(config_for("deliberations", settings={"anonymous": True}))
