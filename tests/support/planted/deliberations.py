"""Faults planted in the log of a fair game, each with the rule it breaks."""

import json

from tests.support.planted.log import (
    Log,
    Plant,
    events,
    events_of_two_games,
    first,
    first_answered,
    first_with,
    give,
    last,
    put_into_question,
    remove,
    show_to_all,
)


def blind_first_eliminated(log: Log) -> None:
    """The first eliminated player stops seeing pitches, as if a roster were shared by reference."""
    gone = log["rounds"][1]["eliminated_player_ids"][0]
    for event in events(log, "pitch", 2):
        event["visibility"].remove(gone)


def roster_changes_after_its_round(log: Log) -> None:
    log["rounds"][0]["active_player_ids"].remove(log["rounds"][1]["eliminated_player_ids"][0])


def pitch_taken_for_the_narrator(log: Log) -> None:
    content = "Round 1 Vote Results: Ben leaves."
    first(log, "pitch").update(role="narrator", player_id=None, content=content)


def vote_lost_for_its_brackets(log: Log) -> None:
    vote = next(event for event in events(log, "vote") if event["fell_back"])
    meant = f"[player {vote['data']['candidates'][0].upper()}]"
    vote["attempts"][-1]["text"] = json.dumps({"vote": meant})


def ballot_counted_for_another(log: Log) -> None:
    vote = first_answered(log, "vote")
    other = next(name for name in vote["data"]["candidates"] if name != vote["data"]["vote"])
    vote["attempts"][-1]["text"] = json.dumps({"explanation": "I mean it", "vote": other})


def game_lost_by_a_failed_call(log: Log) -> None:
    log.update(status="failed", outcome=None)
    log["rounds"].pop()


def ballot_shown_to_all(log: Log) -> None:
    show_to_all(log, first(log, "vote"))


def sidebar_cut_short(log: Log) -> None:
    message = first_with(log, "sidebar", "to")
    message["data"]["to"] = message["player_id"]


def explanation_in_a_question(log: Log) -> None:
    """The prompt is as recorded, but its question reveals why another player voted."""
    secret = next(event for event in events(log, "vote", 1) if event["data"]["vote"])
    reader = next(
        event
        for event in events(log, "pitch", 2)
        if event["prompt"] and event["player_id"] != secret["player_id"]
    )
    put_into_question(log, reader, secret["content"])


def reasoning_in_a_question(log: Log) -> None:
    secret = first(log, "pitch", 1, asked=True)["reasoning"]
    put_into_question(log, first(log, "pitch", 3, asked=True), secret)


def reasoning_in_a_pitch(log: Log) -> None:
    pitch = first(log, "pitch", asked=True)
    pitch["content"] = f"{pitch['reasoning']} {pitch['content']}"


def prompt_with_more_than_may_be_seen(log: Log) -> None:
    first(log, "vote", asked=True)["prompt"]["sha256"] = "0" * 64


def prompt_left_out(log: Log) -> None:
    first(log, "pitch", asked=True)["prompt"] = None


def votes_one_after_the_other(log: Log) -> None:
    """The last voter is asked after the earlier ballots are shown."""
    vote = last(log, "vote", 2, asked=True)
    vote["prompt"]["upto"] = vote["index"]


def deaf_speaker(log: Log) -> None:
    last(log, "pitch", 1, asked=True)["prompt"]["upto"] = log["rounds"][0]["events"][0]["index"] + 1


def finalist_votes(log: Log) -> None:
    give(last(log, "vote"), log["rounds"][-1]["active_player_ids"][0])


def somebody_pitches_twice(log: Log) -> None:
    pitch, other = [*events(log, "pitch", 1)][:2]
    give(other, pitch["player_id"])


def vote_for_oneself(log: Log) -> None:
    vote = first(log, "vote")
    vote["data"]["vote"] = vote["player_id"]


def chosen_abstention(log: Log) -> None:
    first(log, "vote", 2)["data"]["vote"] = None


def candidate_not_on_offer(log: Log) -> None:
    first(log, "vote")["data"]["candidates"].pop()


def second_most_votes_decide(log: Log) -> None:
    data = first(log, "result", 1)["data"]
    data["selected"] = min(data["tally"], key=data["tally"].__getitem__)


def miscounted(log: Log) -> None:
    tally = first(log, "result")["data"]["tally"]
    tally[next(iter(tally))] += 1


def rigged_order(log: Log) -> None:
    """Two players swap their turns, and everything shown agrees with the swap."""
    frame = first_with(log, "narration", "order")
    order = frame["data"]["order"]
    one, other = [*events(log, "pitch", 1)][:2]
    for event, speaker in ((one, order[1]), (other, order[0])):
        give(event, speaker)
    order[:2] = order[1::-1]
    frame["content"] = f"Round 1. The pitches, in this order: {', '.join(order)}."


