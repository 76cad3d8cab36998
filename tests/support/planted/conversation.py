"""Faults planted in the log of a fair conversation, each with the rule it breaks."""

from collections.abc import Iterator

from tests.support.planted.conversation_secrets import PLANTED_SECRETS, asked, seat, setup_of
from tests.support.planted.log import (
    Log,
    Plant,
    answers_counted_twice,
    ended_early,
    events,
    events_of_two_games,
    first,
    give,
    setup_shown_to_all,
    summary_with_an_appendix,
)


def turns(log: Log) -> Iterator[tuple[dict[str, str], Log]]:
    """Yield the proposals in each turn, by player, and the resulting speech or pause."""
    for one in log["rounds"]:
        proposed = {
            event["player_id"]: event["data"]["item"]
            for event in one["events"]
            if event["kind"] == "proposal" and event["data"]["item"] is not None
        }
        yield proposed, one["events"][-1]


def importance_changed(log: Log) -> None:
    first(log, "setup")["data"]["bank"][0]["importance"] += 0.001


def favourites_swapped(log: Log) -> None:
    ranking = first(log, "setup")["data"]["ranking"]
    ranking[:2] = ranking[1::-1]


def coin_ignored(log: Log) -> None:
    """The last speaker wins the coin toss, but another proposer speaks."""
    last = None
    for proposed, result in turns(log):
        others = [player for player in proposed if player != last]
        if result["player_id"] == last in proposed and len(others) > 1:
            give(result, others[0], data=result["data"] | {"item": proposed[others[0]]})
            return
        last = result["player_id"] or last
    raise AssertionError("no coin decided")


def draw_rigged(log: Log) -> None:
    """In the first turn no player has spoken yet, so the draw is among all proposers."""
    proposed, speech = next(turns(log))
    other = next(player for player in proposed if player != speech["player_id"])
    give(speech, other, data=speech["data"] | {"item": proposed[other]})


def pause_though_somebody_proposed(log: Log) -> None:
    speech = log["rounds"][3]["events"][-1]
    speech.update(kind="pause", player_id=None, role="narrator", data={}, content="Pause 1 of 3.")


def item_of_another_bank(log: Log) -> None:
    own = [event for event in events(log, "proposal") if event["player_id"] == seat(log, 0)]
    own[0]["data"]["item"] = setup_of(log, seat(log, 1))["data"]["bank"][0]["id"]


def another_item_spoken(log: Log) -> None:
    speech = first(log, "speech")
    bank = setup_of(log, speech["player_id"])["data"]["bank"]
    others = [item["id"] for item in bank if item["id"] != speech["data"]["item"]]
    speech["data"]["item"] = others[0]


def answer_misread(log: Log) -> None:
    spoken = [event for event in events(log, "proposal") if event["data"]["item"]]
    proposal = next(event for event in spoken if event["attempts"])
    proposal["attempts"][-1]["text"] = '{"rationale": "", "item": "something else"}'


def fallback_that_speaks(log: Log) -> None:
    proposal = next(event for event in events(log, "proposal") if event["fell_back"])
    proposal["data"]["item"] = setup_of(log, proposal["player_id"])["data"]["bank"][0]["id"]


def repeats(log: Log) -> Iterator[Log]:
    spoken = set()
    for speech in events(log, "speech"):
        if speech["data"]["item"] in spoken:
            yield speech
        spoken.add(speech["data"]["item"])


def repeat_paid_its_importance(log: Log) -> None:
    next(repeats(log))["data"]["score"]["importance"] = 0.5


def neighbours_forgotten(log: Log) -> None:
    """A turn that also raises the coherence of earlier items is credited only for its own."""
    speech = next(one for one in events(log, "speech") if one["data"]["score"]["coherence"] >= 2)
    speech["data"]["score"]["coherence"] = 1.0


def bonus_by_ranks_from_zero(log: Log) -> None:
    first(log, "speech")["data"]["private"] += 1 / 6


def turn_not_counted(log: Log) -> None:
    log["outcome"]["figures"][first(log, "speech")["player_id"]]["spoke"] -= 1


def shared_part_miscounted(log: Log) -> None:
    log["outcome"]["shared"]["coherence"] += 1


def divided_by_turns_played(log: Log) -> None:
    """A game that ends early divides by the turns played, not by the configured L."""
    for name, total in log["outcome"]["scores"].items():
        log["outcome"]["scores"][name] = total * 30 / 29


def bonus_paid_to_another(log: Log) -> None:
    log["outcome"]["figures"][seat(log, 0)]["private"] += 0.5


def last_one_wins(log: Log) -> None:
    places = log["outcome"]["placements"]
    places[max(places, key=places.__getitem__)] = 1


def goes_on_after_the_third_pause(log: Log) -> None:
    for one in log["rounds"][5:8]:
        one["events"][-1].update(kind="pause", player_id=None, role="narrator", data={})


