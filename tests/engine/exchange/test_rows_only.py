"""Battles, places, rewards and scores of others become rows that can be rated."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.exchange.foreign import foreign_number
from engine.exchange.game import ForeignGame, Format, Reading
from engine.exchange.inspect_eval import InspectEval
from engine.exchange.intake import fault_sentence, import_files
from engine.exchange.pairs import Pairs
from engine.exchange.placements import Placements
from engine.exchange.textarena import NAMES, TextArena
from engine.ratings import Results
from engine.record.archives import ZSTANDARD
from tests.support.odd_files import ODD
from tests.support.zstandard_zip import write_zip


def read(source: Format, path: Path) -> tuple[list[ForeignGame], Reading]:
    reading = Reading(stem="x")
    return [*source.games(path, reading)], reading


def places(game: ForeignGame) -> dict[str, int | None]:
    return {row["entrant"]: row["place"] for row in game.rows}


def write(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


CSV = 'left,right,winner,tie\n"Ann, the 1st",ben,ben,\nben,cleo,left,0\nann,cleo,,true\n'
ARENA = "question_id,model_a,model_b,winner\n1,x,y,model_a\n1,x,y,tie (bothbad)\n2,y,x,tie\n"


def test_battles_of_a_table(tmp_path: Path) -> None:
    games, reading = read(Pairs(), write(tmp_path, "a.csv", CSV))
    first, second, third = map(places, games)
    assert first == {"Ann, the 1st": 2, "ben": 1}
    assert (second, third) == ({"ben": 1, "cleo": 2}, {"ann": 1, "cleo": 1})
    assert [(row["seat"], row["score"]) for row in games[2].rows] == [(1, 0.5), (2, 0.5)]
    assert not reading.skips.count
    import_files(Pairs(), tmp_path / "a.csv", tmp_path / "in", {}, lambda done, all_files: None)
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"entrants.csv", "rows.jsonl"}
    Results.from_rows(row for game in games for row in game.rows)


def test_battles_of_lmarena(tmp_path: Path) -> None:
    games, reading = read(Pairs(), write(tmp_path, "a.csv", ARENA))
    tie = {"x": 1, "y": 1}
    assert [places(game) for game in games] == [{"x": 1, "y": 2}, tie, tie]
    assert reading.unknown == {"question_id": 3}
    assert sum(game.figures["both bad"] for game in games) == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"left": "a", "right": "a", "winner": "a"}, "both are 'a'"),
        ({"left": "a", "right": "b", "winner": "c"}, "expected the winner"),
        ({"left": "a", "winner": "a"}, "a right player"),
        ({"left": "a", "right": "x" * 999, "winner": "a"}, "a right player of 1 to 200"),
        ({"left": "\u200b", "right": "b", "winner": "b"}, "a left player of 1 to 200"),
        ({"left": "a", "right": "b", "winner": ["a"]}, "expected the winner"),
    ],
)
def test_what_is_no_battle_is_skipped_and_named(
    line: Mapping[str, Any], sentence: str, tmp_path: Path
) -> None:
    good = json.dumps({"left": "a", "right": "b", "winner": "right"})
    path = write(tmp_path, "a.jsonl", f"{good}\n{json.dumps(line)}\nnonsense\n{good}\n")
    games, reading = read(Pairs(), path)
    assert [places(game) for game in games] == [{"a": 2, "b": 1}] * 2
    assert reading.skips.count == 2
    (where, why), (last, _) = reading.skips.first
    assert (where, last) == ("a.jsonl, line 2", "a.jsonl, line 3")
    assert sentence in why


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("left,who\na,b\n", "there is no right and no winner"),
        ('left,right,winner\n"a"x,b,left\n', "expected CSV: "),
    ],
)
def test_what_is_no_table_of_battles_is_refused(
    content: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(Pairs(), write(tmp_path, "a.csv", content))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("expected a round: got 3"), "expected a round: got 3"),
        (KeyError("round"), "expected a log of this format: KeyError('round')"),
        (RecursionError("too deep"), "expected a log of this format: RecursionError('too deep')"),
        (UnicodeError("bad byte"), "expected a log of this format: UnicodeError('bad byte')"),
    ],
)
def test_a_file_that_cannot_be_read_has_a_sentence_of_ours(error: Exception, sentence: str) -> None:
    assert fault_sentence(error) == sentence


def test_a_line_without_end_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line 1: expected at most 4 MB a line"):
        read(Pairs(), write(tmp_path, "a.jsonl", '{"left": "' + "a" * (5 << 20)))


@pytest.mark.parametrize("value", [True, None, [1], {}, "one", "", "nan", 2e15, "inf", 10**400])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="expected a score to be a number: got "):
        foreign_number(value, "a score")
    assert foreign_number(" -1.5 ", "a score") == -1.5


def test_games_of_places(tmp_path: Path) -> None:
    told = {"game": 7, "places": {"a": 2, "b": 1, "c": None}, "seats": {"a": 3, "b": 1, "c": 2}}
    bad = {"game": 8, "places": {"a": 0, "b": 1}}
    path = write(tmp_path, "a.jsonl", f"{json.dumps(told)}\n{json.dumps(bad)}\n")
    (game,), reading = read(Placements(), path)
    found = [(row["seat"], row["entrant"], row["place"]) for row in game.rows]
    assert found == [(1, "b", 1), (2, "c", None), (3, "a", 2)]
    assert "a place from 1" in reading.skips.first[0][1]


@pytest.mark.parametrize("column", NAMES)
def test_rewards_of_textarena(column: str, tmp_path: Path) -> None:
    told = {
        "env_id": "Taboo-v0-city/country", "rewards": {"0": -1, "1": 1, "2": -1},
        column: ["a", "b", "c"], "game_info": {"0": {"invalid_move": True, "turn_count": 4}},
        "extra": 1,
    }  # fmt: skip
    (game,), reading = read(TextArena(), write(tmp_path, "a.json", json.dumps([told])))
    assert [*places(game).items()] == [("a", 2), ("b", 1), ("c", 2)]
    assert [row["seat"] for row in game.rows] == [1, 2, 3]
    first = game.rows[0]
    assert (first["payoff"], first["asks"], first["fallbacks"]) == (-1, 4, 1)
    assert reading.unknown == {"extra": 1}


def archive(path: Path, samples: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"eval": {"task": "arena"}}))
        for name, sample in samples.items():
            text = sample if isinstance(sample, str) else json.dumps(sample)
            file.writestr(f"samples/{name}.json", text)
    return path


def test_scores_of_inspect(tmp_path: Path) -> None:
    samples = {
        "1_epoch_1": {"id": 1, "scores": {"payoff": {"value": {"ann": 3, "ben": 1.5}}}},
        "2_epoch_1": {
            "id": 2,
            "scores": {"p1": {"value": "C"}, "p2": {"value": "I"}, "style": {"value": 0.1}},
            "metadata": {"players": {"p1": "gpt-x", "p2": "claude-x"}},
        },
        "3_epoch_1": {"id": 3, "scores": {"note": {"value": ["no number"]}}},
        "4_epoch_1": {"id": 4, "error": {"message": "no"}},
        "5_epoch_1": "[" * 5000,
    }
    games, reading = read(InspectEval(), archive(tmp_path / "a.eval", samples))
    found = [places(game) for game in games]
    assert found == [{"ann": 1, "ben": 2}, {"gpt-x": 1, "claude-x": 2}, {}]
    assert games[2].status == "failed"
    assert games[1].rows[0]["provider"] == "openai"
    assert games[0].rows[0]["task"] == "arena"
    assert [where for where, _ in reading.skips.first] == ["a.eval, sample 3", "a.eval, sample 5"]
    assert "score style" in reading.unknown


def test_an_archive_that_grows_is_not_unpacked(tmp_path: Path) -> None:
    bomb = "[" + " " * (65 << 20) + "]"
    good = {"scores": {"payoff": {"value": {"ann": 3, "ben": 1.5}}}}
    path = archive(tmp_path / "a.eval", {"1": bomb, "2": good})
    assert path.stat().st_size < 1 << 20
    games, reading = read(InspectEval(), path)
    assert len(games) == 1
    assert "MB unpacked" in reading.skips.first[0][1]


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a zip archive"):
        read(InspectEval(), write(tmp_path, "a.eval", "no"))


def test_seats_of_evaluations_of_one_sample_are_one_game(tmp_path: Path) -> None:
    """A plain number is the score of one seat, whichever file it is in."""
    for model, numbers in (("a/x", (1.0, 0.5)), ("b/y", ("I", 0.5)), ("c/z", (0.25,))):
        members = {"header.json": json.dumps({"eval": {"task": "quiz", "model": model}}).encode()}
        for number, value in enumerate(numbers, 1):
            sample = {"id": number, "epoch": 1, "scores": {"accuracy": {"value": value}}}
            members[f"samples/{number}_epoch_1.json"] = json.dumps(sample).encode()
        write_zip(tmp_path / f"{model[0]}.eval", members)
    intake = import_files(InspectEval(), tmp_path, tmp_path / "in", {}, lambda done, files: None)
    assert (intake.games, intake.lone, intake.reading.skips.count) == (2, 0, 0)
    rows = [json.loads(line) for line in (tmp_path / "in" / "rows.jsonl").read_text().splitlines()]
    assert [(row["game_id"], row["seat"], row["entrant"], row["place"]) for row in rows] == [
        ("quiz 1 1", None, "a/x", 1),
        ("quiz 1 1", None, "b/y", 3),
        ("quiz 1 1", None, "c/z", 2),
        ("quiz 2 1", None, "a/x", 1),
        ("quiz 2 1", None, "b/y", 1),
    ]
    Results.from_rows(rows)
    alone = import_files(
        InspectEval(), tmp_path / "a.eval", tmp_path / "one", {}, lambda done, files: None
    )
    assert (alone.games, alone.lone) == (2, 2)
    assert (tmp_path / "one" / "rows.jsonl").read_bytes() == b""


def test_the_table_in_a_scores_metadata_is_read(tmp_path: Path) -> None:
    told: dict[str, Any] = {"scores": {"Ada": 3, "Ben": 9}, "places": {"Ada": 1, "Ben": 2}}
    told |= {"asks": 8, "fallbacks": 7}
    metadata = {"seat": "Ada", "players": {"Ben": "scripted:grudger"}}
    samples = [
        {"metadata": metadata, "scores": {"beaten": {"value": 1.0, "metadata": told}}},
        {"metadata": metadata, "scores": {"beaten": {"value": 0, "metadata": {"status": "void"}}}},
    ]
    members = {"header.json": b'{"eval": {"model": "openai/gpt-x"}}'}
    for number, sample in enumerate(samples):
        members[f"samples/{number}.json"] = json.dumps(sample).encode()
    games, _ = read(InspectEval(), write_zip(tmp_path / "a.eval", members))
    # Fewer points may be the better score.
    assert places(games[0]) == {"openai/gpt-x": 1, "scripted:grudger": 2}
    assert [row["score"] for row in games[0].rows] == [3, 9]
    assert [(row["asks"], row["fallbacks"]) for row in games[0].rows] == [(8, 7), (0, 0)]
    assert (games[1].status, games[1].rows) == ("void", [])


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("source", [Pairs(), Placements(), TextArena(), InspectEval()])
def test_what_is_no_file_is_skipped_and_the_rest_is_read(
    source: Format, kind: str, tmp_path: Path
) -> None:
    suffix = source.suffixes[-1]
    ODD[kind](tmp_path / f"odd{suffix}")
    (tmp_path / f"link{suffix}").symlink_to("/etc/hostname")
    write(tmp_path, f"z{suffix}", "[]")
    intake = import_files(source, tmp_path, tmp_path / "in", {}, lambda done, files: None)
    told = dict(intake.reading.skips.first)
    assert "a link" in told[str(tmp_path / f"link{suffix}")]
    if kind != "folder":
        assert str(tmp_path / f"odd{suffix}") in told


def test_a_long_number_costs_its_own_line_alone(tmp_path: Path) -> None:
    line = '{"left": "a", "right": "b", "winner": "a", "id": %s}\n'
    numbers = ["1", "9" * 300, "9" * 400, "9" * 5000, "1e400", "-" + "9" * 400, "2"]
    path = write(tmp_path, "a.jsonl", "".join(line % number for number in numbers))
    games, reading = read(Pairs(), path)
    assert (len(games), reading.skips.count) == (3, 4)


def test_a_damaged_archive_costs_itself_alone(tmp_path: Path) -> None:
    sample = json.dumps({"scores": {"payoff": {"value": {"ann": 3, "ben": 1.5}}}}).encode()
    for kind, name in ((zipfile.ZIP_BZIP2, "a"), (zipfile.ZIP_LZMA, "b"), (ZSTANDARD, "c")):
        path = write_zip(tmp_path / f"{name}.eval", {"samples/1.json": sample}, kind)
        content = bytearray(path.read_bytes())
        begin = content.index(b".json") + 5
        content[begin : begin + 40] = b"\x00" * 40
        path.write_bytes(content)
    write_zip(tmp_path / "z.eval", {"samples/1.json": sample})
    intake = import_files(InspectEval(), tmp_path, tmp_path / "in", {}, lambda done, files: None)
    assert (intake.games, intake.reading.skips.count) == (1, 3)
