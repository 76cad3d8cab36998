"""Questions in the final: each juror asks one, and each finalist answers it before everybody."""

from collections.abc import Sequence

from engine.history.social import AnswerTo
from engine.round_phases.asking import Context, tell, without, words_of
from engine.round_phases.forms import WORDS, FinalistAnswer, JurorQuestion
from protocol.text import SILENT


async def phase_questions(context: Context, *, words: int = WORDS) -> None:
    """Let the eliminated, in a drawn order, ask the finalists one question each.

    All see it, and the answers, which follow at once. Whoever asks nothing is not answered.
    """
    for juror in context.permuted(context.eliminated_player_ids, "questions"):
        finalists = context.permuted(context.active_player_ids, "answers", juror)
        turn = words_of(context, juror, JurorQuestion, words, finalists)
        heading = f"{juror} asks the finalists"
        question = tell(context, turn, await context.ask(turn), heading=heading)
        if question.content != SILENT:
            await hear_answers(context, juror, finalists, words)


async def hear_answers(
    context: Context,
    juror: str,
    finalists: Sequence[str],
    words: int,
) -> None:
    """Let the finalists answer a juror in this order; each has heard those before."""
    for finalist in finalists:
        rivals = without(finalists, finalist)
        turn = words_of(context, finalist, FinalistAnswer, words, rivals, juror=juror)
        tell(
            context,
            turn,
            await context.ask(turn),
            AnswerTo(juror),
            heading=f"{finalist} answers {juror}",
        )
