"""Every prompt of a game is held to a checklist: what decides the game must be told.

A row is a game as it is played: what its models read in the first and the last question must have
each of the phrases, and none of those that would mislead.
"""

import json
import re
from typing import Any, NamedTuple

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.games.conversation.points import private_bonuses
from engine.games.dilemma.rules import PAYOFFS, flip_chance
from engine.games.guest.rules import AGENTS, LATE, Terms
from engine.history import History
from player import Prompt, Turn
from providers import Completion
from tests.support.fake_api import FakeApi
from tests.support.tables import config_for, own_games

# Variations in which a person is asked everything that the game can ask.
EVERYTHING: dict[str, dict[str, Any]] = {
    "deliberations": {
        "phases": ["sidebars", "confessionals", "pitches", "votes"],
        "memory": "summary",
        "questions": True,
        "debrief": True,
    },
    "dilemma": {"quiz": True},
}
TWO_MODELS = "compatible:m,compatible:m,scripted:"


class Told(NamedTuple):
    """A game with settings, and what its models must be told: in the rules, and when they act."""

    game: str
    seats: str
    settings: dict[str, Any]
    rules: tuple[str, ...]
    question: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    small: bool = False


SMALL = "Which of these items do you propose: "
CONVERSATION = (
    "among 3 players",
    "of at most 4 turns",
    "holds 10 items",
    "5 about one of 20 subjects and 5 about two, each with an importance from 0 to 1, all drawn "
    "uniformly at random",
    "stays secret until it is spoken, a ranking for ever",
    "probability 0.5",
    "who have spoken least",
    "three pauses in a row",
    "up to three items before it and up to three after it, six at most",
    "+1 if each of its subjects is in at least two of these",
    "-1, once, if one of its subjects is in none",
    "+1 for each of its subjects that is not in the five turns before that pause",
    "-1 if the same one of its subjects is in each of the three turns before it",
    "costs all players 1 and earns no shared points",
    "another item with the same subjects is new",
    '"you_said" lists your items',
    "1 - k/20 each time you speak about a subject that you rank k-th of 20 (for two subjects, the "
    "mean of both)",
    "divided by 4",
    "Your aim is a high score of your own",
    "the others are not your enemies",
)
POINTS = tuple(
    f"you {own}, opponent {theirs}: {points} for you, {others} for the opponent"
    for (own, theirs), (points, others) in PAYOFFS.items()
)
FLIPS = [round(flip_chance((0.25, 0.1), move), 2) for move in range(3)]
DILEMMA = (
    *POINTS,
    "played by 3 players",
    "one game with each of the others",
    "which no player knows",
    "not know who your opponent is",
)
GUEST = (
    "2 players do this, each in its own room",
    "for 9 steps",
    "act in one of every 3 steps",
    *[f"needs {agent.min_energy_to_speak} to speak" for agent in AGENTS],
    *[f"loses {agent.energy_decay}" for agent in AGENTS],
    *[f"gains {gain}" for gain in Terms().gains],
    *[f"for at most {agent.max_speaking_time} steps" for agent in AGENTS],
    "0.2 more energy",
    "0.3 more energy",
    "1 - gini",
    "+0.2 in the second step of a turn",
    "-0.1 in each step in which the speaker has used more than 80 % of its longest turn",
    "agent 0: never, agent 1: never, agent 2: from step 6 of 6",
    "Your aim is the highest total reward over all 9 steps",
    "no player sees another room",
    "An agent whose turn ends gains energy again from the next step on",
    "an agent that you stop already gains energy in that step",
)

TOLD = {
    "conversation": Told(
        "conversation",
        f"{TWO_MODELS}greedy",
        {"length": 4},
        CONVERSATION,
        ('"turn": 4, "of": 4', "times_spoken", '"item" (', '"rationale" ('),
        never=("points_now", "the highest wins", SMALL),
    ),
    "conversation with advice and voice": Told(
        "conversation",
        f"{TWO_MODELS}greedy",
        {"length": 4, "advice": "deltas", "voice": True},
        (*CONVERSATION, '"points_now" shows'),
        ('"points_now": {', '"sentence" (one sentence', "25 words at most"),
    ),
    "conversation in a small seat": Told(
        "conversation",
        f"{TWO_MODELS}greedy",
        {"length": 4},
        CONVERSATION,
        (SMALL, "9 words at most"),
        small=True,
    ),
    "dilemma": Told(
        "dilemma",
        f"{TWO_MODELS}cooperator",
        {},
        (
            *DILEMMA,
            "three moves at a time",
            "at random, counted from the beginning of each game: "
            f"the first with chance {FLIPS[0]}, the second with {FLIPS[1]}, "
            f"the third with {FLIPS[2]}, later ones never",
            "All players who share the lowest sum of a round leave",
            "If all players have the same sum, no player leaves: the game ends and all of them win",
            "There are at most 2 rounds. The last player in the game wins",
            "Your aim is to stay in the game.",
        ),
        ("Which three moves", '"first" (', '"third" (', '"rationale" ('),
        never=("Sometimes a move", "at most 3 rounds", "number of moves, from"),
    ),
    "dilemma of some rounds, with secret flips": Told(
        "dilemma",
        f"{TWO_MODELS}cooperator",
        {"max_rounds": 3, "tell_flips": False, "block": 1, "tell_standings": False},
        (
            *DILEMMA,
            "Sometimes a move is flipped",
            "at most 3 rounds. After the last one, the player with the highest sum of that round "
            "wins",
            "Your aim is to have more points than the others",
            "No player learns the sums or who left",
        ),
        ("Which move do you play next, C or D?",),
        never=("chance 0.25", "Your aim is to stay in", "In the game:"),
    ),
    "dilemma of one round without noise": Told(
        "dilemma",
        f"{TWO_MODELS}cooperator",
        {"max_rounds": 1, "flip_params": [0, 0], "tell_length": True},
        (
            *DILEMMA,
            "number of moves, from 6 to 12, which no player knows",
            "There is one round. Your aim is the highest sum.",
        ),
        never=("flipped", "leave"),
    ),
    "guest": Told(
        "guest",
        "compatible:m,compatible:m",
        {"max_steps": 9},
        GUEST,
        ("Step 7 of 9.", "Agent 2: energy ", "before you wait for 2", '"action" ('),
        never=('"energy": [', "The highest total reward"),
    ),
}
ROW = pytest.mark.parametrize("told", TOLD.values(), ids=[*TOLD])


