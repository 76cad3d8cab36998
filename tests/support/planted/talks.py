"""Faults planted in the log of a fair talk, each with the rule that it breaks."""

from tests.support.planted.log import Log, Plant, events, first, last
from tests.support.planted.talk_ends import PLANTED_ENDS


def selection(log: Log, turn: int) -> Log:
    return first(log, "selection", turn)


def of_three(log: Log, name: str) -> str:
    """Return somebody else."""
    return next(str(seat["player_id"]) for seat in log["players"] if seat["player_id"] != name)


def urgency_raised(log: Log) -> None:
    wishes = selection(log, 3)["data"]["wishes"]
    wishes[next(iter(wishes))]["urgency"] += 0.01


def noise_of_another_seed(log: Log) -> None:
    for wish in selection(log, 2)["data"]["wishes"].values():
        wish["noise"] = 0.1


def score_without_its_share(log: Log) -> None:
    wishes = selection(log, 2)["data"]["wishes"]
    wish = wishes[next(iter(wishes))]
    wish["score"] = wish["urgency"] + wish["noise"]


def addressed_one_forgotten(log: Log) -> None:
    wishes = [one for turn in (2, 3, 4) for one in selection(log, turn)["data"]["wishes"].values()]
    next(wish for wish in wishes if wish["addressed"])["addressed"] = False


def lower_score_speaks(log: Log) -> None:
    data = selection(log, 1)["data"]
    data["speaker"] = min(data["wishes"], key=lambda name: data["wishes"][name]["score"])


def somebody_speaks_twice(log: Log) -> None:
    selection(log, 3)["data"]["speaker"] = selection(log, 2)["data"]["speaker"]


def payoff_raised(log: Log) -> None:
    selection(log, 4)["data"]["payoffs"]["SUPPORT"] += 0.05


def saturation_counted_for(log: Log) -> None:
    payoffs = selection(log, 1)["data"]["payoffs"]
    payoffs["QUESTION"] -= 0.3


def damper_left_out(log: Log) -> None:
    data = selection(log, 5)["data"]
    data["adjusted"] = dict(data["payoffs"])


def orbit_denied(log: Log) -> None:
    data = selection(log, 5)["data"]
    data["orbit"] = not data["orbit"]


def second_best_move(log: Log) -> None:
    data = selection(log, 4)["data"]
    data["move"] = sorted(data["adjusted"], key=data["adjusted"].__getitem__)[-3]


def concluded_too_early(log: Log) -> None:
    selection(log, 2)["data"]["move"] = "CONCLUDE"


def chances_moved(log: Log) -> None:
    chances = selection(log, 3)["data"]["chances"]
    chances["DEEPEN"] += 0.01


def chance_of_an_illegal_move(log: Log) -> None:
    selection(log, 1)["data"]["chances"]["SUPPORT"] = 0.0


def warning_left_out(log: Log) -> None:
    data = selection(log, 4)["data"]
    data["stale"] = not data.get("stale", False)


def stale_turns_miscounted(log: Log) -> None:
    first(log, "check", 4)["data"]["stale"] += 1


def support_of_nobody(log: Log) -> None:
    selection(log, 1)["data"]["move"] = "SUPPORT"


def move_towards_another(log: Log) -> None:
    data = next(
        event["data"]
        for event in events(log, "selection")
        if event["data"]["target"] and event["data"]["move"] != "DEEPEN"
    )
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


def novelty_raised(log: Log) -> None:
    first(log, "utterance", 5)["data"]["novelty"] += 0.01


def words_changed(log: Log) -> None:
    """The novelty stands as it was, though other words are told."""
    event = first(log, "utterance", 4)
    event["content"] = first(log, "utterance", 2)["content"]


def nearest_of_another_turn(log: Log) -> None:
    event = first(log, "utterance", 5)
    event["data"]["nearest"] = 1 + event["data"]["nearest"] % 4


