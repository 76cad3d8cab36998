"""What the game itself says, checked on a log: heads of rounds, orders of pitches, results."""

from collections.abc import Iterator, Mapping

from engine.history import History, RoundLog, payload_of
from engine.history.social import Decision, SpeakingOrder
from tests.oracles.deliberations.reading import (
    has_vote,
    phases_in,
    rounds_due,
    setting_in,
)
from tests.oracles.deliberations.ties import among_due, counts_due, immune_in, lot_pool, steps_due
from tests.oracles.reading import breach_at, breach_in, each_event, events_of


def check_narration(history: History) -> Iterator[str]:
    """Check that heads of rounds, orders of pitches and results are announced, and nothing more."""
    for log in history.rounds:
        due = narrations_due(history, log)
        found = [event.content for event in events_of(log, "narration")]
        if found != due:
            yield breach_in(log, f"the narrations {due}: got {found}")
        yield from check_order(log)

    for log, event in each_event(history, "result"):
        sentence = announcement_due(history, log, payload_of(event, Decision))
        if event.content != sentence:
            yield breach_at(event, f"{sentence!r}: got {event.content!r}")


def narrations_due(history: History, log: RoundLog) -> list[str]:
    """Return what the game must say at the head of a round, of immunity, and before its pitches."""
    due = [head_due(history, log)]
    for phase in phases_in(history, log.round_index):
        if phase == "immunity" and not log.final_round:
            immune = ", ".join(immune_in(log))
            due.append(f"Drawn at random: {immune} cannot be voted out in this round.")
        if phase == "pitches":
            due.append(opening_due(log))
    return due


def opening_due(log: RoundLog) -> str:
    """Return what the game must say before the pitches of a round."""
    order = ", ".join([str(pitch.player_id) for pitch in events_of(log, "pitch")])
    final = ", the final" if log.final_round else ""
    return f"Round {log.round_index}{final}. The pitches, in this order: {order}."


def head_due(history: History, log: RoundLog) -> str:
    """Return what the game must say at the head of a round: who is in, and who left when."""
    title = f"Round {log.round_index} of {rounds_due(history)}"
    title += ", the final" * log.final_round + ", without a vote" * (not has_vote(history, log))
    head = f"{title}. In the game: {', '.join(log.active_player_ids)}."
    out = ", ".join(leavers_due(history, log))
    return f"{head} Out: {out}." if out else head


def leavers_due(history: History, log: RoundLog) -> list[str]:
    """Return who left before a round, and when, as its head must say it."""
    past = log.round_index - 1
    found = []
    for earlier in history.rounds[:past]:
        for result in events_of(earlier, "result"):
            found.append(f"{payload_of(result, Decision).selected} (round {earlier.round_index})")
    return found


def check_order(log: RoundLog) -> Iterator[str]:
    """Check that the announced order is the order of the round's pitches."""
    order = [str(pitch.player_id) for pitch in events_of(log, "pitch")]
    for event in events_of(log, "narration"):
        if "order" not in event.data:
            continue
        announced = [*payload_of(event, SpeakingOrder).order]
        if announced != order:
            yield breach_at(event, f"the order {order}: got {announced}")


def announcement_due(history: History, log: RoundLog, decision: Decision) -> str:
    """Return how a result must be announced."""
    reveals = setting_in(history, "reveal_tally")
    sentences = steps_due(log, decision)
    if sentences and reveals:
        sentences.insert(1, f"{counts_due(decision.tally)}.")
    sentences.append(f"{way_due(history, log, decision)}{fate_due(log, decision)}")
    if reveals:
        sentences.append(f"{counts_due(last_tally_of(decision))}.")
    return " ".join(sentences)


def way_due(history: History, log: RoundLog, decision: Decision) -> str:
    """Return the words that must say how a player is selected."""
    pool = lot_pool(history, log)
    if len(pool) > 1:
        word = "between" if len(pool) == 2 else "among"
        return f"In a random draw {word} {among_due(pool)}, "
    if decision.against is not None:
        return "By these, "
    return "" if decision.revote is None else "In the revote, "


def last_tally_of(decision: Decision) -> Mapping[str, int]:
    """Return the votes of the last ballot of a round."""
    return decision.tally if decision.revote is None else decision.revote


def fate_due(log: RoundLog, decision: Decision) -> str:
    """Return who must be said to leave or win, and with how many votes of the last ballot."""
    votes = last_tally_of(decision).get(decision.selected, 0)
    plural = "" if votes == 1 else "s"
    fate = "wins the game" if log.final_round else "is eliminated"
    return f"{decision.selected} {fate} with {votes} vote{plural}."
