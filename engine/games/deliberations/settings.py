"""The settings of deliberations as people write them, checked once."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from engine.game import Game
from engine.games.deliberations.rules import Island
from engine.round_phases.forms import WORDS
from engine.round_phases.questionnaire import DebriefQuestion, read_questions, refuse_doubles
from engine.round_phases.votes import Ties

PhaseName = Literal["sidebars", "confessionals", "immunity", "pitches", "votes"]
Phases = tuple[PhaseName, ...]
Memory = Literal["full", "summary"]
SOURCE: Phases = ("pitches", "votes")
Questions = Annotated[
    tuple[DebriefQuestion, ...],
    BeforeValidator(read_questions, json_schema_input_type=bool | list[DebriefQuestion]),
    AfterValidator(refuse_doubles),
]


def from_round_1(value: Any) -> Any:
    """Return phases by the first round they are played in."""
    return value if isinstance(value, dict) else {1: value}


class IslandSettings(Game[Island]):
    """What a config may say of a game, and what follows from that for a round or a player."""

    words: int = Field(
        default=WORDS,
        ge=1,
        le=500,
        description="words of a pitch at most",
    )
    reveal_tally: bool = Field(default=False, description="announce every candidate's votes")
    ties: Ties = Field(
        default="lot",
        description="who is tied: a lot at once, or a revote among them first",
    )
    last_words: bool = Field(default=False, description="who is voted out speaks once more")
    phases: Annotated[dict[int, Phases], BeforeValidator(from_round_1)] = Field(
        default={1: SOURCE},
        description="phases of every round, or by the first round they are played in",
    )
    exchanges: int = Field(
        default=1,
        ge=1,
        le=20,
        description="sidebars each player begins in a round",
    )
    messages: int = Field(
        default=2,
        ge=1,
        le=20,
        description="messages of a sidebar",
    )
    private_words: int = Field(
        default=WORDS,
        ge=1,
        le=500,
        description="words of a message or confessional at most",
    )
    memory: Memory | dict[str, Memory] = Field(
        default="full", description="full or summary, for all or by player"
    )
    summary_words: int = Field(
        default=2 * WORDS,
        ge=1,
        le=500,
        description="words of a summary at most",
    )
    questions: bool = Field(
        default=False, description="each juror asks the finalists one question before it votes"
    )
    debrief: Questions = Field(
        default=(),
        description="after the game: true for three questions to each player, or your own",
    )
    anonymous: bool = Field(default=False, description="players are called Player 1, Player 2, ...")
    # Who is who in an anonymous game; dealt by the seed, so it is no option that anyone sets.
    names: dict[str, str] = Field(default={})

    @field_validator("phases")
    @classmethod
    def _check_phases(cls, phases: dict[int, Phases]) -> dict[int, Phases]:
        for begin, names in phases.items():
            differ = len(set(names)) == len(names)
            if begin < 1 or not differ or names[-1:] != ("votes",):
                raise ValueError(
                    "expected a round from 1 on, and phases that differ and end with votes: "
                    f"got {begin}: {list(names)!r}"
                )
        by_round = {1: SOURCE} | phases
        return dict(sorted(by_round.items()))

    @property
    def played(self) -> set[str]:
        """The phases that are played in any round."""
        return {name for names in self.phases.values() for name in names}

    @property
    def writers(self) -> Literal["all", "some", "none"]:
        """How many of the players sum up each round for themselves."""
        kinds = {*self.memory.values()} if isinstance(self.memory, dict) else {self.memory}
        if "summary" not in kinds:
            return "none"
        return "some" if isinstance(self.memory, dict) else "all"

    def phases_of(self, round_index: int) -> Phases:
        """Return the names of the phases of a round, counted from 1."""
        begin = max(begin for begin in self.phases if begin <= round_index)
        return self.phases[begin]

    def memory_of(self, player_id: str) -> Memory:
        """Return how `player_id` remembers past rounds; settings use the players' real names."""
        if isinstance(self.memory, str):
            return self.memory
        name = self.names.get(player_id, player_id)
        return self.memory.get(name, "full")
