"""Players with planted beliefs: one knows the end, one knows nothing, one says the opposite."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from engine.history import History, payload_of
from engine.history.social import Ballot, Decision
from engine.round_phases import RoundView
from engine.round_phases.probes import BallotProbe, Guess
from player import Script, ScriptedPlayer, Turn
from tests.support.island import island

# The percentage of a guess, by whether it comes true and how many names share the 100.
Believer = Callable[[bool, int], int]
BELIEVERS: dict[str, Believer] = {
    "oracle": lambda true, _: 100 * true,
    "uniform": lambda _, names: round(100 / names),
    "liar": lambda true, names: 0 if true else round(100 / max(1, names - 1)),
}
SCRIPTS = ("grudge", "bandwagon", "random")


class Ending:
    """The course of a game: by round, the selected player and each player's vote."""

    def __init__(self, history: History) -> None:
        self.selected: dict[int, str] = {}
        self.votes: dict[tuple[int, str], str | None] = {}
        for log in history.rounds:
            for event in log.events:
                if event.kind == "result":
                    self.selected[log.round_index] = payload_of(event, Decision).selected
                if event.kind == "vote":
                    vote = payload_of(event, Ballot).vote
                    self.votes[log.round_index, str(event.player_id)] = vote

    def fulfils(self, guess: Guess, seen: RoundView) -> bool:
        """Return whether a guess before a round's first ballot comes true."""
        if not guess.against:
            return self.selected[seen.round_index] == guess.name
        against = self.votes[seen.round_index, guess.name] == seen.player_id
        return against is not seen.final_round


def believing(script: Script, believer: Believer, ending: Ending) -> Script:
    """Return a script that plays as before, and states the beliefs of its believer."""

    def answer(turn: Turn[Any], rng: random.Random) -> BaseModel:
        if not issubclass(turn.answer, BallotProbe):
            return script(turn, rng)
        guesses: Mapping[str, Guess] = turn.answer.entries
        names = sum(not guess.against for guess in guesses.values())
        seen: RoundView = turn.observation
        odds = {}
        for field, guess in guesses.items():
            # A vote against us is one of as many as there are others to vote for, or it is not.
            sharing = 2 if guess.against and believer is BELIEVERS["liar"] else names
            odds[field] = believer(ending.fulfils(guess, seen), sharing)
        return turn.answer(**odds)

    return answer


def believers_game(seed: int) -> History:
    """Return a game of an oracle, a uniform believer, a liar and two scripts with expectations.

    It is played once to learn its course, and again with probes, which do not change it.
    """
    names = [*SCRIPTS, "loyal", "contrarian"]
    ending = Ending(island(*names, seed=seed).run())
    engine = island(*names, seed=seed, probes="votes")
    for player, believer in zip(engine.players, BELIEVERS.values(), strict=False):
        assert isinstance(player, ScriptedPlayer)
        player.script = believing(player.script, believer, ending)
    history = engine.run()
    history.game_id = f"believers {seed}"
    return history
