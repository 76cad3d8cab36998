"""Anchors of a tournament: what its settings may say, and what its report says of the link."""

import json
from collections.abc import Collection
from math import log
from pathlib import Path
from typing import Any

import pytest

import tournament
from engine.report.tables import Facts
from engine.tournaments.anchors import AnchorScale, one_anchor, read_scales
from engine.tournaments.report.files import ratings_json
from engine.tournaments.report.tables import standings_parts
from engine.tournaments.settings import (
    TournamentSettings,
    changes_between,
    offline,
    read_tournament,
)
from engine.tournaments.standings.method import Method
from tests.support.placements import deal_orders
from tests.support.tournaments.cups import scripts, write_cup
from tests.support.tournaments.rated import dealt_rows, standings_from

SCRIPTS = scripts("tit_for_tat", "grudger", "gradual", "defector")
MINI = {"provider": "openai", "model": "gpt-5.4-mini"}
CUP: dict[str, Any] = {
    "name": "cup",
    "game": {"name": "dilemma", "max_rounds": 1},
    "table": 2,
    "targets": ["places"],
    "entrants": SCRIPTS,
    "games": 10,
}


def cup_with(anchors: object, **more: object) -> TournamentSettings:
    return TournamentSettings.model_validate(CUP | {"anchors": anchors} | more)


def spread_over(lines: list[list[float]]) -> dict[str, Any]:
    return {"all": {"ratings": {"grudger": 1500}, "covariance": lines}}


def rated_file(folder: Path, **changes: Any) -> Path:
    """Write the ratings of a tournament of e00 to e04, as it was or with some keys changed."""
    data = json.loads(ratings_json(standings_from(dealt_rows(200), name="first"))) | changes
    path = folder / "ratings.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def scales_in(path: Path, names: Collection[str]) -> dict[str, AnchorScale]:
    return read_scales(path, names, "deliberations", ["places"])


def second_rows(shift: float = 1.0) -> list[dict[str, object]]:
    """Return games in which e00 to e02 play three new ones, all better than those by `shift`."""
    rows: list[dict[str, object]] = []
    usual = {"game": "deliberations", "provider": "scripted", "asks": 4}
    for row in deal_orders(6, 3, 200, shift, seed=9):
        number = int(row["entrant"][1:])
        rows.append({**usual, **row, "entrant": row["entrant"] if number < 3 else f"new {number}"})
    return rows


def facts_of(found: Any) -> str:
    facts = [part.facts for part in standings_parts(found) if isinstance(part, Facts)]
    return "\n".join(text for part in facts for _, text in part)


def test_anchors_by_hand_set_the_scale() -> None:
    settings = cup_with({"grudger": 1600, "gradual": 1500})
    (scale,) = settings.anchors.values()
    assert scale.ratings == {"grudger": 1600.0, "gradual": 1500.0}
    assert TournamentSettings.model_validate(settings.public()).anchors == settings.anchors
    assert Method.of(settings).anchors == settings.anchors
    assert Method.from_json(Method.of(settings).to_json()).anchors == settings.anchors
    plain = TournamentSettings.model_validate(CUP)
    assert "anchors" not in plain.public()
    # Anchors change no game: a tournament goes on with others.
    assert settings.sha256 == plain.sha256
    assert changes_between(plain, settings) == []


def test_the_single_anchor_is_the_same_thing() -> None:
    single = Method.of(TournamentSettings.model_validate(CUP | {"anchor": "grudger"}))
    assert single.anchors == one_anchor("grudger") == Method.of(cup_with({"grudger": 1500})).anchors


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"anchors": {"gruger": 1500}}, "unknown entrant in anchors 'gruger'"),
        ({"anchors": {"grudger": 1e9}}, "less than or equal to 1000000"),
        ({"anchors": {"grudger": 1500}, "anchor": "gradual"}, "either anchor or anchors: got both"),
        ({"anchors": {"grudger": 1500}, "targets": ["points"]}, "a target in Elo for anchors"),
        ({"anchors": spread_over([[1, 2]])}, "one row of the covariance"),
        ({"anchors": spread_over([[]])}, "one row of the covariance"),
        ({"anchors": spread_over([[-1]])}, "one row of the covariance"),
        ({"anchors": spread_over([[1], [2]])}, "one row of the covariance"),
    ],
)
def test_wrong_anchors_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        TournamentSettings.model_validate(CUP | changes)


