"""Convert the lines of an Elimination Game's log into events, with their visibility and text.

All seats see public words, including the seats of players that left, since these are the jury. A
private message is visible only to its two players, a reason only to the voter, and proposals to no
player. A juror's line names the finalist that should leave, so it is recorded as a vote for the
other finalist. The order of candidates is unknown, so `order_known` is false.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.exchange.foreign import Line, excerpt, others_in
from engine.exchange.game import foreign_words
from engine.exchange.voting.table import FINALISTS, FIRST_VOTE, REVOTE, VotingTable
from engine.history import Event
from engine.round_phases.voting import votes_in_words

COMMON = frozenset({"game_id", "type", "round"})
SPEECH = frozenset({"subround", "player_id", "message", "timestamp"})
WHISPER = frozenset({"subround", "speaker_id", "target_id", "message", "timestamp"})
REASON = frozenset({"voter_id", "target_id", "reason", "timestamp"})
VOTE = frozenset({"voter_id", "target_id", "public_vote", "timestamp"})
WAYS = ("tie_break", "cumu_check", "random_pick")
LEAVING = frozenset({"eliminated_player", "timestamp", *WAYS})
RANKS = frozenset({"winners", "winners_full", "final_ranks", "final_ranks_full"})
POINTS = frozenset({"partial_points", "partial_points_full"})
PROPOSAL = frozenset({"proposer", "target", "rank_of_target"})
ANSWER = frozenset({"target", "accepted", "rejected", "replaced"})
STEP = PROPOSAL | ANSWER
PAIRS = frozenset({"matched_pairs"})
# The keys for a note's writer and words are undocumented.
WRITERS = ("player_id", "speaker_id", "voter_id", "owner_id")
NOTES = ("note", "message", "memory_note", "memory", "text", "content", "reason")
NOTE = frozenset({*WRITERS, *NOTES, "subround", "timestamp"})
# The type of the reason before a vote determines the vote's ballot.
BALLOTS = {"private_vote_reason": FIRST_VOTE, "private_revote_reason": REVOTE}
NOBODY = ()


def event_of_line(line: Line, table: VotingTable) -> Event | None:
    """Return a line's event, or None if a later event includes it; raise ValueError if invalid."""
    table.timestamp = time_of(line.get("timestamp")) or table.timestamp
    kind = str(line.get("type"))
    reader = LineReader(line, table)
    if kind not in TELLERS:
        return reader.tell_unknown(kind)
    teller, known = TELLERS[kind]
    event = teller(reader)
    others = others_in(line, COMMON | known, table.unknown)
    if others and event is not None:
        event.data["others"] = others
    return event


