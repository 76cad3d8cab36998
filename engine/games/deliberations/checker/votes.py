"""The rules of votes, held against a finished log: ballots, verdicts, draws, what is told of them, the places."""

from collections.abc import Iterator

from engine.games.deliberations.record import (
    Log,
    Round,
    candidates,
    each,
    ids,
    of_kind,
    setting,
    voters,
    writers,
)
from engine.rng import stream

MARKS = str.maketrans(dict.fromkeys("[]{}()<>\"'`*.,:\\", " "))


def ballots(log: Log) -> Iterator[str]:
    """Check that a vote names another active player, out of all of them, and that only who fell back abstains."""
    for one, event in each(log, "vote"):
        vote, legal = event["data"].get("vote"), candidates(one, event["player_id"])
        if vote is not None and vote not in legal:
            yield f"event {event['index']}: expected a vote for one of {legal}: got {vote!r}"
        if sorted(event["data"].get("candidates", [])) != sorted(legal):
            yield f"event {event['index']}: expected the candidates {legal}: got {event['data'].get('candidates')}"
        if (vote is None) != event["fell_back"]:
            yield f"event {event['index']}: expected an abstention if and only if no legal name came: got {vote!r}"
        aim = "for" if one["final_round"] else "to eliminate"
        if not event["content"].startswith(
            f"votes {aim} {vote}" if vote else "gives no valid vote"
        ):
            yield f"event {event['index']}: expected the voter to be told its vote, {vote!r}: got {event['content']!r}"


def lost_votes(log: Log) -> Iterator[str]:
    """Check that each ballot counts for whom it names, in whatever brackets, quotes or letters it stands."""
    for one, event in each(log, "vote"):
        named = {bare(player_id): player_id for player_id in candidates(one, event["player_id"])}
        ballots = [
            bare(attempt["text"].rpartition('"vote"')[2].partition('",')[0])
            for attempt in event["attempts"]
        ]
        vote = event["data"].get("vote")
        if vote is not None and ballots and not event["fell_back"] and ballots[-1] != bare(vote):
            yield f"event {event['index']}: expected the vote to be that of the ballot, {ballots[-1]!r}: got {vote!r}"
        for attempt, ballot in zip(event["attempts"], ballots, strict=True):
            if vote is None and "}" in attempt["text"] and ballot in named:
                yield f"event {event['index']}: expected the vote for {named[ballot]} to count: got an abstention"


def bare(text: str) -> str:
    """Return what a name is without marks, case and the word "player" before it."""
    words = text.translate(MARKS).casefold().split()
    return " ".join(words[1:] if words[:1] == ["player"] and len(words) > 1 else words)


def verdicts(log: Log) -> Iterator[str]:
    """Check that "the player with most votes is elminated" or "wins the game", by all ballots and nothing else."""
    for one in log["rounds"]:
        tally = count(
            one["active_player_ids"], [event["data"].get("vote") for event in of_kind(one, "vote")]
        )
        results = [event["data"] for event in of_kind(one, "result")]
        if [result.get("tally") for result in results] != [tally]:
            yield f"round {one['round_index']}: expected one result, with the tally {tally}: got {results}"
        for result in results:
            if tally.get(result.get("selected", "")) != max(tally.values()):
                yield f"round {one['round_index']}: expected one with most votes of {tally}: got {result}"


def count(active: list[str], votes: list[str | None]) -> dict[str, int]:
    """Return the votes of each active player."""
    return {player_id: votes.count(player_id) for player_id in active}


def draws(log: Log) -> Iterator[str]:
    """Check that "permute the active players", "permute the eliminated players", "at random" is as the seed draws."""
    for one in log["rounds"]:
        for what, found, pool, labels in drawn(log, one):
            rng = stream(log["seed"], "round", one["round_index"], *labels)
            expected = (
                rng.sample(pool, len(pool)) if labels[0] == "permuted" else [rng.choice(pool)]
            )
            if found and found != expected:
                yield f"round {one['round_index']}: expected {what}, as the seed draws, to be {expected}: got {found}"


