"""Secrets of a fair conversation revealed to others, each with the rule this breaks."""

from tests.support.planted.log import Log, Plant, events, first, put_into_question


def seat(log: Log, place: int) -> str:
    return str(log["players"][place]["player_id"])


def setup_of(log: Log, player_id: str) -> Log:
    return next(event for event in events(log, "setup") if event["player_id"] == player_id)


def asked(log: Log) -> Log:
    """Return what the model in the first seat was asked."""
    return first(log, "proposal", 2, asked=True)


def tell(log: Log, words: str) -> None:
    put_into_question(log, asked(log), words)


def names_in_ranking(log: Log, player_id: str) -> list[str]:
    topics = ["rivers", "jazz", "bread", "bridges", "dreams", "volcanoes"]
    return [topics[subject] for subject in setup_of(log, player_id)["data"]["ranking"]]


def ranking_in_a_question(log: Log) -> None:
    tell(log, f"\nBen likes {' > '.join(names_in_ranking(log, seat(log, 1)))}.")


def bonuses_in_a_question(log: Log) -> None:
    names = names_in_ranking(log, seat(log, 1))
    tell(log, "; ".join(f"{name} {1 - rank / 6:.2f}" for rank, name in enumerate(names, 1)))


def ranking_as_json(log: Log) -> None:
    tell(log, f'{{"rankings": {setup_of(log, seat(log, 1))["data"]["ranking"]}}}')


def ranking_in_a_system_text(log: Log) -> None:
    log["players"][0]["system"] += "\n- ".join(["", *names_in_ranking(log, seat(log, 3))])


def ranking_told_to_all(log: Log) -> None:
    speech = first(log, "speech")
    speech["content"] += f" ({', '.join(names_in_ranking(log, speech['player_id']))})"


def unspoken(log: Log) -> Log:
    """Return an item of the second player that no player ever speaks."""
    spoken = {speech["data"]["item"] for speech in events(log, "speech")}
    bank = setup_of(log, seat(log, 1))["data"]["bank"]
    item: Log = next(one for one in bank if one["id"] not in spoken)
    return item


def item_in_a_question(log: Log) -> None:
    tell(log, f"\n{unspoken(log)['id']}")


def item_as_its_owner_reads_it(log: Log) -> None:
    tell(log, setup_of(log, seat(log, 1))["content"].partition(" Your ranking")[0])


def exact_importance_in_a_question(log: Log) -> None:
    tell(log, f'{{"best": {unspoken(log)["importance"]}}}')


def proposal_in_a_question(log: Log) -> None:
    proposals = [*events(log, "proposal")]
    own = {one["content"] for one in proposals if one["player_id"] == seat(log, 0)}
    told = [one["content"] for one in proposals if one["data"]["item"]]
    tell(log, next(words for words in told if words not in own))


def rationale_in_a_question(log: Log) -> None:
    tell(log, other_model(log)["data"]["rationale"])


def reasoning_in_a_question(log: Log) -> None:
    tell(log, other_model(log)["reasoning"])


def other_model(log: Log) -> Log:
    asked_models = [event for event in events(log, "proposal", 1) if event["prompt"]]
    return next(event for event in asked_models if event["player_id"] != seat(log, 0))


PLANTED_SECRETS: list[tuple[Plant, str, str]] = [
    (ranking_in_a_question, "secret rankings", "expected nothing of Ben's ranking"),
    (bonuses_in_a_question, "secret rankings", "the question to Ada: expected nothing of Ben's"),
    (ranking_as_json, "secret rankings", "expected nothing of Ben's ranking"),
    (ranking_in_a_system_text, "secret rankings", "the system text of Ada: expected nothing"),
    (ranking_told_to_all, "secret rankings", "sees: expected nothing of"),
    (item_in_a_question, "secret items", "nothing of the unspoken 'Ben: "),
    (item_as_its_owner_reads_it, "secret items", "nothing of the unspoken 'Ben: "),
    (exact_importance_in_a_question, "secret items", "nothing of the unspoken 'Ben: "),
    (proposal_in_a_question, "secret proposals", "the question to Ada: expected nothing of"),
    (rationale_in_a_question, "secret proposals", "'s reason of event"),
    (reasoning_in_a_question, "secret proposals", "'s reasoning of event"),
]
