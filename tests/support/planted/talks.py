"""Faults planted in the log of a fair talk, each with the rule it breaks."""

from tests.support.planted.log import (
    Log,
    Plant,
    answers_counted_twice,
    events,
    events_of_two_games,
    first,
    first_answered,
    last,
    setup_shown_to_all,
    show_to_all,
)
from tests.support.planted.talk_ends import PLANTED_ENDS


def selection(log: Log, turn: int) -> Log:
    return first(log, "selection", turn)


def wishes_in(log: Log, *turns: int) -> list[Log]:
    """Return what the people wished in these turns, or in all."""
    chosen = [event for turn in turns or (None,) for event in events(log, "selection", turn)]
    return [wish for event in chosen for wish in event["data"]["wishes"].values()]


def first_labels(log: Log) -> list[str]:
    said = [event["data"]["aspects"] for event in events(log, "utterance")]
    return next(labels for labels in said if labels)


def of_three(log: Log, name: str) -> str:
    return next(str(seat["player_id"]) for seat in log["players"] if seat["player_id"] != name)


def urgency_raised(log: Log) -> None:
    wishes_in(log, 3)[0]["urgency"] += 0.01


def addressed_one_forgotten(log: Log) -> None:
    next(wish for wish in wishes_in(log, 2, 3, 4) if wish["addressed"])["addressed"] = False


def wait_for_an_answer_forgotten(log: Log) -> None:
    next(wish for wish in wishes_in(log, 2, 3, 4) if wish.get("owes_answer"))["owes_answer"] = 0


def silence_overlooked(log: Log) -> None:
    wish = wishes_in(log)[-1]
    wish["unheard"] = not wish.get("unheard", False)


def lower_score_speaks(log: Log) -> None:
    data = selection(log, 1)["data"]
    data["speaker"] = min(data["wishes"], key=lambda name: data["wishes"][name]["score"])


def payoff_raised(log: Log) -> None:
    selection(log, 4)["data"]["payoffs"]["SUPPORT"] += 0.05


def damper_left_out(log: Log) -> None:
    data = selection(log, 5)["data"]
    data["adjusted"] = dict(data["payoffs"])


def orbit_denied(log: Log) -> None:
    data = selection(log, 5)["data"]
    data["orbit"] = not data["orbit"]


def concluded_too_early(log: Log) -> None:
    selection(log, 2)["data"]["move"] = "CONCLUDE"


def chances_moved(log: Log) -> None:
    selection(log, 3)["data"]["chances"]["DEEPEN"] += 0.01


def chance_of_an_illegal_move(log: Log) -> None:
    selection(log, 1)["data"]["chances"]["SUPPORT"] = 0.0


def warning_left_out(log: Log) -> None:
    data = selection(log, 4)["data"]
    data["stale"] = not data.get("stale", False)


def move_towards_another(log: Log) -> None:
    chosen = [event["data"] for event in events(log, "selection") if event["data"]["target"]]
    data = next(data for data in chosen if data["move"] != "DEEPEN")
    data["target"] = data["speaker"]


def intensity_of_another(log: Log) -> None:
    selection(log, 2)["data"]["intensity"] += 0.1


def another_move_made(log: Log) -> None:
    first(log, "utterance", 3)["data"]["move"] = "CONCLUDE"


def another_one_speaks(log: Log) -> None:
    event = first(log, "utterance", 3)
    event["data"]["speaker"] = of_three(log, event["player_id"])


def depth_raised_without_deepening(log: Log) -> None:
    first(log, "utterance", 1)["data"]["depth"] = 3


def words_changed(log: Log) -> None:
    """The novelty is unchanged, although the words are different."""
    first(log, "utterance", 4)["content"] = first(log, "utterance", 2)["content"]


def nearest_of_another_turn(log: Log) -> None:
    event = first(log, "utterance", 5)
    event["data"]["nearest"] = 1 + event["data"]["nearest"] % 4


def aspects_counted_twice(log: Log) -> None:
    labels = first_labels(log)
    labels += labels


def aspect_alike(log: Log) -> None:
    """A label is recorded as new although an earlier one says the same."""
    last(log, "utterance")["data"]["aspects"] = [f"the {first_labels(log)[0]}"]


def participant_as_aspect(log: Log) -> None:
    first(log, "utterance", 2)["data"]["aspects"] = [log["players"][0]["player_id"]]


def words_nobody_answered(log: Log) -> None:
    first_answered(log, "utterance")["content"] += " And nobody ever said this."


def cut_without_a_repeat(log: Log) -> None:
    first(log, "utterance", 4)["data"]["uncut"] = "Nobody has said this yet."


def silence_filled(log: Log) -> None:
    event = next(event for event in events(log, "utterance") if event["fell_back"])
    event["content"] = "I had nothing to say, and said it."


def affinity_warmed(log: Log) -> None:
    feelings = first(log, "check", 3)["data"]["relationships"]
    one = next(iter(feelings))
    feelings[one][next(iter(feelings[one]))] += 0.1


def coalition_invented(log: Log) -> None:
    pair = [seat["player_id"] for seat in log["players"][:2]]
    first(log, "check", 1)["data"]["coalitions"] = [pair]


