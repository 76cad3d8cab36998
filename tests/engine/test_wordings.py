"""Wordings of the rules: each states the same facts, and a game keeps the one it was begun with."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import pytest

from client_factory import ClientFactory
from engine import prompting
from engine.engine import GameEngine, GameEngineConfig
from engine.game import Game
from engine.games import GAMES, read_game
from engine.games.openspiel.game import OpenSpielGame
from engine.history import history_from_json
from engine.prompting import (
    PROMPTS,
    environment,
    read_data,
    template_hashes,
    wordings_of,
)
from engine.record.journal import Journal, JournalError, utc_now
from engine.runs.check import check_log
from engine.runs.replay import fork
from engine.spending.budget import Limits, Meter
from engine.tournaments.play_game import play_draw
from player import PlayerConfig
from tests.support.fake_api import FakeApi
from tests.support.tournaments.cups import short_cup

STRANGE = "You choose between C and D, {{ game.moves_asked }} at a time."
FACTS = read_data(Path(__file__).parent.parent / "data" / "rules_facts.yaml")


class Table(NamedTuple):
    """The facts of a game under some settings, as its rules tell them to so many players."""

    name: str
    settings: dict[str, Any]
    players: int
    facts: list[str]

    def game(self) -> Game[Any]:
        """Return the game; skipped without the library that plays it."""
        if self.name.startswith("openspiel"):
            pytest.importorskip("pyspiel", reason="needs the extra openspiel")
        settings = read_game(self.name) | self.settings
        return GAMES[settings.pop("name")].model_validate(settings)

    def rules(self, wording: int = 1) -> list[str]:
        """Return the sentences of the rules in a wording."""
        text = self.game().rules(players=self.players, wording=wording)
        return [one for one in re.split(r"(?<=[.;])\s+|\n+", text.strip()) if one.strip()]


def tables_of(name: str) -> list[Table]:
    """Return the facts of a game by settings."""
    return [
        Table(name, table.get("settings", {}), table["players"], table["facts"])
        for table in FACTS[name]
    ]


def states(sentence: str, fact: str) -> bool:
    """Return whether a sentence has one word of each part of a fact."""
    return all(any(map(pattern_of(sentence), part.split("|"))) for part in fact.split(", "))


def pattern_of(sentence: str) -> Any:
    def is_in(word: str) -> bool:
        end = r"(?!\w|\.\d)" if len(word) == 1 or word[-1].isdigit() else ""
        return bool(re.search(rf"(?<![\w.]){re.escape(word)}{end}", sentence, re.IGNORECASE))

    return is_in


def missing_facts(sentences: list[str], facts: list[str]) -> list[str]:
    """Return the facts that no sentence states."""
    return [fact for fact in facts if not any(states(one, fact) for one in sentences)]


TABLES = [pytest.param(table, id=f"{name}-{place}")
          for name in FACTS for place, table in enumerate(tables_of(name))]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_each_wording_states_every_fact(table: Table) -> None:
    for wording in wordings_of(*table.game().rule_templates()):
        missing = missing_facts(table.rules(wording), table.facts)
        assert not missing, f"wording {wording} of {table.name} does not say: {missing}"


@pytest.mark.parametrize("name", FACTS)
def test_no_sentence_of_the_rules_can_be_left_out(name: str) -> None:
    shown: dict[str, str] = {}
    needed = set()
    for table in tables_of(name):
        sentences = table.rules()
        for place, sentence in enumerate(sentences):
            pattern = re.sub(r"[\d.]+", "#", sentence)
            shown[pattern] = sentence
            if missing_facts(sentences[:place] + sentences[place + 1 :], table.facts):
                needed.add(pattern)
    assert not [sentence for pattern, sentence in shown.items() if pattern not in needed]


@pytest.fixture
def second_wording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Prompts with a second wording of the dilemma, and of hex alone among OpenSpiel's games."""
    prompts = tmp_path / "prompts"
    copytree(PROMPTS, prompts, ignore=lambda folder, names: {"wordings"} & {*names})
    for name, text in {
        "dilemma/rules.j2": STRANGE,
        "openspiel/rules.j2": "{% include 'openspiel/' ~ game.kind ~ '.j2' %}",
        "openspiel/hex.j2": "Connect your sides on {{ game.parameters.num_rows }} rows.",
    }.items():
        path = prompts / "wordings" / "2" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(prompting, "PROMPTS", prompts)
    forget_templates()
    yield prompts
    monkeypatch.undo()
    forget_templates()


def forget_templates() -> None:
    for read in (environment, template_hashes, OpenSpielGame.rules):
        read.cache_clear()


def dilemma(folder: Path, at: str = "", **more: Any) -> GameEngineConfig:
    """Return a short game of a model and a script, or of two scripts."""
    api = {"base_url": f"{at}/v1"}
    model = {"player_id": "Ada", "provider": "compatible", "model": "m", "client_kwargs": api}
    script = {"player_id": "Ada", "provider": "scripted", "model": "defector"}
    settings = {
        "player_configs": [
            model if at else script,
            {"player_id": "Ben", "provider": "scripted", "model": "tit_for_tat"},
        ],
        "game": {"name": "dilemma", "max_rounds": 1},
        "logs_dir": folder,
        "game_id": "game",
    }
    return GameEngineConfig.model_validate(settings | more)


