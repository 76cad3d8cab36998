"""The numbers behind each turn of a talk, from the log: urgencies, payoffs, and criteria."""

from collections.abc import Iterator

from engine.games.talks.log.payloads import CheckData, Selection
from engine.history import Event, payload_of
from engine.report.tables import Facts, Table, TableRow

MOVES = ("move", "payoff", "adjusted", "chance", "")
CAUSES = ("addressed", "owes_answer", "unheard", "dominant", "below_average", "ping_pong")


def explanation(event: Event) -> Iterator[Facts | Table]:
    """Yield the numbers behind a selection or a check; raise ValueError if its data is invalid."""
    if event.kind == "selection":
        selection = payload_of(event, Selection)
        yield wish_table(selection)
        yield move_table(selection)
    elif event.kind == "check":
        check = payload_of(event, CheckData)
        heading = f"Criteria after exchange {check.exchanges}"
        yield Facts(heading, tuple(criteria_facts(check)))


def criteria_facts(check: CheckData) -> Iterator[tuple[str, str]]:
    """Yield the value and bound of each criterion, and whether it is met."""
    aspects = f"{check.aspects} of {check.needed_aspects} aspects"
    exchanges = f"{check.exchanges} of {check.needed_exchanges} exchanges"
    yield "Depth explored", _answer(check.depth_complete, f"{aspects}, {exchanges}")

    yield "Novelty exhausted", _answer(check.novelty_exhausted, _novelty_in_words(check))

    votes = [f"{name} {payoff:.2f}" for name, payoff in check.conclude_payoffs.items()]
    yield "Want to conclude", _answer(check.want_conclude, ", ".join(votes))

    convergence = f"{check.convergence:.2f} (met above {check.min_convergence:g})"
    yield "High convergence", _answer(check.high_convergence, convergence)

    capped = f"{check.exchanges} of {check.cap} exchanges"
    yield "Cap reached", _answer(check.exchanges >= check.cap, capped)


def _novelty_in_words(check: CheckData) -> str:
    if check.stale is None:
        return f"{check.novelty:.2f} (met below {check.min_novelty:g})"
    return f"{check.novelty:.2f}, {check.stale} of the last turns below {check.min_novelty:g}"


def wish_table(selection: Selection) -> Table:
    """Return each participant's wish to speak, with the reasons that raised or lowered it."""
    rows: list[TableRow] = []
    for name, wish in selection.wishes.items():
        chosen = "speaks" if name == selection.speaker else ""
        causes = ", ".join(cause.replace("_", " ") for cause in CAUSES if getattr(wish, cause))
        rows.append((name, wish.urgency, wish.noise, wish.score, chosen, causes))
    return Table("Who speaks", ("player", "urgency", "noise", "score", "", "because"), tuple(rows))


def move_table(selection: Selection) -> Table:
    """Return the speaker's payoffs and chosen move, with probabilities for a random choice."""
    chances = selection.chances
    chosen = f"chosen, to {selection.target or 'the group'}"
    rows: list[TableRow] = []
    for move, payoff in selection.payoffs.items():
        chance = None
        if chances is not None:
            chance = f"{chances[move]:.0%}" if move in chances else "not now"
        mark = chosen if move == selection.move else ""
        rows.append((move, payoff, selection.adjusted[move], chance, mark))
    return Table(f"{selection.speaker}'s moves", MOVES, tuple(rows)).without_empty("chance")


def _answer(criterion: bool, numbers: str) -> str:
    return f"{'yes' if criterion else 'no'}: {numbers}"
