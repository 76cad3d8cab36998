"""Boards fold and draw every event of real games: whole, legible, pure, and without markup."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from engine.games import GAMES
from engine.history import History
from engine.views.page import PAGE, joined_modules
from engine.views.perspective import event_in
from tests.support.tables import run_game
from tests.support.web.browser import open_page

Pages = dict[str, Page]

BOARDED = ("conversation", "deliberations", "dilemma", "guest", "talks")
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Iris", "Jon", "Kim", "Lea")
HARSH = (
    "Maximiliana Wolfeschlegelsteinhausenberg",
    "WWWWWWWWWWWWWWWWWWWW &amp;",
    "__proto__",
    "日本語の名前日本語の名前日本語",
    "אבגדה שלום עולם",
)
HOSTILE = "<img src=x onerror=alert(1)>\u202e</text></svg><script>alert(2)</script>"
ALL_PHASES = {"phases": ["sidebars", "confessionals", "pitches", "votes"], "memory": "summary"}
REVEALED = {**ALL_PHASES, "reveal_tally": True}
REVOTES = {"ties": "revote", "last_words": True, "phases": ["immunity", "pitches", "votes"]}
# By name: game, players, settings.
TABLES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "talk of two": ("conversation", NAMES[:2], {"length": 12, "bank_size": 3, "subjects": 3}),
    "talk of four": ("conversation", NAMES[:4], {}),
    "long talk of ten": ("conversation", NAMES[:10], {"length": 120}),
    "no talk": ("conversation", NAMES[:3], {"length": 0}),
    "talk of harsh names": ("conversation", HARSH, {"length": 30, "subjects": [*HARSH]}),
    "dilemma of two": ("dilemma", NAMES[:2], {}),
    "dilemma of four": ("dilemma", NAMES[:4], {}),
    "dilemma of twelve": ("dilemma", NAMES, {"game_length": [20, 60]}),
    "secret dilemma": ("dilemma", NAMES[:4], {"tell_standings": False}),
    "dilemma of harsh names": ("dilemma", HARSH, {}),
    "guest of one": ("guest", NAMES[:1], {"max_steps": 10}),
    "guest of four": ("guest", NAMES[:4], {"imbalance_factor": 0.3}),
    "guest of ten": ("guest", NAMES[:10], {"max_steps": 300, "every": 5}),
    "guest of harsh names": ("guest", HARSH, {}),
    "island of three": ("deliberations", NAMES[:3], {}),
    "island of five": ("deliberations", NAMES[:5], REVEALED),
    "island of twelve": ("deliberations", NAMES, ALL_PHASES),
    "island of ties": ("deliberations", NAMES[:6], REVOTES),
    "island of harsh names": ("deliberations", HARSH, REVEALED),
    "island of three finalists": (
        "deliberations",
        NAMES[:6],
        {**REVEALED, "finalists": 3, "rounds": {2: {"phases": ["sidebars", "pitches"]}}},
    ),
    "island of questions": (
        "deliberations",
        NAMES[:6],
        {**REVEALED, "questions": True, "debrief": True},
    ),
    "island of harsh answers": ("deliberations", HARSH, {"questions": True, "debrief": True}),
    "island of pairs": (
        "deliberations",
        NAMES[:5],
        {"phases": ["sidebars", "votes"], "pairing": "ranking"},
    ),
    "island of refusals": (
        "deliberations",
        NAMES[:5],
        {"phases": ["sidebars", "votes"], "decline": True, "jurors_aside": True},
    ),
    "island of probes": ("deliberations", NAMES[:5], {**REVEALED, "probes": "votes"}),
    "discussion of two": ("talks", NAMES[:2], {"depth": 1}),
    "discussion of four": ("talks", NAMES[:4], {"depth": 5}),
    "discussion of ten": ("talks", NAMES[:10], {"max_iterations": 40}),
    "discussion of theses": ("talks", NAMES[:4], {"depth": 1, "theses": "ask", "host": "Ada"}),
    "discussion of harsh names": ("talks", HARSH, {"max_iterations": 20}),
}
WIDTHS = (360, 760)
FOURS = ("talk of four", "dilemma of four", "guest of four", "island of five", "discussion of four")
DRAWN = {"title", "g", "svg", "text", "rect", "line", "path", "circle", "ellipse"}
PROBE = Path(__file__).parent / "probe.js"


@pytest.fixture(scope="module")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Yield, for each game, a page that has its board and nothing else."""
    folder = tmp_path_factory.mktemp("boards")
    style = (PAGE / "arena.css").read_text(encoding="utf-8")
    seen = {}
    for game in BOARDED:
        board = joined_modules(f"boards/{game}.js", game)
        script = f"{board}const ownBoard = {game}Board;\n{PROBE.read_text(encoding='utf-8')}"
        file = folder / f"{game}.html"
        file.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{style}</style><body></body>'
            f'<script type="module">{script}</script>',
            encoding="utf-8",
        )
        seen[game] = open_page(browser, file.as_uri())
    yield {game: witness.page for game, witness in seen.items()}
    for witness in seen.values():
        assert not witness.errors
        assert not witness.dialogs
        assert len(witness.requests) == 1


