"""Faults planted in the log of a talk with a host, each with the rule it breaks."""

from tests.support.planted.log import Log, Plant, events, first, give, last, remove


def interjection(log: Log) -> Log:
    return next(event for event in events(log, "host") if event["data"]["part"] == "interjection")


def part_left_out(log: Log) -> None:
    log["rounds"][-1]["events"].remove(last(log, "host"))


def another_host_introduced(log: Log) -> None:
    first(log, "narration", 1)["data"]["host"] = "Ada"


def host_denied(log: Log) -> None:
    log["config"]["game"]["host"] = None


def interjected_for_another_reason(log: Log) -> None:
    interjection(log)["data"]["why"] = "off_topic"


def thread_lost_unheard(log: Log) -> None:
    spoken = interjection(log)
    remove(log, lambda event: event is spoken)


def host_too_late(log: Log) -> None:
    last(log, "host")["data"]["turn"] += 1


def words_of_nobody(log: Log) -> None:
    last(log, "host")["content"] = "Ada has won this talk."


def words_without_end(log: Log) -> None:
    last(log, "host")["content"] = "Word. " * 400


def words_of_a_participant(log: Log) -> None:
    give(last(log, "host"), "Ada")


def host_without_a_share(log: Log) -> None:
    log["outcome"]["scores"]["Dan"] = 0.0


PLANTED_HOST: list[tuple[Plant, str, str]] = [
    (part_left_out, "host", "'synthesis', 'coda'] of a host: got ['synthesis']"),
    (another_host_introduced, "host", "expected the host Dan: got 'Ada'"),
    (host_denied, "host", "nothing of a host"),
    (interjected_for_another_reason, "interjections", "got ('off_topic'"),
    (thread_lost_unheard, "interjections", "got None"),
    (host_too_late, "words of the host", "a host's words after"),
    (words_of_nobody, "words of the host", "only what the host answered"),
    (words_without_end, "words of the host", "at most 120 words"),
    (words_of_a_participant, "words of the host", "the words of the host, Dan: got Ada's"),
    (host_without_a_share, "quality", "of all as score"),
]
