"""Counts of votes in all games, for comparison with chance, and the headings of their tables.

A row counts the votes in which some candidates have a mark. In a round, a vote is against a player
("out"); in a final, it is for the winner ("wins").
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence

from engine.games.deliberations.flags import FLAGS, REPEATED
from engine.games.deliberations.promises import Promise
from engine.round_phases.voting import most_in
from labs.ballots import CastVote
from labs.bias.estimators import MarkedVotes
from labs.deliberations.facts import GameFacts, RoundFacts

Rows = dict[str, MarkedVotes]
Marks = Iterator[tuple[str, Collection[str]]]
Marking = Callable[[CastVote, RoundFacts], Marks]

LIST = "Votes by place in the list"
SPEAKING = "Votes by order of speaking"
KIND = "Votes for one's own kind"
PARTNER = "Betrayal: votes on one's partner of a sidebar"
PROMISES = "Promises kept"
PLANS = "Votes by plan and words"
SPOKEN_PLANS = "Plans that are said"
FLAGGED = "Words and deeds"
SWINGS = "Swing votes"
WINS = "Wins by model"
FIRST_OUT = "First out by model"


def mark_list(ballot: CastVote, _around: RoundFacts) -> Marks:
    """Mark each candidate by its place in the list that the voter read, if its order is known."""
    places = enumerate(ballot.candidates, 1) if ballot.ordered else ()
    for place, candidate in places:
        yield f"place {place}", (candidate,)


def mark_speakers(_ballot: CastVote, around: RoundFacts) -> Marks:
    """Mark the players that pitched first and last, if at least two pitched."""
    if len(around.speakers) > 1:
        yield "spoke first", around.speakers[:1]
        yield "spoke last", around.speakers[-1:]


def mark_kind(ballot: CastVote, _around: RoundFacts) -> Marks:
    """Mark candidates that share the voter's provider or its model."""
    provider, model = ballot.providers[ballot.voter], ballot.models[ballot.voter]
    same = [name for name in ballot.candidates if ballot.providers[name] == provider]
    yield "same provider", same
    yield "same model", [name for name in same if ballot.models[name] == model]


def mark_partners(ballot: CastVote, around: RoundFacts) -> Marks:
    """Mark the voter's partners in private talks: all of them, and separately by who chose whom."""
    voter = ballot.voter
    for candidate in ballot.candidates:
        if (voter, candidate) not in around.talks:
            continue
        took = (voter, candidate) in around.picks
        was_taken = (candidate, voter) in around.picks
        yield "partner", (candidate,)
        if took and was_taken:
            yield "partner, both chose", (candidate,)
        elif took:
            yield "partner, the voter chose", (candidate,)
        elif was_taken:
            yield "partner, the other chose", (candidate,)


def mark_plans(ballot: CastVote, around: RoundFacts) -> Marks:
    """Mark the foes that the voter named in its plan, in its words, and in only one of the two."""
    planned = around.plans.get(ballot.voter, frozenset())
    spoken = around.words.get(ballot.voter, frozenset())
    yield "named in its plan", planned
    yield "named in its words", spoken
    yield "planned, not said", planned - spoken
    yield "said, not planned", spoken - planned


MARKINGS: dict[str, Marking] = {
    LIST: mark_list,
    SPEAKING: mark_speakers,
    KIND: mark_kind,
    PARTNER: mark_partners,
    PLANS: mark_plans,
}


# A game, a place in it, and that place minus the middle place of the table.
PlaceTaken = tuple[str, float, float]


def new_rows() -> Rows:
    """Return an empty table whose rows are created when they are first used."""
    return defaultdict(MarkedVotes)


