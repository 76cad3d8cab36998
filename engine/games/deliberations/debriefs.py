"""What the debriefs of a game say: whom each named, and how many guessed the models right."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.history import Event, History, payload_of
from engine.report.averages import Averages, Figures
from engine.report.tables import Cell, Part, Sentence, Table
from engine.round_payloads import Debriefing

RIGHT = "right guesses"
CHANCE = "right guesses by chance"
NO_ERROR = "one deal, so no standard error"


class Guesses(NamedTuple):
    """Guesses of models: how many there are, how many are right, and how many are by chance."""

    made: int = 0
    right: int = 0
    chance: float = 0.0


def debriefs_in(history: History) -> list[Event]:
    """Return the debriefs of which the log shows the answers: to a player it shows none."""
    return [event for event in history.events if event.kind == "debrief" and event.data]


def report_debrief(history: History) -> Iterator[Part]:
    """Yield a table of the answers, a row a player, and how many models were guessed right.

    Nothing if nobody was asked. ValueError if an answer cannot be read.
    """
    events = debriefs_in(history)
    if not events:
        return
    yield table_of_answers(history, events)
    guesses = count_guesses(events)
    if guesses.made:
        share = guesses.right / guesses.made
        chance = guesses.chance / guesses.made
        found = f"{guesses.right} of {guesses.made} ({share:.0%})"
        yield Sentence(f"Models guessed right: {found}; by chance {chance:.0%} would be.")
    lost = sum(event.fell_back for event in events)
    if lost:
        yield Sentence(f"{lost} of {len(events)} players gave no usable answers after the game.")


def table_of_answers(history: History, events: Iterable[Event]) -> Table:
    """Return what each player answered, in seat order, a column a question."""
    names: tuple[str, ...] = ()
    rows: dict[str, tuple[Cell, ...]] = {}
    for event in events:
        said = payload_of(event, Debriefing)
        names = tuple(said.answers)
        cells = [cell_of(said, name) for name in names]
        rows[str(event.player_id)] = (event.player_id, *cells)
    seats = [seat.player_id for seat in history.players]
    in_order = [rows[player_id] for player_id in seats if player_id in rows]
    return Table("After the game", ("player", *names), tuple(in_order))


def cell_of(said: Debriefing, name: str) -> Cell:
    """Return an answer as a table shows it: of models how many are right of how many guesses."""
    answer = said.answers[name]
    if not isinstance(answer, Mapping):
        return answer
    made = guesses_in(said, name)
    return f"{said.right.get(name, 0)} of {len(made)} right" if made else None


def guesses_in(said: Debriefing, name: str) -> list[str]:
    """Return the models that a player named, without the players for whom it named none."""
    answer = said.answers.get(name)
    if not isinstance(answer, Mapping):
        raise ValueError(f"expected a guess for each player: got {answer!r:.60}")
    return [guess for guess in answer.values() if guess is not None]


def count_guesses(events: Iterable[Event]) -> Guesses:
    """Return the guesses of models in all debriefs together."""
    made, right, chance = Guesses()
    for event in events:
        said = payload_of(event, Debriefing)
        for name, count in said.right.items():
            guesses = len(guesses_in(said, name))
            models = len(said.choices.get(name, ()))
            made += guesses
            right += count
            chance += guesses / max(1, models)
    return Guesses(made, right, chance)


def debrief_figures(history: History) -> Figures:
    """Return the shares of guesses that are right, and would be by chance; nothing without any."""
    made, right, chance = count_guesses(debriefs_in(history))
    if not made:
        return Figures()
    return Figures({RIGHT: right / made, CHANCE: chance / made})


def many_debriefs(averages: Averages) -> Iterator[Part]:
    """Yield the mean share of right guesses of models in many games, with its standard error."""
    right = averages.shared.get(RIGHT)
    chance = averages.shared.get(CHANCE)
    if right is None or chance is None:
        return
    error = NO_ERROR if right.error is None else f"standard error {right.error:.1%}"
    told = f"{right.mean:.1%} ({error}); by chance {chance.mean:.1%}"
    yield Sentence(f"Models guessed right after the game: {told}.")
