"""Plans: what a player writes before it speaks, which the log alone reads."""

import json
from typing import Any

import pytest

from engine.history import History, history_from_json
from engine.runs.check import check_log
from engine.views.blocks import FramedText, blocks
from engine.views.perspective import PUBLIC, Shown, history_in
from providers import CompletionRequest
from tests.oracles.judge import broken_rules
from tests.support.histories import of_kind
from tests.support.island import fields_in, island, model_of, plain
from tests.support.tables import play_with_models

ALL: dict[str, Any] = {
    "phases": ["sidebars", "confessionals", "pitches", "votes"],
    "ties": "revote",
    "last_words": True,
    "questions": True,
    "memory": "summary",
}
SPOKEN = {"Pitch", "Sidebar", "Confessional", "LastWords", "Statement"}
SPOKEN |= {"JurorQuestion", "FinalistAnswer"}


def scheming(request: CompletionRequest) -> str:
    """Answer plainly, with a plan that no other answer contains."""
    answer = json.loads(plain(request))
    if "plan" in answer:
        answer["plan"] = f"I fool {request.session} {answer['text'][-9:]}"
    return json.dumps(answer)


def plans_in(history: History) -> dict[str, str]:
    """Return each plan of a log with its author."""
    planned = [event for event in history.events if "plan" in event.data]
    return {event.data["plan"]: str(event.player_id) for event in planned}


def test_whoever_speaks_plans_first_and_nothing_else_has_a_plan() -> None:
    forms = set()
    for seed in range(3):
        engine = island(*["model"] * 5, seed=seed, **ALL)
        engine.run()
        for request in model_of(engine).asked:
            fields = [*fields_in(request)]
            assert (fields[0] == "plan") is (request.schema_name in SPOKEN)
            forms.add(request.schema_name)
    assert forms >= SPOKEN | {"Vote", "Partner", "Summary"}


def test_no_prompt_and_no_other_view_has_a_plan() -> None:
    engine = island(*["model"] * 4, "loyal", answer=scheming, **ALL)
    history = engine.run()
    plans = plans_in(history)
    assert len(plans) > 20
    for request in model_of(engine).asked:
        text = request.system + request.messages[0].text
        assert not any(plan in text for plan in plans)
    for view in (PUBLIC, *history.usage):
        seen = json.dumps(history_in(history, view).to_json())
        assert [plan for plan, owner in plans.items() if plan in seen and owner != view] == []
    assert plans_shown(history, Shown(reasoning=True)) == {*plans}
    assert plans_shown(history, Shown()) == set()
    assert broken_rules(history) == {}
    assert check_log(history_from_json(history.to_json())) == ""


def plans_shown(history: History, shown: Shown) -> set[str]:
    framed = [block for block in blocks(history, shown) if isinstance(block, FramedText)]
    return {block.text for block in framed if block.what == "plan"}


def test_the_control_plays_without_any_plan() -> None:
    engine = island(*["model"] * 3, "loyal", answer=scheming, plans=False, **ALL)
    history = engine.run()
    assert plans_in(history) == {}
    for request in model_of(engine).asked:
        assert "plan" not in fields_in(request)
        assert '"plan"' not in request.messages[0].text
    assert broken_rules(history) == {}
    assert check_log(history) == ""


def test_a_plan_is_as_long_as_a_reason() -> None:
    for small, reasons, room in ((False, 300, 300), (False, 90, 90), (True, 300, 60)):
        engine = island("model", "loyal", "grudge", reasons=reasons)
        seat = engine.players[0]
        seat.config = seat.config.model_copy(update={"small": small})
        engine.run()
        assert fields_in(model_of(engine).asked[0])["plan"]["maxLength"] == room


@pytest.mark.parametrize("plans", [True, False])
async def test_a_talk_plans_each_utterance(*, plans: bool) -> None:
    settings = {"depth": 1, "max_iterations": 4, "plans": plans}
    history, api = await play_with_models("talks", "compatible:m,compatible:m", settings=settings)
    said = of_kind(history, "utterance")
    assert [event.data.get("plan") for event in said] == ["some plan" if plans else None] * 4
    for request in api.requests:
        assert "some plan" not in json.dumps(request.body["messages"])
    assert check_log(history) == ""
