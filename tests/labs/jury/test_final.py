"""A final as its jurors saw it, and as they would have: one thing changes, and nothing else."""

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History, history_from_json
from labs.jury.final import (
    CHANGES,
    OTHER_WORDS,
    REWORDED,
    Final,
    Hearing,
    Omission,
    Unplayable,
    recall,
)
from player import PlayerConfig
from tests.support.fake_api import first_legal
from tests.support.histories import of_kind
from tests.support.hostile import STRINGS
from tests.support.island import DELIBERATIONS, Model, fields_in, island
from tests.support.narrowing import not_none

ODD = ["Player 1", "Player 10", "A.B", "A", "C+?", "a\\1", "$^|", "I", "Ä", "Will"]


async def final_in(log: History) -> Final:
    log = history_from_json(log.to_json())
    return Final(log, await recall(log))


def by_change(final: Final, juror: str) -> dict[str, Hearing]:
    found: dict[str, Hearing] = {}
    for question in final.questions():
        assert isinstance(question, Hearing), question
        if question.juror == juror:
            found[question.change.name] = question
    return found


async def models_log(**more: Any) -> History:
    return await island("model", "model", "model", "model", seed=3, **more).play()


async def named_log(names: Sequence[str], words: str) -> History:
    """Return a game of models with these names, who say each other's names and `words`."""

    def answer(request: Any) -> str:
        said = f"{', '.join(names)}: {words}"
        fields = fields_in(request)
        return json.dumps({name: first_legal(form, said) for name, form in fields.items()})

    seat: Any = {"provider": "compatible", "model": "m"}
    seat["client_kwargs"] = {"base_url": "http://127.0.0.1:1/v1"}
    players = [PlayerConfig(player_id=name, **seat) for name in names]
    config = GameEngineConfig(player_configs=players, logs_dir=None, game=DELIBERATIONS(), seed=5)
    model: Any = Model(answer)
    return await GameEngine(config, factory=model).play()


async def test_no_juror_reads_what_came_after_the_first_vote() -> None:
    """Not in a game with a revote in the final, nor with a debrief after it."""
    ended = set()
    for seed in range(5):
        terms: dict[str, Any] = {"ties": "revote", "questions": True, "debrief": True}
        log = await island(*["model"] * 6, seed=seed, **terms).play()
        final = await final_in(log)
        voted = [event for event in log.rounds[-1].events if event.kind == "vote"]
        jurors = len(log.rounds[-1].eliminated_player_ids)
        assert {*final.ballots} == {event.player_id for event in voted[:jurors]}
        assert [*final.ballots.values()] == voted[:jurors]
        for juror, event in final.ballots.items():
            prompt = by_change(final, juror)["again"].turn.prompt()
            assert prompt.sha256 == not_none(event.prompt).sha256
        ended.add(len(voted) > jurors)
    assert ended == {False, True}


async def test_the_same_question_is_the_same_to_the_letter() -> None:
    final = await final_in(await models_log(memory="summary"))
    for juror, event in final.ballots.items():
        prompt = by_change(final, juror)["again"].turn.prompt()
        assert prompt.text == not_none(final.log.prompt_of(event)).text


@pytest.mark.parametrize("memory", ["full", "summary"])
async def test_the_list_alone_is_turned_round(memory: str) -> None:
    final = await final_in(await models_log(memory=memory))
    for juror in final.ballots:
        asked = by_change(final, juror)
        again, order = asked["again"], asked["order"]
        first, second = again.listed
        assert order.listed == (second, first)
        assert again.turn.choices == {"vote": (first, second)}
        assert order.turn.choices == {"vote": (second, first)}
        turned = again.turn.prompt().text.replace(f"{first} or {second}?", f"{second} or {first}?")
        assert order.turn.prompt().text == turned


async def test_a_placebo_has_other_words_alone_and_numbers_after_all_others() -> None:
    final = await final_in(await models_log())
    numbers = []
    for place, juror in enumerate(final.as_it_was.eliminated_player_ids):
        asked = by_change(final, juror)
        again, placebo = asked["again"], asked["placebo"]
        assert placebo.turn.prompt().text.replace(f"\n{REWORDED}", "") == again.turn.prompt().text
        assert placebo.turn.prompt().text != again.turn.prompt().text
        assert (placebo.turn.choices, placebo.listed) == (again.turn.choices, again.listed)
        # Records from before there were placebos have these numbers.
        changes = ("again", "order", "label", "both")
        assert [asked[name].number for name in changes] == [4 * place + n for n in (1, 2, 3, 4)]
        numbers.append(placebo.number)
    jurors = len(numbers)
    assert numbers == [4 * jurors + place for place in range(1, jurors + 1)]


async def test_names_alone_are_swapped_wherever_they_stand() -> None:
    final = await final_in(await models_log())
    one, other = final.finalists
    for juror in final.ballots:
        asked = by_change(final, juror)
        text = asked["again"].turn.prompt().text
        swapped = text.replace(one, "*").replace(other, one).replace("*", other)
        assert swapped != text
        assert asked["label"].turn.prompt().text == swapped
        assert asked["label"].listed == asked["again"].listed
        assert asked["label"].meant(one) == other
        assert asked["both"].listed == asked["order"].listed
        assert asked["both"].turn.choices["vote"] == asked["label"].turn.choices["vote"][::-1]


@pytest.mark.parametrize("seed", range(4))
async def test_hostile_names_and_words_are_swapped_as_whole_words(seed: int) -> None:
    names = random.Random(seed).sample(ODD, 5)
    final = await final_in(await named_log(names, random.Random(seed).choice(STRINGS)))
    one, other = final.finalists
    for juror in final.ballots:
        asked = by_change(final, juror)
        plain = lines_of(asked["again"])
        swapped = lines_of(asked["label"])
        assert len(plain) == len(swapped)
        for was, now in zip(plain, swapped, strict=True):
            assert now["by"] == {one: other, other: one}.get(was["by"], was["by"])
            kind = [*was][-1]
            assert final.swap.text(now[kind]) == was[kind]
            assert final.swap.text(was[kind]) == now[kind]


def lines_of(hearing: Hearing) -> list[dict[str, Any]]:
    """Return what the transcript of a question tells."""
    return [json.loads(line) for line in hearing.turn.prompt().transcript.splitlines()]


async def test_a_question_in_other_words_is_not_asked_again() -> None:
    log = await models_log()
    for event in log.rounds[-1].events:
        if event.kind == "vote":
            object.__setattr__(not_none(event.prompt), "sha256", "0" * 64)
    final = await final_in(log)
    jurors = final.as_it_was.eliminated_player_ids
    assert [*final.questions(CHANGES)] == [Omission(OTHER_WORDS, juror) for juror in jurors]


async def test_a_log_that_comes_out_differently_is_not_judged_again() -> None:
    log = await island("loyal", "random", "grudge", "bandwagon", seed=3).play()
    of_kind(log, "pitch")[0].content = "I never said so."
    with pytest.raises(Unplayable, match="cannot be replayed"):
        await final_in(log)


async def test_a_final_of_three_is_not_judged_again() -> None:
    log = await island("loyal", "random", "grudge", "bandwagon", seed=3, finalists=3).play()
    with pytest.raises(Unplayable, match="its final has 3 players, and only two can be listed"):
        await final_in(log)
