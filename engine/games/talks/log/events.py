"""What a talk writes into its log: who is there, who was chosen and why, each exchange, the end."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from engine.games.talks.archetypes import ARCHETYPES, Move
from engine.games.talks.log.payloads import (
    CheckData,
    Introduction,
    Numbers,
    Selection,
    Stop,
    TalkOpening,
    UtteranceData,
)
from engine.games.talks.state import ParticipantState
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import SENTENCES, Check, exceeds
from engine.games.talks.theory.choosing import Choice
from engine.games.talks.theory.circling import is_circling
from engine.games.talks.theory.turn_taking import Wish
from engine.prompting import render
from engine.round import RoundContext
from player import Reply
from protocol.text import SILENT

DIGITS = 6


def present(state: TalkState) -> str:
    """Return who is there, and what kind of person each is."""
    people = []
    for one in state.talk.order:
        own = state.talk.participants[one]
        facts = [own.gender.pronouns, own.personality, own.expertise_area]
        people.append(f"{state.names[one]} ({', '.join(filter(None, facts))})")
    return f"The participants: {'; '.join(people)}."


def record_opening(context: RoundContext[TalkState], embedder: str) -> None:
    """Write who is there, what is discussed, and by which `embedder` utterances are compared."""
    talk = context.state.talk
    data = TalkOpening(talk.topic, talk.target_depth, embedder)
    context.narrate(present(context.state), data=data)


def record_introduction(
    context: RoundContext[TalkState], player_id: str, own: ParticipantState
) -> None:
    """Write who a participant is, for it alone to see."""
    context.record(
        "setup",
        f"Who {player_id} is",
        render("talks/setup.j2", who=own, style=ARCHETYPES[own.personality].style),
        player_id=player_id,
        visibility=(player_id,),
        data=Introduction(own.plain()),
    )


def record_selection(
    context: RoundContext[TalkState],
    wishes: Mapping[str, Wish],
    speaker: str,
    choice: Choice,
) -> None:
    """Write who speaks, with which move, and all that led to it; no player sees it."""
    state = context.state
    names, move = state.names, choice.move
    target = state.player_of(move.target)
    data = Selection(
        speaker=names[speaker],
        move=move.type,
        target=target,
        intensity=move.intensity,
        wishes={names[one]: _round_wish(wish) for one, wish in wishes.items()},
        payoffs=_round_payoffs(choice.payoffs),
        adjusted=_round_payoffs(choice.adjusted),
        orbit=is_circling(state.talk.exchanges, state.theory.constants),
    )

    scores = ", ".join(f"{names[one]} {wish.score:.2f}" for one, wish in wishes.items())
    best = ", ".join(f"{one} {value:.2f}" for one, value in choice.adjusted.items())
    made = move_line(move.type, target)
    content = f"{names[speaker]}: {made}; scores {scores}; payoffs {best}"
    context.narrate(content, kind="selection", visibility=(), data=data)


def record_utterance(context: RoundContext[TalkState], reply: Reply[Any]) -> None:
    """Write what was said, for all to hear."""
    state = context.state
    assert state.exchange is not None
    exchange = state.with_players(state.exchange)
    data = UtteranceData(
        turn=exchange.turn,
        speaker=exchange.speaker,
        move=exchange.move,
        target=exchange.target,
        position=exchange.position,
        aspects=exchange.aspects,
        depth=exchange.depth,
        novelty=round(exchange.novelty, DIGITS),
        nearest=exchange.nearest,
    )
    context.record(
        "utterance",
        move_line(exchange.move, exchange.target),
        exchange.content or SILENT,
        player_id=exchange.speaker,
        data=data,
        reply=reply,
    )


def record_check(context: RoundContext[TalkState], check: Check) -> None:
    """Write the value of every criterion, seen by no player; at the end, tell all why."""
    state = context.state
    talk, names = state.talk, state.names
    criteria = _criteria_of(check, names)
    relationships = {}
    for one, own in talk.participants.items():
        feelings = {names[other]: value for other, value in own.relationships.items()}
        relationships[names[one]] = _round_numbers(feelings)
    data = CheckData(
        **criteria,
        depth=talk.max_depth_reached,
        dominant_speaker=state.player_of(talk.dominant_speaker),
        active_disagreement=talk.active_disagreement,
        coalitions=tuple(tuple(sorted(names[one] for one in group)) for group in talk.coalitions),
        relationships=relationships,
    )
    line = criteria_line(check, state.theory.constants.conclude_payoff)
    context.narrate(line, kind="check", visibility=(), data=data)

    if check.reason is not None:
        stop = Stop(**criteria, sentence=SENTENCES[check.reason])
        context.narrate(end_sentence(check), kind="stop", heading="The end", data=stop)


def move_line(move: Move, target: str | None) -> str:
    """Return a move and whom it is made towards, if anybody."""
    return f"{move} → {target}" if target else str(move)


def criteria_line(check: Check, wanted: float) -> str:
    """Return every criterion with its value and its bound, on one line.

    `wanted` is the payoff above which a participant wants to conclude.
    """
    votes = sum(exceeds(payoff, wanted) for payoff in check.conclude_payoffs)
    explored = "explored" if check.depth_complete else "not explored"
    return (
        f"aspects {check.aspects}/{check.needed_aspects}, "
        f"exchanges {check.exchanges}/{check.needed_exchanges} (depth {explored}), "
        f"novelty {check.novelty:.2f} (stops below {check.min_novelty:g}), "
        f"{votes} of {len(check.conclude_payoffs)} want to conclude, "
        f"convergence {check.convergence:.2f} (stops above {check.min_convergence:g}), "
        f"cap {check.cap}"
    )


def end_sentence(check: Check) -> str:
    """Return why a talk is over, and its figures."""
    assert check.reason is not None
    return (
        f"Discussion Complete: {SENTENCES[check.reason]}. {check.exchanges} exchanges, "
        f"{check.aspects} aspects explored, convergence: {check.convergence:.2f}"
    )


def _criteria_of(check: Check, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a check by name, its numbers rounded, its payoffs by player."""
    fields = asdict(check)
    for name, value in fields.items():
        if isinstance(value, float):
            fields[name] = round(value, DIGITS)

    payoffs = zip(names.values(), check.conclude_payoffs, strict=True)
    return fields | {"conclude_payoffs": _round_numbers(dict(payoffs))}


def _round_wish(wish: Wish) -> Wish:
    return replace(
        wish,
        urgency=round(wish.urgency, DIGITS),
        noise=round(wish.noise, DIGITS),
        score=round(wish.score, DIGITS),
    )


def _round_payoffs(payoffs: Mapping[Move, float]) -> Numbers:
    return _round_numbers({str(move): value for move, value in payoffs.items()})


def _round_numbers(values: Mapping[str, float]) -> Numbers:
    """Return numbers with so few digits that a log of them stays readable."""
    return {name: round(value, DIGITS) for name, value in values.items()}
