"""A scripted player that answers at random: any choice, and words of any length."""

import random
from typing import Any

from engine.engine import GameEngine
from engine.history import History
from player import ScriptedPlayer, Turn
from tests.support.paths import ROOT
from tests.support.tables import config_for

SAID = (ROOT / "tests" / "support" / "utterances.txt").read_text(encoding="utf-8").split()
MARKS = (".", "!", "?", ",", ";", ":", "\u2026", '."', "", " ", " and", "...")
LABELS = ("trust", "habit", "Habit", "the cost of trust", "moral luck", "", "Ada", "Cleo Ada")
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Fay", "Gus")


def chatty(turn: Turn[Any], rng: random.Random) -> Any:
    """Return an answer of random choices and words."""
    fields = {}
    for name in turn.answer.model_fields:
        if name in turn.choices:
            fields[name] = rng.choice([*turn.choices[name], "nonsense"])
        elif name.startswith("aspect"):
            fields[name] = rng.choice(LABELS)
        else:
            fields[name] = some_words(rng)
    return turn.answer(**fields)


def some_words(rng: random.Random) -> str:
    """Return up to 400 words with marks between them; some are too long for any answer."""
    words = rng.choices(SAID, k=rng.choice((0, 1, 3, 12, 40, 90, 400)))
    share = rng.choice((0.02, 0.2))
    spoken = []
    for word in words:
        mark = rng.choice(MARKS) if rng.random() < share else ""
        spoken.append(word.strip(".,!?;:") + mark)
    return " ".join(spoken) + rng.choice(MARKS)


def play_chatty(game: str, players: int, seed: int, settings: dict[str, Any]) -> History:
    """Play a game in which about half of the players are chatty."""
    rng = random.Random(seed)
    config = config_for(game, seed=seed, settings=settings)
    scripts = [seat.model for seat in config.player_configs]
    seats = ",".join(f"{name}=scripted:{rng.choice(scripts)}" for name in NAMES[:players])
    engine = GameEngine(config_for(game, seats, seed=seed, settings=settings))
    for player in engine.players:
        assert isinstance(player, ScriptedPlayer)
        if rng.random() < 0.6:
            player.script = chatty
    return engine.run()
