"""Faults planted in the log of a game with revotes, immunity and last words."""

from tests.support.planted.log import Log, Plant, events, first


def retied(log: Log) -> Log:
    """Return the first result of a tie that stayed one in the revote."""
    return next(event for event in events(log, "result") if "against" in event["data"])


def round_of(log: Log, event: Log) -> Log:
    return next(one for one in log["rounds"] if event in one["events"])


def is_revote(event: Log) -> bool:
    return event["kind"] == "vote" and "revote" in event["data"]


def statement_of_another(log: Log) -> None:
    """Somebody who is not tied speaks in the place of somebody who is."""
    said = first(log, "statement")
    one = round_of(log, said)
    (result,) = events(log, "result", one["round_index"])
    stranger = next(
        name for name in one["active_player_ids"] if name not in result["data"]["revote"]
    )
    said.update(player_id=stranger, role=f"player {stranger}")


def statement_whispered(log: Log) -> None:
    first(log, "statement")["visibility"].pop()


def statement_too_long(log: Log) -> None:
    first(log, "statement")["content"] += " word" * 60


def statements_in_another_order(log: Log) -> None:
    one, other = [*events(log, "statement", 2)][:2]
    names = one["player_id"], other["player_id"]
    for event, name in zip((other, one), names, strict=True):
        event.update(player_id=name, role=f"player {name}")


def tie_without_a_revote(log: Log) -> None:
    """A lot decides at once, though the settings want a revote."""
    one = log["rounds"][1]
    one["events"] = [e for e in one["events"] if e["kind"] != "statement" and not is_revote(e)]


def revote_that_somebody_missed(log: Log) -> None:
    one = log["rounds"][1]
    one["events"].remove(next(event for event in one["events"] if is_revote(event)))


def revote_counted_as_a_first_ballot(log: Log) -> None:
    vote = next(event for event in events(log, "vote", 2) if is_revote(event))
    del vote["data"]["revote"]


def revote_miscounted(log: Log) -> None:
    tally = retied(log)["data"]["revote"]
    tally[next(iter(tally))] += 1


def revote_ignored(log: Log) -> None:
    """Who is tied first, and not in the revote, leaves."""
    (result,) = events(log, "result", 2)
    revote = result["data"]["revote"]
    result["data"]["selected"] = min(revote, key=revote.__getitem__)


def revote_for_somebody_not_tied(log: Log) -> None:
    vote = next(event for event in events(log, "vote", 2) if is_revote(event))
    one = log["rounds"][1]
    stranger = next(
        name for name in one["active_player_ids"] if name not in vote["data"]["candidates"]
    )
    vote["data"]["candidates"].append(stranger)


def revotes_one_after_the_other(log: Log) -> None:
    """The last voter of a revote is asked when the ballots before are told."""
    vote = [event for event in events(log, "vote") if is_revote(event) and event["prompt"]][-1]
    vote["prompt"]["upto"] = vote["index"]


def revote_told_as_a_first_ballot(log: Log) -> None:
    vote = next(event for event in events(log, "vote", 2) if is_revote(event))
    vote["content"] = vote["content"].removeprefix("in the revote ")


def revotes_in_another_order(log: Log) -> None:
    vote = next(event for event in events(log, "vote", 3) if len(event["data"]["candidates"]) > 1)
    vote["data"]["candidates"].reverse()


def ballots_so_far_forgotten(log: Log) -> None:
    """Only the round's own ballots are counted against those who are tied again."""
    against = retied(log)["data"]["against"]
    for name in against:
        against[name] -= 1


def most_against_wins_the_final(log: Log) -> None:
    (result,) = events(log, "result", log["rounds"][-1]["round_index"])
    against = result["data"]["against"]
    result["data"]["selected"] = max(against, key=against.__getitem__)


def steps_left_out(log: Log) -> None:
    result = retied(log)
    _, _, result["content"] = result["content"].rpartition(". ")


def revote_left_out_of_the_figures(log: Log) -> None:
    for figures in log["outcome"]["figures"].values():
        figures.pop("revote 2", None)


def last_words_of_another(log: Log) -> None:
    words = first(log, "last_words")
    stayed = next(name for name in log["rounds"][1]["active_player_ids"])
    words.update(player_id=stayed, role=f"player {stayed}")


def last_words_unheard(log: Log) -> None:
    first(log, "last_words")["visibility"].pop()


def last_words_denied(log: Log) -> None:
    one = log["rounds"][0]
    one["events"] = [event for event in one["events"] if event["kind"] != "last_words"]


def last_words_that_were_thought(log: Log) -> None:
    words = first(log, "last_words", asked=True)
    words["content"] = words["reasoning"]


def immunity_bought(log: Log) -> None:
    """Another player than the seed draws is immune, and all are told so."""
    told = next(event for event in events(log, "narration") if "immune" in event["data"])
    immune = told["data"]["immune"]
    other = next(name for name in log["rounds"][0]["active_player_ids"] if name != immune)
    told["data"]["immune"] = other
    told["content"] = told["content"].replace(immune, other)


def immunity_of_nobody(log: Log) -> None:
    told = next(event for event in events(log, "narration", 2) if "immune" in event["data"])
    told["data"]["immune"] = log["rounds"][1]["eliminated_player_ids"][0]


def immunity_kept_from_all(log: Log) -> None:
    one = log["rounds"][0]
    one["events"] = [event for event in one["events"] if "immune" not in event["data"]]


def immune_player_voted_for(log: Log) -> None:
    told = next(event for event in events(log, "narration") if "immune" in event["data"])
    vote = next(
        event
        for event in events(log, "vote", 1)
        if event["player_id"] != told["data"]["immune"] and event["data"]["vote"]
    )
    vote["data"]["candidates"].append(told["data"]["immune"])


PLANTED_TIES: list[tuple[Plant, str]] = [
    (statement_of_another, "statements"),
    (statement_whispered, "visibility"),
    (statement_too_long, "words"),
    (statements_in_another_order, "draws"),
    (tie_without_a_revote, "phases"),
    (tie_without_a_revote, "revotes"),
    (revote_that_somebody_missed, "revotes"),
    (revote_counted_as_a_first_ballot, "voters"),
    (revote_miscounted, "revotes"),
    (revote_ignored, "revotes"),
    (revote_ignored, "draws"),
    (revote_for_somebody_not_tied, "ballots"),
    (revotes_one_after_the_other, "hearing"),
    (revote_told_as_a_first_ballot, "ballots"),
    (revotes_in_another_order, "draws"),
    (ballots_so_far_forgotten, "revotes"),
    (most_against_wins_the_final, "revotes"),
    (steps_left_out, "narration"),
    (revote_left_out_of_the_figures, "placements"),
    (last_words_of_another, "last words"),
    (last_words_unheard, "visibility"),
    (last_words_denied, "phases"),
    (last_words_that_were_thought, "quotes"),
    (immunity_bought, "draws"),
    (immunity_of_nobody, "immunity"),
    (immunity_kept_from_all, "immunity"),
    (immune_player_voted_for, "ballots"),
]