def aspects_counted_twice(log: Log) -> None:
    labels = next(
        event["data"]["aspects"] for event in events(log, "utterance") if event["data"]["aspects"]
    )
    labels += labels


def aspect_alike(log: Log) -> None:
    """A label stands as new beside one that says the same."""
    labels = next(
        event["data"]["aspects"] for event in events(log, "utterance") if event["data"]["aspects"]
    )
    later = last(log, "utterance")["data"]
    later["aspects"] = [f"the {labels[0]}"]


def participant_as_aspect(log: Log) -> None:
    data = first(log, "utterance", 2)["data"]
    data["aspects"] = [log["players"][0]["player_id"]]


def words_nobody_answered(log: Log) -> None:
    event = next(
        event for event in events(log, "utterance") if event["attempts"] and not event["fell_back"]
    )
    event["content"] += " And nobody ever said this."


def silence_filled(log: Log) -> None:
    event = next(event for event in events(log, "utterance") if event["fell_back"])
    event["content"] = "I had nothing to say, and said it."


def affinity_warmed(log: Log) -> None:
    feelings = first(log, "check", 3)["data"]["relationships"]
    one = next(iter(feelings))
    other = next(iter(feelings[one]))
    feelings[one][other] += 0.1


def coalition_invented(log: Log) -> None:
    first(log, "check", 1)["data"]["coalitions"] = [
        [seat["player_id"] for seat in log["players"][:2]]
    ]


def dominance_invented(log: Log) -> None:
    first(log, "check", 1)["data"]["dominant_speaker"] = log["players"][0]["player_id"]


def dispute_forgotten(log: Log) -> None:
    data = next(
        event["data"] for event in events(log, "check") if event["data"]["active_disagreement"]
    )
    data["active_disagreement"] = False


def convergence_raised(log: Log) -> None:
    first(log, "check", 3)["data"]["convergence"] += 0.1


def aspects_miscounted(log: Log) -> None:
    first(log, "check", 2)["data"]["aspects"] += 1


def depth_complete_too_early(log: Log) -> None:
    first(log, "check", 2)["data"]["depth_complete"] = True


def bound_moved(log: Log) -> None:
    first(log, "check", 2)["data"]["min_novelty"] = 0.2


def wish_to_conclude_raised(log: Log) -> None:
    wishes = first(log, "check", 2)["data"]["conclude_payoffs"]
    wishes[next(iter(wishes))] += 0.2


def payoffs_shown(log: Log) -> None:
    selection(log, 2)["visibility"] = [seat["player_id"] for seat in log["players"]]


def persona_shown_to_all(log: Log) -> None:
    first(log, "setup")["visibility"] = [seat["player_id"] for seat in log["players"]]


def prompt_of_another(log: Log) -> None:
    first(log, "utterance", asked=True)["prompt"]["sha256"] = "0" * 64


def deaf_speaker(log: Log) -> None:
    event = [event for event in events(log, "utterance") if event["prompt"]][-1]
    event["prompt"]["upto"] = 1


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


def events_renumbered(log: Log) -> None:
    log["rounds"][1]["events"][0]["index"] += 1


def answers_counted_twice(log: Log) -> None:
    """As if the fallbacks of a void game were answers."""
    name = next(event["player_id"] for event in events(log, "fault"))
    log["usage"][name]["asks"] += 20


def another_move_in_the_heading(log: Log) -> None:
    first(log, "utterance", 2)["heading"] = "CONCLUDE → Ada"


def end_in_a_heading(log: Log) -> None:
    first(log, "check")["heading"] = "The end"


def thesis_of_nobody(log: Log) -> None:
    first(log, "thesis", 1)["data"]["position"] = "Love is a word that nobody ever answered with."


def thesis_shown_to_all(log: Log) -> None:
    event = first(log, "thesis", 1)
    event["visibility"] = [seat["player_id"] for seat in log["players"]]


def thesis_left_out(log: Log) -> None:
    events_of_first = log["rounds"][0]["events"]
    events_of_first.remove(first(log, "thesis", 1))


