"""The settings of deliberations as users write them, and the checks on them."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from engine.game import Game
from engine.games.deliberations.rules import Island
from engine.games.deliberations.schedule import (
    final_as_it_comes,
    refuse_no_jury,
    refuse_rounds_beyond,
    refuse_wrong_count,
)
from engine.round_phases.forms import WORDS
from engine.round_phases.questionnaire import DebriefQuestion, read_questions, refuse_doubles
from engine.round_phases.votes import Ties

PhaseName = Literal["sidebars", "confessionals", "immunity", "pitches", "votes"]
Phases = tuple[PhaseName, ...]
Memory = Literal["full", "summary"]
SOURCE: Phases = ("pitches", "votes")
VOTES: PhaseName = "votes"
MOST_ROUNDS = 1000
MOST_WORDS = 500
Limit = Annotated[int, Field(ge=1, le=MOST_WORDS)]  # of words
Times = Annotated[int, Field(ge=1, le=20)]
Questions = Annotated[
    tuple[DebriefQuestion, ...],
    BeforeValidator(read_questions, json_schema_input_type=bool | list[DebriefQuestion]),
    AfterValidator(refuse_doubles),
]


def from_round_1(value: Any) -> Any:
    """Return phases by the first round in which they are played; a list applies from round 1."""
    return value if isinstance(value, dict) else {1: value}


def refuse_phases(begin: int, names: Phases) -> None:
    """Raise ValueError unless a round can have these phases; votes, if any, come last."""
    differ = len(set(names)) == len(names)
    votes_end = VOTES not in names[:-1]
    immune = "immunity" in names and VOTES not in names
    if begin < 1 or not names or not differ or not votes_end or immune:
        raise ValueError(
            "expected a round of at least 1 and distinct phases, with votes last and immunity "
            f"only before votes: got {begin}: {list(names)!r}"
        )


class RoundSettings(BaseModel):
    """The settings of one round; None means the same value as in the other rounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phases: Phases | None = None
    exchanges: Times | None = None
    messages: Times | None = None
    words: Limit | None = None
    private_words: Limit | None = None
    summary_words: Limit | None = None

    @model_serializer(mode="wrap")
    def _dump_what_is_set(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value is not None}


