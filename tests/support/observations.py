"""What a player of a conversation sees, written as a line of words."""

from types import MappingProxyType
from typing import Any

from engine.games.conversation.record import Item
from engine.games.conversation.state import ConversationState, Observation, observe_each


def item(word: str, importance: float = 0.5, player_id: str = "ben") -> Item:
    """Return an item of the subjects that its letters name: "ab2" is another one than "ab"."""
    subjects = tuple("abcdef".index(letter) for letter in word if letter.isalpha())
    return Item(f"{player_id}: {word}", player_id, subjects, importance)


def observe(state: ConversationState, player_id: str) -> Observation:
    """Return what the player sees now."""
    return observe_each(state)[state.player_ids.index(player_id)]


def seen(bank: dict[str, float], line: str = "", length: int = 20, **changes: Any) -> Observation:
    """Return what ann sees, with these importances by word in her bank.

    "*a" is spoken by her, "a" by ben.
    """
    own = {word: item(word, importance, "ann") for word, importance in bank.items()}
    turns = [
        None if word == "-" else own[word[1:]] if word[0] == "*" else item(word)
        for word in line.split()
    ]
    spoke = [turn.player_id for turn in turns if turn is not None]
    observation = Observation(
        "ann", ("ann", "ben"), tuple(own.values()), (0, 1, 2, 3, 4, 5), length, 6, len(own),
        tuple(turns),
        MappingProxyType({player: spoke.count(player) for player in ("ann", "ben")}),
    )  # fmt: skip
    return observation._replace(**changes)
