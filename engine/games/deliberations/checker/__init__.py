"""The rules of the island, each held against a finished log: a check yields one sentence for every breach."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from engine.games.deliberations.checker.sight import (
    hearing,
    memory,
    prompts,
    quotes,
    secrecy,
    visibility,
)
from engine.games.deliberations.checker.votes import (
    ballots,
    draws,
    lost_votes,
    narration,
    placements,
    verdicts,
)
from engine.games.deliberations.record import (
    Check,
    Log,
    each,
    ids,
    of_kind,
    phases_of,
    setting,
    told,
    voters,
    writers,
)

NARRATED = {"narration", "result"}
KINDS = {
    "sidebars": ["sidebar"],
    "confessionals": ["confessional"],
    "pitches": ["narration", "pitch"],
    "votes": ["vote", "result"],
}


def rounds(log: Log) -> Iterator[str]:
    """Check that there are "rounds 1 to N - 2" and "round N - 1", the final, with all their events."""
    last = len(log["players"]) - 1
    played = [(one["round_index"], one["final_round"]) for one in log["rounds"]]
    if log["status"] != "finished":
        yield f"expected a finished game: it is {log['status']}"
    if played != [(number, number == last) for number in range(1, last + 1)]:
        yield f"expected rounds 1 to {last}, the last one the final: got {played}"
    indices = [event["index"] for one in log["rounds"] for event in one["events"]]
    if indices != [*range(len(indices))]:
        yield f"expected events numbered from 0 to {len(indices) - 1}: got {indices}"


def roster(log: Log) -> Iterator[str]:
    """Check that a round begins with those whom none before it eliminated, and keeps its lists as they were then."""
    active, eliminated = ids(log), list[str]()
    for one in log["rounds"]:
        found = one["active_player_ids"], one["eliminated_player_ids"]
        if found != (active, eliminated):
            yield f"round {one['round_index']}: expected {active} in the game and {eliminated} out of it: got {found}"
        for result in of_kind(one, "result"):
            eliminated = [*eliminated, result["data"].get("selected", "")]
            active = [player_id for player_id in active if player_id not in eliminated]


def phases(log: Log) -> Iterator[str]:
    """Check that the phases of a round are those of the settings, in their order."""
    for one in log["rounds"]:
        expected = [kind for name in phases_of(log, one["round_index"]) for kind in KINDS[name]]
        expected = [kind for kind in expected if kind != "vote" or voters(one)]
        expected += ["summary"] if writers(log, one) else []
        found = [kind for kind, _ in groupby(event["kind"] for event in told(one))]
        if found != expected:
            yield f"round {one['round_index']}: expected {', '.join(expected)}: got {', '.join(found)}"


def authors(log: Log) -> Iterator[str]:
    """Check that what a player says is told as that player's, and that only the game narrates."""
    for one in log["rounds"]:
        for event in one["events"]:
            narrated = event["kind"] in NARRATED
            role = "narrator" if narrated else f"player {event['player_id']}"
            if event["role"] != role or narrated != (event["player_id"] is None):
                yield f"event {event['index']}: expected a {event['kind']} of the {role}: got {event['role']}"


def asked(kind: str) -> Check:
    """Return the check that, if a round has events of `kind`, each who is to be asked was, once, and nobody else."""

    def check(log: Log) -> Iterator[str]:
        for one in log["rounds"]:
            due = {"vote": voters(one), "summary": writers(log, one)}.get(
                kind, one["active_player_ids"]
            )
            found = [str(event["player_id"]) for event in of_kind(one, kind)]
            if found and sorted(found) != sorted(due):
                yield f"round {one['round_index']}: expected one {kind} of each of {due}: got those of {found}"

    return check


def sidebars(log: Log) -> Iterator[str]:
    """Check that each active player takes partners aside as often as set, and that a pair speaks in turn, as set."""
    for one in log["rounds"]:
        events, active = of_kind(one, "sidebar"), sorted(one["active_player_ids"])
        begun = [str(event["player_id"]) for event in events if "partner" in event["data"]]
        exchanges = [
            begun[place : place + len(active)] for place in range(0, len(begun), len(active))
        ]
        if events and [sorted(exchange) for exchange in exchanges] != [active] * setting(
            log, "exchanges"
        ):
            yield f"round {one['round_index']}: expected each of {active} to begin sidebars: got {exchanges}"
        due = list[tuple[str | None, str | None]]()
        for event in events:
            if "partner" in event["data"]:
                pair = (event["player_id"], event["data"]["partner"])
                fits, due = not due, [pair, pair[::-1]] * setting(log, "messages")
                due = due[: setting(log, "messages") if event["data"]["partner"] else 0]
            else:
                fits, due = due[:1] == [(event["player_id"], event["data"].get("to"))], due[1:]
            if not fits:
                yield f"event {event['index']}: expected two players to speak in turn: got {event['content']!r}"


def words(log: Log) -> Iterator[str]:
    """Check that nobody says more words than the settings allow."""
    limits = {
        "pitch": "words",
        "sidebar": "private_words",
        "confessional": "private_words",
        "summary": "summary_words",
    }
    for kind, name in limits.items():
        for _, event in each(log, kind):
            if len(event["content"].split()) > setting(log, name) and not event["data"].get(
                "partner"
            ):
                yield f"event {event['index']}: expected at most {setting(log, name)} words: got {event['content']!r}"


CHECKS: Mapping[str, Check] = {
    "rounds": rounds,
    "roster": roster,
    "phases": phases,
    "authors": authors,
    "sidebars": sidebars,
    "confessionals": asked("confessional"),
    "pitches": asked("pitch"),
    "voters": asked("vote"),
    "summaries": asked("summary"),
    "ballots": ballots,
    "lost votes": lost_votes,
    "verdicts": verdicts,
    "draws": draws,
    "narration": narration,
    "words": words,
    "placements": placements,
    "visibility": visibility,
    "prompts": prompts,
    "hearing": hearing,
    "secrecy": secrecy,
    "quotes": quotes,
    "memory": memory,
}
