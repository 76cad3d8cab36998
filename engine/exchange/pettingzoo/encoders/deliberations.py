"""Deliberations for policies: active players, opposition in speeches, votes and sidebars."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.exchange.pettingzoo.encoders.encoder import (
    ChoiceEncoder,
    Facts,
    Mask,
    Meanings,
    Observation,
    Space,
    counts,
    flags,
    kind_marks,
    whole,
)
from engine.exchange.pettingzoo.tray import ParkedQuestion
from engine.games.deliberations.facts import facts_of_island
from engine.games.deliberations.listening import SPEECHES, named_as_foes
from engine.games.deliberations.settings import IslandSettings
from engine.history import Event
from engine.round_phases import RoundView
from engine.round_phases.forms import ACCEPT, DECLINE, NOBODY

KINDS = ("vote", "partner", "partners", "consent")
SPECIAL = (NOBODY, ACCEPT, DECLINE)
MARKED = ("self", "in", "about", "immune")
COUNTED = ("own_votes", "votes", "talks", "left")


@lru_cache(maxsize=512)
def foes_in(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the players that a speech opposes; policies repeat speeches, so results are cached."""
    return frozenset(named_as_foes(text, names))


class DeliberationsEncoder(ChoiceEncoder):
    """A choice; players are in seat order, and n is their number.

    - `kind`, int8 (4,): a vote, an invitation to a sidebar, a ranking of partners, or a reply to an
      invitation.
    - `self`, `in`, `about`, `immune`, int8 (n,): the player's seat, the active players, the players
      that the question is about, and the players that cannot be voted out. `final`, int8 (1,);
      `round`, int32 (1,), from 1.
    - `against`, int8 (n, n): 1 where the row player's last speech names the column player, but not
      as an ally.
    - `own_votes`, int32 (n,): the player's ballots so far against (in the final, for) each player;
      `votes`, int32 (n,): the same for all players' ballots, if results show them.
    - `talks`, int32 (n,): the player's sidebars with each player; `left`, int32 (n,): the round in
      which each player was voted out, or 0.
    - `ranked`, int32 (n,): the ranks given so far in a ranking, from 1.

    Action i names the player in seat i; the last three mean nobody, accept and decline. A ranking
    is a sequence of actions, most preferred first, ended by "nobody".
    """

    kinds = frozenset(KINDS)

    def __init__(self, game: IslandSettings, players: int) -> None:
        super().__init__(game, players)
        seen: dict[str, Space] = {
            **dict.fromkeys(MARKED, flags(players)),
            **dict.fromkeys(COUNTED, counts(players)),
            "ranked": counts(players),
            "kind": flags(len(KINDS)),
            "final": flags(1),
            "round": counts(1),
            "against": flags(players, players),
        }
        self.set_spaces(spaces.Dict(seen), players + len(SPECIAL))

    def begin(self, player_id: str, player_ids: Sequence[str]) -> None:
        """Take a seat in a new game."""
        super().begin(player_id, player_ids)
        size = self.players
        self.counted = {name: np.zeros(size, np.int32) for name in COUNTED}
        self.against = np.zeros((size, size), np.int8)
        self.immune = np.zeros(size, np.int8)
        self.round = 0

    @property
    def values(self) -> tuple[str, ...]:
        """The choice that each action means, in the order of actions."""
        return (*self.player_ids, *SPECIAL)

    def facts_of(self, event: Event) -> Facts:
        """Return an event's facts; those of a speech are a row marking the players it opposes."""
        if event.kind not in SPEECHES or event.player_id is None:
            return facts_of_island(event)
        others = tuple(name for name in self.player_ids if name != event.player_id)
        return {"against": self.marks(foes_in(event.content, others))}

    def hear(self, event: Event, facts: Facts) -> None:
        """Record the facts in an event."""
        speaker = event.player_id
        if speaker is not None and "against" in facts:
            self.against[self.places[speaker]] = facts["against"]
            return
        match event.kind:
            case "narration":
                if "rounds" in facts:
                    self.round += 1
                    self.immune = self.marks(())
                immune = facts.get("immune")
                if immune in self.places:
                    self.immune = self.marks([immune])
            case "vote":
                self.count("own_votes", facts.get("vote") or facts.get("revote"))
            case "sidebar":
                self.hear_sidebar(speaker, facts)
            case "result":
                self.hear_result(facts)

    def hear_sidebar(self, speaker: str | None, facts: Facts) -> None:
        """Count a sidebar that begins between this player and another."""
        pair = [*facts.get("pair", ())]
        for key in ("partner", "accepts"):
            if key in facts:
                pair = [speaker, facts[key]]
        if self.player_id in pair:
            pair.remove(self.player_id)
            self.count("talks", pair[0])

    def hear_result(self, facts: Facts) -> None:
        """Record the player that left, and the public votes."""
        name = facts.get("eliminated")
        if name in self.places:
            self.counted["left"][self.places[name]] = self.round
        chosen = {name or facts.get("winner"): facts.get("votes", 0)}
        for voted, votes in facts.get("tally", chosen).items():
            self.count("votes", voted, votes)

    def count(self, what: str, player_id: str | None, times: int = 1) -> None:
        """Add `times` to the player's count called `what`; ignore None and unknown names."""
        if player_id in self.places:
            self.counted[what][self.places[player_id]] += times

    def see(self, question: ParkedQuestion) -> Observation:
        """Return the observation at a question."""
        seen: RoundView = question.turn.observation
        return {
            **{name: row.copy() for name, row in self.counted.items()},
            "kind": kind_marks(KINDS, question),
            "self": self.marks([self.player_id]),
            "in": self.marks(seen.active_player_ids),
            "about": self.marks(seen.options),
            "immune": self.immune.copy(),
            "final": np.array([seen.final_round], np.int8),
            "round": whole(seen.round_index),
            "against": self.against.copy(),
            "ranked": self.ranks_in(question),
        }

    def ranks_in(self, question: ParkedQuestion) -> NDArray[np.int32]:
        """Return each player's rank in the ranking so far; 0 if the player has none."""
        ranked = np.zeros(self.players, np.int32)
        if question.turn.kind != "partners":
            return ranked
        for rank, name in enumerate(question.values.values(), 1):
            if name in self.places:
                ranked[self.places[name]] = rank
        return ranked

    def mask(self, question: ParkedQuestion) -> Mask:
        """Return 1 for each name or word that is legal for the question's next field."""
        chosen = question.values.values()
        legal = question.turn.choices[next_field(question)]
        return np.array([value in legal and value not in chosen for value in self.values], np.int8)

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set a choice. A ranking is complete when all ranks are set, or at "nobody"."""
        value = self.values[action]
        question.values[next_field(question)] = value
        if question.turn.kind != "partners" or value not in self.places:
            return True
        return len(question.values) == len(question.turn.choices)

    def meanings(self, question: ParkedQuestion | None) -> Meanings:
        """Return the players in seat order, then nobody, accept and decline."""
        del question
        return self.values


def next_field(question: ParkedQuestion) -> str:
    """Return the field that the next action sets; in a ranking, this is the best free rank."""
    names = [*question.turn.choices]
    return next((name for name in names if name not in question.values), names[-1])