def somebody_not_asked(log: Log) -> None:
    (own,) = [event for event in events(log, "proposal", 5) if event["player_id"] == seat(log, 0)]
    log["rounds"][4]["events"].remove(own)


def prompt_of_another(log: Log) -> None:
    asked(log)["prompt"]["sha256"] = "0" * 64


def asked_after_the_others(log: Log) -> None:
    proposal = asked(log)
    proposal["prompt"]["upto"] = proposal["index"] + 1


def wrong_item_told(log: Log) -> None:
    first(log, "speech")["content"] = "nothing at all"


def ranking_told_wrong(log: Log) -> None:
    setup = first(log, "setup")
    head, mark, listed = setup["content"].rpartition(": ")
    setup["content"] = head + mark + ", ".join(listed.rstrip(".").split(", ")[::-1])


def silence_told_as_an_item(log: Log) -> None:
    proposal = next(event for event in events(log, "proposal") if not event["data"]["item"])
    proposal["content"] = "would speak of bread"


def told_as_the_narrators(log: Log) -> None:
    first(log, "speech")["role"] = "narrator"


def last_turn_not_marked(log: Log) -> None:
    log["rounds"][-1]["final_round"] = False


def another_speaker_in_the_heading(log: Log) -> None:
    speech = first(log, "speech")
    names = [one["player_id"] for one in log["players"]]
    names.remove(speech["player_id"])
    speech["heading"] = f"{names[0]} speaks"


def summary_names_another(log: Log) -> None:
    places = log["outcome"]["placements"]
    winner = next(name for name, place in places.items() if place == 1)
    other = next(name for name, place in places.items() if place != 1)
    log["outcome"]["summary"] = log["outcome"]["summary"].replace(winner, other)


def summary_with(part: str, more: str) -> Plant:
    """Return a fault that replaces a part of the summary."""

    def summary_changed(log: Log) -> None:
        assert part in log["outcome"]["summary"]
        log["outcome"]["summary"] = log["outcome"]["summary"].replace(part, more)

    return summary_changed


PLANTED: list[tuple[Plant, str, str]] = [
    (importance_changed, "deal", "event 0: expected the dealt item"),
    (favourites_swapped, "deal", "event 0: expected the dealt ranking"),
    (coin_ignored, "speakers", "by the last speaker's coin, 0."),
    (draw_rigged, "speakers", "in turn 1, drawn among those who spoke least"),
    (pause_though_somebody_proposed, "speakers", "got a pause"),
    (item_of_another_bank, "proposals", "an item of its own bank: got 'Ben: "),
    (another_item_spoken, "speeches", "to speak of its proposal"),
    (answer_misread, "answers", "the item that was answered"),
    (fallback_that_speaks, "answers", "silence without an answer"),
    (repeat_paid_its_importance, "points", "expected 0 points of importance in turn"),
    (neighbours_forgotten, "points", "points of coherence in turn"),
    (bonus_by_ranks_from_zero, "private bonuses", "a private bonus of"),
    (turn_not_counted, "contributions", "to have spoken"),
    (shared_part_miscounted, "shared score", "points of coherence for all"),
    (divided_by_turns_played, "totals", "expected the score"),
    (bonus_paid_to_another, "totals", "expected the private sum"),
    (last_one_wins, "places", "expected place"),
    (ended_early, "end", "expected 30 turns, or 3 pauses in a row: got 29"),
    (goes_on_after_the_third_pause, "end", "the end after 3 pauses in a row: got a turn 9"),
    (somebody_not_asked, "turns", "round 5: expected one proposal of each"),
    (last_turn_not_marked, "turns", "round 30: expected final_round True"),
    (setup_shown_to_all, "visibility", "event 0: expected a setup that ['Ada'] see"),
    (prompt_of_another, "prompts", "Ada to read what it may see"),
    (asked_after_the_others, "hearing", "Ada to be asked before event"),
    (wrong_item_told, "telling", "got 'nothing at all'"),
    (ranking_told_wrong, "telling", "event 0: expected the ranking"),
    (silence_told_as_an_item, "telling", "silence to be told"),
    (told_as_the_narrators, "authors", "expected the speech to be of the player"),
    (events_of_two_games, "rounds", "expected events numbered from 0"),
    (answers_counted_twice, "usage", "questions: got"),
    (another_speaker_in_the_heading, "", ""),
    (summary_names_another, "summary", "to be told: got"),
    (summary_with(": all players", "9: all players"), "summary", "expected the total"),
    (summary_with(" points, and", "9 points, and"), "summary", "expected the shared"),
    (summary_with(" came from", "9 came from"), "summary", "expected the private"),
    (summary_with("over 30", "over 31"), "summary", "expected 30 turns to be told: got 31"),
    (summary_with_an_appendix, "summary", "the summary of a conversation: got"),
    *PLANTED_SECRETS,
]