class IslandSettings(Game[Island]):
    """The settings of a game, and what they imply for each round and player."""

    words: Limit = Field(default=WORDS, description="maximum words in a pitch")
    reveal_tally: bool = Field(default=False, description="announce every candidate's votes")
    ties: Ties = Field(
        default="lot",
        description="how ties are broken: at random, or first by a vote among the tied players",
    )
    last_words: bool = Field(default=False, description="eliminated players speak once more")
    phases: Annotated[dict[int, Phases], BeforeValidator(from_round_1)] = Field(
        default={1: SOURCE},
        description="phases of every round, or by the first round they are played in",
    )
    exchanges: Times = Field(default=1, description="sidebars each player begins in a round")
    messages: Times = Field(default=2, description="messages of a sidebar")
    private_words: Limit = Field(
        default=WORDS, description="maximum words in a message or confessional"
    )
    pairing: Literal["pick", "ranking"] = Field(
        default="pick",
        description="sidebars: each picks a partner, or all rank the others and pairs are matched",
    )
    jurors_aside: bool = Field(
        default=False,
        description="finalists may take jurors aside too",
    )
    decline: bool = Field(
        default=False,
        description="a player picked for a sidebar can decline",
    )
    plans: bool = Field(
        default=True, description="a private plan before each statement, recorded only in the log"
    )
    memory: Memory | dict[str, Memory] = Field(
        default="full", description="full or summary, for all or by player"
    )
    summary_words: Limit = Field(default=2 * WORDS, description="maximum words in a summary")
    rounds: dict[int, RoundSettings] = Field(
        default={},
        description="settings of single rounds by their number, such as {3: {words: 80}}",
        examples=[{"3": {"phases": ["sidebars", "pitches"], "exchanges": 2, "words": 80}}],
    )
    finalists: Literal[2, 3] = Field(default=2, description="players in the final")
    num_rounds: int | None = Field(
        title="Rounds",
        default=None,
        ge=2,
        le=MOST_ROUNDS,
        description="number of rounds; by default until the final",
    )
    questions: bool = Field(
        default=False, description="each juror asks the finalists one question before it votes"
    )
    probes: Literal["none", "votes"] = Field(
        default="none",
        description="votes: before each ballot, players say what they expect, only for the log",
    )
    debrief: Questions = Field(
        default=(),
        description="after the game: true for three questions to each player, or your own",
        examples=[[{"name": "trust", "ask": "Whom did you trust?", "answer": "player"}]],
    )
    anonymous: bool = Field(default=False, description="players are called Player 1, Player 2, ...")
    # Each player's real name in an anonymous game, drawn from the seed. Users cannot set it.
    names: dict[str, str] = Field(default={})

    @field_validator("phases")
    @classmethod
    def _check_phases(cls, phases: dict[int, Phases]) -> dict[int, Phases]:
        for begin, names in phases.items():
            refuse_phases(begin, names)
        by_round = {1: SOURCE} | phases
        return dict(sorted(by_round.items()))

    @field_validator("rounds", mode="before")
    @classmethod
    def _refuse_no_settings(cls, rounds: object) -> object:
        many = [*rounds.values()] if isinstance(rounds, dict) else [rounds]
        for round_settings in many:
            if not isinstance(round_settings, dict | RoundSettings):
                raise ValueError(
                    "expected settings by round, such as {3: {phases: [pitches], words: 80}}: "
                    f"got {rounds!r:.80}"
                )
        return rounds

    @field_validator("rounds")
    @classmethod
    def _check_rounds(cls, rounds: dict[int, RoundSettings]) -> dict[int, RoundSettings]:
        for number, round_settings in rounds.items():
            refuse_phases(
                number, SOURCE if round_settings.phases is None else round_settings.phases
            )
        return dict(sorted(rounds.items()))

    @property
    def phase_lists(self) -> list[Phases]:
        """All lists of phases in the settings."""
        singles = [single.phases for single in self.rounds.values() if single.phases]
        return [*self.phases.values(), *singles]

    @property
    def played(self) -> set[str]:
        """The names of the phases that are played in at least one round."""
        return {name for names in self.phase_lists for name in names}

    @property
    def always_votes(self) -> bool:
        """Whether the settings give every round a vote."""
        return all(VOTES in names for names in self.phase_lists)

    @property
    def adds_votes(self) -> bool:
        """Whether the final gets a vote that its listed phases lack."""
        as_written = self.model_copy(update={"num_rounds": None})
        return self.num_rounds is not None and not as_written.has_vote(self.num_rounds)

    @property
    def writers(self) -> Literal["all", "some", "none"]:
        """How many players write their own summary of each round: all, some or none."""
        kinds = {*self.memory.values()} if isinstance(self.memory, dict) else {self.memory}
        if "summary" not in kinds:
            return "none"
        return "some" if isinstance(self.memory, dict) else "all"

    def in_round(self, round_index: int) -> Self:
        """Return the game with the settings of round `round_index` (from 1) for all rounds."""
        round_settings = self.rounds.get(round_index)
        if round_settings is None:
            return self
        changes = round_settings.model_dump()
        if round_settings.phases:
            changes["phases"] = {1: round_settings.phases}
        return self.model_copy(update=changes)

    def phases_of(self, round_index: int) -> Phases:
        """Return the names of a round's phases, adding any missing votes to a final."""
        phases = self.in_round(round_index).phases
        begin = max(begin for begin in phases if begin <= round_index)
        names = phases[begin]
        if round_index == self.num_rounds and VOTES not in names:
            return (*names, VOTES)
        return names

    def has_vote(self, round_index: int) -> bool:
        """Return whether a round has a vote."""
        return VOTES in self.phases_of(round_index)

    def rounds_before(self, last: int, *, vote: bool) -> list[int]:
        """Return the rounds before `last` with a vote or, if `vote` is false, without a vote."""
        return [number for number in range(1, last) if self.has_vote(number) is vote]

    def last_round(self, players: int) -> int:
        """Return the number of the final; raise ValueError if no final is possible."""
        refuse_no_jury(players, self.finalists)
        as_written = self.model_copy(update={"num_rounds": None}).has_vote
        # From this round on, all rounds are alike.
        settled = min(max([*self.phases, *self.rounds]), MOST_ROUNDS)
        horizon = settled + players
        if self.num_rounds is None:
            last = final_as_it_comes(players, self.finalists, as_written, horizon)
        else:
            last = self.num_rounds
            refuse_wrong_count(players, self.finalists, last, as_written, horizon)
        refuse_rounds_beyond(last, players, self.rounds)
        return last

    def memory_of(self, player_id: str) -> Memory:
        """Return how a player remembers past rounds.

        The setting `memory` uses real names, which can differ from `player_id`.
        """
        if isinstance(self.memory, str):
            return self.memory
        name = self.names.get(player_id, player_id)
        return self.memory.get(name, "full")
