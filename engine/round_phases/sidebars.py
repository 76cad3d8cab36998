"""Sidebars: players pair up, by pick or by ranking, and talk in private."""

from collections.abc import Iterator, Sequence
from typing import Any

from engine.history.social import Agreement, Invitation, Pairing, Preferences, SpeechTo
from engine.round_phases.asking import Context, RoundView, tell, turn_of, without, words_of
from engine.round_phases.forms import (
    ACCEPT,
    DECLINE,
    NOBODY,
    RANKS,
    WORDS,
    Consent,
    Partner,
    Sidebar,
    rank_partners,
)
from engine.round_phases.voting import pair_by_ranking
from player import Reply, Turn

Ranking = tuple[str, ...]


async def phase_sidebars(
    context: Context,
    *,
    exchanges: int = 1,
    messages: int = 2,
    words: int = WORDS,
    jurors_aside: bool = False,
    decline: bool = False,
) -> None:
    """Let each active player take a partner aside `exchanges` times, for `messages` messages each.

    All players pick at once. The talks take place one after the other, so a player in several talks
    knows the earlier ones. With `jurors_aside`, players may also pick jurors in the final; with
    `decline`, the picked player may decline.
    """
    jurors = context.eliminated_player_ids if jurors_aside and context.final_round else ()
    for exchange in range(1, exchanges + 1):
        turns = partner_turns(context, exchange, messages, jurors, decline=decline)
        for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
            partner = tell_invitation(context, turn, reply, verb="asks" if decline else "takes")
            if partner is None:
                continue
            pair = (turn.player_id, partner)
            if not decline or await has_consent(context, pair, messages):
                await talk(context, pair, messages, words)


def partner_turns(
    context: Context,
    exchange: int,
    messages: int,
    jurors: Sequence[str],
    *,
    decline: bool,
) -> list[Turn[Partner]]:
    """Return the question to each active player: which player, if any, to take aside."""
    terms = {"messages": messages, "jurors": bool(jurors), "decline": decline}
    turns = []
    for player_id, options in partners_of(context, exchange, jurors):
        turn = turn_of(context, player_id, Partner(partner=None), options, **terms)
        choices = {"partner": (*options, NOBODY)}
        turns.append(turn._replace(choices=choices, silence=NOBODY))
    return turns


def partners_of(
    context: Context,
    exchange: int,
    jurors: Sequence[str] = (),
) -> Iterator[tuple[str, list[str]]]:
    """Yield each active player with its possible partners, all in random order."""
    active = context.active_player_ids
    for player_id in context.permuted(active, "sidebars", exchange):
        others = [*without(active, player_id), *jurors]
        yield player_id, context.permuted(others, "partners", exchange, player_id)


async def has_consent(context: Context, pair: tuple[str, str], messages: int) -> bool:
    """Ask the second player of `pair` to talk. Both see the answer; no answer means no."""
    asker, player_id = pair
    silence = Consent(answer=DECLINE)
    turn = turn_of(context, player_id, silence, [asker], messages=messages)
    turn = turn._replace(choices={"answer": (ACCEPT, DECLINE)})
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
    """Let two players speak in turn, in private."""
    for number in range(1, messages + 1):
        speaker, hearer = pair if number % 2 else pair[::-1]
        rest = without(without(context.active_player_ids, speaker), hearer)
        turn = words_of(
            context,
            speaker,
            Sidebar,
            words,
            rest,
            partner=hearer,
            number=number,
            messages=messages,
        )
        tell(context, turn, await context.ask(turn), visibility=pair, data=SpeechTo(hearer))


async def phase_paired_sidebars(
    context: Context,
    *,
    exchanges: int = 1,
    messages: int = 2,
    words: int = WORDS,
) -> None:
    """Let the active players rank one another `exchanges` times, and let the pairs talk.

    A pair exchanges `messages` messages. All players rank the others at the same time, and the
    talks take place one by one. Players without a partner learn this after all the talks.
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


def tell_invitation(
    context: Context,
    turn: Turn[Partner],
    reply: Reply[Partner],
    verb: str,
) -> str | None:
    """Log a player's choice of partner, which only the two see; return the partner's id or None."""
    partner = None if reply.answer.partner == NOBODY else reply.answer.partner
    offered: RoundView = turn.observation
    context.record(
        "sidebar",
        "Sidebar",
        f"{verb} {partner or 'nobody'} aside",
        player_id=turn.player_id,
        visibility=(turn.player_id, partner) if partner else (turn.player_id,),
        data=Invitation(partner, reply.answer.explanation, offered.options),
        reply=reply,
    )
    return partner


async def hear_rankings(
    context: Context,
    exchange: int,
    messages: int,
) -> dict[str, Ranking]:
    """Ask all active players at once to rank partners; log each ranking privately."""
    turns = []
    for player_id, options in partners_of(context, exchange):
        turns.append(ranking_turn(context, player_id, options, messages))
    rankings = {}
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        offered: RoundView = turn.observation
        ranking = reply.answer.ranking
        context.record(
            "sidebar",
            "Sidebar",
            f"ranks {', '.join(ranking) or NOBODY}",
            player_id=turn.player_id,
            visibility=(turn.player_id,),
            data=Preferences(ranking, reply.answer.explanation, offered.options),
            reply=reply,
        )
        rankings[turn.player_id] = ranking
    return rankings


def ranking_turn(
    context: Context,
    player_id: str,
    options: Sequence[str],
    messages: int,
) -> Turn[Any]:
    """Return the question that asks a player to rank the options as partners."""
    # A small model ignores corrections and repeats itself, so retries only cost calls.
    form = rank_partners(len(options), once=not context.is_small(player_id))
    silence = form(first=NOBODY)
    turn = turn_of(context, player_id, silence, options, messages=messages)
    choices = dict.fromkeys(RANKS[: len(options)], (*options, NOBODY))
    return turn._replace(choices=choices, silence=NOBODY)


def tell_pair(context: Context, members: tuple[str, ...]) -> None:
    """Announce a pair to its two members, or tell a single player that it stays alone."""
    first, *others = members
    text = f"{first} has no talk this time."
    for partner in others:
        text = f"{first} and {partner} talk in private; {first} begins."
    context.narrate(text, kind="sidebar", visibility=members, data=Pairing(members))
