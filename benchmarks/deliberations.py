"""Print the island's figures: rule breaches, fairness of lots, time, log size, concurrency.

uv run benchmarks/deliberations.py
uv run benchmarks/deliberations.py tokens [--against TREE]

The second counts the tokens of all prompts of a game of seven, with sidebars in rounds 1 to 5,
whose seats always say the same 60 words; and of another tree of this project, such as an older
commit checked out beside this one, with the same words. The tokenizer is Llama 2's, which comes
with wordllama.
"""

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import yaml
from pydantic import TypeAdapter

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.history import Event, History, RoundLog
from engine.memory.embeddings import wordllama
from tests.support.fake_api import FakeApi, schema_in
from tests.support.island import DELIBERATIONS, island, scripted_island
from tests.support.tables import config_for


def checked(games: int) -> int:
    """Return the checker's breaches in games of 3 to 12 players with 10 % invalid ballots."""
    histories = (scripted_island(3 + seed % 10, seed, spoil=0.1).run() for seed in range(games))
    return sum(
        len(found) for history in histories for found in DELIBERATIONS.check(history).values()
    )


def survival(chi_square: float, freedom: int) -> float:
    """Return the chance that a chi-square variable is at least `chi_square`.

    It is Q(freedom / 2, chi_square / 2), the regularized upper incomplete gamma function.

    >>> round(survival(3.841, 1), 3), round(survival(18.307, 10), 3)
    (0.05, 0.05)
    """
    x, a = chi_square / 2, 0.5 if freedom % 2 else 1.0
    q = math.erfc(math.sqrt(x)) if freedom % 2 else math.exp(-x)
    while a < freedom / 2:
        q += math.exp(a * math.log(x) - x - math.lgamma(a + 1)) if x else 0.0
        a += 1
    return q


def uniform(counts: Mapping[Hashable, int], values: Sequence[Hashable]) -> float:
    """Return the p of a chi-square test that all `values` are equally likely."""
    expected = sum(counts.values()) / len(values)
    return survival(
        sum((counts.get(value, 0) - expected) ** 2 / expected for value in values), len(values) - 1
    )


def independent(pairs: Counter[tuple[str, str]]) -> float:
    """Return the p of a chi-square test that the two sides of `pairs` are independent."""
    total, left, right = pairs.total(), Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        left[one] += count
        right[other] += count
    cells = [
        (pairs[one, other], left[one] * right[other] / total) for one in left for other in right
    ]
    return survival(
        sum((count - due) ** 2 / due for count, due in cells), (len(left) - 1) * (len(right) - 1)
    )


def order_of(log: RoundLog, kind: str) -> tuple[str, ...]:
    """Return the authors of a round's events of `kind`, in order."""
    return tuple(str(event.player_id) for event in log.events if event.kind == kind)


def lots(games: int) -> dict[str, float]:
    """Return the p of a test for each kind of lot, over `games` random games of four."""
    counts: dict[str, Counter[Hashable]] = {
        name: Counter() for name in ("pitches", "votes", "candidates", "final")
    }
    pairs, ties = Counter[tuple[str, str]](), {2: Counter[Hashable](), 3: Counter[Hashable]()}
    for seed in range(games):
        rounds = island(*["random"] * 4, seed=seed).run().rounds
        pitched, voted = order_of(rounds[0], "pitch"), order_of(rounds[0], "vote")
        counts["pitches"][pitched] += 1
        counts["votes"][voted] += 1
        counts["final"][rounds[2].active_player_ids.index(order_of(rounds[2], "pitch")[0])] += 1
        pairs[pitched[0], voted[0]] += 1
        ada = next(
            event for event in rounds[0].events if event.kind == "vote" and event.player_id == "Ada"
        )
        counts["candidates"][tuple(ada.data["candidates"])] += 1
        for log in rounds:
            result = log.events[-1].data
            tied = [
                name
                for name, votes in result["tally"].items()
                if votes == max(result["tally"].values())
            ]
            if len(tied) in ties:
                ties[len(tied)][tied.index(result["selected"])] += 1
    names = ("Ada", "Ben", "Cleo", "Dan")
    return {
        "pitch orders": uniform(counts["pitches"], [*permutations(names)]),
        "vote orders": uniform(counts["votes"], [*permutations(names)]),
        "candidate orders": uniform(counts["candidates"], [*permutations(names[1:])]),
        "who opens the final": uniform(counts["final"], [0, 1]),
        "first speaker with first voter": independent(pairs),
        **{
            f"ties of {k}, {count.total()} of them": uniform(count, range(k))
            for k, count in ties.items()
        },
    }


