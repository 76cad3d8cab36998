"""Plant random mistakes in the code and count those that the tests notice.

    uv run --group dev python tests/mutants.py --mutants 300 --seed 1

cosmic-ray makes the mistakes, one at a time, in a copy of the project. Each meets the tests beside
its room first, and the whole default suite if it survives those. cosmic-ray.toml names the rooms.
Results are appended to a file, so the same command continues after an interruption.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.config import ConfigDict, load_config
from cosmic_ray.modules import filter_paths, find_modules
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.plugins import get_operator, operator_names
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import MutationSpec, TestOutcome

from tests.support.paths import ROOT, copy_project

Result = dict[str, str]
# A type is written with | too, and a decorator is missed at once: such mutants show nothing.
SILENT = ("core/ReplaceBinaryOperator_BitOr", "core/RemoveDecorator")


def main() -> int:
    """Run the mutants that have no result yet, and print the table of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mutants", type=int, default=300, help="how many to draw (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="fixes the draw (default: 1)")
    parser.add_argument("--rooms", default="", help="rooms, by commas (default: all)")
    parser.add_argument("--processes", type=int, default=2, help="copies at work (default: 2)")
    parser.add_argument("--room-tests", action="store_true", help="leave out the default suite")
    parser.add_argument("--results", type=Path, default=ROOT / "logs" / "mutants.jsonl")
    options = parser.parse_args()

    os.chdir(ROOT)
    config = load_config("cosmic-ray.toml")
    rooms = options.rooms.split(",") if options.rooms else config["module-path"]
    results = read_results(options.results)
    drawn = [*draw(config, rooms, options.mutants, options.seed)]
    waiting = [mutant for mutant in drawn if name_of(mutant) not in results]
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(options.processes, initializer=enter_copy, initargs=(folder,)) as pool,
    ):
        for room, output in pool.map(partial(fail_alone, config), rooms):
            if output:
                print(f"The tests of {room} fail without any mistake:", output, sep="\n")
                return 1
        runs = [pool.submit(run, mutant, config, not options.room_tests) for mutant in waiting]
        for done in runs:
            result = done.result()
            results[result["name"]] = result
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(result["noticed"], result["name"], flush=True)
    print_table([results[name_of(mutant)] for mutant in drawn])
    return 0


def draw(config: ConfigDict, rooms: list[str], count: int, seed: int) -> Iterator[MutationSpec]:
    """Yield `count` mutants, equally many from every room, longer modules more often."""
    for place, room in enumerate(rooms):
        rng = random.Random(f"{seed} {room}")
        paths = filter_paths(find_modules([Path(room)]), config["excluded-modules"])
        modules = {path: get_ast_from_path(path) for path in sorted(paths)}
        lengths = [module.end_pos[0] for module in modules.values()]
        share = (count * (place + 1)) // len(rooms) - (count * place) // len(rooms)
        drawn: set[str] = set()
        while len(drawn) < share:
            (path,) = rng.choices([*modules], lengths)
            mutant = draw_mutant(path, modules[path], rng)
            if mutant is None or is_in_decorator(mutant):
                continue
            if name_of(mutant) not in drawn:
                drawn.add(name_of(mutant))
                yield mutant


def draw_mutant(path: Path, module: Any, rng: random.Random) -> MutationSpec | None:
    """Return a mutant of a syntax tree, of a random kind; None if it has no place for that."""
    kinds: dict[str, list[str]] = {}
    for name in operator_names():
        if not name.startswith(SILENT) and not get_operator(name).arguments():
            kinds.setdefault(name.partition("_")[0], []).append(name)
    names = kinds[rng.choice(sorted(kinds))]
    for name in rng.sample(names, len(names)):
        operator = get_operator(name)()
        places = [
            place for node in ast_nodes(module) for place in operator.mutation_positions(node)
        ]
        if places:
            occurrence = rng.randrange(len(places))
            return MutationSpec(path, name, occurrence, *places[occurrence])
    return None


def is_in_decorator(mutant: MutationSpec) -> bool:
    """Return whether a mutant only changes an option such as frozen=True."""
    lines = Path(mutant.module_path).read_text(encoding="utf-8").splitlines()
    row: int = mutant.start_pos[0]
    return lines[row - 1].lstrip().startswith("@")


def name_of(mutant: MutationSpec) -> str:
    """Return what identifies a mutant while the code stays the same."""
    row, column = mutant.start_pos
    operator = mutant.operator_name.removeprefix("core/")
    return f"{mutant.module_path}:{row}:{column} {operator} {mutant.occurrence}"


def enter_copy(folder: str) -> None:
    """Work in a copy of the project from now on, which mutants may change."""
    copy = Path(folder) / str(os.getpid())
    copy_project(copy)
    os.chdir(copy)


def fail_alone(config: ConfigDict, room: str) -> tuple[str, str]:
    """Return a room and what its tests print if they fail without any mistake."""
    command = " ".join([sys.executable, config.test_command, *tests_beside(config, room)])
    outcome, output = run_tests(command, config.timeout)
    return room, "" if outcome is TestOutcome.SURVIVED else output


def run(mutant: MutationSpec, config: ConfigDict, meets_suite: bool) -> Result:
    """Return which tests notice a mutant: those of its room, the suite, or none."""
    result = {"name": name_of(mutant), "room": room_of(mutant.module_path, config)}
    for tests in ("room", "suite") if meets_suite else ("room",):
        places = tests_for(mutant, config) if tests == "room" else []
        command = " ".join([sys.executable, config.test_command, *places])
        outcome = mutate_and_test([mutant], command, config.timeout)
        result["diff"] = outcome.diff or ""
        if outcome.is_killed:
            return result | {"noticed": tests}
    return result | {"noticed": "nobody"}


def room_of(module: Path, config: ConfigDict) -> str:
    """Return the room of a module, as cosmic-ray.toml names it."""
    rooms: list[str] = config["module-path"]
    return next(room for room in rooms if module.is_relative_to(room))


def tests_beside(config: ConfigDict, room: str) -> list[str]:
    """Return the folders of a room's tests."""
    folders: list[str] = config["beside"].get(room, [f"tests/{room}"])
    return folders


def tests_for(mutant: MutationSpec, config: ConfigDict) -> list[str]:
    """Return the tests of a mutant's room, those named after its module first."""
    folders = tests_beside(config, room_of(mutant.module_path, config))
    name = f"test_{mutant.module_path.stem}.py"
    named = [str(path) for folder in folders for path in sorted(Path(folder).rglob(name))]
    return [*named, *folders]


def read_results(path: Path) -> dict[str, Result]:
    """Return the results of earlier runs by the names of their mutants."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {result["name"]: result for result in map(json.loads, lines)}


def print_table(results: list[Result]) -> None:
    """Print who noticed how many mutants, room by room, and the diffs of survivors."""
    counts = Counter((result["room"], result["noticed"]) for result in results)
    print(f"{'room':32} {'mutants':>8} {'its tests':>10} {'suite':>6} {'nobody':>7}")
    for room in dict.fromkeys(result["room"] for result in results):
        row = [counts[room, who] for who in ("room", "suite", "nobody")]
        print(f"{room:32} {sum(row):8} {row[0]:10} {row[1]:6} {row[2]:7}")
    survivors = [result for result in results if result["noticed"] == "nobody"]
    print(f"{len(results) - len(survivors)} of {len(results)} noticed; the survivors:")
    for result in survivors:
        print(result["name"], result["diff"], sep="\n")


if __name__ == "__main__":
    sys.exit(main())
