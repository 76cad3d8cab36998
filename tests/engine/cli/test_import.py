"""`tournament.py import`, as an evaluator types it."""

import json
from pathlib import Path

import pytest

from engine.history import history_from_json
from engine.spending.costs import costs
from engine.tournaments.sources.plain_logs import read_plain_logs
from example import main as example
from logs import main as logs
from tests.support.foreign.elimination import MODELS, as_jsonl, elimination_log
from tests.support.terminal import Capture
from tests.support.tournaments.rated import rows_in
from tournament import main

NAMES = ["../../x", "\x1b[2J", "=cmd|' /C calc'!A0", "<b>", "a\u202eb", "`", "日本", "c"]


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """A folder with three whole logs, one with odd names, and what else may lie there."""
    folder = tmp_path / "downloads" / "deep"
    folder.mkdir(parents=True)
    for seed in range(3):
        (folder / f"game_{seed}.jsonl").write_bytes(as_jsonl(elimination_log(seed)))
    (folder / "odd.jsonl").write_bytes(as_jsonl(elimination_log(3, NAMES)))
    (folder / "README.md").write_text("read me")
    return tmp_path / "downloads"


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(elimination_log(1)))
    target = tmp_path / "in"
    main(["import", "elimination_game", str(tmp_path), "--to", str(target)])
    return target / "games"


def test_a_folder_of_logs(downloads: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "in"
    assert main(["import", "elimination_game", str(downloads), "--to", str(target)]) == 0
    out = capsys.readouterr().out
    assert "4 games, 32 seats of 16 entrants." in out
    assert "24 of 24 eliminations hold" in out
    assert "\x1b" not in out
    assert len(rows_in(target / "rows.jsonl")) == 32
    assert "'=cmd" in (target / "entrants.csv").read_text()
    names = [path.name for path in (target / "games").iterdir()]
    assert len(names) == 4
    stems = [name.replace("elimination_game_", "").replace(".json", "") for name in names]
    assert all(stem.isalnum() for stem in stems)


def test_sums_are_those_of_the_logs(downloads: Path, tmp_path: Path) -> None:
    target = tmp_path / "in"
    main(["import", "elimination_game", str(downloads), "--to", str(target)])
    sheet = (target / "entrants.csv").read_text().splitlines()[1:]
    found = {line.split(",")[0]: line.split(",")[2:4] for line in sheet}
    for seat, model in enumerate(MODELS, 1):
        points = 0.0
        for seed in range(3):
            told = elimination_log(seed)[-1]["partial_points"]
            points += told[f"Player{seat}_Game{10_000 + seed}_{model}"]
        games, summed = found[model]
        assert int(games) == 3
        assert float(summed) == pytest.approx(points, abs=1e-6)


def test_what_is_damaged_is_left_out_and_named(
    downloads: Path, tmp_path: Path, capsys: Capture
) -> None:
    (downloads / "torn.jsonl").write_text('{"type": "vote", "rou')
    (downloads / "link.jsonl").symlink_to("/etc/hostname")
    (downloads / "copy.jsonl").write_bytes((downloads / "deep" / "odd.jsonl").read_bytes())
    with (downloads / "huge.jsonl").open("wb") as file:
        file.truncate(1 << 30)
    target = tmp_path / "in"
    assert main(["import", "elimination_game", str(downloads), "--to", str(target)]) == 1
    told = capsys.readouterr()
    assert "1 files contain the same game as another file" in told.out
    assert "torn.jsonl: line 1: expected JSON" in told.err
    assert "link.jsonl: expected a file: it is a link" in told.err
    assert "huge.jsonl: expected at most 64 MB: it has 1024 MB" in told.err
    assert "3 of 8 games could not be read" in told.err
    assert len(rows_in(target / "rows.jsonl")) == 32


def test_an_import_is_never_mixed_with_another(
    downloads: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = ["import", "elimination_game", str(downloads), "--to", str(tmp_path / "in")]
    assert main(words) == 0
    assert main(words) == 2
    assert "choose another with --to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["elimination", "."], 2, "did you mean 'elimination_game'?"),
        (["pairs", "nowhere.csv"], 2, "there is no file or folder 'nowhere.csv'"),
        (["pairs", "tests", "--maker", "x"], 2, "expected PREFIX=PROVIDER"),
        (["pairs", "tests", "--maker", "x="], 2, "expected PREFIX=PROVIDER"),
        (["pairs", "tests", "--maker", "=x"], 2, "expected PREFIX=PROVIDER"),
        (["inspect_eval", "tests"], 2, "expected files that end in .eval"),
    ],
)
def test_bad_input_is_a_sentence(
    words: list[str], code: int, sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["import", *words, "--to", str(tmp_path / "in")]) == code
    assert sentence in capsys.readouterr().err


def test_games_with_an_entrant_at_two_seats_are_counted_and_not_rated(
    tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "a.jsonl").write_bytes(as_jsonl(elimination_log(1, ["twin", "twin", *MODELS[2:]])))
    (tmp_path / "b.jsonl").write_bytes(as_jsonl(elimination_log(2)))
    target = tmp_path / "in"
    assert main(["import", "elimination_game", str(tmp_path), "--to", str(target)]) == 0
    assert "1 games seat an entrant twice" in capsys.readouterr().out
    assert len(rows_in(target / "rows.jsonl")) == 8
    assert "twin,,2," in (target / "entrants.csv").read_text()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--list"], 0, "elimination_game"),
        (["last", "--terminal"], 0, "Let me win."),
        (["last", "--terminal", "--as", "P3", "--include-reasoning"], 0, "Player3_Game"),
        (["last", "--csv"], 0, "Written"),
        (["last", "--html"], 0, "Written"),
        (["last", "--typst"], 0, "Written"),
        (["last", "--json"], 0, '"imported_from"'),
        (["last", "--check"], 0, "keeps its rules"),
        (["last", "--charts"], 2, "has nothing to draw"),
        (["--batch", "last"], 2, "logs.py: "),
    ],
)
def test_imported_games_are_reviewed_as_any_other(
    words: list[str], code: int, sentence: str, imported: Path, capsys: Capture
) -> None:
    capsys.readouterr()
    assert logs([*words, "--logs-dir", str(imported)]) == code
    told = capsys.readouterr()
    assert sentence in told.out + told.err


