"""The evaluation of a talk: figures by hand, pictures as data, numbers behind turns, logs.py."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import logs
from engine.games import GAMES
from engine.games.talks.log.explanation import explanation
from engine.games.talks.log.pictures import talk_charts
from engine.games.talks.log.record import TalkRecord, evaluate, record_of
from engine.games.talks.log.report import portrait_table, report
from engine.games.talks.memory.embeddings import HashingEmbedder
from engine.history import Event, History, RoundLog, Seat
from engine.report.charts import Heat, Lines, Network
from engine.report.tables import Facts, Part, Sentence, Table
from engine.views.perspective import Shown
from engine.views.plots import save_chart
from engine.views.terminal import print_history
from engine.views.typst import compile_pdf, document
from tests.support.histories import of_kind, small_history
from tests.support.hostile import STRINGS
from tests.support.narrowing import instance, not_none
from tests.support.own_views import OwnParts
from tests.support.talking import scripted_talk

FOUR = {
    "Sophia": "collaborative",
    "Marcus": "skeptical",
    "Aisha": "analytical",
    "James": "creative",
}
# Three, four, three and two turns, as in the sample of the design.
SPEAKERS = "Sophia Marcus Aisha James Marcus Sophia Aisha Marcus Sophia Aisha Marcus James"
SEQUENCE = (
    "DEEPEN CHALLENGE SUPPORT SYNTHESIZE DEEPEN SUPPORT "
    "QUESTION CHALLENGE SUPPORT SUPPORT CONCLUDE CONCLUDE"
)
ORDER, MOVES = SPEAKERS.split(), SEQUENCE.split()
NOVELTIES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.6, 0.6, 0.7, 0.6, 0.54, 0.5)
LEVELS = (0.02, 0.0, 0.3, 0.4, 0.4, 0.5, 0.5, 0.5, 0.6, 0.7, 0.75, 0.79)


def event(kind: str, data: dict[str, Any], content: str = "", player: str | None = None) -> Event:
    seen = () if kind in ("selection", "check") else (*FOUR,)
    return Event(
        0, kind, kind, f"player {player}" if player else "narrator", player, content, seen, data, ""
    )


def check(turn: int, liking: float, groups: Sequence[Sequence[str]] = ()) -> Event:
    criteria = {
        "exchanges": turn + 1,
        "aspects": turn // 2 + 1,
        "needed_aspects": 4,
        "needed_exchanges": 9,
        "cap": 12,
        "novelty": NOVELTIES[turn],
        "min_novelty": 0.3,
        "convergence": LEVELS[turn],
        "min_convergence": 0.8,
        "conclude_payoffs": dict.fromkeys(FOUR, 0.5),
        "depth_complete": turn > 8,
        "novelty_exhausted": False,
        "want_conclude": False,
        "high_convergence": False,
        "reason": None,
    }
    affinity = {
        one: {other: liking * (1 if one < other else -0.5) for other in FOUR if other != one}
        for one in FOUR
    }
    standing = {
        "depth": min(3, 1 + turn // 3),
        "dominant_speaker": None,
        "active_disagreement": False,
        "coalitions": [*map(list, groups)],
        "relationships": affinity,
    }
    return event("check", {**criteria, **standing})


def sample(topic: str = "What is consciousness?") -> History:
    """Return a talk as in the design's sample report: twelve exchanges, depth 3, seven aspects."""
    history = History(
        "talks", 1, "gameplay_x", 0, {}, [Seat(name, "scripted", "") for name in FOUR]
    )
    events = [event("narration", {"topic": topic, "depth": 3, "embedder": "hashing"})]
    events += [
        event("setup", {"participant": {"personality": kind}}, player=name)
        for name, kind in FOUR.items()
    ]
    for turn, (speaker, move) in enumerate(zip(ORDER, MOVES, strict=True)):
        facts = {
            "turn": turn + 1,
            "speaker": speaker,
            "move": move,
            "target": ORDER[turn - 1] if move in ("CHALLENGE", "SUPPORT", "QUESTION") else None,
            "position": f"{speaker} holds that mind is matter",
            "aspects": [f"aspect {min(turn, 6)}"],
            "depth": min(3, 1 + turn // 3),
            "novelty": NOVELTIES[turn],
            "nearest": None,
        }
        events.append(event("utterance", facts, f"I am not convinced by argument {turn}.", speaker))
        events.append(check(turn, turn / 22, [("Aisha", "Sophia")] if turn > 8 else ()))
    history.rounds = [RoundLog(1, False, (*FOUR,), (), events)]
    return history


def record() -> TalkRecord:
    return not_none(record_of(sample()))


def parts(history: History | None = None) -> dict[str, Part]:
    """Return the parts of the report by heading, by default of the sample."""
    shown = report(history or sample(), HashingEmbedder())
    return {getattr(part, "heading", "sentence"): part for part in shown}


def finished(people: int = 4) -> History:
    return scripted_talk(people, seed=3, topic="What is love?")


def test_the_figures_of_the_sample_by_hand() -> None:
    figures = evaluate(record())
    # Turns 3, 4, 3, 2: differences 1 + 0 + 1 + 1 + 2 + 1 = 6 over 4 people * 12 turns.
    assert figures.gini == pytest.approx(6 / 48)
    assert (figures.depth, figures.reached) == (1.0, 3)
    assert figures.coverage == pytest.approx(7 / 9)
    # 1 + .9 + .8 + .7 + .6 + .5 + .6 + .6 + .7 + .6 + .54 + .5 = 8.04 over 12 turns.
    assert figures.novelty == pytest.approx(0.67)
    assert figures.convergence == 0.79
    assert figures.rate == pytest.approx((0.79 - 0.02) / 11)
    # (0.875 + 1 + 0.77778 + 0.67 + 0.79) / 5 = 0.822556
    assert figures.quality == pytest.approx(82.2556, abs=1e-3)


def test_the_report_reads_as_the_design_prints_it() -> None:
    found = parts()
    assert [*found] == [
        "Discussion Evaluation Report",
        "sentence",
        "Turn Distribution",
        "Measures",
        "Relationship Matrix",
        "Personality Consistency",
        "Portraits",
        "Coalitions over the Talk",
    ]
    assert found["Discussion Evaluation Report"] == Facts(
        "Discussion Evaluation Report",
        (("Topic", "What is consciousness?"), ("Duration", "12 exchanges"), ("Participants", "4")),
    )
    bars = instance(found["Turn Distribution"], Table)
    # 32 characters are all turns: 3 of 12 are 8, 4 of 12 are 10.67, 2 of 12 are 5.33.
    assert bars.rows == (
        ("Sophia", 3, "25%", "█" * 8),
        ("Marcus", 4, "33%", "█" * 11),
        ("Aisha", 3, "25%", "█" * 8),
        ("James", 2, "17%", "█" * 5),
    )
    told = dict(instance(found["Measures"], Facts).facts)
    assert told["Depth Achievement"] == "100% (reached 3/3, Applications)"
    assert told["Aspect Coverage"] == "78% (7 aspects / 9)"
    assert told["Novelty Score"] == "0.67 (good variation)"
    assert told["Final Convergence"] == "0.79 (high agreement)"
    assert told["Convergence Rate"] == "+0.070 a turn"
    assert told["Turn Fairness"] == "88% (Gini 0.12)"
    assert told["Coalitions"] == "Aisha + Sophia"
    over_time = instance(found["Coalitions over the Talk"], Table)
    assert over_time.rows == (("Aisha + Sophia", 10, 12, 3),)
    assert told["Compared By"].startswith("hashed words, which capture spelling, not meaning")
    assert found["sentence"] == Sentence("Structure (Quality Score): 82/100 ★★★★☆")


def test_each_has_a_portrait() -> None:
    table = instance(parts()["Portraits"], Table)
    assert [row[0] for row in table.rows] == [*FOUR]
    by_name = {row[0]: row for row in table.rows}
    own = [move for who, move in zip(ORDER, MOVES, strict=True) if who == "Marcus"]
    assert by_name["Marcus"][1] == f"{max(own, key=own.count)}, {max(map(own.count, own))} of 4"
    # Who comes first by name likes, and is disliked half as much: 11/22 and -.25 in the end.
    assert by_name["Aisha"][2:4] == ("Sophia", "")
    assert by_name["Sophia"][2:4] == ("", "Marcus")
    assert by_name["James"][4] == "James holds that mind is matter"


def test_a_long_position_is_cut_behind_a_word() -> None:
    talk = record()
    kept = "Mind is matter that has learned to speak about its own"
    position = f"{kept} unspeakable beginnings."
    exchanges = [replace(exchange, position=position) for exchange in talk.exchanges]
    table = portrait_table(replace(talk, exchanges=tuple(exchanges)))
    assert {row[4] for row in table.rows} == {f"{kept}…"}


def test_the_matrix_has_signs_and_says_who_feels() -> None:
    table = instance(parts()["Relationship Matrix"], Table)
    assert table.columns == ("player", "Sophia", "Marcus", "Aisha", "James")
    # After the last exchange liking is 11/22 = .5 towards names later in the alphabet, -.25 towards
    # earlier ones.
    assert table.rows[0] == ("Sophia", "-", "-0.25", "-0.25", "-0.25")
    assert table.rows[1] == ("Marcus", "+0.50", "-", "-0.25", "-0.25")


def test_characters_are_found_by_the_words_of_their_profiles() -> None:
    table = instance(parts()["Personality Consistency"], Table)
    # All say the skeptic's own sentence.
    by_name = {str(row[0]): float(str(row[2])) for row in table.rows}
    assert max(by_name, key=by_name.__getitem__) == "Marcus"
    assert by_name["Marcus"] > 0.3


def test_who_was_silent_sounds_like_nobody() -> None:
    history = sample()
    for told in of_kind(history, "utterance"):
        if told.player_id == "James":
            told.content = "(says nothing)"
    table = instance(parts(history)["Personality Consistency"], Table)
    assert [row for row in table.rows if row[0] == "James"] == [("James", "creative", "")]


@pytest.mark.parametrize(
    ("novelty", "words"),
    [(0.6, "good variation"), (0.59, "some repetition"), (0.29, "going in circles")],
)
def test_verdicts(novelty: float, words: str) -> None:
    history = sample()
    for one in of_kind(history, "utterance"):
        one.data["novelty"] = novelty
    measures = instance(parts(history)["Measures"], Facts)
    assert dict(measures.facts)["Novelty Score"] == f"{novelty:.2f} ({words})"


def test_the_pictures_by_hand() -> None:
    found = talk_charts(record())
    assert [*found] == ["relationships", "affinity", "convergence", "moves"]
    network, affinity, curves, moves = found.values()
    assert isinstance(network, Network)
    assert network.nodes == {"Sophia": 3 / 12, "Marcus": 4 / 12, "Aisha": 3 / 12, "James": 2 / 12}
    # Each pair: .5 one way and -.25 the other, in the middle .125.
    assert network.edges == dict.fromkeys(network.edges, pytest.approx(0.125))
    assert len(network.edges) == 6
    assert isinstance(affinity, Lines)
    expected = pytest.approx([0.25 * turn / 22 for turn in range(12)])
    assert affinity.series["Sophia and Marcus"] == expected
    assert isinstance(curves, Lines)
    assert [*curves.x] == [*range(1, 13)]
    assert {name: (*values,) for name, values in curves.series.items()} == {
        "convergence": LEVELS,
        "novelty": NOVELTIES,
    }
    assert curves.marks == {"converged above": 0.8, "in circles below": 0.3}
    assert isinstance(moves, Heat)
    assert moves.columns == ["DEEPEN", "CHALLENGE", "SUPPORT", "QUESTION", "SYNTHESIZE", "CONCLUDE"]
    # Marcus: one DEEPEN, two CHALLENGE and one CONCLUDE in four turns.
    assert moves.cells[1] == [0.25, 0.5, 0.0, 0.0, 0.0, 0.25]
    assert all(sum(cell or 0.0 for cell in row) == pytest.approx(1.0) for row in moves.cells)


def test_beyond_six_pairs_affinity_is_shown_by_participant() -> None:
    assert len(instance(GAMES["talks"].charts(finished(5))["affinity"], Lines).series) == 5


def test_a_talk_without_an_exchange_has_no_report_and_no_picture() -> None:
    history = sample()
    history.rounds[0].events = history.rounds[0].events[:6]
    assert [*report(history, HashingEmbedder())] == []
    assert GAMES["talks"].charts(history) == {}


def test_a_talk_that_still_goes_on_is_told_as_far_as_it_is() -> None:
    history = sample()
    history.rounds[0].events = history.rounds[0].events[:10]
    assert [len(one.exchanges) for one in [record_of(history)] if one] == [2]
    assert len([*report(history, HashingEmbedder())]) == 7  # no coalition yet


@pytest.mark.parametrize(
    "damage", ["topic", "embedder", "participant", "speaker", "novelty", "relationships"]
)
def test_a_damaged_log_is_one_sentence(damage: str) -> None:
    history = sample()
    for one in history.events:
        one.data.pop(damage, None)
    with pytest.raises(ValueError, match="expected the log of a talk"):
        [*report(history, HashingEmbedder())]


def test_the_log_says_what_utterances_were_compared_by() -> None:
    assert not_none(record_of(finished())).opening.embedder == "wordllama"


def test_every_number_behind_a_turn_is_told() -> None:
    history = finished()
    selections = of_kind(history, "selection")
    checks = of_kind(history, "check")
    assert len(selections) == len(checks) == len(history.rounds)
    for one in selections:
        wishes, moves = explanation(one)
        assert isinstance(wishes, Table)
        assert isinstance(moves, Table)
        assert {row[0]: row[1:4] for row in wishes.rows} == {
            name: (wish["urgency"], wish["noise"], wish["score"])
            for name, wish in one.data["wishes"].items()
        }
        assert [row[0] for row in wishes.rows if row[4]] == [one.data["speaker"]]
        assert {row[0]: row[1:3] for row in moves.rows} == {
            move: (value, one.data["adjusted"][move]) for move, value in one.data["payoffs"].items()
        }
        assert [row[0] for row in moves.rows if row[4]] == [one.data["move"]]
    for one in checks:
        (told,) = explanation(one)
        assert isinstance(told, Facts)
        facts = dict(told.facts)
        assert [*facts] == [
            "Depth explored",
            "Novelty exhausted",
            "Want to conclude",
            "High convergence",
            "Cap reached",
        ]
        stale = f"{one.data['novelty']:.2f}, {one.data['stale']} of the last turns below 0.3"
        assert stale in facts["Novelty exhausted"]
        assert f"{one.data['convergence']:.2f} (met above 0.8)" in facts["High convergence"]
    assert [*explanation(of_kind(history, "utterance")[0])] == []


def test_hostile_words_reach_no_terminal_and_no_document_as_more_than_words(tmp_path: Path) -> None:
    history = sample("".join(STRINGS))
    told = [*report(history, HashingEmbedder())]
    screen = Console(file=io.StringIO(), width=200)
    print_history(history, screen, Shown(game=OwnParts(told)))
    assert "\x1b" not in screen.file.getvalue()  # type: ignore[attr-defined]
    (tmp_path / "talk.typ").write_text(
        document(history, Shown(game=OwnParts(told))), encoding="utf-8"
    )
    compile_pdf(tmp_path / "talk.typ", tmp_path / "talk.pdf")
    assert (tmp_path / "talk.pdf").read_bytes().startswith(b"%PDF")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talk.json").write_text(finished().to_json(), encoding="utf-8")
    (tmp_path / "parley.json").write_text(small_history().to_json(), encoding="utf-8")
    return tmp_path


def run(folder: Path, *words: str) -> int:
    return logs.main([*words, "--logs-dir", str(folder)])


def test_logs_shows_the_report_and_on_demand_every_number(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--filename", "talk", "--terminal") == 0
    brief = capsys.readouterr().out
    assert "Discussion Evaluation Report" in brief
    assert "Who speaks" not in brief
    assert run(folder, "--filename", "talk", "--terminal", "--explain") == 0
    full = capsys.readouterr().out
    rounds = len(json.loads((folder / "talk.json").read_text(encoding="utf-8"))["rounds"])
    assert full.count("Who speaks") == full.count("Criteria after exchange") == rounds


def test_a_player_is_shown_no_number_that_it_did_not_see(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--filename", "talk", "--terminal", "--explain", "--as", "Sophia") == 0
    out = capsys.readouterr().out
    assert "Evaluation" not in out
    assert "Who speaks" not in out


def test_logs_draws_the_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--filename", "talk", "--charts") == 0
    names = ["affinity", "convergence", "moves", "relationships"]
    expected = [f"{name}.{kind}" for name in names for kind in ("png", "svg")]
    assert sorted(path.name for path in (folder / "talk").iterdir()) == expected
    assert capsys.readouterr().out.count("Written: ") == 8
    again = save_chart(GAMES["talks"].charts(finished())["moves"], folder / "again")
    assert again[0].read_bytes() == (folder / "talk" / "moves.png").read_bytes()


def test_a_game_without_pictures_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--filename", "parley", "--charts") == 2
    assert ", a game of parley, has nothing to draw" in capsys.readouterr().err
    assert [*GAMES["conversation"].report(small_history())] == []