async def played(told: Told) -> History:
    """Return the game that a row describes, its models' seats small if the row is."""
    async with FakeApi() as api:
        config = config_for(told.game, told.seats, at=api.url, settings=told.settings)
        seats = []
        for seat in config.player_configs:
            seats.append(seat.model_copy(update={"small": told.small and not seat.computed}))
        config = config.model_copy(update={"player_configs": seats})
        return await GameEngine(config).play()


@ROW
async def test_a_player_is_told_what_decides_its_game(told: Told) -> None:
    history = await played(told)
    asked = [event for event in history.events if event.prompt and event.kind != "quiz"]
    assert history.status == "finished"
    for event in asked:
        prompt = history.prompt_of(event)
        assert prompt is not None
        for phrase in told.rules:
            assert phrase in prompt.system
        for phrase in told.never:
            assert phrase not in prompt.text
        assert prompt.system.count("Your aim is") == 1
        assert "\n\n\n" not in prompt.system
    last = history.prompt_of(asked[-1])
    assert last is not None
    for phrase in told.question:
        assert phrase in last.question


@ROW
async def test_every_field_of_an_answer_is_named_in_words(told: Told) -> None:
    """Also where a schema is sent, which not every server keeps."""
    for event in (await played(told)).events:
        if event.prompt is not None:
            fields = event.prompt.question.rpartition("Answer with one JSON object: ")[2]
            assert re.findall(r'"(\w+)" \(', fields) == [*json.loads(event.attempts[-1].text)]


async def test_a_player_reads_its_own_bonus_beside_each_own_item() -> None:
    for event in (await played(TOLD["conversation"])).events:
        if event.kind != "setup":
            continue
        bonuses = private_bonuses(event.data["ranking"])
        for item in event.data["bank"]:
            own = [bonuses[subject] for subject in item["subjects"]]
            bonus = f"your own bonus {sum(own) / len(own):.2f}"
            assert f"(importance {item['importance']:.2f}, {bonus})" in event.content


async def test_a_small_seat_is_offered_no_item_that_was_spoken() -> None:
    history = await played(TOLD["conversation in a small seat"])
    spoken: set[str] = set()
    for event in history.events:
        if event.kind == "speech":
            assert event.data["item"] not in spoken
            spoken.add(event.data["item"])
        if event.prompt is not None:
            offered = event.prompt.question.partition(SMALL)[2]
            own = [item for item in spoken if item.startswith(f"{event.player_id}: ")]
            for item in own:
                assert item.partition(": ")[2] not in offered.partition("?")[0].split("; ")
    assert len(spoken) == 4


async def test_a_round_of_a_dilemma_begins_with_who_is_in() -> None:
    history = await played(TOLD["dilemma"])
    seats = [seat.player_id for seat in history.players]
    out: dict[str, int] = {}
    for log in history.rounds:
        opening = log.events[0]
        assert opening.content.startswith(
            f"Round {log.round_index}. In the game: {', '.join(log.active_player_ids)}."
        )
        assert opening.visibility == tuple(seats)
        assert opening.data == {"active": [*log.active_player_ids], "out": out}
        out = out | dict.fromkeys(log.events[-1].data["dropped"], log.round_index)


def test_a_late_step_of_a_turn_is_one_that_costs() -> None:
    """The numbers in the rules are those of the rules: 0.8 of 6 steps are 4.8 steps spoken."""
    assert LATE == 0.8
    assert [LATE * agent.max_speaking_time for agent in AGENTS] == [*Terms().late]
    assert "from step 6 of 6" in GAMES["guest"]().rules()


class Reader:
    """A person who answers with the first choices, and keeps what it read."""

    def __init__(self) -> None:
        self.read: list[Prompt] = []

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        self.read.append(prompt)
        answer = dict.fromkeys(turn.answer.model_fields, "Hello.")
        for name, legal in turn.choices.items():
            answer[name] = legal[0]
        return Completion(json.dumps(answer))

    def release(self) -> None:
        """End nothing: every question is answered at once."""


@pytest.mark.parametrize("game", own_games())
def test_a_person_is_asked_in_words(game: str) -> None:
    """The state stands there in words: a page shows it, and fields have labels, not JSON."""
    seats = ",".join(["human", *(f"scripted:{name}" for name in [*GAMES[game].strategies][:3])])
    reader = Reader()
    config = config_for(game, seats, settings=EVERYTHING.get(game, {}))
    history = GameEngine(config, answerers={"Ada": reader}).run()
    assert history.usage["Ada"].asks == len(reader.read) > 1
    for prompt in reader.read:
        for text in (prompt.system, prompt.question):
            assert not re.search(r"[{}\[\]]|JSON", text), text