def played(name: str) -> History:
    game, players, settings = TABLES[name]
    pairs = zip(players, cycle(GAMES[game].strategies), strict=False)
    seats = ",".join(f"{player_id}=scripted:{strategy}" for player_id, strategy in pairs)
    return run_game(game, seats, seed=7, settings=settings)


def game_of(history: History, view: str) -> dict[str, Any]:
    settings = {key: value for key, value in history.config["game"].items() if key != "name"}
    return {
        "name": history.game_id,
        "game": history.game,
        "players": [asdict(seat) for seat in history.players],
        "settings": settings,
        "view": view,
    }


def frames_of(history: History, view: str) -> list[dict[str, Any]]:
    """Return the events of a view as frames have them."""
    ids = [seat.player_id for seat in history.players]
    frames = []
    for log in history.rounds:
        for event in log.events:
            seen = event_in(event, view, ids)
            if seen is None:
                continue
            frame = asdict(seen) | {"round": log.round_index}
            facts = GAMES[history.game].facts_of(event)
            frames.append(frame | {"facts": facts} if facts else frame)
    return frames


def probe(pages: Pages, question: str, history: History, view: str, *more: int) -> Any:
    """Return what a function of the probe finds in a game."""
    return asked(pages, question, game_of(history, view), frames_of(history, view), *more)


def asked(pages: Pages, question: str, game: dict[str, Any], *words: Any) -> Any:
    # As JSON, since the driver loses a key that is "__proto__".
    page = pages[game["game"]]
    return page.evaluate(
        f"words => probe.{question}(...JSON.parse(words))", json.dumps((game, *words))
    )


def views_of(history: History) -> tuple[str, ...]:
    return "*", "", history.players[-1].player_id


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TABLES)
def test_every_event_of_a_game_is_drawn_in_full(pages: Pages, name: str, width: int) -> None:
    """No event is an error, no text leaves the board, and none covers another."""
    history = played(name)
    for view in views_of(history):
        found = probe(pages, "measure", history, view, width, 12)
        assert found["faults"] == [], view
        for said in found["said"]:
            assert said.endswith(".")
            assert "\n" not in said


@pytest.mark.parametrize("name", TABLES)
def test_a_fold_is_pure(pages: Pages, name: str) -> None:
    """A kept state goes on to the same drawing as the whole game, and is not changed by it."""
    history = played(name)
    for view in views_of(history):
        for cut in (0, 1, 20, 10_000):
            found = probe(pages, "foldTwice", history, view, cut)
            assert found == {"same": True, "unchanged": True}


@pytest.mark.parametrize("name", FOURS)
def test_hostile_names_are_text(pages: Pages, name: str) -> None:
    history = played(name)
    plain: list[Any] = [game_of(history, "*"), frames_of(history, "*")]
    hostile = json.loads(json.dumps(plain).replace("Ada", json.dumps(HOSTILE)[1:-1]))
    calm = asked(pages, "measure", *plain, 760, 4)
    found = asked(pages, "measure", *hostile, 760, 4)
    assert found["elements"] == calm["elements"]
    assert set(found["tags"]) <= DRAWN
    assert all("\u202e" not in said for said in found["said"])


