"""Logs of the Elimination Game become histories that are shown, checked and rated."""

import json
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from engine.exchange.elimination_game import EliminationGame
from engine.exchange.game import ForeignGame, Reading
from engine.exchange.voting.checks import breaches_by_rule
from engine.history import History, history_from_json
from tests.support.foreign.elimination import Line, as_jsonl, elimination_log, ids_of


def read(lines: list[Line], reading: Reading | None = None) -> ForeignGame:
    return EliminationGame().read(as_jsonl(lines), "one", reading or Reading())


def history(lines: list[Line]) -> History:
    found = read(lines).history
    assert found is not None
    return found


def broken(lines: list[Line]) -> set[str]:
    return {rule for rule, breaches in breaches_by_rule(history(lines)).items() if breaches}


def where(lines: list[Line], kind: str) -> list[Line]:
    return [line for line in lines if line["type"] == kind]


@pytest.mark.parametrize("seed", range(12))
def test_a_game_keeps_its_rules_and_its_rows_have_its_places(seed: int) -> None:
    lines = elimination_log(seed)
    game = read(lines)
    assert game.history is not None
    assert broken(lines) == set()
    spaced = as_jsonl(lines).replace(b"\n", b"\n \n")
    assert EliminationGame().read(spaced, "one", Reading()).rows == game.rows
    assert history_from_json(game.history.to_json()).to_json() == game.history.to_json()
    results = lines[-1]
    for row, player in zip(game.rows, ids_of(10_000 + seed), strict=True):
        assert row["place"] == results["final_ranks"][player]
        assert row["score"] == results["partial_points"][player]
        assert row["entrant"] == player.split("_", 2)[2]


def test_votes_against_who_leaves_are_told_in_words() -> None:
    counts = set()
    for seed in range(12):
        for event in history(elimination_log(seed)).events:
            if event.kind == "result" and "places" not in event.data:
                count = event.data["tally"].get(event.data["selected"], 0)
                votes = "1 vote." if count == 1 else f"{count} votes."
                assert event.content.endswith(f" is eliminated with {votes}")
                counts.add(count)
    assert 1 in counts


def test_words_are_those_of_a_speech_however_long_a_player_stays() -> None:
    lines = elimination_log(3)
    lengths: dict[str, list[int]] = {}
    told = history(lines)
    for event in told.events:
        if event.kind in {"statement", "pitch"} and event.player_id is not None:
            lengths.setdefault(event.player_id, []).append(len(event.content.split()))
    assert len({len(said) for said in lengths.values()}) > 1
    for row, seat in zip(read(lines).rows, told.players, strict=True):
        assert row["words"] == mean(lengths[seat.player_id])


def test_who_sees_what() -> None:
    told = history(elimination_log(3))
    everybody = {seat.player_id for seat in told.players}
    seen = {event.kind: event.visibility for event in told.events}
    assert {*seen["statement"]} == {*seen["result"]} == everybody
    assert seen["pairing"] == ()
    whisper = next(event for event in told.events if event.kind == "sidebar")
    assert {*whisper.visibility} == {whisper.player_id, whisper.data["to"]}
    for event in told.events:
        if event.kind == "reason":
            assert event.visibility == (event.player_id,)


def test_a_vote_for_nobody_is_a_failure_of_its_voter() -> None:
    lines = elimination_log(5, invalid=0.3)
    told = history(lines)
    given = Counter(
        line["voter_id"].split("_")[0]
        for line in where(lines, "vote")
        if line["target_id"] == "(invalid/skipped)"
    )
    assert sum(given.values()) > 3
    counted = {name: used.fallbacks for name, used in told.usage.items() if used.fallbacks}
    assert counted == {name.replace("Player", "P"): count for name, count in given.items()}


def test_a_juror_names_whom_it_wants_to_leave() -> None:
    told = history(elimination_log(1))
    finalists = set(told.rounds[-1].active_player_ids)
    votes = [event for event in told.rounds[-1].events if event.kind == "vote"]
    assert len(votes) == 6
    for event in votes:
        assert {event.data["vote"], event.data["against"]} == finalists


@pytest.mark.parametrize(
    ("day", "kinds"),
    [
        ("2025-02-18", {"vote"}),
        ("2025-02-19", {"jury_line"}),
        ("2025-03-27", {"jury_line"}),
        ("2025-03-28", {"vote"}),
    ],
)
def test_jurors_of_some_weeks_cast_no_votes(day: str, kinds: set[str]) -> None:
    game = read(elimination_log(1, day=day))
    assert game.history is not None
    jury = [event.kind for event in game.history.rounds[-1].events if event.data.get("jury")]
    assert set(jury) == kinds
    assert game.rows
    assert game.figures.get("doubtful juries", 0) == ("jury_line" in kinds)


