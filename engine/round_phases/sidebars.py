"""Sidebars: players take one another aside and talk, heard by nobody else."""

from collections.abc import Sequence
from dataclasses import replace

from engine.history.social import Agreement, Invitation, Whisper
from engine.round_phases.asking import Context, RoundView, tell, turn_of, without
from engine.round_phases.forms import (
    ACCEPT,
    DECLINE,
    NOBODY,
    WORDS,
    Consent,
    Partner,
    Sidebar,
    limit_words,
)
from player import Reply, Turn


async def phase_sidebars(
    context: Context,
    *,
    exchanges: int = 1,
    messages: int = 2,
    words: int = WORDS,
    jurors_aside: bool = False,
    decline: bool = False,
) -> None:
    """Let each active player, `exchanges` times, take a partner aside for `messages` messages.

    All pick at once; the talks follow one another, so that a player in several knows what was said
    before. `jurors_aside`: in the final jurors may be picked too. `decline`: who is picked is asked
    first.
    """
    jurors = context.eliminated_player_ids if jurors_aside and context.final_round else ()
    for exchange in range(1, exchanges + 1):
        turns = partner_turns(context, exchange, messages, jurors, decline=decline)
        for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
            partner = partner_in(reply)
            tell_partner(context, turn, reply, partner, asks=decline)
            if partner is None:
                continue
            pair = (turn.player_id, partner)
            if not decline or await has_consent(context, pair, messages):
                await talk(context, pair, messages, words)


def partner_turns(
    context: Context,
    exchange: int,
    messages: int,
    jurors: Sequence[str] = (),
    *,
    decline: bool = False,
) -> list[Turn[Partner]]:
    """Return the question to each active player whom to take aside; all orders are drawn."""
    active = context.active_player_ids
    told = {"messages": messages, "jurors": bool(jurors), "decline": decline}
    turns = []
    for player_id in context.permuted(active, "sidebars", exchange):
        others = [*without(active, player_id), *jurors]
        options = context.permuted(others, "partners", exchange, player_id)
        turn = turn_of(context, player_id, Partner(partner=None), options, **told)
        turns.append(with_nobody(turn))
    return turns


def with_nobody(turn: Turn[Partner]) -> Turn[Partner]:
    """Return the question with NOBODY as a choice too, behind the players."""
    choices = {"partner": (*turn.choices["partner"], NOBODY)}
    return replace(turn, choices=choices, silence=NOBODY)


def partner_in(reply: Reply[Partner]) -> str | None:
    """Return whom a player takes aside, None for nobody."""
    partner = reply.answer.partner
    return None if partner == NOBODY else partner


async def has_consent(context: Context, pair: tuple[str, str], messages: int) -> bool:
    """Ask the second of two whether it talks with the first; told to the two. Silence is a no."""
    asker, player_id = pair
    silence = Consent(answer=DECLINE)
    turn = turn_of(context, player_id, silence, [asker], messages=messages)
    turn = replace(turn, choices={"answer": (ACCEPT, DECLINE)})
    reply = await context.ask(turn)
    accepts = reply.answer.answer == ACCEPT
    context.record(
        "sidebar",
        "Sidebar",
        f"{'accepts' if accepts else 'declines'} the talk with {asker}",
        player_id=player_id,
        visibility=pair,
        data=Agreement(asker, accepts, reply.answer.explanation),
        reply=reply,
    )
    return accepts


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


def tell_partner(
    context: Context,
    turn: Turn[Partner],
    reply: Reply[Partner],
    partner: str | None,
    *,
    asks: bool = False,
) -> None:
    """Write who takes, or `asks`, whom aside, seen by the two."""
    offered: RoundView = turn.observation
    context.record(
        "sidebar",
        "Sidebar",
        f"{'asks' if asks else 'takes'} {partner or 'nobody'} aside",
        player_id=turn.player_id,
        visibility=(turn.player_id, partner) if partner else (turn.player_id,),
        data=Invitation(partner, reply.answer.explanation, offered.options),
        reply=reply,
    )
