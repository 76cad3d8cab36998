"""Tournaments over several processes: the same as on one."""

import pickle
from functools import partial
from typing import Any

import pytest

from engine.games.dilemma.agents import AGENTS
from engine.games.dilemma.agents.forms import Machine, as_block
from engine.games.dilemma.monitor import monitor
from engine.runs.processes import run_in_pool
from labs.dilemma import repetitions
from labs.dilemma.repetitions import spread_monitor

NAMES = [
    "coin", "tit_for_tat", "gradual", "mirror", "zd_extort_2", "contrite_tit_for_tat", "accountant",
]  # fmt: skip


def sulker(own: Any, opponent: Any) -> Any:
    """C, then D after it was exploited."""
    return "D" if own and own[-1] == "C" and opponent[-1] == "D" else "C"


class Meek:
    """C three times, ever again."""

    def __call__(self, history: Any, score: Any) -> str:
        return "CCC"


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_an_agent_is_the_same_in_another_process(name: str) -> None:
    sent = pickle.loads(pickle.dumps(AGENTS[name]))
    assert getattr(sent, "strategy", sent) is getattr(AGENTS[name], "strategy", AGENTS[name])


def test_several_processes_play_the_same_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games really are played elsewhere: all of them go through a pool of two."""
    entries: Any = [*NAMES, as_block(sulker), ("meek", Meek)]
    here = monitor((0.1, 0.001), (5, 9), entries, seed=4, max_rounds=2)
    sent: list[int] = []

    def spread(function: Any, tasks: Any, **settings: Any) -> Any:
        sent.append(len(tasks))
        return [*run_in_pool(function, tasks, settings["processes"])]

    assert spread_monitor((0.1, 0.001), (5, 9), entries, seed=4, max_rounds=2, processes=1) == here
    monkeypatch.setattr(repetitions, "spread", spread)
    assert spread_monitor((0.1, 0.001), (5, 9), entries, seed=4, max_rounds=2, processes=2) == here
    assert sent == [9 * 8 // 2, 8 * 7 // 2]


def test_who_cannot_be_sent_is_named_before_anything_is_played() -> None:
    loose = as_block(Machine(("C",), lambda state, own, opponent: state))
    for agent in (loose, lambda history, score: "CCC", partial(lambda history, score: "CCC")):
        told = "expected agents that can be pickled, or processes=1: got loner"
        with pytest.raises(ValueError, match=told):
            spread_monitor((0, 0), (1, 1), ["coin", ("loner", agent)])
        assert spread_monitor((0, 0), (1, 1), ["coin", ("loner", agent)], processes=1).rounds
