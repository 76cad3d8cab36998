"""Questions in the final: who asks, who answers in which order, who hears it, and what is cut."""

import json

import pytest

from engine.engine import GameEngine
from providers import CompletionRequest
from tests.oracles.judge import broken_rules
from tests.support.histories import of_kind
from tests.support.island import Model, island, on_form, plain

SCRIPTS = ("loyal", "grudge", "random", "bandwagon", "contrarian")


def asking(*players: str, model: Model | None = None, **settings: object) -> GameEngine:
    return island(*players, model=model, questions=True, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_each_juror_asks_once_and_all_finalists_answer_at_once(seed: int) -> None:
    history = asking(*SCRIPTS, seed=seed).run()
    log = history.rounds[-1]
    events = of_kind(history.rounds[-1], "question", "answer")
    assert len(events) == 3 * (1 + 2)
    jurors = [str(event.player_id) for event in events[::3]]
    assert sorted(jurors) == sorted(log.eliminated_player_ids)
    for place, juror in enumerate(jurors):
        question, *answers = events[3 * place : 3 * place + 3]
        assert question.kind == "question"
        assert question.heading == f"{juror} asks the finalists"
        assert {event.player_id for event in answers} == {*log.active_player_ids}
        assert [event.data["to"] for event in answers] == [juror, juror]
    assert all(len(event.visibility) == 5 for event in events)
    kinds = [event.kind for event in log.events if event.kind != "flag"]
    assert kinds.index("question") > kinds.index("pitch")
    assert kinds.index("vote") == len(kinds) - 4
    assert broken_rules(history) == {}


def test_orders_of_answers_differ_from_juror_to_juror() -> None:
    firsts = set()
    for seed in range(6):
        events = of_kind(asking(*SCRIPTS, seed=seed).run(), "answer")
        firsts.add(tuple(event.player_id == events[0].player_id for event in events[::2]))
    assert len(firsts) > 1


def test_a_script_asks_about_its_foe_and_a_finalist_answers_against_its_rival() -> None:
    history = asking(*SCRIPTS, seed=2).run()
    finalists = {*history.rounds[-1].active_player_ids}
    for event in of_kind(history.rounds[-1], "question"):
        assert any(name in event.content for name in finalists)
    for event in of_kind(history.rounds[-1], "answer"):
        (rival,) = finalists - {str(event.player_id)}
        assert rival in event.content


def test_whoever_asks_nothing_is_not_answered_and_the_fallback_is_counted() -> None:
    answer = on_form("JurorQuestion", lambda _: "no idea")
    history = island(*["model"] * 4, answer=answer, questions=True).run()
    questions = of_kind(history.rounds[-1], "question")
    assert [event.content for event in questions] == ["(says nothing)"] * 2
    assert not of_kind(history.rounds[-1], "answer")
    assert all(event.fell_back for event in questions)
    assert sum(used.fallbacks for used in history.usage.values()) == 2
    assert broken_rules(history) == {}


def test_a_finalist_hears_the_question_and_the_answers_before_and_the_words_are_cut() -> None:
    model = Model(lambda request: json.dumps(long_answer(request)))
    history = asking("model", "model", "model", model=model, words=5).run()
    first, second = [one for one in model.asked if one.schema_name == "FinalistAnswer"]
    assert '"question":"' in first.messages[0].text
    assert '"answer":"' not in first.messages[0].text
    assert '"answer":"' in second.messages[0].text
    answers = of_kind(history.rounds[-1], "answer")
    assert {event.data["cut"] for event in answers} == {True}
    assert all(len(event.content.split()) <= 5 for event in answers)


def long_answer(request: CompletionRequest) -> dict[str, str]:
    answer: dict[str, str] = json.loads(plain(request))
    return {name: text * 9 if name == "text" else text for name, text in answer.items()}


def test_the_rules_tell_of_questions_only_where_they_come() -> None:
    told = island("model", "model", "model", questions=True).run().seat("Ada").system
    plainly = island("model", "model", "model").run().seat("Ada").system
    assert "- Questions: in the final" in told
    assert "Questions" not in plainly
