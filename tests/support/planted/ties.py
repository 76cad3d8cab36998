"""Faults planted in the log of a game with revotes, immunity and last words."""

from tests.support.planted.log import Log, Plant, events, first, first_with, give


def retied(log: Log) -> Log:
    """Return the first result of a tie that was still a tie after the revote."""
    return first_with(log, "result", "against")


def round_of(log: Log, event: Log) -> Log:
    return next(one for one in log["rounds"] if event in one["events"])


def is_revote(event: Log) -> bool:
    return event["kind"] == "vote" and "revote" in event["data"]


def statement_of_another(log: Log) -> None:
    """A player that is not tied speaks in place of one that is."""
    said = first(log, "statement")
    one = round_of(log, said)
    (result,) = events(log, "result", one["round_index"])
    tied = result["data"]["revote"]
    give(said, next(name for name in one["active_player_ids"] if name not in tied))


def statements_in_another_order(log: Log) -> None:
    one, other = [*events(log, "statement", 2)][:2]
    name = one["player_id"]
    give(one, other["player_id"])
    give(other, name)


def tie_without_a_revote(log: Log) -> None:
    """A random draw decides at once, although the settings require a revote."""
    one = log["rounds"][1]
    one["events"] = [e for e in one["events"] if e["kind"] != "statement" and not is_revote(e)]


def revote_miscounted(log: Log) -> None:
    tally = retied(log)["data"]["revote"]
    tally[next(iter(tally))] += 1


def revote_ignored(log: Log) -> None:
    """A player leaves that was tied at first, but not in the revote."""
    (result,) = events(log, "result", 2)
    revote = result["data"]["revote"]
    result["data"]["selected"] = min(revote, key=revote.__getitem__)


def revote_told_as_a_first_ballot(log: Log) -> None:
    vote = first_with(log, "vote", "revote", 2)
    vote["content"] = vote["content"].removeprefix("in the revote ")


def ballots_so_far_forgotten(log: Log) -> None:
    """Only this round's ballots are counted against players that are tied again."""
    against = retied(log)["data"]["against"]
    for name in against:
        against[name] -= 1


def last_words_of_another(log: Log) -> None:
    give(first(log, "last_words"), log["rounds"][1]["active_player_ids"][0])


def immunity_bought(log: Log) -> None:
    """A different player from the one the seed draws is immune, and all are told so."""
    told = first_with(log, "narration", "immune")
    immune = told["data"]["immune"]
    other = next(name for name in log["rounds"][0]["active_player_ids"] if name != immune)
    told["data"]["immune"] = other
    told["content"] = told["content"].replace(immune, other)


def immunity_of_nobody(log: Log) -> None:
    gone = log["rounds"][1]["eliminated_player_ids"][0]
    first_with(log, "narration", "immune", 2)["data"]["immune"] = gone


def immunity_kept_from_all(log: Log) -> None:
    one = log["rounds"][0]
    one["events"] = [event for event in one["events"] if "immune" not in event["data"]]


PLANTED_TIES: list[tuple[Plant, str]] = [
    (statement_of_another, "statements"),
    (statements_in_another_order, "draws"),
    (tie_without_a_revote, "revotes"),
    (revote_miscounted, "revotes"),
    (revote_ignored, "revotes"),
    (revote_ignored, "draws"),
    (revote_told_as_a_first_ballot, "ballots"),
    (ballots_so_far_forgotten, "revotes"),
    (last_words_of_another, "last words"),
    (immunity_bought, "draws"),
    (immunity_of_nobody, "immunity"),
    (immunity_kept_from_all, "immunity"),
]