@pytest.mark.usefixtures("second_wording")
async def test_a_game_is_played_checked_and_forked_in_its_wording(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await GameEngine(dilemma(tmp_path, api.url, wording=2)).play()
    (system,) = {request.body["messages"][0]["content"] for request in api.requests}
    assert "You choose between C and D, three moves at a time." in system
    assert "prisoner" not in system
    log = history_from_json((tmp_path / "game.json").read_bytes())
    assert (log.config["wording"], log.wording) == (2, 2)
    assert await asyncio.to_thread(check_log, log) == ""
    middle = len(log.events) // 2
    defector = PlayerConfig(player_id="Ada", provider="scripted", model="defector")
    forked = await asyncio.to_thread(fork, log, middle, [defector], tmp_path)
    assert forked.config.wording == 2
    assert (await forked.play()).wording == 2


def test_a_begun_game_goes_on_in_its_own_wording_alone(
    second_wording: Path, tmp_path: Path
) -> None:
    config = dilemma(tmp_path, wording=2)
    journal = tmp_path / "game.jsonl"
    Journal.create(journal, config.header()).close()
    assert GameEngine.replay(journal).wording == 2
    with pytest.raises(JournalError, match=r"started with other settings: config\.wording was 2"):
        GameEngine.resume(journal, dilemma(tmp_path))
    (second_wording / "wordings/2/dilemma/rules.j2").write_text("Choose.")
    forget_templates()
    with pytest.raises(JournalError, match=r"templates\.wordings/2/dilemma/rules\.j2 was"):
        GameEngine.resume(journal)


@pytest.mark.usefixtures("second_wording")
def test_the_first_wording_leaves_no_trace(tmp_path: Path) -> None:
    plain, first = dilemma(tmp_path), dilemma(tmp_path, wording=1)
    assert plain.made_from() == first.made_from()
    assert "wording" not in plain.public()
    assert not [path for path in plain.made_from()["templates"] if "wordings" in path]


@pytest.mark.usefixtures("second_wording")
@pytest.mark.parametrize(
    ("game", "wording", "sentence"),
    [
        ("dilemma", 3, "expected a wording that has dilemma/rules.j2, which is 1 or 2: got 3"),
        ("guest", 2, "expected a wording that has guest/rules.j2, which is 1: got 2"),
    ],
)
def test_a_wording_that_a_game_lacks_is_refused(
    game: str, wording: int, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        dilemma(tmp_path, game=game, wording=wording)


@pytest.mark.usefixtures("second_wording")
def test_rules_of_ones_own_have_no_wording(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected either wording or rules_prompt: got both"):
        dilemma(tmp_path, wording=2, rules_prompt="Play.")


@pytest.mark.usefixtures("second_wording")
def test_a_wording_of_one_game_of_a_library_is_none_of_another() -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    hex_game = GAMES["openspiel"].model_validate({"game": "hex(board_size=5)"})
    chess = GAMES["openspiel"].model_validate({"game": "chess"})
    assert hex_game.rules(wording=2) == "Connect your sides on 5 rows."
    assert wordings_of(*hex_game.rule_templates()) == (1, 2)
    assert wordings_of(*chess.rule_templates()) == (1,)


def test_a_fact_is_missing_once_its_sentence_is_deleted() -> None:
    facts = ["37, turn|round", "silent|nothing"]
    sentences = ["It takes 37 turns.", "You may be silent."]
    assert missing_facts(sentences, facts) == []
    assert missing_facts(sentences[:1], facts) == ["silent|nothing"]
    assert missing_facts(["It takes 137 turns.", "Stay silent."], facts) == ["37, turn|round"]


@pytest.mark.usefixtures("second_wording")
async def test_a_tournament_plays_each_wording_and_its_rows_say_so(tmp_path: Path) -> None:
    settings = short_cup("dilemma", wordings=2)
    meter, factory = Meter(Limits(), utc_now), ClientFactory()
    draws = list(settings.draw())
    done = [await play_draw(settings, one, tmp_path, factory=factory, whole=meter) for one in draws]
    assert sorted(draw.wording for draw in draws) == [1, 1, 1, 2, 2, 2]
    for draw, game in zip(draws, done, strict=True):
        assert {row["wording"] for row in game.rows} == {draw.wording}
        log = tmp_path / "games" / f"cup_{draw.number:06}.json"
        assert history_from_json(log.read_bytes()).wording == draw.wording
    other = replace(draws[0], wording=3 - draws[0].wording)
    with pytest.raises(ValueError, match="other players, seed or wording"):
        await play_draw(settings, other, tmp_path, factory=factory, whole=meter)
