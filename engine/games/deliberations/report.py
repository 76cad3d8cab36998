"""A game's report: votes by round, turning points, flags, beliefs, debriefs, and model guesses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from engine.games.deliberations.beliefs import (
    BeliefScore,
    ScoredProbe,
    calibrate,
    scored_probes,
)
from engine.games.deliberations.flags import BROKEN, FLAGS, Flag
from engine.history import Event, History, payload_of
from engine.history.social import Debriefing, Decision
from engine.report.averages import Averages, Figures
from engine.report.charts import Chart, Heat
from engine.report.statistics import mean
from engine.report.tables import Cell, Part, Sentence, Table, TableRow
from engine.report.turning_points import TurningPoint, closest_vote
from engine.round_phases.voting import Tally

RIGHT = "right guesses"
CHANCE = "right guesses by chance"
CALIBRATION = "Calibration of beliefs"
# The maximum number of broken promises that are listed as turning points.
BROKEN_SHOWN = 3


def vote_charts(history: History) -> dict[str, Chart]:
    """Return a chart of the votes by round so far, with separate columns for revotes."""
    tallies = tallies_by_title(history)
    if not tallies:
        return {}

    names = history.player_ids
    cells = []
    for name in names:
        # None for a player who was not a candidate.
        row = [float(tally[name]) if name in tally else None for tally in tallies.values()]
        cells.append(row)
    return {"votes": Heat("Votes by round", names, [*tallies], cells, label="votes")}


def tallies_by_title(history: History) -> dict[str, Tally]:
    """Return the votes of each ballot, by a title such as "round 2" or "round 2, again"."""
    tallies: dict[str, Tally] = {}
    for log in history.rounds:
        title = "to win" if log.final_round else f"round {log.round_index}"
        for event in log.events:
            if event.kind != "result":
                continue
            decision = payload_of(event, Decision)
            tallies[title] = decision.tally
            if decision.revote is not None:
                tallies[f"{title}, again"] = decision.revote
    return tallies


def turns_of_island(history: History) -> Iterator[TurningPoint]:
    """Yield the closest vote and, if the log shows any, the first broken promises."""
    events = [event for event in history.events if event.kind == "result"]
    yield from closest_vote([(event.index, payload_of(event, Decision).tally) for event in events])
    broken = []
    for event in events_shown(history, "flag"):
        flag = payload_of(event, Flag)
        if flag.flag == BROKEN:
            text = f"{event.player_id} {event.content}"
            broken.append(TurningPoint(flag.about, "Broken promise", text))
    yield from broken[:BROKEN_SHOWN]


def events_shown(history: History, kind: str) -> list[Event]:
    """Return the events of a kind that have data; a player's view of the log hides the data."""
    return [event for event in history.events if event.kind == kind and event.data]


def report_debrief(history: History) -> Iterator[Part]:
    """Yield the debriefs and the share of correct guesses; raise ValueError for invalid data."""
    events = events_shown(history, "debrief")
    if not events:
        return
    yield table_of_answers(history, events)
    made, right, chance = count_guesses(events)
    if made:
        share = f"{right} of {made} ({right / made:.0%})"
        expected = f"by chance {chance / made:.0%} would be"
        yield Sentence(f"Models guessed right: {share}; {expected}.")
    lost = sum(event.fell_back for event in events)
    if lost:
        yield Sentence(f"{lost} of {len(events)} players gave no usable answers after the game.")


def table_of_answers(history: History, events: Iterable[Event]) -> Table:
    """Return a table of answers: a row per player, in seat order, and a column per question."""
    by_player = {event.player_id: payload_of(event, Debriefing) for event in events}
    columns: tuple[str, ...] = ("player",)
    rows: list[TableRow] = []
    for seat in history.players:
        answers = by_player.get(seat.player_id)
        if answers is None:
            continue
        columns = ("player", *answers.answers)
        rows.append((seat.player_id, *(cell_of(answers, name) for name in answers.answers)))
    return Table("After the game", columns, tuple(rows))


def cell_of(said: Debriefing, name: str) -> Cell:
    """Return an answer as a table cell; guesses of models are counted ("2 of 3 right")."""
    answer = said.answers[name]
    if not isinstance(answer, Mapping):
        return answer
    made = guesses_made(said, name)
    return f"{said.right.get(name, 0)} of {made} right" if made else None


