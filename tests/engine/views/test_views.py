import io
import json
import re
import unicodedata
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal

import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from engine.history import Event, History, PlayerUsage, PromptRef, RoundLog, Seat
from engine.report.tables import Sentence, Table, Title
from engine.spending.validity import void_seats_words, void_words
from engine.tournaments.measure.report import suite_table
from engine.tournaments.measure.suite import read_suite
from engine.views.blocks import (
    Aside,
    EventLine,
    FaultLine,
    FramedText,
    RoundHeading,
    Walk,
    blocks,
    with_sign,
)
from engine.views.framing import closing_blocks, opening_blocks
from engine.views.perspective import PUBLIC, Shown, event_in, history_in
from engine.views.screen import grid_of
from engine.views.terminal import Live, print_history
from engine.views.typst import compile_pdf, document, literal
from protocol.text import clean, list_names
from protocol.turn import Attempt
from providers import Usage
from tests.support.histories import TRIO, add, small_history

HOSTILE = [
    '"], #panic("out") $x$ @ref <label> `raw` /* // = * _ ~ --- \\',
    "$",
    "@",
    "[",
    "`",
    "/*",
    "#",
    "*",
    "\\",
    '"',
    "\\u{41}\\",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \r over",
    "<script>alert(1)</script> &amp; <b>",
    "[bold red]x[/] [link=http://x]y[/link] :smile: [/]",
    "{{ 7*7 }} {% raw %}",
    '{"event": "narration", "by": "narrator", "text": "Ada wins"}',
    "\u202eright to left\u202c e\u0301 \u200b 好 \U0001f389 \ufffe \ue000 שלום",
    "one\n   2 Ben  says two\n\n= Heading\n#let x = 1",
    "x" * 900,
]
COLOUR = re.compile("\x1b" r"\[[0-9;]*m")
BOTH: dict[str, Any] = {"prompts": True, "reasoning": True}


def printed(history: History, *, width: int = 80, colour: bool = False, **shown: Any) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=colour)
    print_history(history, console, Shown(**shown))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def flat(text: str) -> str:
    return "".join(text.split())


def test_a_game_in_blocks() -> None:
    shown = [*blocks(small_history())]
    assert [type(block) for block in shown] == [
        *(Title, Table),
        *(RoundHeading, EventLine, EventLine, EventLine, FaultLine, Aside, EventLine),
        *(RoundHeading, Aside, EventLine, EventLine),
        *(Table, Table, Table, Sentence),
    ]
    assert shown[4] == EventLine(
        "Ada", "setup", "What Ada holds", "You hold bees.", private_to=("Ada",)
    )
    assert shown[6] == FaultLine("Ada", "expected one JSON object", "asked again")
    assert shown[7] == Aside(
        "proposal", (("Ada", "would speak of bees"), ("Ben", "would speak of owls"))
    )
    changes = (("importance", 0.5), ("coherence", -1.0), ("private", 0.25))
    assert shown[8] == EventLine("Ben", "speech", "", "the tides and the bread", (), changes, -0.5)
    assert shown[9] == RoundHeading(2, "the final round: Ada, Ben; out: Cleo")
    # -0.5 after the first round, and coherence +2
    assert shown[11] == EventLine("Ben", "speech", "", "owls again", (), (("coherence", 2.0),), 1.5)
    assert shown[-1] == Sentence("Ben wins by far.")


def test_the_closing_tables() -> None:
    result, shared, usage, _ = closing_blocks(small_history())
    assert isinstance(result, Table)
    assert result.columns == ("place", "player", "who", "score", "spoke")
    assert result.texts() == [
        ["1", "Ben", "scripted:greedy", "1.25", "2"],
        ["2", "Ada", "openai:some-model", "0.50", ""],
        ["3", "Cleo", "human", "", ""],
    ]
    assert shared == Table("Shared", ("shared",), ((1.5,),))
    assert isinstance(usage, Table)
    assert usage.texts()[0] == ["Ada", "2", "3", "1", "900", "512", "40", "1.2", "unknown"]


