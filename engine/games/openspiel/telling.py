"""The events in a round of an OpenSpiel game: chance, players' hands, moves, and the result."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from engine.games.openspiel.library import Rules
from engine.games.openspiel.position import (
    CHANCE_PLAYER,
    SpielPosition,
    chance_line,
    copy_state,
    draw_chance,
    grid_after,
    grid_seen,
    sight_of,
)
from engine.games.openspiel.record import (
    ChanceOutcomes,
    PlayedMove,
    Returns,
    Sight,
    SpielOpening,
    opening_line,
    readers_of,
    returns_line,
)
from engine.games.openspiel.strategies.question import ChosenMove
from engine.report.grids import grid_lines
from engine.round import RoundContext
from player import Reply

Context = RoundContext[SpielPosition]
Moves = Mapping[str, int]


def tell_opening(context: Context, title: str, *, own_rules: bool) -> None:
    """Announce the players' numbers, draw the first chance moves, and show players their hands."""
    position = context.state
    rules = position.rules
    line = opening_line(title, rules.word, position.player_ids, own_rules=own_rules)
    grid = grid_lines(grid_seen(position, 0, {}))
    context.narrate(line, data=SpielOpening(rules.word, position.player_ids, own_rules, grid))
    state = copy_state(position)
    play_chance(context, rules, state, cache(partial(context.rng, "chance", "opening")))
    context.state = replace(position, state=state)
    if not rules.is_open:
        tell_setups(context)


def play_chance(
    context: Context,
    rules: Rules,
    state: Any,
    draws: Callable[[], random.Random],
) -> None:
    """Apply random chance moves to `state` until a player must move; log them as one event."""
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
        visibility=readers_of(rules, context.state.player_ids),
        data=ChanceOutcomes(tuple(actions)),
    )


def tell_setups(context: Context) -> None:
    """At the start, show each player only its own hand."""
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


def record_move(
    context: Context,
    player: int,
    moves: Moves,
    reply: Reply[ChosenMove] | None,
) -> int:
    """Log a player's move for its readers and return the action; a forced move has no `reply`."""
    position = context.state
    player_id = position.player_ids[player]
    kind, words, why = "forced", next(iter(moves)), ""
    if reply is not None:
        kind, words, why = "move", reply.answer.move, reply.answer.rationale
    grid = grid_after(position, player, moves[words])
    context.record(
        kind,
        kind.capitalize(),
        words,
        player_id=player_id,
        visibility=readers_of(position.rules, position.player_ids, player_id),
        data=PlayedMove(player, moves[words], words, why, grid),
        reply=reply,
    )
    return moves[words]


def tell_result(context: Context) -> None:
    """Announce each player's return, which is its score, to all players."""
    returns = context.state.returns
    context.narrate(returns_line(returns), kind="result", data=Returns(tuple(returns.values())))
