"""Which files are read, and what they tell: pairs, orders, promises, swing votes."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import studies
from engine.history import History
from labs.ballots import CastVote
from labs.deliberations.counting import swing_votes
from labs.deliberations.facts import GameFacts, game_facts
from labs.deliberations.logs import read_file
from tests.support.island import scripted_island
from tests.support.planted.votes import PLANTS, planted_game
from tests.support.terminal import Capture


def logs_in(folder: Path, games: int = 4) -> list[History]:
    folder.mkdir(parents=True, exist_ok=True)
    logs = []
    for seed in range(games):
        log = planted_game(PLANTS["nothing"], seed)
        (folder / f"{log.game_id}.json").write_text(log.to_json(), encoding="utf-8")
        logs.append(log)
    return logs


def test_a_round_tells_who_spoke_paired_and_promised() -> None:
    log = planted_game(PLANTS["nothing"], 3)
    game = game_facts(log)
    entrants = [*["north:one"] * 2, *["south:two"] * 2, "west:three"]
    assert [seat.entrant for seat in game.seats] == entrants
    assert sorted(seat.place for seat in game.seats) == [1, 2, 3, 4, 5]
    first, *_, final = game.rounds
    events = log.rounds[0].events
    spoke = [event.player_id for event in events if event.kind == "pitch"]
    assert [*first.speakers] == spoke
    picks = {(one.player_id, one.data["partner"]) for one in events if one.data.get("partner")}
    assert first.picks == picks
    assert first.talks == picks | {(other, one) for one, other in picks}
    to_all = [promise for promise in first.promises if not promise.private]
    assert [promise.speaker for promise in to_all] == spoke
    for promise in first.promises:
        assert promise.aim == ("name" if promise.private else "spare")
        assert promise.speaker != promise.about
    assert (final.final, final.promises) == (True, ())
    assert len(final.ballots) == 3


def test_ballots_of_a_revote_and_rounds_without_votes_do_not_count() -> None:
    log = planted_game(PLANTS["nothing"], 3)
    before = game_facts(log)
    votes = [event for event in log.rounds[0].events if event.kind == "vote"]
    for event in votes[:2]:
        event.data["revote"] = True
    second = log.rounds[1]
    second.events = [event for event in second.events if event.kind not in ("vote", "result")]
    after = game_facts(log)
    assert len(after.rounds[0].ballots) == len(before.rounds[0].ballots) - 2
    assert after.rounds[1].ballots == ()
    assert after.rounds[1].selected is None


def facts(**settings: Any) -> GameFacts:
    return game_facts(scripted_island(6, seed=1, **settings).run())


def test_every_variation_tells_its_first_ballots() -> None:
    sidebars = ("sidebars", "pitches", "votes")
    again = facts(ties="revote", last_words=True, phases=("immunity", *sidebars))
    assert [len(around.ballots) for around in again.rounds] == [6, 5, 4, 3, 4]
    silent = facts(phases={1: ("pitches",), 2: ("pitches", "votes")}, num_rounds=6)
    assert [len(around.ballots) for around in silent.rounds] == [0, 6, 5, 4, 3, 4]
    assert silent.rounds[0].selected is None
    three = facts(finalists=3)
    assert {len(ballot.candidates) for ballot in three.rounds[-1].ballots} == {3}
    ranked = facts(pairing="ranking", phases=sidebars).rounds[0]
    assert ranked.talks == ranked.picks
    assert len(ranked.picks) > 0
    for one, other in ranked.picks:
        assert (other, one) in ranked.picks
    jurors = facts(jurors_aside=True, phases=sidebars).rounds[-1]
    voters = {ballot.voter for ballot in jurors.ballots}
    assert jurors.talks & {(voter, one) for voter in voters for one in jurors.ballots[0].candidates}


def test_who_declines_is_no_partner() -> None:
    declined = 0
    for seed in range(6):
        log = scripted_island(6, seed=seed, decline=True, phases=("sidebars", "pitches", "votes"))
        for around in game_facts(log.run()).rounds:
            both_ways = around.picks | {(other, one) for one, other in around.picks}
            assert around.talks <= both_ways
            declined += len(both_ways - around.talks)
    assert declined > 0


def test_a_log_that_contradicts_itself_is_left_out(tmp_path: Path) -> None:
    (log,) = logs_in(tmp_path, 1)
    path = tmp_path / f"{log.game_id}.json"
    assert isinstance(read_file(str(path)), GameFacts)
    assert log.outcome is not None
    log.outcome = replace(log.outcome, placements={"Ada": 1})
    path.write_text(log.to_json(), encoding="utf-8")
    assert read_file(str(path)) == "no log"


def ballot(voter: str, candidates: Sequence[str], choice: str | None) -> CastVote:
    return CastVote(
        game_id="g", voter=voter, candidates=tuple(candidates), choice=choice, jury=False,
        ordered=True, providers={}, models={}, words={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("choices", "selected", "swing"),
    [
        # 3 against C, 1 against A: B or D could make it 2 to 2; A cannot vote against itself.
        ({"A": "C", "B": "C", "C": "A", "D": "C"}, "C", "BD"),
        # 2 to 1 to 1: any ballot can tie or turn it.
        ({"A": "C", "B": "C", "C": "A", "D": "B"}, "C", "ABCD"),
        # A tie that the lot gave to B: A and C could have made C leave; B, who cannot vote against
        # itself, and D could only have made B leave for sure.
        ({"A": "B", "B": "C", "C": "B", "D": "C"}, "B", "AC"),
        ({"A": "D", "B": "D", "C": "D", "D": None}, "D", ""),
    ],
)
def test_swing_votes(choices: dict[str, str | None], selected: str, swing: str) -> None:
    ballots = []
    for voter, choice in choices.items():
        ballots.append(ballot(voter, [name for name in choices if name != voter], choice))
    assert "".join(one.voter for one in swing_votes(ballots, selected)) == swing


@pytest.mark.parametrize(("votes", "swing"), [("AAB", "CD"), ("AAA", "")])
def test_one_of_three_jurors_swings_a_final_and_none_of_a_clear_one(votes: str, swing: str) -> None:
    jury = [ballot(name, ["A", "B"], vote) for name, vote in zip("CDE", votes, strict=True)]
    assert "".join(one.voter for one in swing_votes(jury, "A")) == swing


def test_the_command_reads_folders_and_counts_the_rest(tmp_path: Path, capsys: Capture) -> None:
    logs = logs_in(tmp_path / "cup" / "games")
    cup = tmp_path / "cup"
    (cup / "ratings.json").write_text("{}")
    (cup / "games" / "dead.jsonl").write_text("what is this\n")
    twice = tmp_path / "twice.json"
    twice.write_text(logs[0].to_json(), encoding="utf-8")
    imported = scripted_island(4, seed=1).run()
    imported.config["imported_from"] = "elsewhere"
    (cup / "games" / "imported.json").write_text(imported.to_json())
    imported.game = "agent_island"
    imported.config.pop("imported_from")
    (cup / "games" / "other.json").write_text(imported.to_json())
    stopped = planted_game(PLANTS["nothing"], 9)
    stopped.status = "stopped"
    (cup / "games" / "stopped.json").write_text(stopped.to_json())
    out = tmp_path / "out"
    words = ["deliberations", "--out", str(out), str(cup), "--no-pictures", str(twice)]
    assert studies.main(words) == 0
    told = capsys.readouterr()
    joined = " ".join(told.out.split())
    assert "Read 4 games and 60 first ballots, 12 of them of jurors;" in joined
    assert "left out: 2 not a game log, or damaged" in joined
    for reason in ("1 unfinished", "1 of other games", "1 imported", "1 of a game already read"):
        assert reason in joined
    assert told.err.splitlines()[-1].split() == f"uv run tournament.py rate {cup}".split()
    with (out / "votes-by-place-in-the-list.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert rows[0]["vote"] == "out: place 1"
    assert int(rows[0]["votes"]) == 4 * (5 + 4 + 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no_such"], "there is no folder or file 'no_such', nor one in logs"),
        (["empty"], "there is no log in 'empty': name a folder of games"),
        (["other"], "expected a finished game of deliberations in other: got none"),
        (["other", "--seeds", "3"], "unknown option '--seeds': did you mean '--seed'?"),
    ],
)
def test_what_cannot_be_studied_is_said_in_a_sentence(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.json").write_text("[]")
    assert studies.main(["deliberations", *words]) == 2
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_without_a_folder_it_says_what_it_asks(capsys: Capture) -> None:
    assert studies.main(["deliberations"]) == 0
    told = capsys.readouterr()
    assert "Swing votes" in told.out
    assert told.err.endswith("uv run studies.py deliberations logs\n")


def test_a_study_of_logs_is_the_same_on_one_process_and_on_two(tmp_path: Path) -> None:
    logs_in(tmp_path / "logs", 8)
    written = []
    for processes in ("1", "2"):
        out = tmp_path / processes
        words = ["deliberations", str(tmp_path / "logs"), "--out", str(out)]
        assert studies.main([*words, "--processes", processes]) == 0
        written.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert written[0] == written[1]
    assert {Path(name).suffix for name in written[0]} == {".csv", ".png", ".svg"}