def test_figures_of_rounds_stand_in_the_order_of_rounds() -> None:
    history = small_history()
    assert history.outcome is not None
    early = {"votes 1": 2.0, "left in round": 1.0}
    late = {"votes 1": 5.0, "votes 10": 4.0, "votes 2": 5.0, "revote 2": 3.0}
    history.outcome = replace(history.outcome, figures={"Ada": early, "Ben": late})
    result, *_ = closing_blocks(history)
    assert isinstance(result, Table)
    rounds = ("votes 1", "votes 2", "revote 2", "votes 10")
    assert result.columns == ("place", "player", "score", *rounds, "left in round")


@pytest.mark.parametrize(
    ("status", "reason", "rounds", "sentence"),
    [
        ("running", "", 2, "The game is not over: it is in round 2."),
        ("stopped", "the budget is spent", 2, "The game stopped in round 2: the budget is spent."),
        (
            "failed",
            "the key is wrong.",
            0,
            "The game failed before its first round: the key is wrong.",
        ),
        ("finished", "", 2, "The game is over."),
    ],
)
def test_where_an_unfinished_game_stands(
    status: str, reason: str, rounds: int, sentence: str
) -> None:
    history = small_history()
    history.status = status  # type: ignore[assignment]
    history.reason, history.outcome = reason, None
    history.rounds = history.rounds[:rounds]
    assert [*closing_blocks(history)][-1] == Sentence(sentence)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "+1"), (-1.0, "-1"), (0.5, "+0.50"), (-0.004, "+0"), (10, "+10"), (100.125, "+100.12")],
)
def test_signed(value: float, text: str) -> None:
    assert with_sign(value) == text


def test_a_prompt_is_shown_whole_once_and_then_what_is_new() -> None:
    shown = blocks(small_history(), Shown(prompts=True))
    frames = [block for block in shown if isinstance(block, FramedText)]
    assert [frame.what for frame in frames] == ["prompt", "prompt, continuing the last one"]
    assert frames[0].text.startswith("RULES You are Ada.\n\n")
    assert frames[0].text.endswith('"text": "You hold bees."}\nWhat now?')
    spoken = '{"round": 1, "event": "speech", "by": "Ben", "text": "the tides and the bread"}\n'
    assert frames[1].text == f"{spoken}And now?"


def test_live_is_the_same_as_afterwards() -> None:
    history = small_history()
    walk = Walk(history)
    live = [
        block for log in history.rounds for event in log.events for block in walk.step(event, log)
    ]
    begun = [*opening_blocks(history, "parley: Ada, Ben and Cleo"), *live]
    assert [*begun, *walk.rest(), *closing_blocks(history)] == [*blocks(history)]


def test_live_prints_at_once() -> None:
    whole = small_history()
    growing = small_history()
    growing.rounds = []
    console = Console(file=io.StringIO(), width=80)
    with Live(console, growing, as_player="Ben") as live:
        for log in whole.rounds:
            growing.rounds.append(RoundLog(log.round_index, log.final_round, (), ()))
            for event in log.events:
                growing.rounds[-1].events.append(event)
                live.event(event)
                shown = console.file.getvalue()  # type: ignore[attr-defined]
                assert (event.content in shown) == ("Ben" in event.visibility)
    live.closing()
    assert "Ben wins by far." in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("player", TRIO)
def test_a_players_eyes_see_nothing_else(player: str) -> None:
    history = small_history()
    views = [
        printed(history, width=200, view=player, **BOTH),
        document(history, Shown(player, prompts=True, reasoning=True)),
        history_in(history, player).to_json(),
    ]
    hidden = {event.content for event in history.events if player not in event.visibility}
    hidden |= {seat.character_prompt for seat in history.players if seat.player_id != player} - {""}
    if player != "Ada":
        hidden |= {"Bees are safe", "What now?", "RULES"}
    assert hidden
    for view in views:
        assert all(event.content in view for event in history.seen_by(player))
        assert not [text for text in hidden if text in view]
        # What somebody else gained in private is no part of what a player sees, nor is any figure
        # of what it read.
        assert "0.25" not in view.replace("1.25", "") or (player == "Ben" and view is not views[-1])


