"""Who speaks, and the value of each move, checked on a talk's log: urgencies and payoffs."""

from collections.abc import Iterator, Mapping
from math import isclose

from engine.games.talks.archetypes import ARCHETYPES, Move
from engine.games.talks.constants import Constants
from engine.games.talks.theory.turn_taking import Wish
from engine.history import History
from engine.rng import stream
from tests.oracles.reading import breach_at
from tests.oracles.talks.minds import Circle, TalkMoment, moments_of
from tests.oracles.talks.reading import HAIR, settings_of_talk
from tests.oracles.talks.worths import circles, move_worths

# The log's numbers have six digits.
ROUNDED = 2e-6
CLASHING = (Move.SUPPORT, Move.CHALLENGE)

Amounts = Mapping[str, float]


def check_urgencies(history: History) -> Iterator[str]:
    """Check all wishes to speak before each exchange: urgency, noise, score and reason."""
    for moment in moments_of(history):
        due = wishes_due(history, moment)
        found = moment.exchange.selection.wishes
        if [*found] != [*due]:
            yield breach_at(moment.exchange.chosen, f"the wishes of {[*due]}: got {[*found]}")
            continue
        for name, wish in due.items():
            yield from check_wish(moment, name, found[name], wish)


def check_wish(moment: TalkMoment, name: str, found: Wish, due: Wish) -> Iterator[str]:
    """Check one wish, field by field."""
    for field in Wish.__dataclass_fields__:
        expected, got = getattr(due, field), getattr(found, field)
        if not isclose(got, expected, abs_tol=ROUNDED):
            told = f"{field} {expected:.6g} of {name} in turn {moment.exchange.turn}"
            yield breach_at(moment.exchange.chosen, f"{told}: got {got:.6g}")


def wishes_due(history: History, moment: TalkMoment) -> dict[str, Wish]:
    """Return everybody's wish to speak: "final_score = urgency * 0.8 + random(0, 0.2)".

    Noise is drawn in seat order.
    """
    numbers = moment.terms.numbers
    rng = stream(history.seed, "round", moment.exchange.turn, "selection")
    noises = {name: rng.random() * numbers.noise for name in moment.before.minds}
    return {name: wish_due(moment.before, name, noise, numbers) for name, noise in noises.items()}


def wish_due(circle: Circle, name: str, noise: float, numbers: Constants) -> Wish:
    """Return one participant's wish to speak.

    "urgency = personality_baseline * 0.3 + time_factor * 0.2 + addressed_bonus * 0.4 +
    confidence * 0.1 + engagement * 0.2"; "if is_dominant_speaker: urgency *= 0.7"; "if
    below_avg_turns: urgency *= 1.3". To that is added 0.45 while somebody waits for its answer,
    1.2 from the third turn on; and 0.06 for each turn past the fifth and each person before it has
    spoken.
    """
    mind, turns, spoken = circle.minds[name], circle.turns, len(circle.steps)
    waited = numbers.never_spoke
    if mind.last_turn:
        waited = min(1.0, (spoken - mind.last_turn) / numbers.patience)

    ping_pong = name in pair_at_play(circle, numbers)
    addressed = 1.0 if mind.addressed and not ping_pong else 0.0
    dominant = name == dominant_one(turns, numbers)
    below = turns[name] * len(turns) < spoken

    urgency = ARCHETYPES[mind.personality].baseline * numbers.baseline_weight
    urgency += waited * numbers.time_weight
    urgency += addressed * numbers.addressed_weight
    urgency += mind.confidence * numbers.confidence_weight
    urgency += mind.engagement * numbers.engagement_weight
    if dominant:
        urgency *= numbers.dominant_factor
    if below:
        urgency *= numbers.below_average_factor
    waited = turns_without_answer(circle, name)
    if waited >= numbers.unanswered:
        urgency += numbers.overdue
    elif waited:
        urgency += numbers.waiting
    unheard = not mind.last_turn and spoken > numbers.patience
    if unheard:
        urgency += (spoken - numbers.patience) * len(turns) * numbers.unheard
    score = urgency * numbers.urgency_share + noise
    told = mind.addressed, dominant, below, ping_pong
    return Wish(urgency, noise, score, *told, owes_answer=waited, unheard=unheard)


def turns_without_answer(circle: Circle, name: str) -> int:
    """Return how many turns ago somebody was first addressed since it spoke, 0 if it was not."""
    targets = [step.target for step in circle.steps[circle.minds[name].last_turn :]]
    return len(targets) - targets.index(name) if name in targets else 0


