"""What a round of a game of OpenSpiel writes: chance, what players hold, moves, the result."""

import random
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from engine.games.openspiel.library import Rules
from engine.games.openspiel.position import (
    CHANCE_PLAYER,
    SpielPosition,
    chance_line,
    copy_state,
    draw_chance,
    sight_of,
)
from engine.games.openspiel.record import (
    ChanceOutcomes,
    PlayedMove,
    Returns,
    Sight,
    SpielOpening,
    chance_sees,
    move_sees,
    opening_line,
    returns_line,
    returns_of,
)
from engine.games.openspiel.strategies import ChosenMove
from engine.round import RoundContext
from player import Reply

Moves = Mapping[str, int]


def tell_opening(context: RoundContext[SpielPosition], title: str, *, own_rules: bool) -> None:
    """Tell who plays what, draw what chance decides first, and show players what they hold."""
    position = context.state
    rules = position.rules
    line = opening_line(title, rules.word, position.player_ids, own_rules=own_rules)
    context.narrate(line, data=SpielOpening(rules.word, position.player_ids, own_rules))
    state = copy_state(position)
    play_chance(context, rules, state, cache(partial(context.rng, "chance", "opening")))
    context.state = SpielPosition(rules, position.player_ids, state, begun=True)
    if not rules.is_open:
        tell_setups(context)


def play_chance(
    context: RoundContext[SpielPosition],
    rules: Rules,
    state: Any,
    draws: Callable[[], random.Random],
) -> None:
    """Let chance move in a state of one's own until a player is to; record it as one event.

    `draws` returns the stream that it draws from, the same at each call.
    """
    if not state.is_chance_node():
        return
    rng = draws()
    actions = []
    words = []
    while state.is_chance_node():
        action = draw_chance(rules, state, rng)
        actions.append(action)
        words.append(state.action_to_string(CHANCE_PLAYER, action))
        state.apply_action(action)
    context.narrate(
        chance_line(words),
        kind="chance",
        visibility=chance_sees(rules, context.state.player_ids),
        data=ChanceOutcomes(tuple(actions)),
    )


def tell_setups(context: RoundContext[SpielPosition]) -> None:
    """Show each player what it holds at the start, and nobody else."""
    position = context.state
    if position.is_over:
        return
    for number, player_id in enumerate(position.player_ids):
        context.record(
            "setup",
            "Setup",
            sight_of(position, number),
            player_id=player_id,
            visibility=(player_id,),
            data=Sight(number),
        )


def record_forced(context: RoundContext[SpielPosition], player: int, moves: Moves) -> int:
    """Record a player's only legal action, for which nobody is asked, and return it."""
    ((words, action),) = moves.items()
    tell_move(context, "forced", PlayedMove(player, action, words))
    return action


def record_move(
    context: RoundContext[SpielPosition],
    player: int,
    moves: Moves,
    reply: Reply[ChosenMove],
) -> int:
    """Record a player's answer, and return the action that it stands for."""
    words, why = reply.answer.move, reply.answer.rationale
    action = moves[words]
    tell_move(context, "move", PlayedMove(player, action, words, why), reply)
    return action


def tell_move(
    context: RoundContext[SpielPosition],
    kind: str,
    move: PlayedMove,
    reply: Reply[ChosenMove] | None = None,
) -> None:
    """Tell a move to those who may know it."""
    position = context.state
    player_id = position.player_ids[move.player]
    context.record(
        kind,
        kind.capitalize(),
        move.words,
        player_id=player_id,
        visibility=move_sees(position.rules, position.player_ids, player_id),
        data=move,
        reply=reply,
    )


def tell_result(context: RoundContext[SpielPosition]) -> None:
    """Tell everybody what the game returned to each player."""
    returns = returns_of(context.state)
    data = Returns(tuple(returns.values()))
    context.narrate(returns_line(returns), kind="result", data=data)
