"""Studies: the same bytes on one process and on several; one sentence for what they cannot do."""

import csv
from pathlib import Path

import pytest

import studies
from labs import STUDIES, study_class
from tests.support.terminal import Capture, assert_refused

SMALL = {
    "conversation": "--strategies greedy,random --games 3 --players 3 --bank-size 6",
    "dilemma": "--agents tit_for_tat,defector,coin --repetitions 3",
    "guest": "--episodes 2 --max-steps 30 --imbalance-factors 0,.6",
}
SETTINGS = "--strategies greedy,random --games 2 --settings 3/4/5/8,2/3/5/6"
OWN = {"selfplay": SETTINGS, "tournament": f"{SETTINGS} --randoms 0,2"}
ALL = [(game, name) for game, names in STUDIES.items() for name in names]
# Training compiles its games, which takes longer than all other studies: its own tests play without
# that.
QUICK = [(game, name) for game, name in ALL if name != "train"]


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(("game", "name"), QUICK, ids=map(" ".join, QUICK))
def test_a_study_is_the_same_on_one_process_and_on_several(
    game: str, name: str, tmp_path: Path, capsys: Capture
) -> None:
    outputs = []
    for processes in ("1", "2"):
        out = ["--processes", processes, "--out", str(tmp_path / processes)]
        words = [game, name, *OWN.get(name, SMALL[game]).split(), *out]
        assert studies.main(words) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    one = written(tmp_path / "1")
    assert one == written(tmp_path / "2")
    assert {Path(file).suffix for file in one} == {".csv", ".png", ".svg"}
    for file in tmp_path.glob("1/*.csv"):
        rows = [*csv.reader(file.read_text(encoding="utf-8").splitlines(), strict=True)]
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 1


@pytest.mark.parametrize(("game", "name"), ALL, ids=map(" ".join, ALL))
def test_another_seed_is_another_study(game: str, name: str) -> None:
    kind = study_class(game, name)
    assert kind(seed=1).tasks() == kind(seed=1).tasks()
    assert kind(seed=1).tasks() != kind(seed=2).tasks()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("dilema", "unknown game 'dilema': did you mean 'dilemma'?"),
        ("dilemma noice", "unknown study of dilemma 'noice': did you mean 'noise'?"),
        ("dilemma ranks --agents coin,bulli", "unknown agent 'bulli': did you mean 'bully'?"),
        ("dilemma ranks --agents bully", "expected at least two agents"),
        ("dilemma ranks --repetitions 0", "repetitions: input should be greater than or equal"),
        ("dilemma noise --flips 0,1.5", "1.5"),
        ("dilemma length --lengths 0,3", "expected lengths to be at least 1"),
        ("dilemma elimination --game-length 5,2", "1 <= low <= high"),
        ("dilemma noise --flpis 3", "unknown option '--flpis': did you mean '--flips'?"),
        ("conversation tournament --settings 5/10/20", "expected settings as P/B/S/L"),
        ("conversation tournament --randoms few", "expected randoms to be numbers or 'half'"),
        ("conversation tournament --settings 2/4/5/8 --randoms 2", "randoms to leave a seat"),
        ("conversation length --strategies ,", "strategies: value should have at least 1 item"),
        ("conversation length --strategies gredy", "strategy 'gredy': did you mean 'greedy'?"),
        ("dilemma ranks --processes 0", "expected processes to be from 1 to 256"),
        ("guest policies --policies leadr", "unknown policy 'leadr': did you mean 'leader'?"),
        ("guest policies --imbalance-factors 0,2", "imbalance_factor to be a number from 0 to 1"),
        ("guest policies --imbalance-factors 0,0", "imbalance factors from 0 to 1, each once"),
        ("guest policies --policies trained:no.zip", "there is no file 'no.zip'"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words: str, sentence: str, capsys: Capture) -> None:
    assert studies.main(words.split()) == 2
    assert_refused(capsys, sentence)


def test_studies_are_listed_with_what_they_ask(capsys: Capture) -> None:
    assert studies.main([]) == 0
    told = capsys.readouterr()
    assert all(f"{game} {name}  " in told.out for game, name in ALL)
    assert told.err == "Next:\n  uv run studies.py conversation length\n"


@pytest.mark.parametrize(
    "words",
    [
        "dilemma ranks --repetitions 1000000000",
        "dilemma length --lengths 5,1000000000",
        "dilemma moran --copies 1000000000",
        "conversation players --counts 1000000000",
        "conversation selfplay --games 1000000000",
        "conversation selfplay --settings 2/3/5/6,1000000000/3/5/6",
        "guest policies --episodes 1000000000",
        "dilemma ranks --processes 1000000000",
        "dilemma ranks --processes -1",
    ],
)
def test_what_no_machine_ends_is_refused_in_a_sentence(words: str, capsys: Capture) -> None:
    assert studies.main(words.split()) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
