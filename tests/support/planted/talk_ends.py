"""Faults planted in the ending of a talk and its report, each with the rule it breaks."""

from tests.support.planted.log import Log, Plant, ended_early, last, summary_with_an_appendix


def stopped_for_another_reason(log: Log) -> None:
    reasons = ["repetitive", "consensus", "convergence", "max_reached"]
    stop = last(log, "stop")["data"]
    stop["reason"] = next(reason for reason in reasons if reason != stop["reason"])


def stop_with_other_criteria(log: Log) -> None:
    last(log, "stop")["data"]["novelty"] += 0.1


def other_figures_told(log: Log) -> None:
    stop = last(log, "stop")
    stop["content"] = stop["content"].replace(str(stop["data"]["exchanges"]), "99")


def words_miscounted(log: Log) -> None:
    figures = log["outcome"]["figures"]
    figures[next(iter(figures))]["words"] += 1


def quality_raised(log: Log) -> None:
    log["outcome"]["shared"]["quality"] += 5


def one_winner(log: Log) -> None:
    places = log["outcome"]["placements"]
    places[next(iter(places))] = 2


def stop_with_an_appendix(log: Log) -> None:
    last(log, "stop")["content"] += " Ada won."


PLANTED_ENDS: list[tuple[Plant, str, str]] = [
    (stopped_for_another_reason, "stop", "expected the stops"),
    (ended_early, "stop", "expected no end after turn"),
    (stop_with_other_criteria, "telling", "of the last check"),
    (other_figures_told, "end", "to be told"),
    (words_miscounted, "participants", "outcome: expected words"),
    (quality_raised, "quality", "outcome: expected quality"),
    (one_winner, "quality", "outcome: expected"),
    (summary_with_an_appendix, "summary", "Ada won."),
    (stop_with_an_appendix, "summary", "Ada won."),
]
