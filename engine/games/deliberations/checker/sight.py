"""The rules of sight, held against a finished log: who sees what, who has heard whom, what stays private for ever."""

from bisect import bisect_left
from collections.abc import Iterator

from engine.games.deliberations.record import Event, Log, each, ids, of_kind, told

AT_ONCE = {"vote", "confessional", "summary"}
SPOKEN = {"pitch", "sidebar", "confessional", "summary"}
SILENT = "(says nothing)"
TELLING = 12


def visibility(log: Log) -> Iterator[str]:
    """Check that all see pitches ("also visible to elminated players") and results, and that only who may sees more."""
    for one in log["rounds"]:
        for event in one["events"]:
            expected = seers(log, event)
            if sorted(event["visibility"]) != sorted(expected):
                seen = event["visibility"]
                yield f"event {event['index']}: expected a {event['kind']} that {expected} see: {seen} see it"


def seers(log: Log, event: Event) -> list[str]:
    """Return who may see an event."""
    own = str(event["player_id"])
    if event["kind"] == "fault":
        return []
    if event["kind"] == "sidebar":
        other = event["data"].get("partner") or event["data"].get("to")
        return [own, other] if other else [own]
    return [own] if event["kind"] in AT_ONCE else ids(log)


def prompts(log: Log) -> Iterator[str]:
    """Check that each model and person read, letter by letter, what it may see, and then the question."""
    readers = {seat["player_id"] for seat in log["players"] if seat["provider"] != "scripted"}
    for one in log["rounds"]:
        for event in told(one):
            read, may_see = (
                (event["prompt"] or {}).get("sha256"),
                log["prompts"].get(event["index"]),
            )
            if event["player_id"] in readers and (may_see is None or read != may_see["sha256"]):
                yield f"event {event['index']}: expected {event['player_id']} to read what it may see: it did not"


def hearing(log: Log) -> Iterator[str]:
    """Check that who speaks in turn has heard all before, and who is asked at once with others none of them."""
    indices = [event["index"] for one in log["rounds"] for event in told(one)]
    for one in log["rounds"]:
        for event in told(one):
            if not event["prompt"] or "partner" in event["data"]:
                continue
            since = of_kind(one, event["kind"])[0] if event["kind"] in AT_ONCE else event
            if bisect_left(indices, event["prompt"]["upto"]) != indices.index(since["index"]):
                yield (
                    f"event {event['index']}: expected {event['player_id']} to be asked when all before event "
                    f"{since['index']} was told, and nothing else: it was asked before event {event['prompt']['upto']}"
                )


def secrecy(log: Log) -> Iterator[str]:
    """Check that no question holds what others said in private, what anybody reasoned, or why anybody voted."""
    secrets = [
        secret for one in log["rounds"] for event in told(one) for secret in kept_by(log, event)
    ]
    for event in asked(log):
        prompt = log["prompts"][event["index"]]
        for owner, text, readers in secrets:
            if event["player_id"] not in readers and text in prompt["system"] + prompt["question"]:
                yield f"event {event['index']}: expected {event['player_id']} not to be told of event {owner}: {text!r}"


def kept_by(log: Log, event: Event) -> Iterator[tuple[int, str, list[str]]]:
    """Yield what an event keeps private, and from whom not, but for words that its player took from its own prompt."""
    prompt = log["prompts"].get(event["index"])
    read = prompt["system"] + prompt["transcript"] + prompt["question"] if prompt else ""
    readers = seers(log, event)
    said = event["content"].partition(": ")[2] if event["kind"] == "vote" else event["content"]
    for text, by in ((said, readers), (event["reasoning"], [])):
        if len(text) >= TELLING and text not in read and len(by) < len(ids(log)):
            yield event["index"], text, by


def quotes(log: Log) -> Iterator[str]:
    """Check that what is told of a player is what it answered, and nothing else, such as its reasoning."""
    for kind in SPOKEN:
        for _, event in each(log, kind):
            if not event["attempts"] or event["fell_back"] or "partner" in event["data"]:
                continue
            answered = " ".join(event["attempts"][-1]["text"].split())
            plain = answered.isascii() and answered.isprintable() and "\\" not in answered
            if plain and event["content"] != SILENT and event["content"] not in answered:
                yield f"event {event['index']}: expected what was answered, {answered!r}: got {event['content']!r}"


def memory(log: Log) -> Iterator[str]:
    """Check that a summary replaces its own round, up to itself, in its author's memory, and that nothing else does."""
    for one in log["rounds"]:
        for event in told(one):
            whole = [one["events"][0]["index"], event["index"] - 1]
            expected = whole if event["kind"] == "summary" and event["content"] != SILENT else None
            found = event["data"].get("replaces")
            if found != expected:
                yield f"event {event['index']}: expected it to replace {expected} in its author's memory: got {found}"


def asked(log: Log) -> Iterator[Event]:
    """Yield the events whose player read a prompt."""
    for one in log["rounds"]:
        yield from (event for event in one["events"] if event["index"] in log["prompts"])
