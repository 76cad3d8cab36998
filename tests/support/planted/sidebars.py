"""Faults planted in the sidebars of a fair game, each with the way it is played and its rule."""

from tests.support.planted.log import Log, Plant, events, remove


def find(log: Log, key: str, round_index: int = 0) -> list[Log]:
    return [event for event in events(log, "sidebar", round_index or None) if key in event["data"]]


def lonely_one_not_told(log: Log) -> None:
    alone = next(event for event in find(log, "members") if len(event["data"]["members"]) == 1)
    remove(log, lambda event: event is alone)


def ranking_of_another(log: Log) -> None:
    ranking = next(event for event in find(log, "ranking") if event["attempts"])
    ranking["data"]["ranking"].reverse()
    ranking["content"] = f"ranks {', '.join(ranking['data']['ranking'])}"


def ranks_oneself(log: Log) -> None:
    ranking = find(log, "ranking")[0]
    ranking["data"]["ranking"][0] = ranking["player_id"]


def ranked_twice(log: Log) -> None:
    names = next(e for e in find(log, "ranking") if len(e["data"]["ranking"]) > 1)["data"]
    names["ranking"][1] = names["ranking"][0]


def partners_rigged(log: Log) -> None:
    find(log, "ranking")[0]["data"]["candidates"].reverse()


def picked_instead(log: Log) -> None:
    ranking = find(log, "ranking")[0]
    ranking["data"]["partner"] = ranking["data"].pop("ranking")[0]


def pair_that_costs_more(log: Log) -> None:
    """Two other players are paired, who rank each other lower."""
    pair = next(event for event in find(log, "members") if len(event["data"]["members"]) == 2)
    one = pair["data"]["members"][0]
    taken = {*pair["data"]["members"]}
    other = next(p["player_id"] for p in log["players"] if p["player_id"] not in taken)
    pair["data"]["members"] = [one, other]
    pair["content"] = f"{one} and {other} talk in private; {one} begins."


def pair_called_otherwise(log: Log) -> None:
    find(log, "members")[0]["content"] = "Ada stays alone."


def talk_in_spite_of_a_refusal(log: Log) -> None:
    answer = next(event for event in find(log, "accepts") if event["data"]["accepts"])
    answer["data"]["accepts"] = False
    answer["content"] = answer["content"].replace("accepts", "declines")


def never_asked(log: Log) -> None:
    answers = find(log, "accepts", 1)
    remove(log, lambda event: event in answers)


def juror_taken_aside_before_the_final(log: Log) -> None:
    begun = find(log, "partner", 3)[0]
    begun["data"]["partner"] = log["rounds"][2]["eliminated_player_ids"][0]


FAULTS: list[tuple[int, Plant, str]] = [
    (0, lonely_one_not_told, "sidebars"),
    (0, ranking_of_another, "sidebars"),
    (0, ranks_oneself, "sidebars"),
    (0, ranked_twice, "sidebars"),
    (0, partners_rigged, "draws"),
    (0, picked_instead, "sidebars"),
    (0, pair_that_costs_more, "sidebars"),
    (0, pair_called_otherwise, "sidebars"),
    (1, talk_in_spite_of_a_refusal, "sidebars"),
    (1, never_asked, "sidebars"),
    (2, juror_taken_aside_before_the_final, "sidebars"),
]
