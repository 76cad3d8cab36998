"""Ask a player a phase's question, and announce the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

from engine.history import Event
from engine.history.social import Speech
from engine.round import RoundContext
from engine.round_phases.forms import W, limit_words
from player import Reply, Turn
from protocol.answer import plan_in
from protocol.text import SILENT, fit_words

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

A = TypeVar("A", bound=BaseModel)
Context = RoundContext[Any]


class Line(NamedTuple):
    """An event as a script reads it: its kind, player (None for the narrator) and text."""

    kind: str
    player_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """A question about `options`, as a script sees it, with the player's memory in `lines`."""

    player_id: str
    round_index: int
    final_round: bool
    active_player_ids: tuple[str, ...]
    eliminated_player_ids: tuple[str, ...]
    options: tuple[str, ...]
    lines: tuple[Line, ...]


def words_of(
    context: Context,
    player_id: str,
    form: type[W],
    words: int,
    options: Sequence[str],
    **values: Any,
) -> Turn[W]:
    """Return a question to be answered in at most `words` words."""
    silence = limit_words(form, words, plans=context.plans)(text="")
    return turn_of(context, player_id, silence, options, words=words, **values)


def turn_of(
    context: Context,
    player_id: str,
    fallback: A,
    options: Sequence[str],
    **values: Any,
) -> Turn[A]:
    """Return the question about the players in `options`; the answer has the form of `fallback`.

    The form's `kind`, or else its name, selects the template, which is filled with `values`. A
    Vote, for example, uses `prompts/shared/vote.j2`.
    """
    form = type(fallback)
    kind = getattr(form, "kind", "") or form.__name__.casefold()
    # A list is faster than a generator here, where a long game spends most of its time.
    lines = [
        Line(event.kind, event.player_id, event.content)
        for event in context.transcripts.remembered(player_id, context.history)
    ]
    seen = RoundView(
        player_id,
        context.round_index,
        context.final_round,
        active_player_ids=tuple(context.active_player_ids),
        eliminated_player_ids=tuple(context.eliminated_player_ids),
        options=tuple(options),
        lines=tuple(lines),
    )
    return Turn(
        player_id,
        kind,
        observation=seen,
        prompt=partial(context.prompt, player_id, f"shared/{kind}.j2", seen=seen, **values),
        answer=form,
        choices={kind: seen.options} if kind in form.model_fields else {},
        fallback=fallback,
    )


def tell(
    context: Context,
    turn: Turn[W],
    reply: Reply[W],
    data: "DataclassInstance | None" = None,
    heading: str = "",
    **more: Any,
) -> Event:
    """Log a player's words, cut to the allowed length, and return the event."""
    text, cut = fit_words(reply.answer.text, turn.answer.words)
    plan = plan_in(reply.answer)
    if cut:
        data = replace(data or Speech(), cut=True)
    if plan:
        data = replace(data or Speech(), plan=plan)
    return context.record(
        turn.kind,
        heading or turn.kind.capitalize(),
        text or SILENT,
        player_id=turn.player_id,
        reply=reply,
        data=data,
        **more,
    )


def without(player_ids: Sequence[str], player_id: str | None) -> list[str]:
    """Return `player_ids` without `player_id`."""
    return [name for name in player_ids if name != player_id]
