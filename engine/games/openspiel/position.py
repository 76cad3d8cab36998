"""A position in an OpenSpiel game: players to move, legal moves, views, and next positions.

OpenSpiel's states change in place. Each step works on a clone, so a position never changes.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.games.openspiel.library import Rules, spiel
from engine.report.grids import SHAPES, Grid, grid_lines, read_grid
from protocol.text import clean

# The action that OpenSpiel expects in a joint move for a player that has no legal action.
NO_ACTION = 0
CHANCE_PLAYER = -1
# In OpenSpiel 2.0.2, a clone of this game reads memory that its original may have freed.
UNCLONED = "morpion_solitaire"
NOTHING_SEEN = "Nothing has happened yet that you could see."


@dataclass(frozen=True, slots=True)
class SpielPosition:
    """A game at one moment; `player_ids` are in the order of OpenSpiel's player numbers."""

    rules: Rules
    player_ids: tuple[str, ...]
    state: Any

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.state.is_terminal())

    @property
    def is_chance(self) -> bool:
        """Whether the next move is a chance move."""
        return bool(self.state.is_chance_node())

    @property
    def at_once(self) -> bool:
        """Whether the next move is a joint move of all players."""
        return bool(self.state.is_simultaneous_node())

    @property
    def returns(self) -> dict[str, float]:
        """Each player's return so far."""
        return dict(zip(self.player_ids, self.state.returns(), strict=True))

    def number_of(self, player_id: str) -> int:
        """Return a player's number in OpenSpiel."""
        return self.player_ids.index(player_id)


def open_position(rules: Rules, player_ids: Sequence[str]) -> SpielPosition:
    """Return the position before any move."""
    return SpielPosition(rules, tuple(player_ids), rules.game.new_initial_state())


def movers(position: SpielPosition) -> tuple[int, ...]:
    """Return the numbers of the players to move now: all players in a joint move."""
    if position.at_once:
        return tuple(range(len(position.player_ids)))
    return (position.state.current_player(),)


def moves_by_words(position: SpielPosition, player: int) -> dict[str, int]:
    """Return a player's legal actions, keyed by OpenSpiel's text; {} if the player must wait."""
    state = position.state
    legal = state.legal_actions(player)
    return {state.action_to_string(player, action).strip(): action for action in legal}


def copy_state(position: SpielPosition) -> Any:
    """Return a copy of the state that the caller may change.

    >>> from engine.games.openspiel.library import load_word
    >>> first = open_position(load_word("morpion_solitaire"), ["Ada"])
    >>> after = after_actions(first, {0: first.state.legal_actions()[0]})
    >>> str(copy_state(after)) == str(after.state)
    True
    """
    if position.rules.name != UNCLONED:
        return position.state.clone()
    state = position.rules.game.new_initial_state()
    for action in position.state.history():
        state.apply_action(action)
    return state


def sight_of(position: SpielPosition, player: int) -> str:
    """Return a player's current view in OpenSpiel's words.

    The view is the observation (such as the board) in games of perfect information, and the
    information state in others. If nothing is hidden, the history replaces an empty view.
    """
    state = position.state
    rules = position.rules
    read = state.information_state_string if rules.reads_information else state.observation_string
    text = str(clean(read(player)))
    if text:
        return text
    return (state.history_str() if rules.is_open else "") or NOTHING_SEEN


def grid_seen(position: SpielPosition, player: int, moves: Mapping[str, int]) -> Grid:
    """Return the board that a player sees, with its legal moves, or [] without a board."""
    state = position.state
    name = position.rules.name
    if name not in SHAPES:
        return []
    cells = {words: words for words in moves}
    if name == "chess":
        read = spiel().chess.action_to_move
        cells = {words: read(action, state.board()).to_lan() for words, action in moves.items()}
    return read_grid(name, state.observation_string(player), cells)


def grid_after(position: SpielPosition, player: int, action: int) -> tuple[str, ...]:
    """Return the rows of the board that a player sees after its move, one character per cell."""
    if position.rules.name not in SHAPES:
        return ()
    later = after_actions(position, {player: action})
    return grid_lines(grid_seen(later, player, {}))


def after_actions(position: SpielPosition, actions: Mapping[int, int]) -> SpielPosition:
    """Return the position after `actions`, which are keyed by player number."""
    state = copy_state(position)
    if state.is_simultaneous_node():
        players = range(len(position.player_ids))
        state.apply_actions([actions.get(player, NO_ACTION) for player in players])
    else:
        (action,) = actions.values()
        state.apply_action(action)
    return replace(position, state=state)


def draw_chance(rules: Rules, state: Any, rng: random.Random) -> int:
    """Draw a chance outcome by its probability; a `sampled` game offers only one outcome."""
    if rules.sampled:
        return int(state.legal_actions()[0])
    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
    return int(rng.choices(outcomes, weights)[0])


def chance_line(words: Sequence[str]) -> str:
    """Return a line that lists chance moves, given OpenSpiel's text for each move."""
    return str(clean("; ".join(words)))


def apply_chance(position: SpielPosition, actions: Sequence[int]) -> tuple[SpielPosition, str]:
    """Apply chance moves, and describe them in a line; raise ValueError if one is impossible."""
    state = copy_state(position)
    words = []
    for action in actions:
        if not is_possible(position.rules, state, action):
            raise ValueError(f"expected an outcome that chance can give now: got {action}")
        words.append(state.action_to_string(CHANCE_PLAYER, action))
        state.apply_action(action)
    return replace(position, state=state), chance_line(words)


def is_possible(rules: Rules, state: Any, action: int) -> bool:
    """Return whether the next move is a chance move that can have the outcome `action`."""
    if not state.is_chance_node():
        return False
    if rules.sampled:
        return action in state.legal_actions()
    return any(action == outcome for outcome, _ in state.chance_outcomes())
