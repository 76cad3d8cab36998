"""Which move is made, checked on a talk's log: legality, draw, target, manner, warnings."""

from collections.abc import Iterator, Mapping
from math import exp, isclose

from engine.games.talks.archetypes import ARCHETYPES, Move
from engine.history import History
from engine.rng import stream
from tests.oracles.reading import breach_at
from tests.oracles.talks.choices import CLASHING, ROUNDED, damped_worths
from tests.oracles.talks.minds import TalkMoment, moments_of
from tests.oracles.talks.reading import HAIR, TalkTerms
from tests.oracles.talks.worths import other_speaker, staleness_of, worth_of_move

TOWARDS = (Move.CHALLENGE, Move.SUPPORT, Move.QUESTION)
Worths = Mapping[Move, float]


def check_moves(history: History) -> Iterator[str]:
    """Check that a legal move is made, towards the most recent other speaker if needed.

    "max payoff -> target = most recent speaker if the move needs one, else None (group) ->
    intensity from personality": the best, or with some move noise the one that is drawn.
    """
    for moment in moments_of(history):
        exchange, selection = moment.exchange, moment.exchange.selection
        worths = worths_of_legal(moment)
        if moment.terms.numbers.move_noise > 0:
            chances = shares_of_draw(worths, moment.terms.numbers.move_noise)
            due = moves_by_draw(history, moment, chances)
            yield from check_chances(moment, chances)
        else:
            best = max(worths.values())
            due = [move for move, worth in worths.items() if worth >= best - HAIR]
        if selection.move not in due:
            told = f"{' or '.join(due)} in turn {exchange.turn}"
            yield breach_at(exchange.chosen, f"{told}: got {selection.move}")
        yield from check_manner(moment)


def worths_of_legal(moment: TalkMoment) -> dict[Move, float]:
    """Return the adjusted payoff of each move that the speaker may make.

    Before anybody spoke nobody can be supported or challenged; and nobody concludes before the talk
    may end with that.
    """
    speaker = moment.exchange.selection.speaker
    worths = damped_worths(moment, speaker)
    if other_speaker(moment.before.steps, speaker) is None:
        for move in CLASHING:
            worths.pop(move)
    if not may_end_with(moment):
        worths.pop(Move.CONCLUDE)
    return worths


def may_end_with(moment: TalkMoment) -> bool:
    """Return whether the talk may end with an exchange, as its group was before it.

    The cap ends it; or its depth is explored, and a consensus is near or one more turn is left.
    """
    terms = moment.terms
    count = len(moment.before.steps) + 1
    if terms.conclude == "always" or count >= terms.cap:
        return True
    enough = len(moment.before.aspects) >= terms.needed_aspects
    explored = enough and count >= terms.needed_exchanges
    if terms.mode != "any" and not explored:
        return False
    return count + 1 == terms.cap or is_consensus_near(moment)


def is_consensus_near(moment: TalkMoment) -> bool:
    """Return whether 70 % are at a payoff of 0.7 at least, and somebody is."""
    circle, numbers = moment.before, moment.terms.numbers
    worths = [worth_of_move(Move.CONCLUDE, circle, name, moment.terms) for name in circle.minds]
    near = sum(worth >= numbers.conclude_payoff - HAIR for worth in worths)
    return 0 < near >= len(worths) * numbers.conclude_share - HAIR


def shares_of_draw(worths: Worths, noise: float) -> dict[Move, float]:
    """Return how likely each legal move is: softmax(worth / noise)."""
    best = max(worths.values())
    shares = {move: exp((worth - best) / noise) for move, worth in worths.items()}
    whole = sum(shares.values())
    return {move: share / whole for move, share in shares.items()}


def moves_by_draw(history: History, moment: TalkMoment, chances: Worths) -> list[Move]:
    """Return the move that the seed draws, or two if the draw is on the edge between them."""
    draw = stream(history.seed, "round", moment.exchange.turn, "move").random()
    found = []
    end = 0.0
    for move, chance in chances.items():
        begin = end
        end += chance
        if begin - HAIR <= draw <= end + HAIR:
            found.append(move)
    return found


def check_chances(moment: TalkMoment, due: Worths) -> Iterator[str]:
    """Check the chance of each legal move."""
    exchange = moment.exchange
    found = exchange.selection.chances or {}
    if [*found] != [*due]:
        told = f"the chances of {', '.join(due)} in turn {exchange.turn}"
        yield breach_at(exchange.chosen, f"{told}: got those of {', '.join(found) or 'none'}")
        return
    for move, chance in due.items():
        if not isclose(found[move], chance, abs_tol=ROUNDED):
            told = f"the chance {chance:.6g} of {move} in turn {exchange.turn}"
            yield breach_at(exchange.chosen, f"{told}: got {found[move]:.6g}")


def check_manner(moment: TalkMoment) -> Iterator[str]:
    """Check the target of a move and its intensity."""
    exchange, selection = moment.exchange, moment.exchange.selection
    other = other_speaker(moment.before.steps, selection.speaker)
    target = other if selection.move in TOWARDS else None
    if selection.target != target:
        told = f"a {selection.move} towards {target} in turn {exchange.turn}"
        yield breach_at(exchange.chosen, f"{told}: got {selection.target}")

    intensity = ARCHETYPES[moment.before.minds[selection.speaker].personality].intensity
    if selection.intensity != intensity:
        told = f"intensity {intensity} in turn {exchange.turn}"
        yield breach_at(exchange.chosen, f"{told}: got {selection.intensity}")


def check_warnings(history: History) -> Iterator[str]:
    """Check that a speaker is warned if one more stale turn would end the talk."""
    for moment in moments_of(history):
        exchange = moment.exchange
        due = is_warning_due(moment, moment.terms)
        if exchange.selection.stale != due:
            told = f"stale {due} in turn {exchange.turn}"
            yield breach_at(exchange.chosen, f"{told}: got {exchange.selection.stale}")


def is_warning_due(moment: TalkMoment, terms: TalkTerms) -> bool:
    """Return whether one more stale turn would be too many of the last three."""
    wanted = terms.numbers.stale_turns - 1
    if terms.circles == "once" or not wanted:
        return False
    staleness = staleness_of(moment.before.steps, terms)[::-1]
    return sum(staleness[: terms.numbers.stale_window - 1]) >= wanted
