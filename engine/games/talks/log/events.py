"""What a talk writes into its log: who was chosen and why, what was said, each criterion, and the end."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.games.talks.archetypes import Move
from engine.games.talks.speech.utterance import SILENT
from engine.games.talks.table import Table
from engine.games.talks.termination import SENTENCES, Check, above
from engine.games.talks.theory.choosing import Choice
from engine.games.talks.theory.circling import orbit
from engine.games.talks.theory.turn_taking import Wish
from engine.round import RoundContext
from player import Reply

DIGITS = 6


def record_selection(
    context: RoundContext[Table], wishes: Mapping[str, Wish], speaker: str, choice: Choice
) -> None:
    """Write who speaks and with which move, and all that led to it; it stands in the log and in nobody's view."""
    table = context.state
    names, move = table.names, choice.move
    target = table.called(move.target)
    scores = ", ".join(f"{names[one]} {wish.score:.2f}" for one, wish in wishes.items())
    best = ", ".join(f"{one} {value:.2f}" for one, value in choice.adjusted.items())
    data = {
        "speaker": names[speaker],
        "move": str(move.type),
        "target": target,
        "intensity": move.intensity,
        "wishes": {names[one]: rounded(asdict(wish)) for one, wish in wishes.items()},
        "payoffs": rounded(choice.payoffs),
        "adjusted": rounded(choice.adjusted),
        "orbit": orbit(table.talk.exchanges, table.theory.constants),
    }
    content = f"{names[speaker]}: {move.type}{f' → {target}' if target else ''}; scores {scores}; payoffs {best}"
    context.narrate(content, kind="selection", visibility=(), data=data)


def record_utterance(context: RoundContext[Table], reply: Reply[Any]) -> None:
    """Write what was said, for all to hear."""
    table = context.state
    assert table.exchange is not None
    exchange = table.named(table.exchange)
    facts = exchange.plain()
    content = facts.pop("content") or SILENT
    heading = f"{exchange.move}{f' → {exchange.target}' if exchange.target else ''}"
    data = {**facts, "novelty": round(exchange.novelty, DIGITS)}
    context.record(
        "utterance", heading, content, player_id=exchange.speaker, data=data, reply=reply
    )


def record_check(context: RoundContext[Table], check: Check) -> None:
    """Write the value of every criterion, in nobody's view; where the talk is over, tell all why."""
    table = context.state
    talk = table.talk
    votes = dict(zip(table.names.values(), check.conclude_payoffs, strict=True))
    criteria = {**rounded(asdict(check)), "conclude_payoffs": rounded(votes)}
    state = {
        "depth": talk.max_depth_reached,
        "dominant_speaker": table.called(talk.dominant_speaker),
        "active_disagreement": talk.active_disagreement,
        "coalitions": [sorted(table.names[one] for one in group) for group in talk.coalitions],
        "relationships": {
            table.names[one]: rounded(
                {table.names[other]: value for other, value in person.relationships.items()}
            )
            for one, person in talk.participants.items()
        },
    }
    line = criteria_line(check, table.theory.constants.conclude_payoff)
    context.narrate(line, kind="check", visibility=(), data={**criteria, **state})
    if check.reason is not None:
        data = {"reason": check.reason, "sentence": SENTENCES[check.reason], **criteria}
        context.narrate(ended(check), kind="stop", heading="The end", data=data)


def criteria_line(check: Check, wanted: float) -> str:
    """Return every criterion with its value and its bound, on one line."""
    votes = sum(above(payoff, wanted) for payoff in check.conclude_payoffs)
    return (
        f"aspects {check.aspects}/{check.needed_aspects}, exchanges {check.exchanges}/{check.needed_exchanges} "
        f"(depth {'explored' if check.depth_complete else 'not explored'}), "
        f"novelty {check.novelty:.2f} (stops below {check.min_novelty:g}), "
        f"{votes} of {len(check.conclude_payoffs)} want to conclude, "
        f"convergence {check.convergence:.2f} (stops above {check.min_convergence:g}), cap {check.cap}"
    )


def ended(check: Check) -> str:
    """Return why a talk is over, and its figures."""
    assert check.reason is not None
    return (
        f"Discussion Complete: {SENTENCES[check.reason]}. {check.exchanges} exchanges, {check.aspects} aspects "
        f"explored, convergence: {check.convergence:.2f}"
    )


def rounded(values: Mapping[str, object] | Mapping[Move, float]) -> dict[str, object]:
    """Return plain data whose numbers have so many digits that a log of them stays readable."""
    return {
        str(name): round(value, DIGITS) if isinstance(value, float) else value
        for name, value in values.items()
    }