def dominance_invented(log: Log) -> None:
    first(log, "check", 1)["data"]["dominant_speaker"] = log["players"][0]["player_id"]


def convergence_raised(log: Log) -> None:
    first(log, "check", 3)["data"]["convergence"] += 0.1


def depth_complete_too_early(log: Log) -> None:
    first(log, "check", 2)["data"]["depth_complete"] = True


def wish_to_conclude_raised(log: Log) -> None:
    wishes = first(log, "check", 2)["data"]["conclude_payoffs"]
    wishes[next(iter(wishes))] += 0.2


def payoffs_shown(log: Log) -> None:
    show_to_all(log, selection(log, 2))


def prompt_of_another(log: Log) -> None:
    first(log, "utterance", asked=True)["prompt"]["sha256"] = "0" * 64


def deaf_speaker(log: Log) -> None:
    last(log, "utterance", asked=True)["prompt"]["upto"] = 1


def personality_swapped(log: Log) -> None:
    first(log, "setup")["data"]["participant"]["personality"] = "cautious"


def confident_from_the_start(log: Log) -> None:
    first(log, "setup")["data"]["participant"]["confidence_level"] = 1.0


def another_topic(log: Log) -> None:
    first(log, "narration")["data"]["topic"] = "What is time?"


def check_left_out(log: Log) -> None:
    one = log["rounds"][2]
    one["events"] = [event for event in one["events"] if event["kind"] != "check"]


def told_by_the_narrator(log: Log) -> None:
    first(log, "utterance")["role"] = "narrator"


def another_move_in_the_heading(log: Log) -> None:
    first(log, "utterance", 2)["heading"] = "CONCLUDE → Ada"


def thesis_of_nobody(log: Log) -> None:
    first(log, "thesis", 1)["data"]["position"] = "Love is a word that nobody ever answered with."


def thesis_left_out(log: Log) -> None:
    log["rounds"][0]["events"].remove(first(log, "thesis", 1))


PLANTED: list[tuple[Plant, str, str]] = [
    (urgency_raised, "urgencies", "in turn 3: got"),
    (addressed_one_forgotten, "urgencies", "expected addressed 1 of"),
    (wait_for_an_answer_forgotten, "urgencies", "expected owes_answer"),
    (silence_overlooked, "urgencies", "expected unheard"),
    (lower_score_speaks, "speakers", "to speak in turn 1, with the highest score"),
    (payoff_raised, "payoffs", "of SUPPORT in turn 4"),
    (damper_left_out, "damping", "the adjusted payoff"),
    (orbit_denied, "damping", "in turn 5: got"),
    (concluded_too_early, "moves", "in turn 2: got CONCLUDE"),
    (chances_moved, "moves", "of DEEPEN in turn 3"),
    (chance_of_an_illegal_move, "moves", "the chances of DEEPEN, QUESTION"),
    (warning_left_out, "warnings", "in turn 4: got"),
    (move_towards_another, "moves", "expected a "),
    (intensity_of_another, "moves", "expected intensity"),
    (another_move_made, "exchanges", "in turn 3: got CONCLUDE"),
    (another_one_speaks, "exchanges", "expected the speaker"),
    (depth_raised_without_deepening, "exchanges", "expected the depth"),
    (thesis_of_nobody, "theses", "got "),
    (thesis_left_out, "theses", "expected one of each of"),
    (words_changed, "novelty", "of turn 4: got"),
    (nearest_of_another_turn, "novelty", "the nearest of turn 5"),
    (aspects_counted_twice, "aspects", "up to 3 different aspects"),
    (aspect_alike, "aspects", "an aspect of its own"),
    (participant_as_aspect, "aspects", "an aspect of its own in turn 2"),
    (words_nobody_answered, "answers", "only what was answered"),
    (cut_without_a_repeat, "answers", "no words said before, or all words, in turn 4"),
    (silence_filled, "answers", "silence without an answer"),
    (affinity_warmed, "feelings", "after turn 3: got"),
    (coalition_invented, "groups", "the coalitions [] after turn 1"),
    (dominance_invented, "groups", "expected dominant_speaker None after turn 1"),
    (convergence_raised, "criteria", "expected convergence"),
    (depth_complete_too_early, "criteria", "expected depth_complete False after turn 2"),
    (wish_to_conclude_raised, "wishes to conclude", "after turn 2: got"),
    (payoffs_shown, "visibility", "a selection that [] see"),
    (setup_shown_to_all, "visibility", "expected a setup that"),
    (prompt_of_another, "prompts", "to read what it may see"),
    (deaf_speaker, "hearing", "to be asked before event"),
    (personality_swapped, "introductions", "got cautious"),
    (confident_from_the_start, "introductions", "expected confidence_level"),
    (another_topic, "opening", "got 'What is time?'"),
    (check_left_out, "course", "round 3: expected the events"),
    (told_by_the_narrator, "authors", "expected the utterance to be of the player"),
    (events_of_two_games, "rounds", "expected events numbered from 0"),
    (answers_counted_twice, "usage", "questions: got"),
    (another_move_in_the_heading, "", ""),
    *PLANTED_ENDS,
]
