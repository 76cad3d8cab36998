"""An agent's info is a dict whose question is rendered when it is read, in whatever way."""

import ast
import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="comes with the extra pettingzoo")

from engine.exchange.pettingzoo import ArenaEnv


def test_an_info_is_read_and_copied_like_any_dict() -> None:
    games = ArenaEnv("dilemma")
    games.reset(seed=1)
    info = games.last()[4]
    parts = ["name", "kind", "events", "question"]
    assert ([*info], [*info.keys()], len(info), "question" in info) == (parts, parts, 4, True)
    assert (info.get("kind"), info["name"]) == ("block", "Ada")
    # Until its text is read, nothing has rendered it.
    assert callable(dict.__getitem__(info, "question"))
    whole = pickle.loads(pickle.dumps(info))
    assert type(whole) is dict
    assert whole == copy.deepcopy(info)
    assert whole["question"].startswith("Game 1 of 3.")
    games.reset(seed=1)
    again = games.last()[4]
    assert "question" in again
    assert again.get("question") == whole["question"]
    assert again == whole
    assert (again.get("place"), again.get("place", 1), "place" in again) == (None, 1, False)
    with pytest.raises(KeyError, match="place"):
        again["place"]


@pytest.mark.parametrize(
    "read",
    [
        dict,
        copy.copy,
        lambda info: info.copy(),
        lambda info: {**info},
        lambda info: info | {},
        lambda info: {} | info,
        lambda info: dict(info.items()),
        lambda info: dict(zip(info, info.values(), strict=True)),
        lambda info: {key: info[key] for key in info},
        lambda info: ast.literal_eval(repr(info)),
        lambda info: json.loads(json.dumps(info)) | {"events": info["events"]},
        lambda info: json.loads(json.dumps(info, indent=1)) | {"events": info["events"]},
        lambda info: {"question": info.pop("question"), **info},
    ],
)
def test_every_way_to_read_an_info_has_its_question(
    read: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    games = ArenaEnv("dilemma")
    games.reset(seed=1)
    seen = read(games.last()[4])
    assert seen.keys() == {"name", "kind", "events", "question"}
    assert seen["question"].startswith("Game 1 of 3.")
    games.reset(seed=1)
    assert not games.last()[4] != seen  # noqa: SIM202 - it is a method of its own
    games.reset(seed=1)
    assert games.last()[4] == seen


def test_infos_of_the_same_question_are_equal_before_either_is_read() -> None:
    def asked_info() -> dict[str, Any]:
        games = ArenaEnv("dilemma")
        games.reset(seed=1)
        info: dict[str, Any] = games.last()[4]
        return info

    assert asked_info() == asked_info()
    assert not asked_info() != asked_info()  # noqa: SIM202 - it is a method of its own
