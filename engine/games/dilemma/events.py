"""The dilemma's events: their data by kind, and the functions that write and read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.games.dilemma.quiz import Question
from engine.games.dilemma.referee.live_match import LiveMatch
from engine.games.dilemma.rules import FIELDS, flip_moves
from engine.games.dilemma.tournament import DilemmaTournament, Encounter, RoundRobin
from engine.history import Event, History, payload_of
from engine.round import RoundContext
from player import Reply
from protocol.turn import Turn

Context = RoundContext[DilemmaTournament]


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """Data for a `quiz`: a question about the rules, a player's answer, and the right answer."""

    question: str
    answer: str
    right: str
    rationale: str


@dataclass(frozen=True, slots=True)
class BlockPlayed:
    """Data for a `block`: a player's moves from move `move` on, before and after flips."""

    opponent: str
    move: int
    answer: str
    played: str
    rationale: str


@dataclass(frozen=True, slots=True)
class MatchPlayed:
    """Data for a `match`, by player: moves as played, points, flips, and faults."""

    moves: dict[str, str]
    points: dict[str, int]
    flips: dict[str, list[int]]
    faults: dict[str, int]


@dataclass(frozen=True, slots=True)
class RoundStanding:
    """Data for a `standing`: moves per game, points (highest first), and players dropped."""

    moves: int
    table: dict[str, int]
    dropped: list[str]


@dataclass(frozen=True, slots=True)
class RoundOpening:
    """The players in a round, and the rounds in which others left; both are empty if hidden."""

    active: list[str]
    out: dict[str, int]


PAYLOADS: dict[str, type] = {
    "narration": RoundOpening,
    "quiz": QuizAnswer,
    "block": BlockPlayed,
    "match": MatchPlayed,
    "standing": RoundStanding,
}
# The fields of an event's data that its log line shows.
FACTS = {
    "narration": ("active", "out"),
    "match": ("moves", "points"),
    "standing": ("moves", "table", "dropped"),
}


def record_roster(context: Context, max_rounds: int | None, *, public: bool) -> None:
    """Announce the round to all players; if `public`, also list the players that remain or left."""
    number = f"Round {context.round_index}"
    if max_rounds is not None:
        number += f" of {max_rounds} at most"
    if not public:
        context.narrate(f"{number}.", data={"active": [], "out": {}})
        return

    out: dict[str, int] = {}
    for played in context.state.rounds:
        out |= dict.fromkeys(played.dropped, played.index)
    active = [*context.active_player_ids]
    context.narrate(
        f"{number}. {roster_in_words(active, out)}", data={"active": active, "out": out}
    )


def roster_in_words(active: Sequence[str], out: Mapping[str, int]) -> str:
    """Return text with the players in the game, and the round in which each other player left."""
    line = f"In the game: {', '.join(active)}."
    if not out:
        return line
    gone = [f"{name} (round {index})" for name, index in out.items()]
    return f"{line} Out: {', '.join(gone)}."


def record_quiz(context: Context, turn: Turn[Any], reply: Reply[Any]) -> bool:
    """Log a quiz answer as a hidden event, and return whether the answer is right."""
    question: Question = turn.observation
    answer = reply.answer.answer
    rationale = reply.answer.rationale
    right = bool(answer == question.right)
    verdict = "right" if right else f"right is {question.right}"
    context.record(
        "quiz",
        "Quiz",
        f"{question.text} {answer} ({verdict}){reason_clause(rationale)}",
        player_id=turn.player_id,
        visibility=(),
        data=QuizAnswer(
            question=question.text,
            answer=answer,
            right=question.right,
            rationale=rationale,
        ),
        reply=reply,
    )
    return right


def reason_clause(rationale: str) -> str:
    """Return a reason as the end of a log line, or "" if there is none."""
    return f": {rationale}" if rationale else ""