def drawn(
    log: Log, one: Round
) -> Iterator[tuple[str, list[str], list[str], tuple[str | int, ...]]]:
    """Yield each draw of a round: what it is, what came of it, what it was drawn from, and its stream's labels."""
    active = one["active_player_ids"]
    pools = {
        "pitch": active,
        "vote": voters(one),
        "confessional": active,
        "summary": writers(log, one),
    }
    streams = {
        "pitch": "pitches",
        "vote": "votes",
        "confessional": "confessionals",
        "summary": "summaries",
    }
    for kind, label in streams.items():
        found = [str(event["player_id"]) for event in of_kind(one, kind)]
        yield f"the order of each {kind}", found, pools[kind], ("permuted", label)
    for event in of_kind(one, "vote"):
        voter = str(event["player_id"])
        pool, labels = candidates(one, voter), ("permuted", "candidates", voter)
        yield f"the candidates of {voter}", event["data"].get("candidates", []), pool, labels
    begun = [event for event in of_kind(one, "sidebar") if "partner" in event["data"]]
    for exchange in range(len(begun) // max(1, len(active))):
        picks = begun[exchange * len(active) :][: len(active)]
        order = [str(event["player_id"]) for event in picks]
        yield "the order of the sidebars", order, active, ("permuted", "sidebars", exchange + 1)
        for player_id, event in zip(order, picks, strict=True):
            pool, offered = candidates(one, player_id), event["data"].get("candidates", [])
            yield (
                f"the partners of {player_id}",
                offered,
                pool,
                ("permuted", "partners", exchange + 1, player_id),
            )
    tally = count(active, [event["data"].get("vote") for event in of_kind(one, "vote")])
    tied = [player_id for player_id in active if tally[player_id] == max(tally.values())]
    for event in of_kind(one, "result"):
        yield "who is selected", [event["data"].get("selected", "")], tied, ("tie",)


def narration(log: Log) -> Iterator[str]:
    """Check that all are told the order of the pitches, and who leaves or wins with how many votes, and no more."""
    for one, event in each(log, "narration"):
        order = [str(pitch["player_id"]) for pitch in of_kind(one, "pitch")]
        title = f"Round {one['round_index']}{', the final' if one['final_round'] else ''}"
        sentence = f"{title}. The pitches, in this order: {', '.join(order)}."
        if (event["data"].get("order"), event["content"]) != (order, sentence):
            yield f"event {event['index']}: expected {sentence!r}: got {event['content']!r}"
    for one, event in each(log, "result"):
        selected, tally = event["data"].get("selected", ""), event["data"].get("tally", {})
        got = tally.get(selected, 0)
        fate = "wins the game" if one["final_round"] else "is eliminated"
        sentence = f"{selected} {fate} with {got} vote{'s' * (got != 1)}."
        if setting(log, "reveal_tally"):
            ranked = sorted(tally, key=tally.__getitem__, reverse=True)
            sentence += f" The votes: {', '.join(f'{player_id} {tally[player_id]}' for player_id in ranked)}."
        if event["content"] != sentence:
            yield f"event {event['index']}: expected {sentence!r}: got {event['content']!r}"


def placements(log: Log) -> Iterator[str]:
    """Check that the places are winner, runner-up, then those eliminated, last to first, and that the figures fit."""
    results = [(one, event["data"]) for one, event in each(log, "result")]
    ranked = [data.get("selected", "") for _, data in reversed(results)]
    final = log["rounds"][-1]["active_player_ids"]
    ranked[1:1] = [player_id for player_id in final if player_id not in ranked]
    places = {player_id: place for place, player_id in enumerate(ranked, 1)}
    outcome = log["outcome"] or {"placements": {}, "figures": {}}
    if outcome["placements"] != places:
        yield f"expected the places {places}: got {outcome['placements']}"
    figures = {player_id: dict[str, float]() for player_id in ids(log)}
    for one, data in results:
        if not one["final_round"]:
            figures.get(data.get("selected", ""), {})["left in round"] = one["round_index"]
        for player_id, votes in data.get("tally", {}).items():
            figures.get(player_id, {})[f"votes {one['round_index']}"] = votes
    if outcome["figures"] != figures:
        yield f"expected the figures {figures}: got {outcome['figures']}"
