"""Votes as logs have them: the list as it was read, the choice, and what stood by it."""

from engine.history import History, history_from_json
from labs.ballots import votes_of
from tests.support.histories import of_kind
from tests.support.island import scripted_island
from tests.support.tables import run_game


def read(log: History) -> History:
    return history_from_json(log.to_json())


def test_every_ballot_is_told_as_it_was_cast() -> None:
    log = read(scripted_island(5, seed=2, spoil=0.4).run())
    ballots = of_kind(log, "vote")
    votes = votes_of(log)
    assert len(votes) == len(ballots) == 5 + 4 + 3 + 3
    assert [vote.jury for vote in votes] == [False] * 12 + [True] * 3
    for vote, event in zip(votes, ballots, strict=True):
        assert vote.voter == event.player_id
        assert [*vote.candidates] == event.data["candidates"]
        assert vote.choice == event.data["vote"]
        assert (vote.choice is None) == event.fell_back
        assert vote.voter not in vote.candidates
    assert {vote.choice is None for vote in votes} == {True, False}


def test_a_finalists_words_are_those_of_its_last_pitch() -> None:
    log = read(scripted_island(4, seed=1).run())
    pitches = [event for event in log.rounds[-1].events if event.kind == "pitch"]
    lengths = {event.player_id: len(event.content.split()) for event in pitches}
    for vote in votes_of(log):
        if vote.jury:
            assert vote.words == lengths


def test_a_vote_is_told_by_entrants() -> None:
    log = read(scripted_island(4, seed=1).run())
    vote = votes_of(log)[-1]
    choice = vote.as_choice({seat.player_id: f"entrant {seat.player_id}" for seat in log.players})
    assert choice["options"] == [f"entrant {one}" for one in vote.candidates]
    assert choice["chosen"] == f"entrant {vote.choice}"
    assert choice["voter"] == f"entrant {vote.voter}"
    assert choice["providers"] == ["scripted", "scripted"]
    assert choice["words"] == [vote.words[one] for one in vote.candidates]


def test_an_order_that_nobody_knows_says_nothing_of_lists() -> None:
    """The finalists of a foreign log may stand there with the winner first."""
    first = 0
    for seed in range(40):
        log = read(scripted_island(4, seed=seed).run())
        for event in log.events:
            if event.kind == "vote":
                vote = event.data["vote"]
                others = [name for name in event.data["candidates"] if name != vote]
                event.data |= {"candidates": [vote, *others], "order_known": False}
        cast = votes_of(log)[-1]
        assert not cast.ordered
        assert cast.candidates[0] == cast.choice
        entrants = {seat.player_id: seat.player_id for seat in log.players}
        choice = cast.as_choice(entrants)
        assert choice == cast.as_choice(entrants)
        first += choice["options"][0] == choice["chosen"]
    assert 10 <= first <= 30


def test_a_game_without_votes_has_none() -> None:
    assert votes_of(run_game("dilemma")) == []