def guesses_made(said: Debriefing, name: str) -> int:
    """Return how many models an answer guesses; raise ValueError for another kind of answer."""
    answer = said.answers.get(name)
    if not isinstance(answer, Mapping):
        raise ValueError(f"expected a guess for each player: got {answer!r:.60}")
    return sum(guess is not None for guess in answer.values())


def count_guesses(events: Iterable[Event]) -> tuple[int, int, float]:
    """Return the numbers of guesses: all, correct, and expected to be correct by chance."""
    made, right, chance = 0, 0, 0.0
    for event in events:
        debriefing = payload_of(event, Debriefing)
        for name, count in debriefing.right.items():
            guesses = guesses_made(debriefing, name)
            made += guesses
            right += count
            chance += guesses / max(1, len(debriefing.choices.get(name, ())))
    return made, right, chance


def debrief_figures(history: History) -> Figures:
    """Return the share of correct guesses, and the share expected by chance, if any were made."""
    made, right, chance = count_guesses(events_shown(history, "debrief"))
    return Figures({RIGHT: right / made, CHANCE: chance / made}) if made else Figures()


def report_beliefs(history: History) -> Iterator[Part]:
    """Yield each player's mean belief scores, and how often forecasts came true.

    Yields nothing without probes. Raises ValueError if a probe cannot be read.
    """
    probes = [event for event in history.events if event.kind == "probe"]
    if not probes:
        return
    scored = [*scored_probes(history)]
    yield mean_scores(scored)
    yield calibration(scored)
    lost = sum(event.fell_back for event in probes)
    uneven = sum(not probe.adds_up for probe in scored)
    yield Sentence(
        f"Of {len(probes)} probes {lost} gave no usable odds, and {uneven} did not add up to 100 %."
    )


def mean_scores(scored: Iterable[ScoredProbe]) -> Table:
    """Return each player's mean scores, and how far they are below those of a uniform guess."""
    rows = []
    for (player_id, name), scores in sorted(scores_by_player(scored).items()):
        gain = mean([score.gain for score in scores])
        rows.append((player_id, name, mean([score.value for score in scores]), gain, len(scores)))
    return Table("Beliefs", ("player", "score", "mean", "below that of 1/n", "cases"), tuple(rows))


def scores_by_player(scored: Iterable[ScoredProbe]) -> dict[tuple[str, str], list[BeliefScore]]:
    """Return the scores of all probes, by player and score name."""
    scores: dict[tuple[str, str], list[BeliefScore]] = {}
    for probe in scored:
        for score in probe.scores:
            scores.setdefault((probe.player_id, score.name), []).append(score)
    return scores


def calibration(scored: Iterable[ScoredProbe]) -> Table:
    """Return a table of how often the forecasts in each tenth came true."""
    bins = calibrate(odds for score in scored for odds in score.foreseen)
    rows = tuple((name, *figures) for name, figures in bins.items())
    return Table(CALIBRATION, ("odds", "cases", "said", "happened"), rows)


def report_flags(history: History) -> Iterator[Part]:
    """Yield a table of each player's flags, if there are any."""
    flags = events_shown(history, "flag")
    counts = Counter((event.player_id, payload_of(event, Flag).flag) for event in flags)
    rows: list[TableRow] = []
    for seat in history.players:
        rows.append((seat.player_id, *(counts[seat.player_id, flag] for flag in FLAGS)))
    if counts:
        yield Table("Words and deeds", ("player", *FLAGS), tuple(rows))


def many_debriefs(averages: Averages) -> Iterator[Part]:
    """Yield the mean share of correctly guessed models over many games, and its standard error."""
    right = averages.shared.get(RIGHT)
    chance = averages.shared.get(CHANCE)
    if right is None or chance is None:
        return
    error = "one deal, so no standard error"
    if right.error is not None:
        error = f"standard error {right.error:.1%}"
    share = f"{right.mean:.1%} ({error})"
    yield Sentence(f"Models guessed right after the game: {share}; by chance {chance.mean:.1%}.")