def test_offline_keeps_the_anchors_that_play() -> None:
    seated = {"entrants": SCRIPTS | {"mini": MINI}}
    left, _ = offline(cup_with({"grudger": 1500, "mini": 1600}, **seated))
    assert left.anchors == cup_with({"grudger": 1500}).anchors
    nobody, _ = offline(cup_with({"mini": 1600}, **seated))
    assert nobody.anchors == {}


def test_a_scale_among_some_keeps_their_covariance() -> None:
    scale = AnchorScale(ratings={"a": 1.0, "b": 2.0, "c": 3.0}, covariance=((1, 2, 3),) * 3)
    left = scale.among({"c", "a"})
    assert left.ratings == {"a": 1.0, "c": 3.0}
    assert left.covariance == ((1, 3), (1, 3))


def test_ratings_of_another_tournament_are_a_scale(tmp_path: Path) -> None:
    path = rated_file(tmp_path)
    scale = scales_in(path, {"e00", "e02", "x"})["places"]
    assert scales_in(tmp_path, {"e00", "e02", "x"})["places"] == scale
    (table,) = json.loads(path.read_text("utf-8"))["targets"]
    by_name = {row["entrant"]: row for row in table["rows"]}
    assert scale.ratings == {name: by_name[name]["rating"] for name in sorted(scale.ratings)}
    assert (scale.source, scale.direction) == ("first", "top")
    errors = [line[place] ** 0.5 for place, line in enumerate(scale.covariance)]
    known = [by_name[name]["error"] * 400 / 2.302585 for name in scale.ratings]
    assert errors == pytest.approx(known, rel=1e-4)


def test_an_open_rating_is_no_anchor(tmp_path: Path) -> None:
    path = rated_file(tmp_path)
    data = json.loads(path.read_text("utf-8"))
    data["targets"][0]["rows"][0]["open_end"] = "upper"
    data["targets"][0]["rows"][1]["error"] = None
    names = [row["entrant"] for row in data["targets"][0]["rows"]]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert [*scales_in(path, names)["places"].ratings] == names[2:]
    data["targets"][0]["rows"] = []
    path.write_text(json.dumps(data), encoding="utf-8")
    assert scales_in(path, names)["places"].ratings == {}


def test_a_scale_in_elo_becomes_logits() -> None:
    elo = 400 / log(10)
    scale = AnchorScale(ratings={"a": 1500 + elo, "b": 1500}, covariance=((elo**2, 0), (0, 0)))
    assert scale.anchors().skill == pytest.approx([1.0, 0.0])
    assert scale.anchors().covariance[0, 0] == pytest.approx(1.0)
    assert one_anchor("a")["all"].anchors().covariance[0, 0] == 0


def test_ratings_are_on_the_other_scale_and_the_report_says_so(tmp_path: Path) -> None:
    scales = scales_in(rated_file(tmp_path), {f"e0{number}" for number in range(5)})
    alone = standings_from(second_rows())
    found = standings_from(second_rows(), anchors=scales)
    (plain,), (table,) = alone.targets, found.targets
    assert table.link is not None
    assert set(table.link.anchors) == {"e00", "e01", "e02"}
    assert table.link.freedom == 2
    shifts = {
        row.entrant: row.rating - other.rating
        for row, other in zip(table.rows, plain.rows, strict=True)
    }
    assert max(shifts.values()) - min(shifts.values()) == pytest.approx(0, abs=1e-6)
    for row, other in zip(table.rows, plain.rows, strict=True):
        # What an anchor had elsewhere tells of it here too.
        assert row.entrant[0] == "e" or row.high - row.low > other.high - other.low
    text = facts_of(found)
    assert "The ratings of e02, e01 and e00 in first set the scale." in text
    assert "chi-square" in text
    assert "moved most, by" in text