def rigged_candidates(log: Log) -> None:
    first(log, "vote")["data"]["candidates"].reverse()


def eliminated_player_called_in(log: Log) -> None:
    head = first(log, "narration", 2)
    gone = log["rounds"][1]["eliminated_player_ids"][0]
    head["content"] = head["content"].replace("In the game: ", f"In the game: {gone}, ")


def tally_told_in_secret_game(log: Log) -> None:
    result = first(log, "result")
    votes = ", ".join(f"{name} {count}" for name, count in result["data"]["tally"].items())
    result["content"] += f" The votes: {votes}."


def too_many_words(log: Log) -> None:
    first(log, "pitch")["content"] += " word" * 60


def swapped_places(log: Log) -> None:
    places = log["outcome"]["placements"]
    one, other = [name for name, place in places.items() if place in (4, 5)]
    places[one], places[other] = places[other], places[one]


def forgotten_votes(log: Log) -> None:
    log["outcome"]["figures"]["Ada"].pop("votes 1")


def skipped_phase(log: Log) -> None:
    one = log["rounds"][1]
    one["events"] = [event for event in one["events"] if event["kind"] != "confessional"]


def summary_that_forgets_more(log: Log) -> None:
    first(log, "summary", 2)["data"]["replaces"][0] = 0


def forgetful_pitch(log: Log) -> None:
    first(log, "pitch", 2)["data"]["replaces"] = [0, 3]


def summary_of_another(log: Log) -> None:
    give(first(log, "summary"), "Ben", visibility=["Ben"])


def confession_of_nobody(log: Log) -> None:
    one, other = [*events(log, "confessional", 1)][:2]
    give(one, other["player_id"], visibility=other["visibility"])


def fallbacks_invented(log: Log) -> None:
    """A seat is recorded as if it had not answered."""
    log["usage"][first(log, "fault")["player_id"]]["fallbacks"] += 20


def ballot_under_the_narrators_heading(log: Log) -> None:
    first(log, "vote")["heading"] = "Result"


def question_of_a_finalist(log: Log) -> None:
    one = log["rounds"][-1]["active_player_ids"][0]
    give(first(log, "question"), one, heading=f"{one} asks the finalists")


def question_left_unanswered(log: Log) -> None:
    log["rounds"][-1]["events"].remove(first(log, "answer"))


def answer_to_another(log: Log) -> None:
    answer = first(log, "answer")
    other = last(log, "question")["player_id"]
    answer.update(heading=f"{answer['player_id']} answers {other}", data={"to": other})


def answers_in_a_rigged_order(log: Log) -> None:
    one, other = [*events(log, "answer")][:2]
    for event, name in ((one, other["player_id"]), (other, one["player_id"])):
        give(event, name, heading=f"{name} answers {event['data']['to']}")


def debrief_of_some(log: Log) -> None:
    log["rounds"][-1]["events"].remove(first(log, "debrief"))


def guess_counted_right_that_is_none(log: Log) -> None:
    first(log, "debrief")["data"]["right"]["who"] += 1


def trust_in_oneself(log: Log) -> None:
    event = next(one for one in events(log, "debrief") if not one["fell_back"])
    trusted = event["data"]["answers"]["trust"]
    event["data"]["answers"]["trust"] = event["player_id"]
    event["content"] = event["content"].replace(trusted, event["player_id"], 1)


def answer_withheld(log: Log) -> None:
    """A player that answered is recorded as one that did not."""
    event = next(one for one in events(log, "debrief") if not one["fell_back"])
    event["data"]["answers"]["trust"] = None


def debrief_told_otherwise(log: Log) -> None:
    first(log, "debrief")["content"] += "!"


def rigged_models(log: Log) -> None:
    first(log, "debrief")["data"]["choices"]["who"].reverse()


def probe_shown_to_its_author(log: Log) -> None:
    probe = first(log, "probe")
    probe["visibility"] = [probe["player_id"]]


def nobody_probed_once(log: Log) -> None:
    log["rounds"][1]["events"].remove(first(log, "probe", 2))


def probe_of_a_juror(log: Log) -> None:
    final = log["rounds"][-1]
    give(first(log, "probe", final["round_index"]), final["eliminated_player_ids"][0])


def odds_of_nobody(log: Log) -> None:
    chances = first(log, "probe")["data"]["chances"]
    chances["Nobody"] = chances.pop(next(iter(chances)))