def record_block(
    context: Context,
    after: LiveMatch,
    side: int,
    answer: str,
    reply: Reply[Any],
) -> None:
    """Log a player's answer and its moves after flips as a hidden event; `side` is 0 or 1."""
    player_id = after.players[side]
    opponent = after.players[1 - side]
    begun = len(after.played[side]) - len(answer)
    played = after.played[side][begun:]
    rationale = reply.answer.rationale
    context.record(
        "block",
        "Block",
        block_in_words(answer, played, opponent, rationale),
        player_id=player_id,
        visibility=(),
        data=BlockPlayed(
            opponent=opponent,
            move=begun,
            answer=answer,
            played=played,
            rationale=rationale,
        ),
        reply=reply,
    )


def block_in_words(answer: str, played: str, opponent: str, rationale: str) -> str:
    """Return a sentence with a player's answer, its moves after flips, and its reason."""
    became = f", flipped to {' '.join(played)}" if played != answer else ""
    return f"plays {' '.join(answer)} against {opponent}{became}{reason_clause(rationale)}"


def record_match(context: Context, encounter: Encounter) -> None:
    """Log a finished game as a hidden event."""
    first, second, match = encounter
    points, other_points = match.score
    context.narrate(
        f"{first} {points} {match.first} · {second} {other_points} {match.second}",
        kind="match",
        heading=f"{first} and {second}",
        visibility=(),
        data=match_data(encounter),
    )


def match_data(encounter: Encounter) -> dict[str, Any]:
    """Return MatchPlayed's fields as a dict, since converting an object takes 5 times as long."""
    first, second, match = encounter
    points, other_points = match.score
    flips, other_flips = map(sorted, match.flips)
    faults, other_faults = map(len, match.faults)
    return {
        "moves": {first: match.first, second: match.second},
        "points": {first: points, second: other_points},
        "flips": {first: flips, second: other_flips},
        "faults": {first: faults, second: other_faults},
    }


def record_standing(context: Context, played: RoundRobin, *, public: bool) -> None:
    """Log the standing after a round, visible to all players if `public`, otherwise to none."""
    table = ", ".join(f"{name} {points}" for name, points in played.table)
    context.narrate(
        f"Games of {played.moves} moves: {table}; {played.why}.",
        kind="standing",
        visibility=None if public else (),
        data={
            "moves": played.moves,
            "table": dict(played.table),
            "dropped": [*played.dropped],
        },
    )


def facts_of_dilemma(event: Event) -> dict[str, Any]:
    """Return the roster, a game's moves and points, or a round's standing and dropped players.

    The result is empty for events of other kinds, and for data that this version cannot read.
    """
    if event.kind not in FACTS:
        return {}
    try:
        data: Any = payload_of(event, PAYLOADS[event.kind])
    except ValueError:
        return {}
    if isinstance(data, RoundOpening) and not data.active:
        return {}
    return {name: getattr(data, name) for name in FACTS[event.kind]}


def blocks_in(history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
    """Yield each block's event and answer; a block without an event is read from its match."""
    size = history.config["game"]["block"]
    for log in history.rounds:
        blocks: dict[tuple[str | None, str, int], Event] = {}
        matches = []
        for event in log.events:
            if event.kind == "block":
                blocks[event.player_id, event.data["opponent"], event.data["move"]] = event
            elif event.kind == "match":
                matches.append(event)
        for begin in range(0, max(map(moves_in, matches), default=0), size):
            for match in matches:
                first, second = match.data["moves"]
                for player_id, opponent in ((first, second), (second, first)):
                    block = blocks.get((player_id, opponent, begin))
                    if block is None:
                        moves = answered_moves(match, player_id, begin, size)
                        yield replace(match, player_id=player_id), answer_of(moves)
                    else:
                        yield block, answer_of(block.data["answer"], block.data["rationale"])


def moves_in(match: Event) -> int:
    """Return how many moves each side made in a match."""
    return max(map(len, match.data["moves"].values()))


def answered_moves(match: Event, player_id: str, begin: int, size: int) -> str:
    """Return `size` moves that a player chose from move `begin` on, padded with D at the end."""
    played = match.data["moves"][player_id][begin : begin + size]
    # A second flip restores the move that the player chose.
    return flip_moves(played, begin, match.data["flips"][player_id]).ljust(size, "D")


def answer_of(moves: str, rationale: str = "") -> dict[str, str]:
    """Return the fields of an answer with these moves."""
    return {"rationale": rationale, **dict(zip(FIELDS, moves, strict=False))}
