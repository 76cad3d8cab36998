"""Pitches: each active player speaks to everybody."""

from engine.history.social import SpeakingOrder
from engine.round_phases.asking import Context, tell, without, words_of
from engine.round_phases.forms import WORDS, Pitch


async def phase_pitches(
    context: Context,
    *,
    words: int = WORDS,
    vote: bool = True,
) -> None:
    """Let the active players speak one after the other; each has heard all who spoke before.

    "Permute the active players. Each active player makes a public pitch ... (these pitches are also
    visible to elminated players)." `vote`: the round ends with one, and players are told so.
    """
    order = context.permuted(context.active_player_ids, "pitches")
    title = f"Round {context.round_index}"
    if context.final_round:
        title += ", the final"
    speakers = ", ".join(order)
    opening = f"{title}. The pitches, in this order: {speakers}."
    context.narrate(opening, data=SpeakingOrder(tuple(order)))
    for player_id in order:
        others = without(order, player_id)
        turn = words_of(context, player_id, Pitch, words, others, vote=vote)
        reply = await context.ask(turn)
        tell(context, turn, reply)
