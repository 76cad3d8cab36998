"""TextArena's raw environments by id, their numbers of players, and the excluded games."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from protocol.suggest import did_you_mean

RAW = "-raw"
DOWNLOADS = "it downloads word lists when it is imported"
SYNTAX = "its source does not compile under Python 3.11"
JUDGE = "it uses its own model as a judge, with a key for OpenRouter"
MISSING = "files that it needs are missing from TextArena's package"
FAILS = "TextArena raises an error when it begins"
# Excluded families, which are never imported. A family is the folder of a game's module.
REFUSALS: Mapping[str, str] = {
    "CharacterConclave": FAILS,
    "Checkers": SYNTAX,
    "Chess": SYNTAX,
    "Codenames": DOWNLOADS,
    "Debate": JUDGE,
    "DontSayIt": DOWNLOADS,
    "GuessWho": JUDGE,
    "Hangman": DOWNLOADS,
    "IteratedStagHunt": SYNTAX,
    "Klondike": SYNTAX,
    "LetterAuction": DOWNLOADS,
    "ReverseTicTacToe": SYNTAX,
    "ScenarioPlanning": JUDGE,
    "ScorableGames": MISSING,
    "SpellingBee": DOWNLOADS,
    "TwentyQuestions": JUDGE,
    "UltimateTexasHoldem": SYNTAX,
    "UsedCar": MISSING,
    "UsedCarNegotiation": MISSING,
    "WordChains": DOWNLOADS,
    "WordLadder": DOWNLOADS,
    "WordSearch": DOWNLOADS,
    "Wordle": DOWNLOADS,
}
ALONE = {
    "Bandit", "Blackjack", "Countdown", "Crosswords", "Cryptarithm", "FifteenPuzzle",
    "FrozenLake", "Game2048", "GuessTheNumber", "LightsOut", "LogicPuzzle", "Mastermind",
    "Minesweeper", "PegJump", "RushHour", "Secretary", "Set", "Slitherlink", "Sokoban",
    "Sudoku", "ThreeCardMonte", "TowerOfHanoi",
}  # fmt: skip
# TextArena has no such table. These are the numbers of players that its environments accept or, if
# an environment accepts any number, the intended numbers. All other families are for two players.
COUNTS: Mapping[str, tuple[int, ...]] = {
    "Briscola": (2, 3, 4),
    "Golf": (2, 3, 4),
    "LiarsDice": tuple(range(2, 16)),
    "MarketEntryGame": tuple(range(2, 16)),
    "Poker": tuple(range(2, 16)),
    "PublicGoodsGame": tuple(range(2, 16)),
    "Santorini": (2, 3),
    "SecretMafia": tuple(range(6, 16)),
    "SettlersOfCatan": (4,),
    "Snake": tuple(range(2, 10)),
    "Surround": tuple(range(2, 10)),
    "Taboo": (4, 6, 8, 10, 12, 14),
    "ThreePlayerGOPS": (3,),
    "ThreePlayerIPD": (3,),
    "ThreePlayerTicTacToe": (3,),
}


@dataclass(frozen=True, slots=True)
class TextGame:
    """A TextArena game: its id without "-raw", its family, and its numbers of players."""

    game_id: str
    family: str
    counts: tuple[int, ...]


@cache
def load_textarena() -> Any:
    """Return the `textarena` module. The first call imports it, which takes seconds."""
    state = random.getstate()
    try:
        import textarena
    finally:
        random.setstate(state)
    return textarena


@cache
def families() -> Mapping[str, str]:
    """Return the family of each game with a raw environment, by id without "-raw"."""
    registry = load_textarena().envs.registration.ENV_REGISTRY
    games = {}
    for name, spec in registry.items():
        if name.endswith(RAW):
            module = spec.entry_point.partition(":")[0]
            games[name.removesuffix(RAW)] = module.split(".")[2]
    return games


@cache
def open_games() -> tuple[str, ...]:
    """Return the ids of the games that can be played here."""
    return tuple(game_id for game_id, family in families().items() if family not in REFUSALS)


@cache
def find_text_game(word: str) -> TextGame:
    """Return the game with an id such as TicTacToe-v0 or TicTacToe-v0-raw, or raise ValueError."""
    game_id = word.strip().removesuffix(RAW)
    family = families().get(game_id)
    if family is None:
        near = did_you_mean(game_id, open_games())
        raise ValueError(
            f"unknown TextArena game {game_id!r:.60}:{near} uv run example.py textarena "
            "--list-games lists all"
        )
    if family in REFUSALS:
        raise ValueError(
            f"expected a TextArena game that starts without a network: got {game_id}; "
            f"{REFUSALS[family]}"
        )
    counts = (1,) if family in ALONE else COUNTS.get(family, (2,))
    return TextGame(game_id, family, counts)


def counts_in_words(counts: tuple[int, ...]) -> str:
    """Return numbers of players as text.

    >>> counts_in_words((2,)), counts_in_words((2, 3, 4)), counts_in_words((4, 6, 8))
    ('2', '2 to 4', '4, 6, 8')
    """
    if len(counts) > 1 and counts == tuple(range(counts[0], counts[-1] + 1)):
        return f"{counts[0]} to {counts[-1]}"
    return ", ".join(map(str, counts))


def check_party(game: TextGame, players: int) -> None:
    """Raise ValueError unless a game can have this number of players."""
    if players not in game.counts:
        needed = counts_in_words(game.counts)
        raise ValueError(f"expected {needed} players for {game.game_id}: got {players}")