def leave_another(lines: list[Line]) -> None:
    """Let somebody leave for whom nobody voted."""
    votes = {line["target_id"] for line in where(lines, "vote") if line["round"] == 1}
    left = where(lines, "elimination")[0]
    left["eliminated_player"] = next(one for one in ids_of(10_004) if one not in votes)


def vote_twice(lines: list[Line]) -> None:
    """Let somebody cast two first votes."""
    place = lines.index(where(lines, "private_vote_reason")[0])
    lines[place:place] = [dict(line) for line in lines[place : place + 2]]


def swap_places(lines: list[Line]) -> None:
    """Let who left first come out before who left second."""
    ranks = lines[-1]["final_ranks"]
    last, next_to_last = (one for place in (8, 7) for one in ranks if ranks[one] == place)
    ranks[last], ranks[next_to_last] = 7, 8


def misplace_finalist(lines: list[Line]) -> None:
    """Let a finalist come out with who left first."""
    lines[-1]["final_ranks"][lines[-1]["winners"][0]] = 8


def turn_jury(lines: list[Line]) -> None:
    """Let all jurors want the winner to leave."""
    for line in where(lines, "private_jury_reason"):
        line["target_id"] = lines[-1]["winners"][0]


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (leave_another, "who leaves is among the most voted"),
        (vote_twice, "each active player votes once"),
        (swap_places, "places are the order of leaving"),
        (misplace_finalist, "places are the order of leaving"),
        (turn_jury, "the jury keeps the winner"),
    ],
)
def test_a_spoilt_log_breaks_its_rule(spoil: object, rule: str) -> None:
    lines = elimination_log(4)
    assert rule not in broken(lines)
    assert callable(spoil)
    spoil(lines)
    assert rule in broken(lines)


def test_short_ids_are_the_same_seats() -> None:
    lines = elimination_log(2)
    results = lines[-1]
    for key in ("final_ranks", "partial_points"):
        results[key] = {f"P{name[6]}": value for name, value in results[key].items()}
    for line in where(lines, "vote"):
        line["voter_id"] = f"P{line['voter_id'][6]}"
    assert broken(lines) == set()
    assert read(lines).rows == read(elimination_log(2)).rows


def test_what_is_not_known_is_counted_and_kept() -> None:
    lines = elimination_log(2)
    lines[0]["mood"] = "gay"
    lines.insert(1, {"game_id": 1, "type": "weather", "round": 1, "sky": "grey"})
    lines.insert(
        2, {"game_id": 1, "type": "memory_note", "round": 1, "player_id": "P1", "note": "x"}
    )
    reading = Reading()
    game = read(lines, reading)
    assert reading.unknown == {"mood": 1, "type 'weather'": 1}
    assert game.history is not None
    first, second, third, *_ = game.history.events
    assert first.data["others"] == {"mood": "gay"}
    assert second.data["line"]["sky"] == "grey"
    assert (third.kind, third.visibility) == ("note", ("P1",))


def test_a_log_without_results_is_never_rated() -> None:
    game = read(elimination_log(2)[:-1])
    assert (game.rows, game.status) == ([], "stopped")


def test_makers_may_be_told() -> None:
    reading = Reading(makers={"house": "ours", "o3": "elsewhere"})
    rows = {row["entrant"]: row["provider"] for row in read(elimination_log(1), reading).rows}
    assert rows["house-7b"] == "ours"
    assert rows["o3-mini"] == "elsewhere"
    assert rows["sonnet-1"] == "anthropic"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"[1]", "line 1: expected a JSON object"),
        (b'{"type": "vote"', "line 1: expected JSON"),
        (b'{"round": 1e400}', "expected numbers up to"),
        (b'{"round": NaN}', "expected a number: got NaN"),
        (b"[" * 100_000, "levels"),
        (b'{"a":' * 30 + b"1" + b"}" * 30, "levels"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"round": 1, "type": "conversation", "player_id": "P1"}', "at least 2 players"),
        (b'{"round": 99999999, "player_id": "P1"}\n{"voter_id": "P2"}', "expected rounds 1 to"),
    ],
)
def test_what_is_no_log_is_refused_in_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        EliminationGame().read(content, "one", Reading())


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    odd = ["../../etc/passwd", "\x1b[31mred", "<script>", "=1+1", "a\u2028b", "\ud800"]
    game = read(elimination_log(1, [*odd, "P1", "日本"]))
    assert game.history is not None
    text = game.history.to_json()
    assert "\x1b" not in text
    assert json.loads(text)["players"][0]["model"] == "../../etc/passwd"
    assert len({row["entrant"] for row in game.rows}) == 8
