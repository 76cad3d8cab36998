"""What may surround a vote: immunity before it, statements of the tied in it, and last words."""

from collections.abc import Sequence

from engine.history.social import Immunity
from engine.round_phases.asking import Context, tell, without, words_of
from engine.round_phases.forms import WORDS, LastWords, Statement


async def phase_immunity(context: Context) -> str:
    """Draw the active player who cannot be voted out in this round, tell all, and return it."""
    rng = context.rng("immunity")
    immune = rng.choice(context.active_player_ids)
    line = f"By lot, {immune} cannot be voted out in this round."
    context.narrate(line, data=Immunity(immune))
    return immune


async def phase_statements(
    context: Context,
    tied: Sequence[str],
    *,
    words: int = WORDS,
) -> None:
    """Let those who are `tied` in a vote speak to all, one after the other in a drawn order."""
    for player_id in context.permuted(tied, "statements"):
        rivals = without(tied, player_id)
        turn = words_of(context, player_id, Statement, words, rivals)
        reply = await context.ask(turn)
        tell(context, turn, reply, heading="Before the revote")


async def phase_last_words(
    context: Context,
    player_id: str,
    *,
    words: int = WORDS,
) -> None:
    """Let a player who was voted out in this round speak to all once more."""
    others = without(context.active_player_ids, player_id)
    turn = words_of(context, player_id, LastWords, words, others)
    reply = await context.ask(turn)
    tell(context, turn, reply, heading="Last words")