def odds_never_said(log: Log) -> None:
    probe = first(log, "probe", asked=True)
    name = next(iter(probe["data"]["chances"]))
    probe["data"]["chances"][name] = 99
    probe["content"] = probe["content"].replace(f"{name} 30 %", f"{name} 99 %", 1)


def odds_told_otherwise(log: Log) -> None:
    first(log, "probe")["content"] += "!"


def probe_without_odds(log: Log) -> None:
    first(log, "probe")["data"].update(chances={}, against={})


def rigged_probe(log: Log) -> None:
    chances = first(log, "probe")["data"]["chances"]
    name = next(iter(chances))
    chances[name] = chances.pop(name)


def probe_after_the_ballots(log: Log) -> None:
    """Players are asked for their expectations of a ballot after the first vote."""
    last(log, "probe", 2, asked=True)["prompt"]["upto"] = first(log, "vote", 2)["index"] + 1


def plan_never_made(log: Log) -> None:
    first(log, "pitch", asked=True)["data"]["plan"] = "I never planned this at all"


def plan_of_a_voter(log: Log) -> None:
    first(log, "vote")["data"]["plan"] = "I vote as I said"


def plan_in_a_question(log: Log) -> None:
    secret = first(log, "pitch", 1, asked=True)["data"]["plan"]
    put_into_question(log, first(log, "pitch", 3, asked=True), secret)


def flag_shown_to_its_player(log: Log) -> None:
    flag = first(log, "flag")
    flag["visibility"] = [flag["player_id"]]


def flag_of_another_event(log: Log) -> None:
    first(log, "flag")["data"]["about"] += 1


def flag_left_out(log: Log) -> None:
    remove(log, lambda event: event["kind"] == "flag")


PLANTED: list[tuple[Plant, str]] = [
    (flag_shown_to_its_player, "visibility"),
    (flag_of_another_event, "flags"),
    (flag_left_out, "flags"),
    (probe_shown_to_its_author, "visibility"),
    (nobody_probed_once, "probes"),
    (probe_of_a_juror, "probes"),
    (odds_of_nobody, "probes"),
    (odds_never_said, "probes"),
    (odds_told_otherwise, "probes"),
    (probe_without_odds, "probes"),
    (rigged_probe, "draws"),
    (probe_after_the_ballots, "hearing"),
    (plan_never_made, "plans"),
    (plan_of_a_voter, "plans"),
    (plan_in_a_question, "secrecy"),
    (blind_first_eliminated, "visibility"),
    (roster_changes_after_its_round, "roster"),
    (pitch_taken_for_the_narrator, "authors"),
    (vote_lost_for_its_brackets, "lost votes"),
    (ballot_counted_for_another, "lost votes"),
    (game_lost_by_a_failed_call, "rounds"),
    (events_of_two_games, "rounds"),
    (ballot_shown_to_all, "visibility"),
    (sidebar_cut_short, "sidebars"),
    (explanation_in_a_question, "secrecy"),
    (reasoning_in_a_question, "secrecy"),
    (reasoning_in_a_pitch, "quotes"),
    (prompt_with_more_than_may_be_seen, "prompts"),
    (prompt_left_out, "prompts"),
    (votes_one_after_the_other, "hearing"),
    (deaf_speaker, "hearing"),
    (finalist_votes, "voters"),
    (somebody_pitches_twice, "pitches"),
    (vote_for_oneself, "ballots"),
    (chosen_abstention, "ballots"),
    (candidate_not_on_offer, "ballots"),
    (second_most_votes_decide, "verdicts"),
    (miscounted, "verdicts"),
    (rigged_order, "draws"),
    (rigged_candidates, "draws"),
    (eliminated_player_called_in, "narration"),
    (tally_told_in_secret_game, "narration"),
    (too_many_words, "words"),
    (swapped_places, "placements"),
    (forgotten_votes, "placements"),
    (skipped_phase, "phases"),
    (summary_that_forgets_more, "memory"),
    (forgetful_pitch, "memory"),
    (summary_of_another, "summaries"),
    (confession_of_nobody, "confessionals"),
    (fallbacks_invented, "usage"),
    (ballot_under_the_narrators_heading, ""),
    (question_of_a_finalist, "questions"),
    (question_left_unanswered, "questions"),
    (answer_to_another, "questions"),
    (answers_in_a_rigged_order, "draws"),
    (debrief_of_some, "debriefs"),
    (guess_counted_right_that_is_none, "debriefs"),
    (trust_in_oneself, "debriefs"),
    (answer_withheld, "debriefs"),
    (debrief_told_otherwise, "debriefs"),
    (rigged_models, "draws"),
]
