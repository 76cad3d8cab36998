"""Phases for any social game: each frames a question, asks it, applies and records the answer.

The rules are elsewhere: `engine/voting.py` and the games.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from engine.round import RoundContext
from engine.round_payloads import (
    Ballot,
    Decision,
    Invitation,
    Recap,
    SpeakingOrder,
    Speech,
    Whisper,
)
from engine.voting import Verdict, announcement, electorate, older_announcement, plurality
from player import Reply, Turn
from protocol.answer import Reason
from protocol.text import SILENT, clean, fit_words, room_for

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

A = TypeVar("A", bound=BaseModel)
W = TypeVar("W", bound="Words")
Context = RoundContext[Any]
WORDS = 60
NOBODY = "nobody"


class Words(BaseModel):
    """Free words, which `tell` cuts to `words`."""

    words: ClassVar[int] = WORDS

    text: Annotated[str, BeforeValidator(clean)] = Field(description="your words")


class Pitch(Words):
    """What a player says to everybody."""


class Sidebar(Words):
    """What a player says to its partner alone."""


class Confessional(Words):
    """What a player says to the log alone."""


class Summary(Words):
    """What a player wants to remember of a round."""


class Vote(BaseModel):
    """A ballot; None, an abstention, is never on offer: it stands where no legal name came."""

    explanation: Reason = ""
    vote: str | None = Field(description="the name of the player you vote for")


class Partner(BaseModel):
    """Whom a player takes aside: NOBODY by choice, None where nothing legal came."""

    explanation: Reason = ""
    partner: str | None = Field(description="the name of the player you talk to, or nobody")


class Line(NamedTuple):
    """An event as a script reads it: its kind, whose it is (None: the narrator's), its text."""

    kind: str
    player_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """A question as a script sees it.

    `options` are the players it is about; `lines` are what its player remembers.
    """

    player_id: str
    round_index: int
    final_round: bool
    active_player_ids: tuple[str, ...]
    eliminated_player_ids: tuple[str, ...]
    options: tuple[str, ...]
    lines: tuple[Line, ...]


async def phase_pitches(context: Context, *, words: int = WORDS) -> None:
    """Let the active players speak one after the other; each has heard all who spoke before.

    "Permute the active players. Each active player makes a public pitch ... (these pitches are also
    visible to elminated players)."
    """
    order = context.permuted(context.active_player_ids, "pitches")
    title = f"Round {context.round_index}"
    if context.final_round:
        title += ", the final"
    opening = f"{title}. The pitches, in this order: {', '.join(order)}."
    context.narrate(opening, data=SpeakingOrder(tuple(order)))
    for player_id in order:
        turn = words_of(context, player_id, Pitch, words, without(order, player_id))
        tell(context, turn, await context.ask(turn))


async def phase_votes(context: Context, *, reveal_tally: bool = False) -> Verdict:
    """Ask all who vote at once, fill `context.votes` by voter, tell the result and return it.

    "Each active player submits a private vote": a ballot and its explanation are seen by the voter
    alone.
    """
    turns = vote_turns(context)
    votes = {}
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        votes[turn.player_id] = reply.answer.vote
        tell_vote(context, turn, reply)
    context.votes.update(votes)

    verdict = plurality(votes, context.active_player_ids, context.rng("tie"))
    announce = older_announcement if context.older else announcement
    result = announce(verdict, final_round=context.final_round, reveal_tally=reveal_tally)
    context.narrate(result, kind="result", data=Decision(verdict.selected, verdict.tally))
    return verdict


def vote_turns(context: Context) -> list[Turn[Vote]]:
    """Return the question to each voter; the orders of voters and candidates are drawn."""
    candidates = electorate(
        context.active_player_ids,
        context.eliminated_player_ids,
        final_round=context.final_round,
    )
    turns = []
    for voter in context.permuted([*candidates], "votes"):
        options = context.permuted(candidates[voter], "candidates", voter)
        turns.append(turn_of(context, voter, Vote(vote=None), options))
    return turns


async def phase_sidebars(
    context: Context,
    *,
    exchanges: int = 1,
    messages: int = 2,
    words: int = WORDS,
) -> None:
    """Let each active player, `exchanges` times, take a partner aside for `messages` messages.

    All pick at once; the talks follow one another, so that a player in several knows what was said
    before.
    """
    for exchange in range(1, exchanges + 1):
        turns = partner_turns(context, exchange, messages)
        for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
            partner = partner_in(reply)
            tell_partner(context, turn, reply, partner)
            if partner is not None:
                await talk(context, (turn.player_id, partner), messages, words)


def partner_turns(context: Context, exchange: int, messages: int) -> list[Turn[Partner]]:
    """Return the question to each active player whom to take aside; all orders are drawn."""
    active = context.active_player_ids
    turns = []
    for player_id in context.permuted(active, "sidebars", exchange):
        others = without(active, player_id)
        options = context.permuted(others, "partners", exchange, player_id)
        fallback = Partner(partner=None)
        turn = turn_of(context, player_id, fallback, options, messages=messages)
        turns.append(turn if context.older else with_nobody(turn))
    return turns


def with_nobody(turn: Turn[Partner]) -> Turn[Partner]:
    """Return the question with NOBODY as a choice too, behind the players."""
    choices = {"partner": (*turn.choices["partner"], NOBODY)}
    return replace(turn, choices=choices, silence=NOBODY)


def partner_in(reply: Reply[Partner]) -> str | None:
    """Return whom a player takes aside, None for nobody."""
    partner = reply.answer.partner
    return None if partner == NOBODY else partner


async def talk(
    context: Context,
    pair: tuple[str, str],
    messages: int,
    words: int,
) -> None:
    """Let two players speak in turn, heard by nobody else."""
    silence = limit_words(Sidebar, words)(text="")
    for number in range(1, messages + 1):
        speaker, hearer = pair if number % 2 else pair[::-1]
        rest = without(without(context.active_player_ids, speaker), hearer)
        turn = turn_of(
            context,
            speaker,
            silence,
            rest,
            words=words,
            partner=hearer,
            number=number,
            messages=messages,
        )
        tell(context, turn, await context.ask(turn), visibility=pair, data=Whisper(hearer))


async def phase_confessionals(context: Context, *, words: int = WORDS) -> None:
    """Let each active player speak to the log alone, all at once."""
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
    """Let players (None: all) sum up the round, each for itself.

    The summary replaces the round in what its player remembers; without one the round stays.
    """
    writers = context.player_ids if player_ids is None else player_ids
    order = context.permuted(writers, "summaries")
    turns = [words_of(context, player_id, Summary, words, ()) for player_id in order]
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        end = context.history.next_index
        span = (end - len(context.log.events), end - 1)
        data = Recap(span if reply.answer.text else None)
        tell(context, turn, reply, visibility=(turn.player_id,), data=data)


def words_of(
    context: Context,
    player_id: str,
    form: type[W],
    words: int,
    options: Sequence[str],
) -> Turn[W]:
    """Return a question that is answered in at most `words` words."""
    silence = limit_words(form, words)(text="")
    return turn_of(context, player_id, silence, options, words=words)


def turn_of(
    context: Context,
    player_id: str,
    fallback: A,
    options: Sequence[str],
    **values: Any,
) -> Turn[A]:
    """Return the question about the players in `options` that is answered as `fallback` is.

    The form's name is the question's kind: a Vote is asked for by `prompts/shared/vote.j2`, filled
    with `values`, and its `vote` is one of `options`.
    """
    form = type(fallback)
    kind = form.__name__.casefold()
    seen = view_of(context, player_id, options)
    return Turn(
        player_id,
        kind,
        observation=seen,
        prompt=partial(context.prompt, player_id, f"shared/{kind}.j2", seen=seen, **values),
        answer=form,
        choices={kind: seen.options} if kind in form.model_fields else {},
        fallback=fallback,
    )


def view_of(context: Context, player_id: str, options: Sequence[str]) -> RoundView:
    """Return what a script in this seat sees when it is asked about `options`."""
    # A list is faster than a generator here, where a long game spends most of its time.
    lines = [
        Line(event.kind, event.player_id, event.content)
        for event in context.history.remembered_by(player_id)
    ]
    return RoundView(
        player_id,
        context.round_index,
        context.final_round,
        active_player_ids=tuple(context.active_player_ids),
        eliminated_player_ids=tuple(context.eliminated_player_ids),
        options=tuple(options),
        lines=tuple(lines),
    )


@cache
def limit_words(form: type[W], words: int) -> type[W]:
    """Return `form` for a text of at most `words` words."""
    about = f"your words, {words} at most"
    field = Field(description=about, json_schema_extra={"maxLength": room_for(words)})
    text = Annotated[str, BeforeValidator(clean), field]
    limited = create_model(form.__name__, __base__=form, text=(text, ...))
    limited.words = words
    return limited


def words_in(context: Context, text: str, words: int) -> tuple[str, bool]:
    """Return what of `text` is told to others, and whether it was cut.

    A game kept as logs of version 1 were cut words as they came, 8 characters for each.
    """
    if not context.older:
        return fit_words(text, words)
    kept = " ".join(text.split()[:words])
    return kept[: 8 * words].strip(), False


def tell(
    context: Context,
    turn: Turn[W],
    reply: Reply[W],
    data: "DataclassInstance | None" = None,
    **more: Any,
) -> None:
    """Write what a player said, cut to the words that it may have; `data` has a field for that."""
    said, cut = words_in(context, reply.answer.text, turn.answer.words)
    if cut:
        data = replace(data or Speech(), cut=True)
    context.record(
        turn.kind,
        turn.kind.capitalize(),
        said or SILENT,
        player_id=turn.player_id,
        reply=reply,
        data=data,
        **more,
    )


def tell_vote(context: Context, turn: Turn[Vote], reply: Reply[Vote]) -> None:
    """Write a ballot, seen by its voter alone, with the candidates in the order it read them."""
    vote, why = reply.answer.vote, reply.answer.explanation
    purpose = "for" if context.final_round else "to eliminate"
    text = f"votes {purpose} {vote}" if vote else "gives no valid vote"
    context.record(
        "vote",
        "Vote",
        f"{text}: {why}" if why else text,
        player_id=turn.player_id,
        visibility=(turn.player_id,),
        data=Ballot(vote, turn.choices["vote"]),
        reply=reply,
    )


def tell_partner(
    context: Context,
    turn: Turn[Partner],
    reply: Reply[Partner],
    partner: str | None,
) -> None:
    """Write who takes whom aside, seen by the two."""
    offered: RoundView = turn.observation
    context.record(
        "sidebar",
        "Sidebar",
        f"takes {partner or 'nobody'} aside",
        player_id=turn.player_id,
        visibility=(turn.player_id, partner) if partner else (turn.player_id,),
        data=Invitation(partner, reply.answer.explanation, offered.options),
        reply=reply,
    )


def without(player_ids: Sequence[str], player_id: str) -> list[str]:
    """Return the others of `player_ids`."""
    return [other for other in player_ids if other != player_id]


# Earlier names, which notebooks import.
Observation = RoundView