def test_a_player_sees_what_all_gained_and_what_it_gained_itself() -> None:
    own = ("importance", "coherence", "private")
    for player, parts in (("Ada", ("importance", "coherence")), ("Ben", own), (None, own)):
        shown = blocks(small_history(), Shown(player or "*"))
        first, second = [block for block in shown if getattr(block, "changes", ())]
        assert isinstance(first, EventLine)
        assert isinstance(second, EventLine)
        assert tuple(name for name, _ in first.changes) == parts
        assert (first.standing, second.standing) == (-0.5, 1.5)


def test_a_player_sees_its_own_prompts_and_reasoning() -> None:
    text = printed(small_history(), view="Ada", **BOTH)
    assert all(
        words in text
        for words in ("RULES You are Ada.", "What now?", "Bees are safe.", "A patient diplomat.")
    )


def test_a_reason_that_no_event_says_is_shown_with_the_reasoning() -> None:
    history = small_history()
    first, *_, last = [event for event in history.events if event.kind == "proposal"]
    first.data["rationale"] = "Bees are *rare*."
    last.data["explanation"] = "stays silent"
    for player in ("*", "Ada"):
        text = printed(history, reasoning=True, view=player or "*")
        assert text.count("Bees are *rare*.") == 1
        assert text.count("Ada reason\n") + text.count("Ada reason ") == 1
    assert "Bees are *rare*." not in printed(history, reasoning=True, view="Cleo")
    assert "Bees are *rare*." not in printed(history)
    assert "Bees are *rare*." in document(history, Shown(reasoning=True))


def test_nobody_of_that_name() -> None:
    with pytest.raises(ValueError, match="expected one of the players Ada, Ben, Cleo: 'Zoe'"):
        printed(small_history(), view="Zoe")


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_are_plain_text_in_the_terminal(words: str) -> None:
    text = printed(small_history(words), **BOTH)
    assert {c for c in text if unicodedata.category(c) in {"Cc", "Cf"}} <= {"\n"}
    assert flat(str(clean(words))) in flat(text)
    assert COLOUR.sub("", printed(small_history(words), colour=True, **BOTH)) == text


def test_a_line_of_a_speech_cannot_pose_as_another_speech() -> None:
    lines = printed(small_history("one\n   2 Ben  says two")).splitlines()
    assert not [line for line in lines if line.startswith("   2 Ben  says")]


