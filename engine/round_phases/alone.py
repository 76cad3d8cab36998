"""What a player says to the log alone: confessionals and summaries."""

from collections.abc import Sequence

from engine.history.social import Recap
from engine.round_phases.asking import Context, tell, without, words_of
from engine.round_phases.forms import WORDS, Confessional, Summary
from player import Reply, Turn


async def phase_confessionals(context: Context, *, words: int = WORDS) -> None:
    """Let each active player speak to the log alone, all at once."""
    order = context.permuted(context.active_player_ids, "confessionals")
    turns = []
    for player_id in order:
        others = without(order, player_id)
        turns.append(words_of(context, player_id, Confessional, words, others))
    replies = await context.ask_all(turns)
    for turn, reply in zip(turns, replies, strict=True):
        tell(context, turn, reply, visibility=(turn.player_id,))


async def phase_summaries(
    context: Context,
    *,
    player_ids: Sequence[str] | None = None,
    words: int = WORDS,
) -> None:
    """Let players (None: all) sum up the round, each for itself.

    The summary replaces the round in what its player remembers; without one the round stays. Where
    nobody left in the round, nobody is asked who did.
    """
    writers = context.player_ids if player_ids is None else player_ids
    order = context.permuted(writers, "summaries")
    left = any(event.kind == "result" for event in context.log.events)
    turns = [words_of(context, player_id, Summary, words, (), left=left) for player_id in order]
    replies = await context.ask_all(turns)
    for turn, reply in zip(turns, replies, strict=True):
        tell_summary(context, turn, reply)


def tell_summary(context: Context, turn: Turn[Summary], reply: Reply[Summary]) -> None:
    """Write a summary, seen by its player alone, in the place of the round's events so far."""
    end = context.history.next_index
    begin = end - len(context.log.events)
    span = (begin, end - 1)
    data = Recap(span if reply.answer.text else None)
    tell(
        context,
        turn,
        reply,
        visibility=(turn.player_id,),
        data=data,
    )
