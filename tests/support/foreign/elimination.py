"""Logs in the form of the Elimination Game's: eight models vote each other out, two are left."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

MODELS = ("sonnet-1", "o3-mini", "llama", "r1", "mistral", "gemini_20", "minimax", "house-7b")
Line = dict[str, Any]


def ids_of(game: int, models: Sequence[str] = MODELS) -> list[str]:
    return [f"Player{seat}_Game{game}_{model}" for seat, model in enumerate(models, 1)]


def elimination_log(
    seed: int, models: Sequence[str] = MODELS, *, day: str = "2025-04-14", invalid: float = 0.1
) -> list[Line]:
    """Return the lines of one game; a share of votes names nobody."""
    rng = random.Random(seed)
    game = 10_000 + seed
    players = ids_of(game, models)
    active, out = [*players], []
    clock = iter(range(100_000))
    lines: list[Line] = []

    def add(kind: str, number: int, timed: bool = True, **fields: Any) -> None:
        line = {"game_id": game, "type": kind, "round": number, **fields}
        if timed:
            second = next(clock)
            line["timestamp"] = f"{day} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        lines.append(line)

    def vote(voter: str, number: int, kind: str, among: Sequence[str]) -> str | None:
        target = rng.choice([one for one in among if one != voter])
        given = "(invalid_or_skipped)" if rng.random() < invalid else target
        add(kind, number, timed=False, voter_id=voter, target_id=given, reason=f"{target} plots")
        said = given if given == target else "(invalid/skipped)"
        add("vote", number, voter_id=voter, target_id=said, public_vote=True)
        return target if given == target else None

    number = 0
    while len(active) > 2:
        number += 1
        for player in rng.sample(active, len(active)):
            greeting = f"Hello, I am {player}"
            add("conversation", number, subround=1, player_id=player, message=greeting)
        pair = rng.sample(active, 2)
        short = [f"P{1 + players.index(one)}" for one in pair]
        add(
            "preference_proposal", number, timed=False,
            proposer=short[0], target=short[1], rank_of_target=0,
        )  # fmt: skip
        add("preference_outcome", number, timed=False, target=short[1], accepted=short[0])
        add("preference_result", number, timed=False, matched_pairs=[short])
        add(
            "private", number, subround=2, speaker_id=pair[0], target_id=pair[1],
            message="Let us stay together.",
        )  # fmt: skip
        votes = [vote(one, number, "private_vote_reason", active) for one in active]
        tied = most_of(votes) or active
        leaves = rng.choice(tied)
        if len(tied) > 1:
            for one in tied:
                add("conversation", number, subround=600, player_id=one, message="Keep me.")
            again = [
                vote(one, number, "private_revote_reason", tied)
                for one in active
                if one not in tied
            ]
            leaves = rng.choice(most_of(again) or tied)
        add(
            "elimination", number, eliminated_player=leaves, tie_break=False,
            random_pick=len(tied) > 1,
        )  # fmt: skip
        active.remove(leaves)
        out.append(leaves)
    number += 1
    for player in active:
        add("conversation", number, subround=900, player_id=player, message="Let me win.")
    against = [rng.choice(active) for _ in out]
    for juror, target in zip(out, against, strict=True):
        add(
            "private_jury_reason", number, timed=False, voter_id=juror, target_id=target,
            reason="no hard feelings",
        )  # fmt: skip
    second = rng.choice(most_of(against))
    winner = next(one for one in active if one != second)
    ranks = {one: place for place, one in enumerate([winner, second, *out[::-1]], 1)}
    points = {one: (len(players) - place) / (len(players) - 1) for one, place in ranks.items()}
    lines.append(
        {
            "game_id": game, "type": "final_results", "winners": [winner], "final_ranks": ranks,
            "final_ranks_full": ranks, "partial_points": points, "partial_points_full": points,
        }
    )  # fmt: skip
    return lines


def most_of(votes: Sequence[str | None]) -> list[str]:
    tally = Counter(vote for vote in votes if vote)
    most = max(tally.values(), default=0)
    return [one for one, count in tally.items() if count == most]


def as_jsonl(lines: Sequence[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