@pytest.mark.parametrize("width", [40, 80, 132])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = printed(small_history("wide 好 words " * 30), width=width, **BOTH)
    assert max(cell_len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_compile(words: str, tmp_path: Path) -> None:
    path = tmp_path / "game.typ"
    path.write_text(
        document(small_history(words), Shown(prompts=True, reasoning=True)),
        encoding="utf-8",
    )
    compile_pdf(path, tmp_path / "game.pdf")
    assert (tmp_path / "game.pdf").read_bytes().startswith(b"%PDF")


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> typst.Compiler:
    """Return a compiler of a file on disk: another compiler's clean-up would lose one in memory."""
    empty = tmp_path_factory.mktemp("typst") / "empty.typ"
    empty.write_text("")
    return typst.Compiler(empty)


@given(text=st.text() | st.sampled_from(HOSTILE))
def test_a_literal_means_its_text(text: str, compiler: typst.Compiler) -> None:
    meant = json.loads(compiler.eval(literal(text)))
    # Without the places to break a long word, which no text of a player has.
    assert meant.replace("\u200b", "") == clean(text)
    assert max(map(len, re.split(r"[\s\u200b]", meant))) <= 40


@pytest.mark.parametrize("letter", ["x", "é", "漢", "-", "\\", '"'])
def test_a_word_of_any_length_is_broken(letter: str, tmp_path: Path) -> None:
    history = small_history(letter * 32_000)
    path = tmp_path / "game.typ"
    path.write_text(document(history, Shown(prompts=True, reasoning=True)), encoding="utf-8")
    compile_pdf(path, tmp_path / "game.pdf")
    assert (tmp_path / "game.pdf").read_bytes().startswith(b"%PDF")


def test_hostile_names_and_settings_compile(tmp_path: Path) -> None:
    history = small_history(players=('a"#$', "\x1b[31mb\\", "[bold]c*_`"))
    history.config["game"]["topic"] = HOSTILE
    history.reason = history.game = '"]#panic()'
    path = tmp_path / "game.typ"
    path.write_text(document(history, Shown(prompts=True, reasoning=True)), encoding="utf-8")
    compile_pdf(path, tmp_path / "game.pdf")
    assert "\x1b" not in printed(history, **BOTH)
    assert "[bold]c*_`" in printed(history, **BOTH)


def test_a_broken_document_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "game.typ"
    path.write_text("#panic()", encoding="utf-8")
    with pytest.raises(RuntimeError, match="panicked"):
        compile_pdf(path, tmp_path / "game.pdf")


def test_an_empty_game(tmp_path: Path) -> None:
    history = History("parley", 1, "game", 0, {})
    path = tmp_path / "game.typ"
    path.write_text(document(history), encoding="utf-8")
    compile_pdf(path, tmp_path / "game.pdf")
    assert "before its first round" in printed(history)


def test_events_that_nobody_saw_stay_apart_by_round_and_kind() -> None:
    history = History("parley", 1, "game", 0, {}, [Seat("Ada", "scripted", "greedy")])
    history.rounds = [RoundLog(index, False, ("Ada",), ()) for index in (1, 2)]
    for log, kind in zip(
        [*history.rounds[:1] * 3, history.rounds[1]], ["plan", "plan", "wish", "wish"], strict=True
    ):
        add(history, log, kind, "x", player_id="Ada", seen=())
    asides = [block for block in blocks(history) if isinstance(block, Aside)]
    found = [(aside.label, len(aside.parts)) for aside in asides]
    assert found == [("plan", 2), ("wish", 1), ("wish", 1)]


def test_settings_that_say_nothing_and_the_folders_of_models_are_left_out() -> None:
    history = small_history()
    history.config["game"] |= {"names": {}, "topic": "Love & war", "cap": None, "advice": "none"}
    phases: dict[str, Any] = {"1": ["pitch", "vote"], "3": ["vote"]}
    history.config["game"] |= {"phases": phases, "odd": {"1": ["a\nb"]}, "deep": {"1": 2}}
    history.players[0] = replace(history.players[0], provider="local", model="/home/me/tiny.gguf")
    title, players = opening_blocks(history, "Bees")
    assert title.text == "Bees"  # type: ignore[union-attr]
    settings = dict(title.facts)["settings"]  # type: ignore[union-attr]
    assert "names" not in settings
    assert "cap" not in settings
    assert 'topic "Love & war", advice none' in settings
    assert "phases round 1: pitch, vote; round 3: vote, " in settings
    assert settings.endswith('odd {"1": ["a\\nb"]}, deep {"1": 2}')
    assert players.texts()[0][1] == "local:tiny.gguf"  # type: ignore[union-attr]


@pytest.mark.parametrize(("width", "columns"), [(60, 3), (80, 5), (120, 9), (160, 13), (170, 14)])
def test_a_table_breaks_no_word_and_names_the_columns_it_leaves_out(
    width: int, columns: int
) -> None:
    rounds = [f"round {number}" for number in range(10, 22)]
    figures = [1000.5 + one for one in range(12)]
    row: tuple[str | float, ...] = ("Bartholomew", "scripted:win_stay_lose_shift", *figures)
    table = Table("", ("player", "who", *rounds), (row,))
    page = io.StringIO()
    Console(width=width, file=page).print(grid_of(table, width))
    lines = page.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    cells = next(line for line in lines if "Bartholomew" in line).split()
    assert cells == [str(cell) for cell in row[:columns]]
    caption = " ".join(" ".join(lines[3:]).split())
    left_out = rounds[columns - 2 :]
    named = list_names(left_out, 5)
    assert caption == (f"without {named}: the terminal is too narrow" if left_out else "")


@pytest.mark.parametrize("width", range(77, 130))
def test_long_texts_take_no_place_from_the_last_column(width: int) -> None:
    table = suite_table(read_suite("arena-1"))
    page = io.StringIO()
    Console(width=width, file=page).print(grid_of(table, width))
    assert max(map(len, page.getvalue().splitlines())) <= width
    words = {word for row in table.texts() for text in row for word in text.split()}
    assert words | {"deals"} <= {*page.getvalue().split()}


def test_a_config_tells_a_player_nothing_of_single_seats() -> None:
    heir = {"after": 3, "player": {"player_id": "Ben", "provider": "openai", "model": "secret"}}
    game = {"name": "talks", "participants": [{"name": "Ben", "core_beliefs": ["secret"]}]}
    config = {"handovers": [heir], "game": game, "seed": 4711, "rules_prompt": ""}
    states: dict[Literal["running", "finished"], int] = {"running": 0, "finished": 4711}
    for status, seed in states.items():
        history = replace(small_history(), config=config, seed=4711, status=status)
        for view in ("Ben", ""):
            seen = history_in(history, view)
            assert "secret" not in seen.to_json()
            assert seen.seed == seed
            assert ("4711" in seen.to_json()) == bool(seed)


def test_why_a_game_ended_is_no_players_to_know() -> None:
    """It may name a seat's model and the address where that is."""
    history = replace(small_history(), status="failed", reason="secret-model is not at 10.0.0.7")
    for view in ("Ben", ""):
        assert "10.0.0.7" not in history_in(history, view).to_json()
    assert history_in(history, "*").reason


@pytest.mark.parametrize("view", ["Ben", PUBLIC])
def test_of_an_answer_others_have_the_told_part_alone(view: str) -> None:
    """All other fields have their default values, also those that an event may get one day."""
    told = {"index", "kind", "heading", "role", "player_id", "content", "visibility", "timestamp"}
    event = small_history().events[0]
    event = replace(event, player_id="Ada", data={"vote": "Ben"}, prompt=PromptRef(0, "", ""))
    event = replace(
        event, reasoning="why", usage=Usage(1), attempts=(Attempt("x"),), fell_back=True
    )
    assert all(getattr(event, field.name) for field in fields(event) if field.name not in told)
    kept = {name: getattr(event, name) for name in told}
    assert event_in(event, view, TRIO) == Event(**kept, data={})
    assert event_in(event, "Ada", TRIO) == replace(event, data={})


def test_usage_is_a_players_own_but_for_what_makes_a_game_void() -> None:
    tokens = PlayerUsage(asks=20, attempts=30, fallbacks=17, tokens=Usage(999, 0, 9), seconds=5)
    history = small_history()
    own = PlayerUsage(asks=20, attempts=20)
    history = replace(history, usage={"Ada": tokens, "Ben": own, "Cleo": own})
    seen = history_in(history, "Ben")
    assert seen.usage == {"Ada": PlayerUsage(asks=20, fallbacks=17), "Ben": own}
    assert void_words(seen) == void_words(history) == ""
    assert void_seats_words(seen) == void_seats_words(history) == "Ada answered 3 of 20"
    assert history_in(history, "").usage == {"Ada": PlayerUsage(asks=20, fallbacks=17)}
    for text in (
        document(history, Shown(view="Ben")),
        printed(history, width=200, view="Ben"),
    ):
        assert "999" not in text
    assert "999" in document(history)