def test_without_overlap_the_report_says_that_no_scale_is_shared(tmp_path: Path) -> None:
    rows = [row | {"entrant": f"z {row['entrant']}"} for row in second_rows()]
    entrants = {str(row["entrant"]) for row in rows}
    scales = scales_in(rated_file(tmp_path), entrants)
    found = standings_from(rows, anchors=scales)
    told = "No ranked entrant of first is rated here, so the two tournaments share no scale."
    assert told in facts_of(found)
    scales = scales_in(rated_file(tmp_path), {"e00", "e01"})
    bottom = standings_from(second_rows(), direction="bottom", anchors=scales)
    assert "first reads places from the top, so the two" in facts_of(bottom)
    unlinked = standings_from(second_rows(), direction="bottom")
    assert bottom.targets[0].rows == unlinked.targets[0].rows


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "dilemma"}, "anchors of the same game, deliberations"),
        ({"targets": [{"target": "places"}]}, "to be the ratings.json of a tournament"),
        ({"targets": 7}, "to be the ratings.json of a tournament"),
        ({"targets": [{"target": "fame"}]}, "to be the ratings.json of a tournament"),
    ],
)
def test_what_is_no_such_file_is_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=sentence):
        scales_in(rated_file(tmp_path, **changes), {"e00"})
    with pytest.raises(ValueError, match=r"expected anchors to be a file: .*nothing"):
        scales_in(tmp_path / "nothing", {"e00"})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, ""),
        ({"entrants": SCRIPTS | {"new": MINI}, "games": 20, "seed": 3}, ""),
        (
            {"game": {"name": "dilemma", "max_rounds": 2}},
            "game.max_rounds was 2, now it is 1; use the same settings",
        ),
        ({"table": 3}, "table was 3, now it is 2"),
        ({"names": "own"}, "names was 'own', now it is 'anonymous'"),
        ({"entrants": SCRIPTS | {"grudger": MINI}}, "entrants.grudger.provider was 'openai', now"),
        ({"targets": ["wins"]}, "the same target, places: .* rates wins"),
    ],
)
def test_anchors_measured_otherwise_are_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    first = TournamentSettings.model_validate(CUP | changes)
    (table,) = json.loads(rated_file(tmp_path).read_text("utf-8"))["targets"]
    tables = [table | {"target": first.targets[0]}]
    path = rated_file(tmp_path, game="dilemma", settings=first.public(), targets=tables)
    cup = write_cup(tmp_path, CUP | {"anchors": str(path)})
    if not sentence:
        assert read_tournament(cup).anchors["places"].source == "first"
        return
    with pytest.raises(ValueError, match=sentence):
        read_tournament(cup)


def test_the_file_may_be_named_in_the_settings_or_in_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rated_file(tmp_path)
    rows = tmp_path / "second" / "rows.jsonl"
    rows.parent.mkdir()
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in second_rows()), encoding="utf-8")
    link = ["--direction", "top", "--anchor", str(path)]
    assert tournament.main(["rate", str(rows), "--target", "places", *link]) == 0
    assert "in first set the scale" in " ".join(capsys.readouterr().out.split())
    cup = write_cup(tmp_path, CUP | {"anchors": str(rated_file(tmp_path, game="dilemma"))})
    assert read_tournament(cup).anchors["places"].ratings == {}
    write_cup(tmp_path, CUP | {"anchors": "nowhere.json"})
    with pytest.raises(ValueError, match=r"anchors to be a file: nowhere\.json"):
        read_tournament(cup)