class VoteCounts:
    """The counts of the votes in all games.

    `models` contains the tables with one row per model. `voters` contains the rows of vote tables,
    split by the voter's model. `shares` contains the tables of shares without a chance level.
    `places` contains the places that each model took.
    """

    def __init__(self, games: Sequence[GameFacts]) -> None:
        self.models: dict[str, Rows] = defaultdict(new_rows)
        self.voters: dict[tuple[str, str], Rows] = defaultdict(new_rows)
        self.shares: dict[str, Rows] = defaultdict(new_rows)
        self.places: dict[str, list[PlaceTaken]] = defaultdict(list)
        for game in games:
            self.add_game(game)

    def add_game(self, game: GameFacts) -> None:
        """Count one game."""
        self.add_places(game)
        self.add_first_out(game)
        entrants = {seat.player_id: seat.entrant for seat in game.seats}
        for around in game.rounds:
            self.add_swings(game.game_id, around)
            for ballot in around.ballots:
                self.add_ballot(ballot, around, entrants[ballot.voter])
            self.add_promises(game.game_id, around, entrants)
            self.add_flags(game.game_id, around, entrants)
            self.add_plans(game.game_id, around)

    def add_places(self, game: GameFacts) -> None:
        """Count each model's wins, and store the place of each seat."""
        seats = len(game.seats)
        middle = (seats + 1) / 2
        alone = len({seat.entrant for seat in game.seats}) == 1
        for seat in game.seats:
            wins = self.models[WINS][seat.entrant]
            if alone:
                wins.left_out += 1
                continue
            wins.add_case(game.game_id, seat.place == 1, 1 / seats)
            self.places[seat.entrant].append((game.game_id, seat.place, seat.place - middle))

    def add_first_out(self, game: GameFacts) -> None:
        """Count which model left first; a model's chance is proportional to its number of seats."""
        gone = first_out(game)
        held: dict[str, list[str]] = defaultdict(list)
        for seat in game.seats:
            held[seat.entrant].append(seat.player_id)
        for entrant, seats in held.items():
            row = self.models[FIRST_OUT][entrant]
            if gone is None or len(held) == 1:
                row.left_out += 1
            else:
                row.add_case(game.game_id, gone in seats, len(seats) / len(game.seats))

    def add_ballot(self, ballot: CastVote, around: RoundFacts, entrant: str) -> None:
        """Count a ballot in the row of each mark."""
        aim = "wins" if around.final else "out"
        for table, marking in MARKINGS.items():
            for name, marked in marking(ballot, around):
                counted = self.voters[table, f"{aim}: {name}"][entrant]
                counted.add_vote(ballot.game_id, ballot.candidates, ballot.choice, marked)

    def add_plans(self, game_id: str, around: RoundFacts) -> None:
        """Count the foes in each player's plan, and how many of them its words name."""
        for player_id, planned in around.plans.items():
            for name in sorted(planned):
                row = self.shares[SPOKEN_PLANS]["foes in a plan that the words name"]
                row.add_case(game_id, name in around.words.get(player_id, ()), 0)

    def add_promises(self, game_id: str, around: RoundFacts, entrants: dict[str, str]) -> None:
        """Count the promises of a round, and how many of them the round's ballots keep."""
        cast = {ballot.voter: ballot for ballot in around.ballots}
        for promise in around.promises:
            row = self.voters[PROMISES, promise_in_words(promise)][entrants[promise.speaker]]
            ballot = cast.get(promise.speaker)
            if (
                ballot is None
                or ballot.choice is None
                or promise.about not in ballot.candidates
                # A ballot with a single name leaves no choice.
                or len(ballot.candidates) < 2
            ):
                row.left_out += 1
                continue
            chance = promise.chance(len(ballot.candidates))
            row.add_case(game_id, promise.kept_by(ballot.choice), chance)

    def add_swings(self, game_id: str, around: RoundFacts) -> None:
        """Count how many of a round's ballots are swing votes, and whether there is any."""
        if not around.ballots:
            return
        aim = "wins" if around.final else "out"
        swings = swing_votes(around.ballots, around.selected)
        voters = {ballot.voter for ballot in swings}
        swinging = self.shares[SWINGS]
        ballots = swinging[f"{aim}: ballots"]
        for ballot in around.ballots:
            if ballot.choice is None:
                ballots.left_out += 1
            else:
                ballots.add_case(game_id, ballot.voter in voters, 0)
        swinging[f"{aim}: verdicts with at least one"].add_case(game_id, bool(swings), 0)

    def add_flags(self, game_id: str, around: RoundFacts, entrants: dict[str, str]) -> None:
        """Count each model's flagged players, and all its players that could have been flagged."""
        voters = [ballot.voter for ballot in around.ballots if ballot.choice is not None]
        for flag in FLAGS:
            for player_id in around.speakers if flag == REPEATED else voters:
                hit = (flag, player_id) in around.flags
                self.shares[FLAGGED][f"{entrants[player_id]}: {flag}"].add_case(game_id, hit, 0)

    def table(self, name: str) -> Rows:
        """Return the rows of a table; rows of votes combine the votes of all models."""
        rows = dict(self.models.get(name, {}))
        for (table, row), by_voter in self.voters.items():
            if table == name:
                rows[row] = MarkedVotes.of_all(by_voter.values())
        return rows


def first_out(game: GameFacts) -> str | None:
    """Return the player selected by the game's first vote before the final, if any."""
    voted = (played.selected for played in game.rounds if played.ballots and not played.final)
    return next(voted, None)


def promise_in_words(promise: Promise) -> str:
    """Return a promise's aim and audience as text."""
    where = "alone" if promise.private else "to all"
    what = "not to vote against" if promise.aim == "spare" else "to vote against"
    return f"{what}, said {where}"


def swing_votes(ballots: Sequence[CastVote], selected: str | None) -> list[CastVote]:
    """Return the ballots of a round that could have changed or tied its verdict.

    With another choice in one of these ballots, all else equal, a different set of players would
    have had the most votes. If `selected` won a tie, by a random draw or a second vote, a ballot
    that would only have given it a clear lead does not count.
    """
    tally = Counter(ballot.choice for ballot in ballots if ballot.choice is not None)
    return [ballot for ballot in ballots if can_swing(ballot, tally, selected)]


def can_swing(ballot: CastVote, tally: Counter[str], selected: str | None) -> bool:
    """Return whether another choice could have changed or tied the verdict (see `swing_votes`)."""
    if ballot.choice is None:
        return False
    same = {frozenset(most_in(tally)), frozenset([selected])}
    for rival in ballot.candidates:
        if rival == ballot.choice:
            continue
        changed = tally.copy()
        changed[ballot.choice] -= 1
        changed[rival] += 1
        if frozenset(most_in(changed)) not in same:
            return True
    return False
