"""Sidebars: players take one another aside and talk, heard by nobody else."""

from dataclasses import replace

from engine.round_payloads import Invitation, Whisper
from engine.round_phases.asking import Context, RoundView, tell, turn_of, without
from engine.round_phases.forms import NOBODY, WORDS, Partner, Sidebar, limit_words
from player import Reply, Turn


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