def milliseconds(make: Callable[[], GameEngine], games: int = 20) -> float:
    """Return the median milliseconds of a game that `make` builds."""
    taken = []
    for _ in range(games):
        engine = make()
        begun = time.perf_counter()
        engine.run()
        taken.append(1000 * (time.perf_counter() - begun))
    return sorted(taken)[games // 2]


def bytes_per_event(histories: Sequence[History]) -> float:
    """Return the mean size of an event in the log without its visibility list."""
    events = [replace(event, visibility=()) for history in histories for event in history.events]
    return len(TypeAdapter(list[Event]).dump_json(events, indent=1)) / len(events)


def growth(kind: str) -> float:
    """Return the bytes per event with 12 players of `kind` over those with 3."""
    few, many = (
        bytes_per_event([island(*[kind] * players, seed=seed).run() for seed in range(5)])
        for players in (3, 12)
    )
    return many / few


async def over_ideal(players: int, delay: float) -> float:
    """Return a game's time over the ideal: pitches in sequence, and one round-trip a vote."""
    async with FakeApi(delay=delay) as api:
        factory = ClientFactory()
        for seats in (3, players):
            config = config_for("deliberations", ",".join(["compatible:m"] * seats), at=api.url)
            begun = time.perf_counter()
            await GameEngine(config, factory=factory).play()
        taken = time.perf_counter() - begun
        await factory.aclose()
    pitches = sum(range(2, players + 1))
    return taken / (delay * (pitches + players - 1))


SEVEN = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gil")
ROOT = Path(__file__).parent.parent
PHRASES = ROOT / "engine" / "games" / "deliberations" / "phrases.yaml"
SPOKEN = 60
REASONED = 8
SEED = 7
GOAL = 1.05


@cache
def sentences() -> list[str]:
    """Return all that scripts say, about Ada where it is about somebody."""
    phrases = yaml.safe_load(PHRASES.read_text("utf-8"))
    return [sentence.format("Ada") for many in phrases.values() for sentence in many]


def words_by(player: str, number: int, length: int) -> str:
    """Return the so many words of a player's answer of this number, the same in every tree."""
    drawn = random.Random(f"{player} {number}")
    words: list[str] = []
    while len(words) < length:
        words += drawn.choice(sentences()).split()
    return " ".join(words[:length])


class Speakers:
    """Seats that say the same in every tree, and leave the game in the same order.

    All vote for the last name on offer, and take aside the first.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.asked = Counter[str]()

    def __call__(self, body: dict[str, Any]) -> str:
        """Answer a request; the seat's model is called as its player."""
        player = body["model"]
        number = self.asked[player]
        self.asked[player] += 1
        fields = schema_in(body)["properties"]
        chooses = any("enum" in field for field in fields.values())
        words = words_by(player, number, REASONED if chooses else SPOKEN)
        answer = {}
        for name, field in fields.items():
            names = sorted({*SEVEN} & {*field.get("enum", ())})
            choice = names[0 if name == "partner" else -1] if names else words
            answer[name] = choice
        said = json.dumps(answer, sort_keys=True)
        self.said.append(f"{player}: {said}")
        return said


@dataclass(frozen=True)
class Asked:
    """What the game of one tree asked: its prompts by kind of question, and all answers, sorted."""

    prompts: dict[str, list[str]]
    said: list[str]


async def asked_in(tree: Path) -> Asked:
    """Play the game of seven by a tree's own code, at a model server of ours."""
    speakers = Speakers()
    with tempfile.TemporaryDirectory() as folder:
        async with FakeApi(speakers) as api:
            await play_in(tree, game_of_seven(api.url, folder))
        rounds = rounds_in(Path(folder))
    kinds = kinds_asked(rounds)
    prompts: dict[str, list[str]] = {}
    for request in api.requests:
        player = request.body["model"]
        text = "\n".join(message["content"] for message in request.body["messages"])
        prompts.setdefault(next(kinds[player]), []).append(text)
    return Asked(prompts, sorted(speakers.said))


def kinds_asked(rounds: Sequence[dict[str, Any]]) -> dict[str, Iterator[str]]:
    """Return the kinds of the questions that each player was asked, in their order."""
    kinds: dict[str, list[str]] = {player: [] for player in SEVEN}
    for log in rounds:
        for event in log["events"]:
            if event["prompt"] is not None:
                kinds[event["player_id"]].append(event["kind"])
    return {player: iter(found) for player, found in kinds.items()}


async def play_in(tree: Path, game: dict[str, Any]) -> None:
    """Play a game by the code in `tree`."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        json.dump(game, config)
        config.flush()
        command = [sys.executable, "example.py", "--config", config.name, "--json"]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, cwd=tree, stdout=pipe, stderr=pipe)
        _, told = await process.communicate()
    if process.returncode:
        raise SystemExit(f"the game in {tree} failed: {told.decode()}")


def rounds_in(folder: Path) -> list[dict[str, Any]]:
    """Return the rounds of the only log in a folder."""
    (log,) = folder.glob("*.json")
    rounds: list[dict[str, Any]] = json.loads(log.read_text("utf-8"))["rounds"]
    return rounds


def game_of_seven(url: str, folder: str) -> dict[str, Any]:
    """Return the game that is played: full memory, and sidebars in all rounds but the last."""
    seat = {"provider": "compatible", "client_kwargs": {"base_url": f"{url}/v1"}}
    with_sidebars = ["sidebars", "pitches", "votes"]
    phases = {1: with_sidebars, len(SEVEN) - 1: ["pitches", "votes"]}
    game = {"name": "deliberations", "phases": phases, "words": SPOKEN, "private_words": SPOKEN}
    seats = [seat | {"player_id": player, "model": player} for player in SEVEN]
    return {"player_configs": seats, "logs_dir": folder, "seed": SEED, "game": game}


def print_tokens(against: Path | None) -> None:
    """Print how many tokens the prompts of this tree have, by kind of question, and of another."""
    here = asyncio.run(asked_in(ROOT))
    there = asyncio.run(asked_in(against)) if against else here
    if here.said != there.said:
        raise SystemExit(f"the seats of {against} were asked, or said, something else")
    tokenizer = llama_tokenizer()
    print(f"{'question':<12}{'asked':>8}{'tokens':>10}{'there':>10}{'ratio':>8}")
    totals = [0, 0]
    for kind, prompts in here.prompts.items():
        sizes = [tokens_in(texts, tokenizer) for texts in (prompts, there.prompts[kind])]
        totals = [total + size for total, size in zip(totals, sizes, strict=True)]
        print(tokens_line(kind, len(prompts), *sizes))
    print(tokens_line("all", len(here.said), *totals) + f"   (<= {GOAL})")


def llama_tokenizer() -> Any:
    """Return the tokenizer of Llama 2, from the package of wordllama."""
    tokenizer = wordllama().tokenizer
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def tokens_line(kind: str, asked: int, here: int, there: int) -> str:
    """Return a row of the table of tokens."""
    return f"{kind:<12}{asked:8}{here:10}{there:10}{here / there:8.3f}"


def tokens_in(texts: Sequence[str], tokenizer: Any) -> int:
    """Return the tokens of all texts together."""
    found = tokenizer.encode_batch([*texts], add_special_tokens=False)
    return sum(len(one.ids) for one in found)


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["tokens"]:
        parser = argparse.ArgumentParser(prog="deliberations.py tokens")
        parser.add_argument("--against", type=Path, metavar="TREE")
        print_tokens(parser.parse_args(sys.argv[2:]).against)
        return
    print(f"breaches found in 1,000 games                   {checked(1000):8}      (0)")
    for what, p in lots(3000).items():
        print(f"{f'p of {what}':48}{p:8.3f}      (> 0.001)")
    twelve = ("contrarian", "bandwagon", "grudge", "loyal", "random", "random") * 2
    in_memory = milliseconds(lambda: island(*twelve))
    print(f"ms a game of 12 scripts, log in memory          {in_memory:8.1f}      (<= 60)")
    with tempfile.TemporaryDirectory() as folder:

        def on_disk() -> GameEngine:
            seats = ",".join(f"scripted:{name}" for name in twelve)
            return GameEngine(config_for("deliberations", seats, Path(folder), game_id=None))

        written = milliseconds(on_disk)
        print(f"ms a game of 12 scripts, log on disk            {written:8.1f}      (<= 60)")
    print(f"bytes per event, 12 over 3 scripts              {growth('random'):8.2f}      (<= 1.5)")
    print(f"bytes per event, 12 over 3 models               {growth('model'):8.2f}      (<= 1.5)")
    ratio = asyncio.run(over_ideal(7, 0.2))
    print(f"7 models at 200 ms, time over the ideal         {ratio:8.3f}      (<= 1.1)")


if __name__ == "__main__":
    main()
