"""Players' words: pitches, statements, last words, questions, confessionals and summaries."""

from collections.abc import Sequence

from engine.history.social import Recap, SpeakingOrder, SpeechTo
from engine.round_phases.asking import Context, tell, without, words_of
from engine.round_phases.forms import (
    WORDS,
    Confessional,
    FinalistAnswer,
    JurorQuestion,
    LastWords,
    Pitch,
    Statement,
    Summary,
)
from protocol.text import SILENT


async def phase_pitches(
    context: Context,
    *,
    words: int = WORDS,
    vote: bool = True,
) -> None:
    """Let the active players speak one after the other; each hears all earlier speeches.

    "Permute the active players. Each active player makes a public pitch ... (these pitches are also
    visible to elminated [sic] players)." `vote` says whether the round ends with a vote.
    """
    order = context.permuted(context.active_player_ids, "pitches")
    title = f"Round {context.round_index}"
    if context.final_round:
        title += ", the final"
    opening = f"{title}. The pitches, in this order: {', '.join(order)}."
    context.narrate(opening, data=SpeakingOrder(tuple(order)))
    for player_id in order:
        others = without(order, player_id)
        turn = words_of(context, player_id, Pitch, words, others, vote=vote)
        tell(context, turn, await context.ask(turn))


async def phase_statements(
    context: Context,
    tied: Sequence[str],
    *,
    words: int = WORDS,
) -> None:
    """Let the players `tied` in a vote speak to all, one after the other in random order."""
    for player_id in context.permuted(tied, "statements"):
        rivals = without(tied, player_id)
        turn = words_of(context, player_id, Statement, words, rivals)
        tell(context, turn, await context.ask(turn), heading="Before the revote")


async def phase_last_words(
    context: Context,
    player_id: str,
    *,
    words: int = WORDS,
) -> None:
    """Let the player voted out in this round speak to all once more."""
    others = without(context.active_player_ids, player_id)
    turn = words_of(context, player_id, LastWords, words, others)
    tell(context, turn, await context.ask(turn), heading="Last words")


async def phase_questions(context: Context, *, words: int = WORDS) -> None:
    """Let the eliminated players, in random order, ask the finalists one question each.

    All players see each question and its answers, which follow at once.
    """
    for juror in context.permuted(context.eliminated_player_ids, "questions"):
        finalists = context.permuted(context.active_player_ids, "answers", juror)
        turn = words_of(context, juror, JurorQuestion, words, finalists)
        heading = f"{juror} asks the finalists"
        question = tell(context, turn, await context.ask(turn), heading=heading)
        if question.content == SILENT:
            continue
        for finalist in finalists:
            rivals = without(finalists, finalist)
            await hear_finalist(context, finalist, rivals, juror, words)


async def hear_finalist(
    context: Context,
    finalist: str,
    rivals: Sequence[str],
    juror: str,
    words: int,
) -> None:
    """Let a finalist answer a juror's question, in public."""
    turn = words_of(context, finalist, FinalistAnswer, words, rivals, juror=juror)
    heading = f"{finalist} answers {juror}"
    tell(context, turn, await context.ask(turn), SpeechTo(juror), heading=heading)


async def phase_confessionals(context: Context, *, words: int = WORDS) -> None:
    """Ask all active players at once for a statement that no other player sees."""
    order = context.permuted(context.active_player_ids, "confessionals")
    turns = []
    for player_id in order:
        others = without(order, player_id)
        turns.append(words_of(context, player_id, Confessional, words, others))
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        tell(context, turn, reply, visibility=(turn.player_id,))


async def phase_summaries(
    context: Context,
    *,
    player_ids: Sequence[str] | None = None,
    words: int = WORDS,
) -> None:
    """Let players, by default all, sum up the round.

    In a player's memory, its summary replaces the round's events so far.
    """
    writers = context.player_ids if player_ids is None else player_ids
    order = context.permuted(writers, "summaries")
    left = any(event.kind == "result" for event in context.log.events)
    turns = [words_of(context, player_id, Summary, words, (), left=left) for player_id in order]
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        end = context.history.next_index
        span = (end - len(context.log.events), end - 1)
        data = Recap(span if reply.answer.text else None)
        tell(context, turn, reply, data, visibility=(turn.player_id,))