def time_of(value: Any) -> str | None:
    """Return a log's time in ISO 8601, taken as UTC if it has no zone; None if it is invalid."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat()


@dataclass(slots=True)
class LineReader:
    """Converts one line into an event, with the game's state in `table`."""

    line: Line
    table: VotingTable

    def player(self, key: str) -> str:
        """Return the seat that a field names; raise ValueError if there is none."""
        return self.table.seat_of(self.line.get(key))

    def target(self) -> str | None:
        """Return the player that the line is about, or None if no such player is in the game."""
        return self.table.seat_named(self.line.get("target_id"))

    def tell_words(self, kind: str, player: str, words: Any) -> Event:
        """Record a player's words; unusable text counts as no answer."""
        text, silent = foreign_words(words)
        event = self.table.tell(kind, player, text)
        event.fell_back = silent
        return event

    def tell_unknown(self, kind: str) -> Event:
        """Record a line of an unknown type, visible to no player."""
        named = f"type {kind!r:.60}"
        self.table.unknown[named] += 1
        event = self.table.tell("unknown", None, f"a line of {named}")
        event.data["line"] = self.line
        event.visibility = NOBODY
        return event

    def tell_speech(self) -> Event:
        """Record a player's public words."""
        event = self.tell_words("statement", self.player("player_id"), self.line.get("message"))
        event.data["subround"] = self.line.get("subround")
        return event

    def tell_whisper(self) -> Event:
        """Record a player's words to one other player."""
        speaker = self.player("speaker_id")
        partner = self.player("target_id")
        event = self.tell_words("sidebar", speaker, self.line.get("message"))
        event.data["to"] = partner
        event.data["subround"] = self.line.get("subround")
        event.visibility = (speaker, partner)
        return event

    def tell_reason(self) -> Event:
        """Record the reason for the vote that follows, visible only to the voter."""
        voter = self.player("voter_id")
        self.table.announced[voter] = BALLOTS[self.line["type"]]
        event = self.tell_words("reason", voter, self.line.get("reason"))
        event.data["target"] = self.target()
        event.visibility = (voter,)
        # A vote does not need a reason.
        event.fell_back = False
        return event

    def tell_ballot(self) -> Event:
        """Record a vote to eliminate a player; an unknown name counts as a failure to answer."""
        voter = self.player("voter_id")
        target = self.target()
        ballot = self.table.ballot_of(voter)
        self.table.cast[voter, ballot] = target
        text = f"votes to eliminate {target}" if target else "votes for a name not at the table"
        event = self.table.tell("vote", voter, text)
        others = [player for player in self.table.active if player != voter]
        event.data = {"vote": target, "ballot": ballot}
        event.data |= {"candidates": others, "order_known": False}
        if target is None:
            event.data["given"] = f"{self.line.get('target_id')!s:.200}"
            event.fell_back = True
        if not self.line.get("public_vote"):
            event.visibility = (voter,)
        return event

    def tell_juror(self) -> Event:
        """Record a juror's line, which names one finalist, as a vote for the other finalist."""
        voter = self.player("voter_id")
        target = self.target()
        finalists = [*self.table.active]
        kept = None
        if len(finalists) == FINALISTS and target in finalists:
            kept = finalists[1 - finalists.index(target)]
        self.table.cast[voter, FIRST_VOTE] = kept
        kind = "vote" if self.table.reliable_jury else "jury_line"
        event = self.tell_words(kind, voter, self.line.get("reason"))
        event.data = {"vote": kept, "against": target, "jury": True}
        event.data |= {"candidates": finalists, "order_known": False}
        event.visibility = (voter,)
        event.fell_back = kept is None
        return event

    def tell_step(self) -> None:
        """Store a step of the matching that forms pairs: a proposal or a reply."""
        self.table.steps.append({key: self.line[key] for key in self.line if key in STEP})

    def tell_pairs(self) -> Event:
        """Record this round's pairs and the steps that led to them, visible to no player."""
        pairs = self.line.get("matched_pairs")
        count = len(pairs) if isinstance(pairs, list) else 0
        event = self.table.tell("pairing", None, f"{count} pairs are found")
        event.data = {"pairs": pairs, "proposals": self.table.steps}
        event.visibility = NOBODY
        self.table.steps = []
        return event

    def tell_leaving(self) -> Event:
        """Record an elimination and its votes."""
        player = self.player("eliminated_player")
        tally = self.table.tally()
        self.table.left.append(player)
        votes = votes_in_words(tally.get(player, 0))
        event = self.table.tell("result", None, f"{player} is eliminated with {votes}.")
        ways = {way: self.line[way] is True for way in WAYS if way in self.line}
        is_lot = ways.get("random_pick", False)
        event.data = {"selected": player, "tally": tally, "lot": is_lot} | ways
        return event

    def tell_note(self) -> Event:
        """Record a player's private note."""
        player = self.table.seat_of(self.first_of(WRITERS))
        event = self.tell_words("note", player, self.first_of(NOTES))
        event.visibility = (player,)
        return event

    def first_of(self, keys: Iterable[str]) -> Any:
        """Return the value of the first of `keys` that the line has, or None."""
        return next((self.line[key] for key in keys if key in self.line), None)

    def tell_results(self) -> Event:
        """Record the winner, and all players' places and points."""
        places = self.by_seat("final_ranks")
        winners = [seat for seat, place in places.items() if place == 1]
        named = " and ".join(winners) or "Nobody"
        event = self.table.tell("result", None, f"{named} wins the game.")
        event.data = {
            "selected": winners[0] if winners else None,
            "tally": self.table.tally(),
            "places": places,
            "points": self.by_seat("partial_points"),
        }
        return event

    def by_seat(self, key: str) -> Line:
        """Return a field's values by seat; raise ValueError if it names a player twice."""
        listed = self.line.get(key) or self.line.get(f"{key}_full")
        if not isinstance(listed, dict):
            raise ValueError(f"expected {key} by player: got {excerpt(listed)}")
        values = {self.table.seat_of(player): value for player, value in listed.items()}
        if len(values) != len(listed):
            raise ValueError(f"expected {key} to name each player once")
        return values


Teller = Callable[[LineReader], Event | None]
TELLERS: Mapping[str, tuple[Teller, frozenset[str]]] = {
    "conversation": (LineReader.tell_speech, SPEECH),
    "private": (LineReader.tell_whisper, WHISPER),
    "preference_proposal": (LineReader.tell_step, PROPOSAL),
    "preference_outcome": (LineReader.tell_step, ANSWER),
    "preference_result": (LineReader.tell_pairs, PAIRS),
    "private_vote_reason": (LineReader.tell_reason, REASON),
    "private_revote_reason": (LineReader.tell_reason, REASON),
    "private_jury_reason": (LineReader.tell_juror, REASON),
    "vote": (LineReader.tell_ballot, VOTE),
    "elimination": (LineReader.tell_leaving, LEAVING),
    "memory_note": (LineReader.tell_note, NOTE),
    "final_results": (LineReader.tell_results, RANKS | POINTS),
}