@pytest.mark.parametrize("words", [["--replay"], ["--at", "3", "--players", "P1=human", "--fork"]])
def test_imported_games_are_not_played(words: list[str], imported: Path, capsys: Capture) -> None:
    (log,) = imported.iterdir()
    capsys.readouterr()
    assert example([*words, log.stem, "--logs-dir", str(imported)]) == 2
    assert "a game of elimination_game, which logs.py can only show" in capsys.readouterr().err


def test_what_imported_games_cost_is_not_known(imported: Path) -> None:
    (log,) = imported.iterdir()
    assert set(costs(history_from_json(log.read_bytes())).values()) == {None}


def test_a_folder_of_imported_games_is_rated_a_block_a_game(tmp_path: Path) -> None:
    for seed in range(3):
        (tmp_path / f"{seed}.jsonl").write_bytes(as_jsonl(elimination_log(seed)))
    target = tmp_path / "in"
    main(["import", "elimination_game", str(tmp_path), "--to", str(target)])
    rows = read_plain_logs(target / "games").rows
    assert len({row["block"] for row in rows}) == 3


def card_of(rows: Path) -> dict[str, object]:
    """Return the front matter of the card that a rating of rows leaves."""
    assert main(["rate", str(rows)]) == 0
    _, facts, *_ = (rows.parent / "ratings" / "card.md").read_text(encoding="utf-8").split("---\n")
    pairs = [line.split(": ", 1) for line in facts.splitlines()]
    return {name: json.loads(value) for name, value in pairs}


def test_the_card_of_an_import_says_of_which_rows_and_days_it_is(
    downloads: Path, tmp_path: Path
) -> None:
    target = tmp_path / "in"
    main(["import", "elimination_game", str(downloads), "--to", str(target)])
    rows = target / "rows.jsonl"
    first = card_of(rows)
    histories = [history_from_json(path.read_bytes()) for path in (target / "games").iterdir()]
    times = [event.timestamp for history in histories for event in history.events]
    assert (first["began"], first["ended"]) == (min(times), max(times))
    assert card_of(rows) == first
    lines = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = json.loads(lines[0]) | {"asks": 999}
    rows.write_text("".join([f"{json.dumps(changed)}\n", *lines[1:]]), encoding="utf-8")
    assert card_of(rows)["rows"] != first["rows"]
    assert "" not in first.values()


def test_an_imported_game_of_silent_players_is_void(tmp_path: Path, capsys: Capture) -> None:
    """It is counted as void, in its rows too, and exported and rated so."""
    lines = []
    for number in range(30):
        asked = {"turn_count": 1, "invalid_move": number % 3 == 0}
        facts = {"0": asked, "1": {"turn_count": 5, "invalid_move": False}}
        models = {"0": "m" if number % 3 else "mute", "1": "b"}
        game = {"rewards": {"0": 1, "1": -1}, "models": models, "game_info": facts}
        lines.append(f"{json.dumps(game)}\n")
    source = tmp_path / "games.jsonl"
    source.write_text("".join(lines), encoding="utf-8")
    folder = tmp_path / "in"
    assert main(["import", "textarena", str(source), "--to", str(folder)]) == 0
    assert "10 games are void: they are counted but not rated." in capsys.readouterr().out
    assert main(["export", str(folder), "--to", str(tmp_path / "data")]) == 0
    for path in (folder / "rows.jsonl", tmp_path / "data" / "seats.jsonl.gz"):
        capsys.readouterr()
        assert main(["rate", str(path)]) == 0
        out = capsys.readouterr().out
        assert "20 finished, 10 void" in out
        assert "Not rated: mute (answered 0 of 10)" in " ".join(out.split())


@pytest.mark.parametrize(
    ("listed", "seats", "known"),
    [("by place", "none", False), ("by name", "fixed", False), ("by name", "turning", True)],
)
def test_only_seats_that_change_are_a_covariate(
    listed: str, seats: str, known: bool, tmp_path: Path, capsys: Capture
) -> None:
    """Players may be listed from the first place down, and may keep one seat in all games."""
    lines = []
    for number in range(30):
        ranked = [*"abcd"] if number % 3 else [*"bdca"]
        names = ranked if listed == "by place" else sorted(ranked)
        game: dict[str, object] = {"places": {name: 1 + ranked.index(name) for name in names}}
        turn = number if seats == "turning" else 0
        if seats != "none":
            game["seats"] = {name: 1 + (place + turn) % 4 for place, name in enumerate(names)}
        lines.append(f"{json.dumps(game)}\n")
    source = tmp_path / "games.jsonl"
    source.write_text("".join(lines), encoding="utf-8")
    assert main(["import", "placements", str(source), "--to", str(tmp_path / "in")]) == 0
    capsys.readouterr()
    assert main(["rate", str(tmp_path / "in" / "rows.jsonl")]) == 0
    assert ("with seat" in capsys.readouterr().out) == known
