"""What the debriefs of a game say: whom each named, and how many guessed the models right."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.history import Event, History, payload_of
from engine.report.averages import Averages, Figures
from engine.report.tables import Cell, Part, Sentence, Table
from engine.round_payloads import Debriefing

RIGHT = "right guesses"
CHANCE = "right guesses by chance"


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
    by_player = {str(event.player_id): payload_of(event, Debriefing) for event in events}
    first, *_ = by_player.values()
    rows = []
    for seat in history.players:
        said = by_player.get(seat.player_id)
        if said is not None:
            cells = [cell_of(said, name) for name in first.answers]
            rows.append((seat.player_id, *cells))
    yield Table("After the game", ("player", *first.answers), tuple(rows))
    guesses = count_guesses(by_player.values())
    if guesses.made:
        yield Sentence(guessing_sentence(guesses))
    lost = sum(event.fell_back for event in events)
    if lost:
        yield Sentence(f"{lost} of {len(events)} players gave no usable answers after the game.")


def cell_of(said: Debriefing, name: str) -> Cell:
    """Return an answer as a table shows it: of models how many are right of how many guesses."""
    answer = said.answers.get(name)
    if isinstance(answer, str | int) or answer is None:
        return answer
    made = guesses_in(said, name)
    return f"{said.right.get(name, 0)} of {len(made)} right" if made else None


def guesses_in(said: Debriefing, name: str) -> list[str]:
    """Return the models that a player named, without the players for whom it named none."""
    answer = said.answers.get(name)
    if not isinstance(answer, Mapping):
        raise ValueError(f"expected a guess for each player: got {answer!r:.60}")
    return [guess for guess in answer.values() if guess is not None]


def count_guesses(debriefs: Iterable[Debriefing]) -> Guesses:
    """Return the guesses of models in all debriefs together."""
    made, right, chance = Guesses()
    for said in debriefs:
        for name, count in said.right.items():
            guessed = guesses_in(said, name)
            made += len(guessed)
            right += count
            chance += len(guessed) / max(1, len(said.choices.get(name, ())))
    return Guesses(made, right, chance)


def guessing_sentence(guesses: Guesses) -> str:
    """Return how many guesses are right, and how many would be by chance."""
    made, right, chance = guesses
    return (
        f"Models guessed right: {right} of {made} ({right / made:.0%}); by chance "
        f"{chance / made:.0%} would be."
    )


def debrief_figures(history: History) -> Figures:
    """Return the shares of guesses that are right, and would be by chance; nothing without any."""
    guesses = count_guesses([payload_of(event, Debriefing) for event in debriefs_in(history)])
    if not guesses.made:
        return Figures()
    shares = {RIGHT: guesses.right / guesses.made, CHANCE: guesses.chance / guesses.made}
    return Figures(shares)


def many_debriefs(history: History, averages: Averages) -> Iterator[Part]:
    """Yield the mean share of right guesses of models in many games, with its standard error."""
    del history
    right = averages.shared.get(RIGHT)
    chance = averages.shared.get(CHANCE)
    if right is None or chance is None:
        return
    error = "one deal, so no standard error"
    if right.error is not None:
        error = f"standard error {right.error:.1%}"
    yield Sentence(
        f"Models guessed right: {right.mean:.1%} ({error}); by chance {chance.mean:.1%}."
    )