def pair_at_play(circle: Circle, numbers: Constants) -> set[str]:
    """Return the two that shared the last three turns, if more than two take part."""
    last = [step.speaker for step in circle.steps[-numbers.ping_pong :]]
    pair = set(last)
    if len(circle.minds) <= 2 or len(last) < numbers.ping_pong or len(pair) > 2:
        return set()
    return pair


def dominant_one(turns: Mapping[str, int], numbers: Constants) -> str | None:
    """Return who alone spoke most, and more than 1.5 times the mean, after as many turns as seats.

    None if nobody did.
    """
    total = sum(turns.values())
    most = max(turns.values())
    leaders = [name for name, count in turns.items() if count == most]
    bound = numbers.dominance * total / len(turns)
    if total < len(turns) or len(leaders) > 1 or most <= bound:
        return None
    return leaders[0]


def check_speakers_chosen(history: History) -> Iterator[str]:
    """Check that "speaker with highest final_score is selected", and nobody twice running.

    In a round robin all speak in turn.
    """
    in_turn = settings_of_talk(history)["turns"] == "round_robin"
    for moment in moments_of(history):
        if in_turn:
            yield from check_next_in_turn(moment)
        else:
            yield from check_highest_score(history, moment)


def check_next_in_turn(moment: TalkMoment) -> Iterator[str]:
    """Check that participants speak in seat order."""
    exchange = moment.exchange
    names = [*moment.before.minds]
    due = names[(exchange.turn - 1) % len(names)]
    speaker = exchange.selection.speaker
    if speaker != due:
        expected = f"{due} to speak in turn {exchange.turn}, whose turn it is"
        yield breach_at(exchange.chosen, f"{expected}: got {speaker}")


def check_highest_score(history: History, moment: TalkMoment) -> Iterator[str]:
    """Check that the participant with the highest score speaks, excluding the last speaker."""
    exchange = moment.exchange
    steps = moment.before.steps
    last = steps[-1].speaker if steps else None
    wishes = wishes_due(history, moment)
    scores = {name: wish.score for name, wish in wishes.items() if name != last}
    due = max(scores, key=scores.__getitem__)
    speaker = exchange.selection.speaker
    score = scores.get(speaker)
    if score is None or score < scores[due] - HAIR:
        rule = f"with the highest score {scores[due]:.6f}"
        expected = f"{due} to speak in turn {exchange.turn}, {rule}"
        yield breach_at(exchange.chosen, f"{expected}: got {speaker}")


def check_payoffs(history: History) -> Iterator[str]:
    """Check the speaker's payoff of each move, by the factors of the design."""
    for moment in moments_of(history):
        selection = moment.exchange.selection
        due = move_worths(moment.before, selection.speaker, moment.terms)
        yield from check_amounts(moment, "payoff", selection.payoffs, due)


def check_damping(history: History) -> Iterator[str]:
    """Check the payoffs minus the damping of recent moves, and whether the talk circles."""
    for moment in moments_of(history):
        selection = moment.exchange.selection
        due = damped_worths(moment, selection.speaker)
        yield from check_amounts(moment, "adjusted payoff", selection.adjusted, due)
        orbit = circles(moment.before.steps, moment.terms.numbers)
        if selection.orbit != orbit:
            told = f"orbit {orbit} in turn {moment.exchange.turn}"
            yield breach_at(moment.exchange.chosen, f"{told}: got {selection.orbit}")


def check_amounts(
    moment: TalkMoment,
    what: str,
    found: Amounts,
    due: Mapping[Move, float],
) -> Iterator[str]:
    """Check a number for each move."""
    exchange = moment.exchange
    for move, amount in due.items():
        if not isclose(found[move], amount, abs_tol=ROUNDED):
            told = f"the {what} {amount:.6g} of {move} in turn {exchange.turn}"
            yield breach_at(exchange.chosen, f"{told}: got {found[move]:.6g}")


def damped_worths(moment: TalkMoment, name: str) -> dict[Move, float]:
    """Return the payoffs of a speaker, less 0.2 for each recent repetition.

    That is for each of its own last two moves, and for the group's last one that was neither
    SUPPORT nor CHALLENGE; where the talk circles, for these two.
    """
    steps, numbers = moment.before.steps, moment.terms.numbers
    own = [step.move for step in steps if step.speaker == name]
    calm = [step.move for step in steps if step.move not in CLASHING]
    stale = [*own[-2:], *calm[-1:]]
    if circles(steps, numbers):
        stale += CLASHING

    worths = move_worths(moment.before, name, moment.terms)
    for move in worths:
        worths[move] -= numbers.damper * stale.count(move)
    return worths
