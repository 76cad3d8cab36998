"""Results of many conversations: the shared score and each player's contribution to it."""

from collections.abc import Iterator, Sequence

from engine.history import History, Seat
from engine.report.averages import Averages, Figures
from engine.report.tables import Part, Sentence, Table, TableRow
from protocol.seats import seat_kind

SHARED = "shared"
OWN_TURNS = "own_turns"
# The scripts added to a comparison if a game has fewer than two different ones.
YARDSTICKS = ("random", "greedy", "patient", "foresight")
WHY = (
    "Everybody at a table gets the same shared score, so places and the differences between scores "
    "rest on the private bonus alone: a player who only pleases itself comes first there and costs "
    "all the others. What a player is worth shows where it takes another's seat: the study below "
    "does that with scripts."
)
MODELS = (
    " For a model, play the same --seed again with a script in its seat, and compare the shared "
    "score."
)


def conversation_figures(history: History) -> Figures:
    """Return the shared score and the sum of each player's own contributions to it.

    As in the running score, a turn's contribution includes the coherence that it adds to the three
    items before it. Raises ValueError if a speech cannot be read.
    """
    outcome = history.outcome
    if outcome is None:
        return Figures()
    contributions = dict.fromkeys(outcome.scores, 0.0)
    for event in history.events:
        if event.kind == "speech" and event.player_id in contributions:
            points = event.data.get("score")
            if not isinstance(points, dict):
                raise ValueError(
                    f"expected the data of a speech to have a score: got {points!r:.60}"
                )
            contributions[event.player_id] += sum(points.values())
    return Figures({SHARED: outcome.shared[SHARED]}, {OWN_TURNS: contributions})


def many_conversations(history: History, averages: Averages) -> Iterator[Part]:
    """Yield the mean shared score, each player's contribution, and a note on what places mean."""
    shared = averages.shared.get(SHARED)
    if shared is None:
        return
    error = "one deal, so no standard error"
    if shared.error is not None:
        error = f"standard error {shared.error:.2f}"
    yield Sentence(f"Shared score of a table: {shared.mean:.2f} on average ({error}).")
    yield own_turns(history, averages)
    all_scripts = len(scripts_at(history.players)) == len(history.players)
    yield Sentence(WHY if all_scripts else WHY + MODELS)


def own_turns(history: History, averages: Averages) -> Table:
    """Return a table of each player's contribution to the shared score, highest first."""
    contributions = averages.own.get(OWN_TURNS, {})
    best_first = sorted(contributions.items(), key=lambda item: -item[1].mean)
    rows: list[TableRow] = []
    for player_id, average in best_first:
        seat = history.seat(player_id)
        rows.append((player_id, f"{seat.provider}:{seat.model}", *average))
    heading = "Each player's contribution to the shared score of a game"
    return Table(heading, ("player", "who", "change", "±"), tuple(rows)).without_empty("±")


def substitution_study(history: History) -> str:
    """Return the command of a study that compares a game's scripts under the game's settings."""
    settings = history.config["game"]
    subjects = settings["subjects"]
    size = subjects if isinstance(subjects, int) else len(subjects)
    setting = f"{len(history.players)}/{settings['bank_size']}/{size}/{settings['length']}"
    scripts = scripts_at(history.players)
    if len({*scripts}) < 2:
        scripts += YARDSTICKS
    names = ",".join(dict.fromkeys(scripts))
    study = "studies.py conversation tournament"
    return f"{study} --strategies {names} --settings {setting} --randoms 0"


def scripts_at(seats: Sequence[Seat]) -> list[str]:
    """Return the names of the strategies in the scripted seats."""
    return [seat.model for seat in seats if seat_kind(seat.provider).computed]
