"""Sidebars by ranking: whom players would talk to decides who talks with whom."""

from dataclasses import replace

from engine.history.social import Pairing, Preferences
from engine.round_phases.asking import Context, RoundView, turn_of, without
from engine.round_phases.forms import NOBODY, RANKS, WORDS, Partners, rank_partners
from engine.round_phases.sidebars import talk
from engine.voting import pair_by_ranking
from player import Reply, Turn

Ranking = tuple[str, ...]


async def phase_paired_sidebars(
    context: Context,
    *,
    exchanges: int = 1,
    messages: int = 2,
    words: int = WORDS,
) -> None:
    """Let the active players, `exchanges` times, rank the others; pairs talk, `messages` messages.

    All rank at once; the talks follow one another. Who is in no pair is told so when all have
    talked.
    """
    for exchange in range(1, exchanges + 1):
        rankings = await hear_rankings(context, exchange, messages)
        alone = [*rankings]
        for pair in pair_by_ranking(rankings, context.rng("pairing", exchange)):
            tell_pair(context, pair)
            await talk(context, pair, messages, words)
            alone = [player_id for player_id in alone if player_id not in pair]
        for player_id in alone:
            tell_pair(context, (player_id,))


async def hear_rankings(
    context: Context,
    exchange: int,
    messages: int,
) -> dict[str, Ranking]:
    """Ask all active players at once, write their rankings, and return them by player."""
    turns = ranking_turns(context, exchange, messages)
    replies = await context.ask_all(turns)
    rankings = {}
    for turn, reply in zip(turns, replies, strict=True):
        rankings[turn.player_id] = reply.answer.ranking
        tell_ranking(context, turn, reply)
    return rankings


def ranking_turns(
    context: Context,
    exchange: int,
    messages: int,
) -> list[Turn[Partners]]:
    """Return the question to each active player whom it would talk to; all orders are drawn."""
    active = context.active_player_ids
    turns = []
    for player_id in context.permuted(active, "sidebars", exchange):
        others = without(active, player_id)
        options = context.permuted(others, "partners", exchange, player_id)
        # A small model repeats itself however often it is told: that costs calls, and helps none.
        form = rank_partners(len(others), once=not context.is_small(player_id))
        silence = form(first=NOBODY)
        turn = turn_of(context, player_id, silence, options, messages=messages)
        ranks = RANKS[: len(others)]
        choices = dict.fromkeys(ranks, (*options, NOBODY))
        turn = replace(turn, choices=choices, silence=NOBODY)
        turns.append(turn)
    return turns


def tell_ranking(context: Context, turn: Turn[Partners], reply: Reply[Partners]) -> None:
    """Write whom a player would talk to, seen by itself alone."""
    offered: RoundView = turn.observation
    ranking = reply.answer.ranking
    names = ", ".join(ranking) or NOBODY
    context.record(
        "sidebar",
        "Sidebar",
        f"ranks {names}",
        player_id=turn.player_id,
        visibility=(turn.player_id,),
        data=Preferences(ranking, reply.answer.explanation, offered.options),
        reply=reply,
    )


def tell_pair(context: Context, members: tuple[str, ...]) -> None:
    """Tell two that they talk, or one that it stays alone, and nobody else."""
    first, *others = members
    text = f"{first} stays alone this time."
    for other in others:
        text = f"{first} and {other} talk aside; {first} begins."
    context.narrate(text, kind="sidebar", visibility=members, data=Pairing(members))
