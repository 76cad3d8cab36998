"""The instruments of bias find what was planted in a tournament, and say what is not there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.tournaments.ledger import read_ledgers
from engine.tournaments.row_cache import rows_of_tournament
from engine.tournaments.sources.source import Source, count_games
from engine.tournaments.standings.method import Method
from labs.bias.estimators.clusters import effect_of
from labs.bias.instruments import Instruments, instruments_of
from labs.jury.cases import cases_in
from labs.jury.jury import Jury
from labs.jury.record import JuryRecord
from tests.support.fake_api import FakeApi
from tests.support.tournaments.cups import short_cup
from tests.support.tournaments.juries import (
    DELIBERATIONS,
    island_cup,
    model_cup,
    play_cup,
    take_first,
)


def source_in(folder: Path) -> Source:
    state = read_ledgers(folder)
    rows: list[dict[str, Any]] = []
    for own in rows_of_tournament(folder, state, state.settings).values():
        rows += own
    return Source("cup", folder, rows, count_games([]), settings=state.settings)


def measure(folder: Path) -> Instruments:
    return instruments_of(source_in(folder), Method.of(read_ledgers(folder).settings))


async def judge(folder: Path) -> None:
    state = read_ledgers(folder)
    await Jury(cases_in(folder, state, state.settings), JuryRecord.open(folder, "cup")).ask()


def p_by_name(found: Instruments) -> Mapping[str, float]:
    return {row.name: row.p_adjusted for row in found.rows() if row.p_adjusted is not None}


def test_counts_of_changes_and_words_of_few_finals_have_no_p() -> None:
    effects = {}
    for name in ("order", "order flips", "label verdicts"):
        effects[f"jury again: {name}"] = effect_of(0.2, ["a", "b"], np.array([0.1, -0.1]), 9)
    for name, finals in (("jury by words", 29), ("jury by list", 30)):
        names = [str(final) for final in range(finals)]
        effects[name] = effect_of(0.2, names, np.full(finals, 0.1), 9)
    rows = {row.name: row for row in Instruments(effects).rows()}
    tested = {name for name, row in rows.items() if row.p_adjusted is not None}
    assert tested == {"jury again: order", "jury by list"}
    assert rows["jury by words"].sentence.endswith("in 29 games; no p below 30 finals")
    for row in Instruments({name: effects[name] for name in tested}).rows():
        assert row.p_adjusted == rows[row.name].p_adjusted
    assert Instruments({"jury by words": effects["jury by words"]}).rows()[0].p_adjusted is None


async def test_a_planted_list_effect_is_found_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = {**DELIBERATIONS.strategies, "first": take_first}
    monkeypatch.setattr(DELIBERATIONS, "strategies", scripts)
    await play_cup(island_cup(5, 30, *["first"] * 3, "random", "loyal", "grudge"), tmp_path)
    await judge(tmp_path)
    found = measure(tmp_path)
    p = p_by_name(found)
    assert found.effects["jury by list"].estimate > 0.2
    for name in ("votes by list", "jury again: order"):
        assert found.effects[name].estimate > 0.2
        assert p[name] < 0.05
    assert found.effects["jury again: label"].estimate == 0
    assert p["jury again: label"] == 1
    for name in ("places by seat", "places by words"):
        assert p[name] > 0.05


async def test_who_stays_longer_says_more_and_that_is_no_effect_of_words(tmp_path: Path) -> None:
    await play_cup(island_cup(5, 40, "loyal", "random", "grudge", "bandwagon", "random"), tmp_path)
    found = measure(tmp_path)
    low, high = found.effects["places by words"].interval
    assert low < 0 < high
    assert high - low < 3
    asked = "Jury again: there is no jury.jsonl; uv run tournament.py jury cup asks it."
    assert asked in found.missing
    words = [row["words"] for row in source_in(tmp_path).rows]
    assert len(words) == 40 * 5
    assert 0 < min(words) <= max(words) < 60


async def test_jurors_of_two_providers_tell_of_their_own(tmp_path: Path) -> None:
    async with FakeApi() as api:
        await play_cup(model_cup(api, games=16, scripts=("random", "grudge")), tmp_path)
    found = measure(tmp_path)
    effect = found.effects["jury by provider"]
    assert 0 < effect.votes <= 32
    assert effect.share is not None
    row = next(row for row in found.rows() if row.name == "jury by provider")
    assert "a finalist of the juror's own provider" in row.sentence
    assert row.unit == "logits"
    assert row.share_interval == effect.share_interval is not None
    assert f"of {effect.votes} votes in {effect.games} games" in row.sentence


async def test_a_game_without_votes_has_only_what_exists(tmp_path: Path) -> None:
    await play_cup(short_cup("dilemma", games=6), tmp_path)
    found = measure(tmp_path)
    assert [*found.effects] == ["places by seat"]
    assert found.missing == [
        "Places by words: the rows have no public words.",
        "Places by name: no entrant played under several names.",
        "Votes: no log contains any.",
        "Jury again: only a tournament with finals has jurors to ask.",
    ]


async def test_rows_without_logs_tell_of_places_and_no_votes(tmp_path: Path) -> None:
    await play_cup(island_cup(4, 6, "loyal", "random", "grudge", "bandwagon"), tmp_path)
    source = source_in(tmp_path)
    for log in (tmp_path / "games").glob("*.json"):
        log.unlink()
    found = instruments_of(source, Method.of(read_ledgers(tmp_path).settings))
    assert [*found.effects] == ["places by seat", "places by words"]
    assert "Votes: no log contains any." in found.missing
