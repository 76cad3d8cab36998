"""Probes: each player's predictions of a ballot, as percentages stored only in the log."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, create_model

from engine.history.social import Expectation
from engine.round_phases.asking import Context, turn_of, without
from engine.round_phases.questionnaire import field_for
from engine.round_phases.voting import electorate
from player import Reply, Turn

OUTCOMES = {False: "leaves", True: "wins"}
AGAINST = "against_me"
# The random-stream labels for the order of probed players and of the names in each probe.
ORDERS = {False: ("probes", "probed"), True: ("revote probes", "revote probed")}


class Guess(NamedTuple):
    """The subject of a field: a candidate, or a voter that may vote `against` the player."""

    name: str
    against: bool


class BallotProbe(BaseModel):
    """A player's predictions of a ballot; `entries` are the form's fields, by name."""

    entries: ClassVar[Mapping[str, Guess]] = {}


def read_per_cent(value: object) -> int:
    """Return text such as "40 %" as a whole number; raise ValueError unless it is 0 to 100."""
    text = str(value).strip().removesuffix("%").strip().removesuffix(".0")
    if not (text.isdecimal() and len(text) <= 3 and int(text) <= 100):
        raise ValueError("a whole number from 0 to 100")
    return int(text)


def guesses_of(
    selectable: Iterable[str],
    voters: Iterable[str],
    player_id: str,
    *,
    final_round: bool,
) -> dict[str, Guess]:
    """Return the fields of a player's probe by name, such as leaves_me and against_me_Ben.

    In the final, the prefix is `wins` instead of `leaves`.
    """
    guesses: dict[str, Guess] = {}
    for name in selectable:
        subject = "me" if name == player_id else name
        guesses[field_for(OUTCOMES[final_round], subject, guesses)] = Guess(name, against=False)
    for name in voters:
        guesses[field_for(AGAINST, name, guesses)] = Guess(name, against=True)
    return guesses


def probe_form(
    guesses: Mapping[str, Guess], player_id: str, *, final_round: bool
) -> type[BallotProbe]:
    """Return the form with these fields, each a whole percentage."""
    fields: dict[str, Any] = {}
    for field, guess in guesses.items():
        event = _guessed_event(guess, player_id, OUTCOMES[final_round])
        about = Field(title=f"Chance that {event}", description=f"per cent that {event}")
        fields[field] = (Annotated[int, BeforeValidator(read_per_cent), about], ...)
    form = create_model("Probe", __base__=BallotProbe, **fields)
    form.entries = guesses
    return form


def _guessed_event(guess: Guess, player_id: str, verb: str) -> str:
    if guess.name == player_id:
        return f"you {verb[:-1]}"
    return f"{guess.name} votes against you" if guess.against else f"{guess.name} {verb}"


async def phase_probes(
    context: Context,
    standing: Sequence[str] | None = None,
    *,
    revote: bool = False,
) -> None:
    """Ask all active players at once for predictions of the next ballot.

    Each player gives, in per cent, the chance that each member of `standing` (None: every active
    player) is selected, and the chance that each other voter votes against the predicting player.
    No prompt ever shows the predictions, so they do not affect the game.
    """
    order, _ = ORDERS[revote]
    voters = context.permuted(context.active_player_ids, order)
    turns = [probe_turn(context, voter, standing, revote=revote) for voter in voters]
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        belief = belief_in(reply, revote=revote)
        context.record(
            "probe",
            f"What {turn.player_id} expects",
            line_of_belief(belief, turn.player_id, final_round=context.final_round),
            player_id=turn.player_id,
            visibility=(),
            data=belief,
            reply=reply,
        )


def probe_turn(
    context: Context,
    player_id: str,
    standing: Sequence[str] | None,
    *,
    revote: bool,
) -> Turn[BallotProbe]:
    """Return the question to one player, with the names in random order."""
    _, label = ORDERS[revote]
    selectable = context.permuted(standing or context.active_player_ids, label, player_id)
    candidates = electorate(
        context.active_player_ids,
        context.eliminated_player_ids,
        final_round=context.final_round,
        standing=standing,
    )
    voters = [
        name for name, names in candidates.items() if name != player_id and player_id in names
    ]
    guesses = guesses_of(selectable, voters, player_id, final_round=context.final_round)
    form = probe_form(guesses, player_id, final_round=context.final_round)
    nothing = form.model_construct(**dict.fromkeys(guesses))
    others = without(selectable, player_id)
    return turn_of(context, player_id, nothing, others, voters=voters, selectable=selectable)


def belief_in(reply: Reply[BallotProbe], *, revote: bool) -> Expectation:
    """Return an answer's percentages by subject; a fallback has no percentages."""
    odds: dict[bool, dict[str, int]] = {False: {}, True: {}}
    if not reply.fell_back:
        for field, (name, against) in reply.answer.entries.items():
            odds[against][name] = getattr(reply.answer, field)
    return Expectation(odds[False], odds[True], revote)


def line_of_belief(belief: Expectation, player_id: str, *, final_round: bool) -> str:
    """Return percentages as shown in the event's line.

    >>> line_of_belief(Expectation({"Ada": 40, "Ben": 60}, {"Ben": 5}), "Ada", final_round=False)
    'leaves: Ada 40 %, Ben 60 %; votes against Ada: Ben 5 %'
    """
    line = f"{OUTCOMES[final_round]}: {odds_in_words(belief.chances)}"
    if belief.against:
        line += f"; votes against {player_id}: {odds_in_words(belief.against)}"
    return line if belief.chances else "gives no usable odds"


def odds_in_words(odds: Mapping[str, int]) -> str:
    """Return percentages by name, in words.

    >>> odds_in_words({"Ada": 40, "Ben": 60})
    'Ada 40 %, Ben 60 %'
    """
    return ", ".join(f"{name} {per_cent} %" for name, per_cent in odds.items())