@pytest.mark.parametrize("name", ["dilemma of four", "guest of four", "discussion of four"])
def test_a_pick_shows_what_was_picked(pages: Pages, name: str) -> None:
    picks = probe(pages, "pickAll", played(name), "*")
    assert len({pick["asked"] for pick in picks}) >= 4
    for pick in picks:
        assert pick["shown"] == pick["asked"]
        assert pick["named"]
        assert pick["focusable"]


def test_energies_that_are_not_told_follow_from_the_rules(pages: Pages) -> None:
    """The board works them out to what the transcript's two decimals at the start allow."""
    history = played("guest of four")
    own = history.players[-1].player_id
    room = probe(pages, "roomOfView", history, own)
    steps = [event for event in history.events if event.kind == "step" and own in event.visibility]
    exact = steps[-1].data["steps"][-1]
    assert room["phonemes"] == exact["phonemes"]
    assert room["energy"] == pytest.approx(exact["energy"], abs=0.006)
    assert room["gini"]["last"] == pytest.approx(exact["gini"])


def test_votes_come_from_their_voters_only_where_those_are_known(pages: Pages) -> None:
    """A view without ballots has an arrow out of the dark for each vote that the result tells."""
    history = played("island of three")
    (ballot,) = (event for event in history.rounds[-1].events if event.kind == "vote")
    voter = str(ballot.player_id)
    others = [seat.player_id for seat in history.players if seat.player_id != voter]
    seen = {view: probe(pages, "arrowsOf", history, view) for view in ("*", voter, "", *others)}
    for view in ("*", voter):
        assert seen[view] == {"known": 1, "dark": 0}
    for view in ("", *others):
        assert seen[view] == {"known": 0, "dark": 1}


def test_why_who_speaks_is_drawn_for_who_sees_its_data_alone(pages: Pages) -> None:
    history = played("discussion of four")
    events = [event for event in history.events if event.kind == "selection"]
    choice = events[-1].data
    own = choice["wishes"][choice["speaker"]]
    texts = probe(pages, "textsOf", history, "*")
    assert [text for text in texts if text.startswith(f"Urgency {own['urgency']:.2f}")]
    worth = f": payoff {choice['adjusted'][choice['move']]:.2f}"
    assert [text for text in texts if worth in text]
    assert not [text for text in texts if choice["move"] in text]
    assert {"depth", "convergence"} <= set(texts)
    for view in ("", "Ada"):
        texts = probe(pages, "textsOf", history, view)
        assert not [text for text in texts if "rgency" in text or "payoff" in text]


def test_a_thesis_is_drawn_for_its_owner_and_for_who_sees_all(pages: Pages) -> None:
    """It stands there when it is stated, and again where its owner is picked."""
    history = played("discussion of theses")
    stated = next(event for event in history.events if event.kind == "thesis")
    del history.rounds[0].events[stated.index + 1 :]
    del history.rounds[1:]
    start = stated.content[:20]
    drawn = {view: probe(pages, "textsOf", history, view) for view in ("*", "", "Ada", "Ben")}
    seen = {view for view, texts in drawn.items() if [one for one in texts if start in one]}
    assert seen == {"*", stated.player_id}


def test_what_a_talk_changes_is_drawn_for_who_sees_its_data_alone(pages: Pages) -> None:
    history = played("discussion of four")
    check = [event for event in history.events if event.kind == "check"][-1]
    rows = check.data["relationships"].values()
    felt = max((value for row in rows for value in row.values()), key=abs)
    assert felt
    texts = probe(pages, "textsOf", history, "*")
    assert f"{100 * felt:.0f}".replace("-", "\N{MINUS SIGN}") in texts
    assert any(text.startswith("convergence") for text in texts)
    for view in ("", "Ada"):
        assert not [text for text in probe(pages, "textsOf", history, view) if "onverge" in text]