PLANTED: list[tuple[Plant, str, str]] = [
    (urgency_raised, "urgencies", "in turn 3: got"),
    (noise_of_another_seed, "urgencies", "expected noise"),
    (score_without_its_share, "urgencies", "expected score"),
    (addressed_one_forgotten, "urgencies", "expected addressed 1 of"),
    (lower_score_speaks, "speakers", "to speak in turn 1, with the highest score"),
    (somebody_speaks_twice, "speakers", "to speak in turn 3, with the highest score"),
    (payoff_raised, "payoffs", "of SUPPORT in turn 4"),
    (saturation_counted_for, "payoffs", "of QUESTION in turn 1"),
    (damper_left_out, "damping", "the adjusted payoff"),
    (orbit_denied, "damping", "in turn 5: got"),
    (second_best_move, "moves", "in turn 4: got"),
    (concluded_too_early, "moves", "in turn 2: got CONCLUDE"),
    (chances_moved, "moves", "of DEEPEN in turn 3"),
    (chance_of_an_illegal_move, "moves", "the chances of DEEPEN, QUESTION"),
    (warning_left_out, "warnings", "in turn 4: got"),
    (stale_turns_miscounted, "criteria", "expected stale"),
    (support_of_nobody, "moves", "in turn 1: got SUPPORT"),
    (move_towards_another, "moves", "expected a "),
    (intensity_of_another, "moves", "expected intensity"),
    (another_move_made, "exchanges", "in turn 3: got CONCLUDE"),
    (another_one_speaks, "exchanges", "expected the speaker"),
    (depth_raised_without_deepening, "exchanges", "expected the depth"),
    (thesis_of_nobody, "theses", "got "),
    (thesis_left_out, "course", "round 1: expected the events"),
    (thesis_left_out, "theses", "expected one of each of"),
    (thesis_shown_to_all, "visibility", "expected a thesis that"),
    (novelty_raised, "novelty", "of turn 5: got"),
    (words_changed, "novelty", "of turn 4: got"),
    (nearest_of_another_turn, "novelty", "the nearest of turn 5"),
    (aspects_counted_twice, "aspects", "up to 3 different aspects"),
    (aspect_alike, "aspects", "an aspect of its own"),
    (participant_as_aspect, "aspects", "an aspect of its own in turn 2"),
    (words_nobody_answered, "answers", "only what was answered"),
    (silence_filled, "answers", "silence without an answer"),
    (affinity_warmed, "feelings", "after turn 3: got"),
    (coalition_invented, "groups", "the coalitions [] after turn 1"),
    (dominance_invented, "groups", "expected dominant_speaker None after turn 1"),
    (dispute_forgotten, "groups", "expected active_disagreement True"),
    (convergence_raised, "criteria", "expected convergence"),
    (aspects_miscounted, "criteria", "expected aspects"),
    (depth_complete_too_early, "criteria", "expected depth_complete False after turn 2"),
    (bound_moved, "criteria", "expected min_novelty"),
    (wish_to_conclude_raised, "wishes to conclude", "after turn 2: got"),
    (payoffs_shown, "visibility", "a selection that [] see"),
    (persona_shown_to_all, "visibility", "expected a setup that"),
    (prompt_of_another, "prompts", "to read what it may see"),
    (deaf_speaker, "hearing", "to be asked before event"),
    (personality_swapped, "introductions", "got cautious"),
    (confident_from_the_start, "introductions", "expected confidence_level"),
    (another_topic, "opening", "got 'What is time?'"),
    (check_left_out, "course", "round 3: expected the events"),
    (told_by_the_narrator, "authors", "expected the utterance to be of the player"),
    (events_renumbered, "rounds", "expected events numbered from 0"),
    (answers_counted_twice, "usage", "questions: got"),
    (another_move_in_the_heading, "", ""),
    (end_in_a_heading, "", ""),
    *PLANTED_ENDS,
]
