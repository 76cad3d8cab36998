"""Read logs of the Elimination Game, in which eight models vote each other out.

The game and its logs are by L. Mazur (github.com/lechmazur/elimination_game, 2025): JSON lines, one
file per game. The game is not imported as deliberations, because it has features that they lack
(pairs found by rankings, revotes after ties, votes accumulated over rounds), and its logs lack
prompts, reasoning, tokens, seeds and the order of candidates. Places are the log's final ranks, and
scores are its partial points.
"""

from collections import Counter
from collections.abc import Iterator

from engine.exchange.foreign import MOST_ROUNDS, Line, foreign_number, foreign_place, parse_object
from engine.exchange.game import ForeignGame, LogFormat, Reading, count_answer, open_history
from engine.exchange.makers import maker_of
from engine.exchange.voting.checks import eliminations_sentence, figures_of_votes
from engine.exchange.voting.elimination_lines import LineReader, event_of_line, time_of
from engine.exchange.voting.rows import voting_game
from engine.exchange.voting.table import FINALISTS, VotingTable, models_by_seat
from engine.history import History, Outcome, RoundLog, Seat

# The kinds of events that are a player's answers.
ANSWERS = frozenset({"statement", "sidebar", "vote", "jury_line", "note"})
# An analysis of the 3,988 published games found that, between these two days, jurors' lines agree
# with the winner only by chance. So these lines do not show the votes that were counted.
DOUBTFUL = ("2025-02-19", "2025-03-27")


class EliminationGame(LogFormat):
    """Logs of the Elimination Game, with one JSON lines file per game; the entrants are models."""

    name = "elimination_game"
    about = "logs of the Elimination Game"
    suffixes = (".jsonl",)

    def read(self, content: bytes, game_id: str, reading: Reading) -> ForeignGame:
        """Return the game in a log; raise ValueError if it is invalid."""
        lines = [*lines_in(content)]
        if not lines:
            raise ValueError("expected lines of JSON: it is empty")
        models = models_by_seat(lines)
        began = next(filter(None, (time_of(line.get("timestamp")) for line in lines)), "")
        first, last = DOUBTFUL
        reliable = not first <= began[:10] <= last
        config = {"foreign_id": str(lines[0].get("game_id"))[:200], "reliable_jury": reliable}
        makers = reading.makers
        seats = [Seat(seat, maker_of(model, makers), model) for seat, model in models.items()]
        history = open_history(self.name, game_id, config, seats)
        table = VotingTable(models, reading.unknown, reliable, began)
        for number, round_lines in by_round(lines):
            read_round(history, table, number, round_lines)
        conclude(history)
        figures = figures_of_votes(history)
        if not reliable:
            figures["doubtful juries"] = 1
            figures["doubtful juries against the winner"] = figures["juries against the winner"]
        return voting_game(history, figures)

    def sentences(self, figures: Counter[str]) -> list[str]:
        """Return the import's summary sentences."""
        held = figures["places held"]
        against = figures["juries against the winner"]
        doubtful = figures["doubtful juries"]
        both = figures["doubtful juries against the winner"]
        first, last = DOUBTFUL
        return [
            eliminations_sentence(figures),
            f"Places are the order of leaving in {held} of {figures['places']} games.",
            f"Jurors' lines contradict who won in {against} games, {both} of them among the "
            f"{doubtful} that began from {first} to {last}: these are rated in places, and their "
            "juries are left out of the figures on juries.",
        ]


def lines_in(content: bytes) -> Iterator[Line]:
    """Yield the objects in a log; raise ValueError at the first line that is not an object."""
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            yield parse_object(raw)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None


def by_round(lines: list[Line]) -> list[tuple[int, list[Line]]]:
    """Return each round's lines in order; a line without a round belongs to the latest round."""
    rounds: dict[int, list[Line]] = {}
    last = 1
    for line in lines:
        number = line.get("round")
        if number is not None:
            last = int(foreign_number(number, "a round"))
        if not 0 < last <= MOST_ROUNDS:
            raise ValueError(f"expected rounds 1 to {MOST_ROUNDS}: got {last}")
        rounds.setdefault(last, []).append(line)
    return sorted(rounds.items())


def read_round(history: History, table: VotingTable, number: int, lines: list[Line]) -> None:
    """Read the lines of one round."""
    active = table.active
    log = RoundLog(number, len(active) <= FINALISTS, active, tuple(table.left))
    table.begin_round()
    for line in lines:
        event = event_of_line(line, table)
        if event is not None:
            log.events.append(event)
    if table.steps:
        # No pairs were found, or the log ends here.
        log.events.append(LineReader({}, table).tell_pairs())
    for index, event in enumerate(log.events, history.next_index):
        event.index = index
        if event.kind in ANSWERS and event.player_id is not None:
            count_answer(history, event)
    history.rounds.append(log)


def conclude(history: History) -> None:
    """Set places and points from the last results; a game without results is marked as stopped."""
    results = [event.data for event in history.events if event.kind == "result"]
    result = next((data for data in reversed(results) if "places" in data), None)
    if result is None:
        history.status = "stopped"
        history.reason = "the log ends without final_results"
        return
    history.status = "finished"
    placements = _placements_of(result["places"])
    points = result["points"]
    scores = {seat: foreign_number(points[seat], f"the points of {seat}") for seat in points}
    firsts = [seat for seat, place in placements.items() if place == 1]
    winners = " and ".join(f"{seat} ({history.seat(seat).model})" for seat in firsts)
    history.outcome = Outcome(placements, scores, summary=f"{winners or 'Nobody'} wins.")


def _placements_of(ranks: Line) -> dict[str, int]:
    placements = {}
    for seat, rank in ranks.items():
        place = foreign_place(rank, f"the rank of {seat}")
        if place is not None:
            placements[seat] = place
    return placements
