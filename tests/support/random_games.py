"""Random games of scripts, with any settings; scripts sometimes fail or say too much."""

import random
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from engine.engine import GameEngine
from engine.games import GAMES
from engine.runs.seating import neutral
from player import Script, ScriptedPlayer, Turn
from tests.support.paths import ROOT
from tests.support.tables import config_for, scripts_of

# Scripts that search are slow.
SLOW = ("mcts", "beam", "foresight", "lookahead", "bestreply")
SAYINGS = (
    "",
    "So be it.",
    'She said: "no, no"\nand left.',
    "Why not? It is so. " * 30,
    "word " * 300,
    "aspect, " * 8 + "…",
    "w" * 700,
    "ß漢字 ))): (importance 0.50): x",
)
WORDS = (ROOT / "tests" / "support" / "utterances.txt").read_text(encoding="utf-8").split()
MARKS = (".", "!", "?", ",", ";", ":", "\u2026", '."', "", " ", " and", "...")
LABELS = ("trust", "habit", "Habit", "the cost of trust", "moral luck", "", "Ada", "Cleo Ada")
Settings = Callable[[random.Random], dict[str, Any]]


def some_conversation(rng: random.Random) -> dict[str, Any]:
    return {
        "length": rng.choice((0, 1, 4, 12)),
        "bank_size": rng.choice((0, 1, 3, 8)),
        "subjects": rng.choice((2, 5, 9, ["tea", "a", "C++", "x (y): z"])),
        "voice": rng.random() < 0.5,
        "advice": rng.choice(("none", "deltas")),
        "composition": rng.choice(("half", "coin")),
    }


def some_dilemma(rng: random.Random) -> dict[str, Any]:
    least = rng.randint(1, 3)
    return {
        "game_length": (least, least + rng.randint(0, 2)),
        "flip_params": (rng.random(), rng.random() / 2),
        "block": rng.choice((1, 3)),
        "unit": rng.choice(("turns", "moves")),
        "max_rounds": rng.randint(1, 3),
        "tell_standings": rng.random() < 0.5,
        "quiz": rng.random() < 0.5,
    }


def some_island(rng: random.Random) -> dict[str, Any]:
    phases = ["pitches", "votes"]
    for name in ("immunity", "confessionals", "sidebars"):
        if rng.random() < 0.5:
            phases.insert(0, name)
    return {
        "phases": phases,
        "words": rng.choice((5, 60, 300)),
        "private_words": rng.choice((5, 40)),
        "ties": rng.choice(("lot", "revote")),
        "last_words": rng.random() < 0.5,
        "reveal_tally": rng.random() < 0.5,
        "pairing": rng.choice(("pick", "ranking")),
        "decline": rng.random() < 0.5,
        "jurors_aside": rng.random() < 0.5,
        "exchanges": rng.randint(1, 2),
        "messages": rng.randint(1, 3),
        "memory": rng.choice(("full", "summary")),
        "finalists": rng.choice((2, 2, 3)),
        "questions": rng.random() < 0.5,
        "debrief": rng.random() < 0.5,
        "probes": rng.choice(("none", "votes")),
        "plans": rng.random() < 0.5,
        "anonymous": rng.random() < 0.3,
    }


def some_talk(rng: random.Random) -> dict[str, Any]:
    return {
        "depth": rng.randint(1, 4),
        "max_iterations": rng.randint(1, 4),
        "turns": rng.choice(("theory", "round_robin")),
        "theses": rng.choice(("none", "ask")),
        "host": rng.random() < 0.4,
        "words": rng.choice((20, 60, 120)),
    }


SETTINGS: dict[str, Settings] = {
    "conversation": some_conversation,
    "deliberations": some_island,
    "dilemma": some_dilemma,
    "guest": lambda rng: {"max_steps": rng.randint(1, 12), "every": rng.randint(1, 4)},
    "openspiel": lambda rng: {"game": rng.choice(("kuhn_poker", "tic_tac_toe", "goofspiel"))},
    "talks": some_talk,
    "textarena": lambda rng: {"game": "TicTacToe-v0"},
}


def random_game(game: str, seed: int) -> GameEngine:
    """Return a game with random scripts and settings that writes nothing."""
    rng = random.Random(f"{game} {seed}")
    names = [name for name in scripts_of(game) if name not in SLOW]
    players = 2 if game in ("openspiel", "textarena") else rng.randint(4, 6)
    drawn = rng.choices(names, k=players)
    settings = SETTINGS[game](rng) if game in SETTINGS else {}
    refuses = GAMES[game].model_validate(settings).refuses
    seats = ",".join(f"scripted:{'random' if refuses(name) else name}" for name in drawn)
    engine = GameEngine(neutral(config_for(game, seats, seed=seed, settings=settings)))
    for player in engine.players:
        assert isinstance(player, ScriptedPlayer)
        player.script = moody(player.script)
    return engine


class Formless(BaseModel):
    """An answer that fits no question's form."""


def moody(script: Script) -> Script:
    """Return a script that sometimes answers in no form, illegally, or with other words."""

    def answer(turn: Turn[Any], rng: random.Random) -> BaseModel:
        usual = script(turn, rng)
        mood = rng.random()
        if mood < 0.03:
            return Formless()
        if mood < 0.06:
            return usual.model_copy(update=dict.fromkeys(turn.choices, "Nobody"))
        if mood > 0.5:
            return usual
        said = {}
        for name, field in turn.answer.model_fields.items():
            if name.startswith("aspect"):
                said[name] = rng.choice(LABELS)
            elif name not in turn.choices and field.annotation is str:
                said[name] = rng.choice((*SAYINGS, some_words(rng)))
        other: BaseModel = turn.answer.model_validate(usual.model_dump() | said)
        return other

    return answer


def some_words(rng: random.Random) -> str:
    """Return up to 400 words with marks between them."""
    spoken = []
    for word in rng.choices(WORDS, k=rng.choice((0, 1, 3, 12, 40, 90, 400))):
        mark = rng.choice(MARKS) if rng.random() < 0.1 else ""
        spoken.append(word.strip(".,!?;:") + mark)
    return " ".join(spoken) + rng.choice(MARKS)
